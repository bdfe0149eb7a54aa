/* Layout of the text report: colours, labels, and paragraphs that fit the terminal. */
#pragma once

#include "reports/report.h"

enum sc_paint {
	SC_PAINT_ERROR,
	SC_PAINT_WARNING,
	SC_PAINT_ADVICE,
	SC_PAINT_STRONG,
	SC_PAINT_FAINT
};

/* Appends text in a colour, or plainly if the style has none. */
void sc_layout_paint(struct sc_buf *out, const struct sc_report_style *style, enum sc_paint paint,
		     const char *text);
/* Begins and ends a painted stretch. */
void sc_layout_begin(struct sc_buf *out, const struct sc_report_style *style, enum sc_paint paint);
void sc_layout_end(struct sc_buf *out, const struct sc_report_style *style);
/* Keeps what stands from a byte on in one line, so that it can be pasted: a command. */
void sc_layout_keep(struct sc_buf *text, size_t from);
/* Appends words with a line break where the next one would not fit, each further line indented. The
 * text begins at column `at`. */
void sc_layout_wrap(struct sc_buf *out, const struct sc_report_style *style, size_t at,
		    size_t indent, const char *text);
/* Appends "  label:   text" and a line end, the text wrapped after the labels' column. */
void sc_layout_fact(struct sc_buf *out, const struct sc_report_style *style, const char *label,
		    const char *text);
