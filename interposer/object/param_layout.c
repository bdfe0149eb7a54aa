/* Layouts of kernels' parameters: found by what they hold. */
#include "interposer/object/param_layout.h"

#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/table.h"

static struct {
	struct sc_lock lock; /* one new layout at a time; before the table's */
	struct sc_table by_hash;
} layouts;

const struct sc_param_layout sc_param_layout_none;

static uint64_t hash_of(const struct sc_param *params, uint32_t count)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < count; i++) {
		h = (h ^ params[i].offset) * UINT64_C(0x100000001b3);
		h = (h ^ params[i].bytes) * UINT64_C(0x100000001b3);
	}
	return h | 1; /* never the key 0 */
}

static const struct sc_param_layout *find(const struct sc_param_layout *l,
					  const struct sc_param *params, uint32_t count)
{
	while (l && (l->count != count || memcmp(l->param, params, count * sizeof(*params))))
		l = l->next;
	return l;
}

static struct sc_param_layout *make(const struct sc_param *params, uint32_t count)
{
	struct sc_param_layout *l = sc_arena_get(sizeof(*l) + count * sizeof(*params));

	if (!l)
		return NULL;
	memcpy(l->param, params, count * sizeof(*params));
	l->count = count;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t end = params[i].offset + params[i].bytes;

		l->has_gaps |= params[i].offset != l->bytes;
		if (end > l->bytes)
			l->bytes = end;
	}
	return l;
}

const struct sc_param_layout *sc_param_layout_keep(const struct sc_param *params, uint32_t count)
{
	uint64_t hash = hash_of(params, count);
	const struct sc_param_layout *first, *l;
	struct sc_param_layout *made;

	if (!count)
		return &sc_param_layout_none;
	sc_lock_get(&layouts.lock);
	first = sc_table_get(&layouts.by_hash, hash);
	l = find(first, params, count);
	made = l ? NULL : make(params, count);
	if (made) {
		made->next = first;
		sc_table_put(&layouts.by_hash, hash, made);
		l = made;
	}
	sc_lock_put(&layouts.lock);
	return l ? l : &sc_param_layout_none;
}

/* ---- the module ---- */

const struct sc_module sc_module_param_layout = {SC_MODULE_STATE(layouts)};
