/* Pack: JSON as short as a page carries it. Values that stand more than once are written once.
 *
 *	{"a": ["train.cu", 7], "b": ["train.cu", 7], "c": "train.cu"}
 *	{"shared":["train.cu",[-1,7]],"a":-2,"b":-2,"c":-1}
 *
 * A number below zero stands for a value of `shared`, counted from 1; reports have no other numbers
 * below zero. A shared value names only values before it. There is no space between tokens, and "<"
 * is escaped, so nothing in the text ends the element that holds it. Costs one pass over the text
 * for each level of it.
 */
#ifndef SC_REPORTS_HTML_HTML_PACK_H
#define SC_REPORTS_HTML_HTML_PACK_H

#include "base/buf.h"

/* Appends the object. `json` is what a JSON writer wrote. */
void sc_html_pack(struct sc_buf *out, const struct sc_buf *json);
/* Appends JSON with "<" escaped and without the space between tokens, and nothing shared. */
void sc_html_add_safe(struct sc_buf *out, const struct sc_buf *json);

#endif
