/* Pool: values of the HTML report's data that occur often, each written once and named by index.
 *
 * A value is a fragment of JSON; the pool is the inside of a JSON array. Adding is one look-up.
 */
#ifndef SC_REPORTS_HTML_HTML_POOL_H
#define SC_REPORTS_HTML_HTML_POOL_H

#include <stdint.h>
#include "base/buf.h"
#include "base/map.h"
#include "base/vector.h"

struct sc_html_piece {
	size_t start; /* in `text` */
	size_t bytes;
};

/* An empty pool is all zero. */
struct sc_html_pool {
	struct sc_buf text; /* fragments with commas between them */
	SC_VECTOR(struct sc_html_piece) pieces;
	struct sc_u64_map by_hash; /* index + 1 */
};

void sc_html_pool_fini(struct sc_html_pool *p);
/* Index of a fragment. */
uint32_t sc_html_pool_add(struct sc_html_pool *p, const struct sc_buf *fragment);
/* Index of a text, as a JSON string. */
uint32_t sc_html_pool_text(struct sc_html_pool *p, const char *text);

#endif
