/* Kernels: code, variables and declarations of one trace. */
#include "analyzer/access/kernels.h"

#include "base/assert.h"

#define NONE UINT64_MAX

void sc_kernels_fini(struct sc_kernels *k)
{
	sc_code_fini(&k->code);
	sc_variables_fini(&k->variables);
	sc_textures_fini(&k->textures);
	sc_declarations_fini(&k->declarations);
	sc_u64_map_fini(&k->declared);
	sc_vector_fini(&k->ranges);
	sc_executed_fini(&k->executed);
	sc_kernel_tallies_fini(&k->tallies);
}

/* A later declaration counts more, for kernels that were launched before, too. */
static void forget_found(struct sc_kernels *k)
{
	sc_u64_map_fini(&k->declared);
	k->declared = (struct sc_u64_map){0};
}

static void note_declaration(struct sc_kernels *k, const struct sc_record *r)
{
	struct sc_declaration_source source = {.name = "declaration", .how = SC_HOW_PROGRAM};
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);

	if (text && sc_declarations_parse(&k->declarations, &source, text, bytes, NULL, 0))
		k->unread++;
	forget_found(k);
}

/* What is kept for each kernel, and each module. */
static void forget(void *data, uint32_t module, const struct sc_code_kernel *kernel)
{
	struct sc_kernels *k = data;

	if (kernel) {
		sc_u64_map_remove(&k->declared, kernel->id);
		sc_kernel_tallies_end(&k->tallies, kernel->id, kernel->name);
	} else {
		sc_variables_forget(&k->variables, k->memory, module, k->at);
	}
}

void sc_kernels_init(struct sc_kernels *k, struct sc_memory_map *m, size_t unloaded)
{
	sc_assert(m && !k->memory);
	k->memory = m;
	k->code.unloaded.most = unloaded;
	k->code.forgets = forget;
	k->code.data = k;
}

void sc_kernels_note(struct sc_kernels *k, struct sc_memory_map *m, const struct sc_record *r)
{
	sc_assert(k->at <= r->sequence);
	k->at = r->sequence;
	sc_code_note(&k->code, r);
	sc_variables_note(&k->variables, m, r);
	sc_textures_note(&k->textures, r);
	if (r->op.kind == SC_OP_DECLARE)
		note_declaration(k, r);
}

const struct sc_declaration *sc_kernels_declared(struct sc_kernels *k, uint32_t id,
						 const struct sc_code_kernel *kernel)
{
	const struct sc_declaration *d;
	uint64_t *place;

	if (!k->declarations.list.count || !kernel)
		return NULL;
	place = sc_u64_map_get(&k->declared, id);
	if (!*place) {
		d = sc_declarations_find(&k->declarations, kernel->name);
		*place = d ? (uint64_t)(d - k->declarations.list.items) + 1 : NONE;
	}
	d = *place == NONE ? NULL : &k->declarations.list.items[*place - 1];
	return d && d->is_fallback && kernel->code && !k->ignores_code ? NULL : d;
}
