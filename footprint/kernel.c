/* A kernel after its one-time analysis, and the public face of modules. */
#include "footprint/kernel.h"

#include <errno.h>
#include <string.h>

#include "base/heap.h"
#include "ptx/same.h"

/* Returns 0, or the reason why there is no graph. */
static enum sc_footprint_reason make_graph(struct sc_footprint_kernel *k)
{
	int err;

	sc_flat_make(&k->flat, &k->module->ptx, k->function);
	if (k->flat.cut)
		return SC_REASON_BUDGET;
	if (k->flat.is_odd)
		return SC_REASON_INSTRUCTION;
	err = sc_flow_make(&k->flow, &k->flat);
	if (err)
		return err == -ELOOP ? SC_REASON_FLOW : SC_REASON_BUDGET;
	sc_graph_make(&k->graph, &k->module->ptx, k->function, &k->flat, &k->flow);
	k->steps = k->graph.nodes.count + k->graph.steps;
	return k->graph.cut ? SC_REASON_BUDGET : SC_REASON_NONE;
}

void sc_kernel_analyze(struct sc_footprint_kernel *k)
{
	if (k->analyzed)
		return;
	k->analyzed = 1;
	k->refused = make_graph(k);
	if (k->refused)
		return;
	sc_guards_make(&k->guards, &k->flow, &k->graph);
	k->steps += k->guards.steps;
	sc_key_make(k);
}

static void kernel_fini(struct sc_footprint_kernel *k)
{
	sc_cache_fini(k);
	sc_evaluate_free(k->eval);
	sc_guards_fini(&k->guards);
	sc_graph_fini(&k->graph);
	sc_flow_fini(&k->flow);
	sc_flat_fini(&k->flat);
	sc_vector_fini(&k->key);
	sc_u64_map_fini(&k->pointers);
	sc_u64_map_fini(&k->followed);
	free(k->uses);
	free(k->low_bits);
}

static uint32_t image_bytes(const struct sc_ptx *m, const struct sc_function *f)
{
	const struct sc_ptx_symbol *last;

	if (!f->param_count)
		return 0;
	last = &m->symbols.items[f->param_first + f->param_count - 1];
	return last->offset + last->bytes > UINT16_MAX * UINT64_C(2)
		       ? UINT16_MAX
		       : (uint32_t)(last->offset + last->bytes);
}

struct sc_footprint_module *sc_footprint_parse(const char *text, size_t bytes)
{
	struct sc_footprint_module *m = sc_heap_xcalloc(1, sizeof(*m));

	sc_ptx_index(&m->ptx, text, bytes);
	for (size_t i = 0; i < m->ptx.functions.count; i++) {
		struct sc_footprint_kernel k = {.module = m,
						.function = &m->ptx.functions.items[i]};
		uint64_t *index;

		if (!k.function->is_kernel || !k.function->has_body)
			continue;
		k.param_bytes = image_bytes(&m->ptx, k.function);
		sc_vector_push(&m->kernels, k);
		index = sc_u64_map_get(&m->by_name, k.function->name);
		if (!*index)
			*index = m->kernels.count;
	}
	return m;
}

void sc_footprint_free(struct sc_footprint_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->kernels.count; i++)
		kernel_fini(&m->kernels.items[i]);
	sc_vector_fini(&m->kernels);
	sc_u64_map_fini(&m->by_name);
	sc_vector_fini(&m->facts);
	sc_evaluate_free_shared(m->evaluation);
	sc_ptx_fini(&m->ptx);
	sc_arena_fini(&m->arena);
	free(m);
}

uint32_t sc_footprint_problems(struct sc_footprint_module *m)
{
	uint32_t problems = 0;

	for (size_t i = 0; i < m->ptx.functions.count; i++)
		problems += sc_ptx_body(&m->ptx, &m->ptx.functions.items[i])->problems;
	return problems;
}

size_t sc_footprint_kernel_count(const struct sc_footprint_module *m)
{
	return m->kernels.count;
}

struct sc_footprint_kernel *sc_footprint_kernel_at(struct sc_footprint_module *m, size_t index)
{
	if (index >= m->kernels.count)
		return NULL;
	sc_ptx_body(&m->ptx, m->kernels.items[index].function);
	return &m->kernels.items[index];
}

struct sc_footprint_kernel *sc_footprint_find(struct sc_footprint_module *m, const char *name)
{
	uint32_t id;
	const uint64_t *index =
		sc_ptx_find_name(&m->ptx, name, &id) ? sc_u64_map_find(&m->by_name, id) : NULL;

	return index ? sc_footprint_kernel_at(m, *index - 1) : NULL;
}

bool sc_footprint_is_same(const struct sc_footprint_kernel *k,
			  const struct sc_footprint_kernel *other)
{
	return sc_ptx_is_same(&k->module->ptx, k->function, &other->module->ptx, other->function);
}

uint32_t sc_footprint_param_bytes(const struct sc_footprint_kernel *k)
{
	return k->param_bytes;
}

const char *sc_footprint_symbol(const struct sc_footprint_module *m, uint32_t symbol)
{
	if (symbol >= m->ptx.symbols.count)
		return "";
	return m->ptx.names.items[m->ptx.symbols.items[symbol].name];
}

uint64_t sc_footprint_symbol_bytes(const struct sc_footprint_module *m, uint32_t symbol)
{
	return symbol < m->ptx.symbols.count ? m->ptx.symbols.items[symbol].bytes : 0;
}

bool sc_footprint_symbol_is_constant(const struct sc_footprint_module *m, uint32_t symbol)
{
	return symbol < m->ptx.symbols.count &&
	       m->ptx.symbols.items[symbol].space == SC_SPACE_CONST;
}

const char *sc_footprint_reason_text(unsigned reason)
{
	static const char *const texts[] = {
#define REASON(id, text) text,
#include "footprint/reason.def"
#undef REASON
	};

	return reason < SC_REASONS ? texts[reason] : "";
}
