/* A stack in the text report. */
#include "reports/text/text_stack.h"

#include <string.h>
#include "reports/sources/site.h"
#include "reports/sources/source.h"
#include "reports/text/text_layout.h"
#include "reports/utf8.h"

#define INDENT	    12
#define PLACE_MAX   36	/* columns up to which functions are aligned */
#define EXCERPT_MAX 120 /* columns of source shown where the width is not known */

/* Columns of the widest place that is still aligned. */
static size_t place_columns(const struct sc_report_site *site, const struct sc_report_style *style)
{
	struct sc_buf place = {0};
	size_t widest = 0;

	for (size_t i = site->user; i < site->count; i++) {
		size_t columns;

		if (site->frames[i].is_internal || !site->frames[i].line)
			continue;
		sc_buf_clear(&place);
		sc_site_add_place(&place, &site->frames[i], style->directory);
		columns = sc_utf8_columns(sc_buf_text(&place), place.bytes);
		if (columns > widest && columns <= PLACE_MAX)
			widest = columns;
	}
	sc_buf_fini(&place);
	return widest;
}

static void print_frame(struct sc_buf *out, const struct sc_frame *frame,
			const struct sc_report_style *style, size_t columns)
{
	struct sc_buf function = {0};
	size_t start, used, room = 0;

	sc_buf_fill(out, ' ', INDENT);
	start = out->bytes;
	if (frame->line) {
		sc_site_add_place(out, frame, style->directory);
		used = sc_utf8_columns(out->text + start, out->bytes - start);
		sc_buf_fill(out, ' ', used < columns ? columns - used + 2 : 2);
	}
	used = INDENT + sc_utf8_columns(out->text + start, out->bytes - start) + 10;
	if (style->width)
		room = style->width > used + 9 ? style->width - used : 9;
	sc_site_add_function(&function, frame);
	sc_utf8_add_cut(out, sc_buf_text(&function), room);
	sc_buf_fini(&function);
	if (frame->is_inlined)
		sc_layout_paint(out, style, SC_PAINT_FAINT, " (inlined)");
	sc_buf_add_char(out, '\n');
}

static void print_note(struct sc_buf *out, const struct sc_report_style *style, const char *text)
{
	sc_buf_fill(out, ' ', INDENT);
	sc_layout_paint(out, style, SC_PAINT_FAINT, text);
	sc_buf_add_char(out, '\n');
}

static void print_excerpt(struct sc_buf *out, const struct sc_report *r,
			  const struct sc_frame *frame, const struct sc_report_style *style)
{
	struct sc_buf line = {0}, number = {0};
	unsigned columns = style->width > INDENT + 20 ? style->width - INDENT - 12 : EXCERPT_MAX;

	if (frame->line && sc_source_line(&line, r->sources, frame->file, frame->line, columns)) {
		sc_buf_fill(out, ' ', INDENT);
		sc_buf_printf(&number, "%6u │ ", frame->line);
		sc_layout_paint(out, style, SC_PAINT_FAINT, number.text);
		sc_layout_paint(out, style, SC_PAINT_STRONG, sc_buf_text(&line));
		sc_buf_add_char(out, '\n');
		if (sc_source_is_newer(frame->file, frame->module))
			print_note(out, style,
				   "(changed since the program was built: lines may have moved)");
	}
	sc_buf_fini(&line);
	sc_buf_fini(&number);
}

static void print_faint(struct sc_buf *out, const struct sc_report_style *style, size_t count,
			const char *what)
{
	struct sc_buf line = {0};

	if (!count)
		return;
	sc_buf_printf(&line, "… %zu %s frame%s", count, what, count == 1 ? "" : "s");
	print_note(out, style, line.text);
	sc_buf_fini(&line);
}

/* Frames of libraries' headers between the call and the user's code. */
static size_t inner_frames(const struct sc_report_site *site)
{
	size_t count = 0;

	for (size_t i = 0; i < site->user && site->user < site->count; i++)
		count += sc_frame_is_of_header(&site->frames[i]);
	return count;
}

/* Index after the last frame that is the user's. */
static size_t end_of_user(const struct sc_report_site *site)
{
	size_t end = site->count;

	while (end > site->user && site->frames[end - 1].is_internal)
		end--;
	return end;
}

void sc_text_print_stack(struct sc_buf *out, const struct sc_report *r,
			 const struct sc_report_style *style, const struct sc_op *op, unsigned most)
{
	size_t columns, end, folded = 0, shown = 0;
	const struct sc_frame *first;
	struct sc_report_site site;

	sc_site_of(&site, r, op);
	first = sc_site_frame(&site);
	if (!first)
		return;
	columns = place_columns(&site, style);
	end = end_of_user(&site);
	print_frame(out, first, style, columns);
	print_excerpt(out, r, first, style);
	print_faint(out, style, inner_frames(&site), "inner");
	for (size_t i = site.user + 1; i < end; i++) {
		if (site.frames[i].is_internal) {
			folded++;
			continue;
		}
		print_faint(out, style, folded, "internal");
		folded = 0;
		if (++shown >= most) {
			print_faint(out, style, end - i, "more");
			return;
		}
		print_frame(out, &site.frames[i], style, columns);
	}
}
