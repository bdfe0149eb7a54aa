/* Variables of modules: addresses by module, context and name. */
#include "analyzer/access/variable.h"

#include <stdbool.h>
#include <string.h>
#include "base/assert.h"

void sc_variables_fini(struct sc_variables *v)
{
	sc_u64_map_fini(&v->addresses);
	sc_u64_map_fini(&v->loads);
	sc_vector_fini(&v->keys);
}

static uint64_t key_of(uint32_t module, uint32_t context, const char *name, size_t bytes)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) ^ ((uint64_t)module << 32 | context);

	h *= UINT64_C(0x9e3779b97f4a7c15);
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t *address_of(struct sc_variables *v, uint32_t module, uint64_t key)
{
	uint64_t *known = sc_u64_map_find(&v->addresses, key);

	if (known)
		return known;
	sc_vector_push(&v->keys, ((struct sc_variable_key){module, key}));
	return sc_u64_map_get(&v->addresses, key);
}

/* Memory at a made-up address; what has a true address began and ends with ops of its own. */
static void end_memory(struct sc_memory_map *m, uint64_t address, uint64_t sequence)
{
	struct sc_allocation *a;
	uint64_t canonical;

	if (address >> 60 != SC_VARIABLE_ADDRESS(0) >> 60)
		return;
	a = sc_memory_find(m, address, &canonical);
	if (a)
		sc_memory_end(m, a, sequence);
}

void sc_variables_forget(struct sc_variables *v, struct sc_memory_map *m, uint32_t module,
			 uint64_t sequence)
{
	size_t kept = 0;

	sc_assert(m != NULL);
	for (size_t i = 0; i < v->keys.count; i++) {
		struct sc_variable_key *k = &v->keys.items[i];

		if (k->module != module) {
			v->keys.items[kept++] = *k;
			continue;
		}
		end_memory(m, *sc_u64_map_find(&v->addresses, k->key), sequence);
		sc_u64_map_remove(&v->addresses, k->key);
	}
	v->keys.count = kept;
	sc_u64_map_remove(&v->loads, module);
}

static void note_symbol(struct sc_variables *v, struct sc_memory_map *m, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const char *name = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);
	uint64_t *place, canonical;
	struct sc_allocation *a;

	if (!name || !r->op.dst)
		return;
	place = address_of(v, r->op.object, key_of(r->op.object, r->op.context, name, bytes));
	a = *place ? sc_memory_find(m, *place, &canonical) : NULL;
	if (a && *place != r->op.dst)
		sc_memory_alias(m, a, r->op.dst);
	else
		*place = r->op.dst;
}

void sc_variables_note(struct sc_variables *v, struct sc_memory_map *m, const struct sc_record *r)
{
	if (r->op.kind == SC_OP_SYMBOL)
		note_symbol(v, m, r);
	else if (r->op.kind == SC_OP_MODULE_LOAD || r->op.kind == SC_OP_MODULE_CHOICE)
		*sc_u64_map_get(&v->loads, r->op.object) = r->sequence + 1;
}

static uint64_t make(struct sc_variables *v, struct sc_memory_map *m, const struct sc_variable *of)
{
	const uint64_t *load = sc_u64_map_find(&v->loads, of->module);
	struct sc_op op = {.kind = SC_OP_ALLOC,
			   .context = of->context,
			   .dst_mem = SC_MEM_DEVICE,
			   .bytes = of->bytes};

	if (!load || v->made >= SC_VARIABLES_MAX || !of->bytes || of->bytes >> 36)
		return 0;
	op.dst = SC_VARIABLE_ADDRESS(++v->made);
	return sc_memory_add(m, &op, *load - 1) ? op.dst : 0;
}

uint64_t sc_variable_address(struct sc_variables *v, struct sc_memory_map *m,
			     const struct sc_variable *variable)
{
	size_t length = strlen(variable->name);
	const uint64_t *everywhere =
		sc_u64_map_find(&v->addresses, key_of(variable->module, 0, variable->name, length));
	uint64_t *place;

	if (everywhere)
		return *everywhere;
	place = address_of(v, variable->module,
			   key_of(variable->module, variable->context, variable->name, length));
	if (!*place)
		*place = make(v, m, variable);
	return *place;
}

bool sc_variable_is_known(struct sc_memory_map *m, const struct sc_op *alloc)
{
	uint64_t canonical;
	struct sc_allocation *a;

	if (alloc->kind != SC_OP_ALLOC || !alloc->dst)
		return 0;
	a = sc_memory_find(m, alloc->dst, &canonical);
	return a && a->alias.range.end && a->alias.range.start == alloc->dst &&
	       canonical >> 60 == SC_VARIABLE_ADDRESS(0) >> 60;
}
