/* A stack in the text report: the user's frames with a source line, the others folded. */
#pragma once

#include "reports/report.h"

/* Appends the stack of an op, at most so many frames of it; nothing if none was recorded. */
void sc_text_print_stack(struct sc_buf *out, const struct sc_report *r,
			 const struct sc_report_style *style, const struct sc_op *op,
			 unsigned most);
