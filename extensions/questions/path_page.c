/* Path page: SVG inside of a page that is XML as well. */
#include "extensions/questions/path_page.h"

#include <inttypes.h>
#include <string.h>
#include "reports/xml.h"

#define ROW  64 /* pixels from one point to the next */
#define LANE 120
#define TOP  40
#define WIDE 900 /* of the texts */

struct sc_path_point *sc_path_point_add(struct sc_path_drawing *path)
{
	sc_vector_push(&path->points, (struct sc_path_point){0});
	return sc_vector_last(&path->points);
}

void sc_path_drawing_fini(struct sc_path_drawing *path)
{
	for (size_t i = 0; i < path->points.count; i++) {
		sc_buf_fini(&path->points.items[i].text);
		sc_buf_fini(&path->points.items[i].place);
		sc_buf_fini(&path->points.items[i].lane);
	}
	sc_vector_fini(&path->points);
}

void sc_path_page_begin(struct sc_buf *out, const char *title)
{
	sc_buf_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
			"<title>");
	sc_xml_add(out, title);
	sc_buf_add(out, "</title>\n<style>\n"
			":root { color-scheme: light dark; font-family: sans-serif; }\n"
			"figure { margin: 1em 0 2em; overflow-x: auto; }\n"
			"svg { stroke: currentColor; fill: none; }\n"
			"svg text { stroke: none; fill: currentColor; font-size: 14px; }\n"
			"svg .small { font-size: 12px; opacity: 0.75; }\n"
			"svg .lane { opacity: 0.25; stroke-dasharray: 4 4; }\n"
			"svg circle { fill: currentColor; }\n"
			"</style>\n</head>\n<body>\n"
			"<svg width=\"0\" height=\"0\" style=\"position: absolute\"><defs><marker "
			"id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "
			"markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" "
			"fill=\"currentColor\"/></marker></defs></svg>\n<h1>");
	sc_xml_add(out, title);
	sc_buf_add(out, "</h1>\n");
}

void sc_path_page_note(struct sc_buf *out, const char *text)
{
	sc_buf_add(out, "<p>");
	sc_xml_add(out, text);
	sc_buf_add(out, "</p>\n");
}

void sc_path_page_end(struct sc_buf *out)
{
	sc_buf_add(out, "</body>\n</html>\n");
}

/* The first point of the same lane. */
static size_t owner_of(const struct sc_path_drawing *path, size_t point)
{
	const char *lane = sc_buf_text(&path->points.items[point].lane);
	size_t i = 0;

	while (strcmp(sc_buf_text(&path->points.items[i].lane), lane) != 0)
		i++;
	return i;
}

/* The number of the point's lane, from 0; lanes stand in the order in which the path meets them. */
static size_t lane_of(const struct sc_path_drawing *path, size_t point)
{
	size_t owner = owner_of(path, point), lane = 0;

	for (size_t i = 0; i < owner; i++)
		lane += owner_of(path, i) == i;
	return lane;
}

static size_t count_lanes(const struct sc_path_drawing *path)
{
	size_t count = 0;

	for (size_t i = 0; i < path->points.count; i++)
		count += owner_of(path, i) == i;
	return count;
}

static size_t x_of(const struct sc_path_drawing *path, size_t point)
{
	return LANE / 2 + LANE * lane_of(path, point);
}

static size_t y_of(size_t point)
{
	return TOP + ROW / 2 + ROW * point;
}

static void add_text(struct sc_buf *out, size_t x, size_t y, const char *class, const char *text)
{
	sc_buf_printf(out, "<text x=\"%zu\" y=\"%zu\"%s>", x, y, class);
	sc_xml_add(out, text);
	sc_buf_add(out, "</text>\n");
}

static void draw_lanes(struct sc_buf *out, const struct sc_path_drawing *path)
{
	for (size_t i = 0; i < path->points.count; i++) {
		size_t x = x_of(path, i);

		if (owner_of(path, i) != i)
			continue;
		add_text(out, x, 20, " text-anchor=\"middle\"",
			 sc_buf_text(&path->points.items[i].lane));
		sc_buf_printf(out,
			      "<line class=\"lane\" x1=\"%zu\" y1=\"28\" x2=\"%zu\" y2=\"%zu\"/>\n",
			      x, x, TOP + ROW * path->points.count);
	}
}

static void draw_point(struct sc_buf *out, const struct sc_path_drawing *path, size_t i,
		       size_t texts)
{
	const struct sc_path_point *p = &path->points.items[i];
	size_t x = x_of(path, i), y = y_of(i);
	struct sc_buf line = {0};

	sc_buf_printf(out, "<circle cx=\"%zu\" cy=\"%zu\" r=\"5\"/>\n", x, y);
	if (p->rule)
		sc_buf_printf(out,
			      "<line x1=\"%zu\" y1=\"%zu\" x2=\"%zu\" y2=\"%zu\" "
			      "marker-end=\"url(#arrow)\"/>\n",
			      x_of(path, i - 1), y_of(i - 1) + 6, x, y - 7);
	sc_buf_add(&line, sc_buf_text(&p->text));
	if (p->place.bytes)
		sc_buf_printf(&line, " at %s", p->place.text);
	add_text(out, texts, y + 5, "", sc_buf_text(&line));
	sc_buf_clear(&line);
	if (p->rule) {
		sc_buf_printf(&line, "%s: %s", p->rule, p->why);
		add_text(out, texts, y - 13, " class=\"small\"", line.text);
	}
	sc_buf_fini(&line);
}

void sc_path_page_add(struct sc_buf *out, const char *verdict, const struct sc_path_drawing *path)
{
	size_t texts = LANE * count_lanes(path) + 20;

	sc_buf_add(out, "<figure>\n<figcaption>");
	sc_xml_add(out, verdict);
	sc_buf_printf(out,
		      "</figcaption>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" "
		      "height=\"%zu\" role=\"img\">\n",
		      texts + WIDE, TOP + ROW * path->points.count);
	draw_lanes(out, path);
	for (size_t i = 0; i < path->points.count; i++)
		draw_point(out, path, i, texts);
	sc_buf_add(out, "</svg>\n</figure>\n");
}
