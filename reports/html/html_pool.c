/* A pool of JSON fragments. */
#include "reports/html/html_pool.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"
#include "reports/json_writer.h"

void sc_html_pool_fini(struct sc_html_pool *p)
{
	sc_buf_fini(&p->text);
	sc_vector_fini(&p->pieces);
	sc_u64_map_fini(&p->by_hash);
}

/* FNV-1a; two texts of one hash are distinguished by comparing them. */
static uint64_t hash_of(const struct sc_buf *fragment)
{
	uint64_t hash = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < fragment->bytes; i++)
		hash = (hash ^ (unsigned char)fragment->text[i]) * UINT64_C(0x100000001B3);
	return hash;
}

static bool is_same(const struct sc_html_pool *p, uint64_t index, const struct sc_buf *fragment)
{
	const struct sc_html_piece *piece = &p->pieces.items[index];

	sc_assert(piece->start + piece->bytes <= p->text.bytes);
	return piece->bytes == fragment->bytes &&
	       !memcmp(p->text.text + piece->start, fragment->text, fragment->bytes);
}

uint32_t sc_html_pool_add(struct sc_html_pool *p, const struct sc_buf *fragment)
{
	for (uint64_t hash = hash_of(fragment);; hash++) {
		uint64_t *index = sc_u64_map_get(&p->by_hash, hash);

		if (*index && is_same(p, *index - 1, fragment))
			return (uint32_t)(*index - 1);
		if (*index)
			continue;
		if (p->pieces.count)
			sc_buf_add_char(&p->text, ',');
		sc_vector_push(&p->pieces,
			       ((struct sc_html_piece){p->text.bytes, fragment->bytes}));
		sc_buf_add_bytes(&p->text, fragment->text, fragment->bytes);
		*index = p->pieces.count;
		sc_assert(*index <= UINT32_MAX);
		return (uint32_t)(*index - 1);
	}
}

uint32_t sc_html_pool_text(struct sc_html_pool *p, const char *text)
{
	struct sc_buf fragment = {0};
	struct sc_json j = {.out = &fragment};
	uint32_t index;

	sc_json_text(&j, NULL, text);
	index = sc_html_pool_add(p, &fragment);
	sc_buf_fini(&fragment);
	return index;
}
