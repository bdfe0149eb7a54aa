/* Graph page: levels by dependencies, boxes in the order of the nodes, lines from box to box. */
#include "extensions/questions/graph_page.h"

#include <inttypes.h>
#include <string.h>
#include "reports/utf8.h"
#include "reports/xml.h"

#define WIDTH  220 /* of a box, in pixels */
#define HEIGHT 34
#define ACROSS 250 /* from box to box */
#define DOWN   84
#define EDGE   20
#define SHOWN  32 /* characters of a node in its box */

struct sc_buf *sc_graph_drawing_add(struct sc_graph_drawing *g, uint32_t from, uint32_t to,
				    enum sc_graph_line line)
{
	sc_vector_push(&g->lines, ((struct sc_graph_drawn){from, to, line, {0}}));
	return &sc_vector_last(&g->lines)->title;
}

void sc_graph_drawing_fini(struct sc_graph_drawing *g)
{
	for (size_t i = 0; i < g->nodes.count; i++)
		sc_buf_fini(&g->nodes.items[i]);
	for (size_t i = 0; i < g->lines.count; i++)
		sc_buf_fini(&g->lines.items[i].title);
	sc_vector_fini(&g->nodes);
	sc_vector_fini(&g->lines);
}

/* Where the nodes stand. */
struct layout {
	unsigned level[SC_GRAPH_PAGE_NODES], column[SC_GRAPH_PAGE_NODES];
	unsigned levels, columns;
};

static bool is_there(const struct sc_graph_drawing *g, const struct sc_graph_drawn *l)
{
	return l->from < g->nodes.count && l->to < g->nodes.count && l->from != l->to;
}

/* A node is below all that it depends on, or is inside of. In a circle, which a damaged trace may
 * have, levels end with the number of nodes. */
static void set_levels(const struct sc_graph_drawing *g, struct layout *at)
{
	bool is_changed = 1;

	for (size_t round = 0; is_changed && round < g->nodes.count; round++) {
		is_changed = 0;
		for (size_t i = 0; i < g->lines.count; i++) {
			const struct sc_graph_drawn *l = &g->lines.items[i];

			if (!is_there(g, l) || l->line == SC_GRAPH_UNORDERED ||
			    at->level[l->to] > at->level[l->from] ||
			    at->level[l->from] + 1 >= SC_GRAPH_PAGE_NODES)
				continue;
			at->level[l->to] = at->level[l->from] + 1;
			is_changed = 1;
		}
	}
}

static void set_columns(const struct sc_graph_drawing *g, struct layout *at)
{
	unsigned used[SC_GRAPH_PAGE_NODES] = {0};

	for (size_t i = 0; i < g->nodes.count; i++) {
		unsigned level = at->level[i];

		at->column[i] = used[level]++;
		if (used[level] > at->columns)
			at->columns = used[level];
		if (level + 1 > at->levels)
			at->levels = level + 1;
	}
}

static unsigned x_of(const struct layout *at, uint32_t node)
{
	return EDGE + ACROSS * at->column[node];
}

static unsigned y_of(const struct layout *at, uint32_t node)
{
	return EDGE + DOWN * at->level[node];
}

static void add_title(struct sc_buf *out, const struct sc_buf *title)
{
	if (!title->bytes)
		return;
	sc_buf_add(out, "<title>");
	sc_xml_add(out, title->text);
	sc_buf_add(out, "</title>");
}

static void draw_line(struct sc_buf *out, const struct layout *at, const struct sc_graph_drawn *l)
{
	static const char *const styles[] = {
		[SC_GRAPH_EDGE] = "marker-end=\"url(#arrow)\"",
		[SC_GRAPH_EARLY] = "marker-end=\"url(#arrow)\" stroke-dasharray=\"6 4\"",
		[SC_GRAPH_INSIDE] = "stroke-dasharray=\"2 4\"",
		[SC_GRAPH_UNORDERED] =
			"stroke=\"#d32f2f\" stroke-width=\"2\" stroke-dasharray=\"8 5\"",
	};
	bool is_between = l->line == SC_GRAPH_UNORDERED; /* centres; the boxes cover them */
	unsigned from = y_of(at, l->from) + (is_between ? HEIGHT / 2 : HEIGHT);
	unsigned to = is_between ? y_of(at, l->to) + HEIGHT / 2 : y_of(at, l->to) - 2;

	sc_buf_printf(out, "<line x1=\"%u\" y1=\"%u\" x2=\"%u\" y2=\"%u\" %s>",
		      x_of(at, l->from) + WIDTH / 2, from, x_of(at, l->to) + WIDTH / 2, to,
		      styles[l->line]);
	add_title(out, &l->title);
	sc_buf_add(out, "</line>\n");
}

static void draw_node(struct sc_buf *out, const struct layout *at, uint32_t node,
		      const struct sc_buf *text)
{
	struct sc_buf shown = {0};

	sc_utf8_add_cut(&shown, sc_buf_text(text), SHOWN);
	sc_buf_printf(out,
		      "<g><rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" rx=\"4\" "
		      "fill=\"Canvas\"/>",
		      x_of(at, node), y_of(at, node), WIDTH, HEIGHT);
	add_title(out, text);
	sc_buf_printf(out, "<text x=\"%u\" y=\"%u\" class=\"small\">", x_of(at, node) + 8,
		      y_of(at, node) + HEIGHT / 2 + 4);
	sc_xml_add(out, sc_buf_text(&shown));
	sc_buf_add(out, "</text></g>\n");
	sc_buf_fini(&shown);
}

static void draw(struct sc_buf *out, const struct sc_graph_drawing *g)
{
	struct layout at = {0};

	set_levels(g, &at);
	set_columns(g, &at);
	sc_buf_printf(out,
		      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		      "role=\"img\">\n",
		      2 * EDGE + ACROSS * at.columns, 2 * EDGE + DOWN * at.levels);
	for (size_t i = 0; i < g->lines.count; i++)
		if (is_there(g, &g->lines.items[i]))
			draw_line(out, &at, &g->lines.items[i]);
	for (size_t i = 0; i < g->nodes.count; i++)
		draw_node(out, &at, (uint32_t)i, &g->nodes.items[i]);
	sc_buf_add(out, "</svg>\n");
}

void sc_graph_drawing_print(struct sc_buf *out, const struct sc_graph_drawing *g,
			    const char *caption)
{
	sc_buf_add(out, "<figure>\n<figcaption>");
	sc_xml_add(out, caption);
	sc_buf_add(out, "</figcaption>\n");
	if (g->nodes.count <= SC_GRAPH_PAGE_NODES)
		draw(out, g);
	else
		sc_buf_printf(out, "<p>More than %d nodes are not drawn.</p>\n",
			      SC_GRAPH_PAGE_NODES);
	sc_buf_add(out, "</figure>\n");
}
