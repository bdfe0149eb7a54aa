/* Layout of the text report: the few rules by which every line is set. */
#include "reports/text/text_layout.h"

#include <stdbool.h>
#include <string.h>
#include "reports/utf8.h"

#define FACT_INDENT 2
#define FACT_COLUMN 12 /* where the text after a label begins */
#define FIXED_BLANK '\x1f'

static const char *const colors[] = {
	[SC_PAINT_ERROR] = "\033[1;31m",  [SC_PAINT_WARNING] = "\033[1;33m",
	[SC_PAINT_ADVICE] = "\033[1;36m", [SC_PAINT_STRONG] = "\033[1m",
	[SC_PAINT_FAINT] = "\033[2m",
};

void sc_layout_begin(struct sc_buf *out, const struct sc_report_style *style, enum sc_paint paint)
{
	if (style->color)
		sc_buf_add(out, colors[paint]);
}

void sc_layout_end(struct sc_buf *out, const struct sc_report_style *style)
{
	if (style->color)
		sc_buf_add(out, "\033[0m");
}

void sc_layout_paint(struct sc_buf *out, const struct sc_report_style *style, enum sc_paint paint,
		     const char *text)
{
	sc_layout_begin(out, style, paint);
	sc_buf_add(out, text);
	sc_layout_end(out, style);
}

void sc_layout_keep(struct sc_buf *text, size_t from)
{
	for (size_t i = from; i < text->bytes; i++)
		if (text->text[i] == ' ')
			text->text[i] = FIXED_BLANK;
}

/* Appends a word, with the blanks that it keeps. */
static void add_word(struct sc_buf *out, const char *word, size_t bytes)
{
	size_t from = out->bytes;

	sc_buf_add_bytes(out, word, bytes);
	for (size_t i = from; i < out->bytes; i++)
		if (out->text[i] == FIXED_BLANK)
			out->text[i] = ' ';
}

void sc_layout_wrap(struct sc_buf *out, const struct sc_report_style *style, size_t at,
		    size_t indent, const char *text)
{
	bool is_first = 1;

	while (*text) {
		size_t bytes = strcspn(text, " ");
		size_t columns = sc_utf8_columns(text, bytes);

		if (!is_first && style->width && at + 1 + columns > style->width) {
			sc_buf_add_char(out, '\n');
			sc_buf_fill(out, ' ', indent);
			at = indent;
		} else if (!is_first) {
			sc_buf_add_char(out, ' ');
			at++;
		}
		add_word(out, text, bytes);
		at += columns;
		is_first = 0;
		text += bytes;
		text += *text == ' ';
	}
}

void sc_layout_fact(struct sc_buf *out, const struct sc_report_style *style, const char *label,
		    const char *text)
{
	size_t used = FACT_INDENT + strlen(label) + 1;

	sc_buf_fill(out, ' ', FACT_INDENT);
	sc_layout_begin(out, style, SC_PAINT_FAINT);
	sc_buf_printf(out, "%s:", label);
	sc_layout_end(out, style);
	sc_buf_fill(out, ' ', used < FACT_COLUMN ? FACT_COLUMN - used : 1);
	sc_layout_wrap(out, style, FACT_COLUMN, FACT_COLUMN, text);
	sc_buf_add_char(out, '\n');
}
