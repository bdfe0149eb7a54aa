/* Pool: values that occur often in the data of a page, each written once and named by index.
 *
 * A value is a fragment of JSON; the pool is the inside of a JSON array. Adding is one look-up.
 */
#pragma once

#include <stdint.h>
#include "base/buf.h"

struct sc_json_piece;

/* An empty pool is all zero. */
struct sc_json_pool {
	struct sc_buf text;	      /* fragments with commas between them */
	struct sc_json_piece *pieces; /* owned: a table by fragment */
	uint32_t count;
};

void sc_json_pool_fini(struct sc_json_pool *p);
/* Index of a fragment. */
uint32_t sc_json_pool_add(struct sc_json_pool *p, const struct sc_buf *fragment);
/* Index of a text, as a JSON string for a page. */
uint32_t sc_json_pool_text(struct sc_json_pool *p, const char *text);
