/* A pool of JSON fragments. */
#include "reports/json_pool.h"

#include <stdlib.h>
#include "base/hash.h"
#include "reports/json_writer.h"

struct sc_json_piece {
	char *fragment; /* owned */
	uint32_t index;
	UT_hash_handle hh;
};

void sc_json_pool_fini(struct sc_json_pool *p)
{
	struct sc_json_piece *piece, *next;

	HASH_ITER(hh, p->pieces, piece, next)
	{
		HASH_DEL(p->pieces, piece);
		free(piece->fragment);
		free(piece);
	}
	sc_buf_fini(&p->text);
}

uint32_t sc_json_pool_add(struct sc_json_pool *p, const struct sc_buf *fragment)
{
	struct sc_json_piece *piece;
	struct sc_buf copy = {0};

	HASH_FIND(hh, p->pieces, sc_buf_text(fragment), fragment->bytes, piece);
	if (piece)
		return piece->index;
	sc_buf_add(&p->text, p->count ? "," : "");
	sc_buf_add_bytes(&p->text, fragment->text, fragment->bytes);
	sc_buf_add_bytes(&copy, fragment->text, fragment->bytes);
	piece = sc_heap_xcalloc(1, sizeof(*piece));
	*piece = (struct sc_json_piece){.fragment = sc_buf_take(&copy), .index = p->count++};
	HASH_ADD_KEYPTR(hh, p->pieces, piece->fragment, fragment->bytes, piece);
	return piece->index;
}

uint32_t sc_json_pool_text(struct sc_json_pool *p, const char *text)
{
	struct sc_buf fragment = {0};
	struct sc_json j = {.out = &fragment, .is_page = 1};
	uint32_t index;

	sc_json_text(&j, NULL, text);
	index = sc_json_pool_add(p, &fragment);
	sc_buf_fini(&fragment);
	return index;
}
