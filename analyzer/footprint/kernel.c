/* A kernel after its one-time analysis, and the public face of modules. */
#include "analyzer/footprint/kernel.h"

#include <errno.h>
#include <string.h>

#include "base/heap.h"

/* A node to look at, and what for. */
struct visit {
	uint32_t node;
	uint8_t use;
};

typedef SC_VECTOR(struct visit) visit_list;

static void visit(struct sc_footprint_kernel *k, visit_list *work, uint32_t node, unsigned use)
{
	struct visit v = {.node = node, .use = (uint8_t)use};

	if (node && !(k->uses[node] & use))
		sc_vector_push(work, v);
	if (node)
		k->uses[node] |= (uint8_t)use;
}

static void visit_operands(struct sc_footprint_kernel *k, visit_list *work, struct visit from)
{
	const struct sc_node *n = &k->graph.nodes.items[from.node];
	unsigned second = n->op == SC_NODE_SUB ? SC_USE_VALUE : from.use;

	switch ((enum sc_node_op)n->op) {
	case SC_NODE_PHI:
		for (uint32_t i = 0; i < n->b; i++)
			visit(k, work, k->graph.phi_args.items[n->a + i], from.use);
		return;
	case SC_NODE_SELECT:
		visit(k, work, n->a, SC_USE_VALUE);
		visit(k, work, n->b, from.use);
		visit(k, work, n->c, from.use);
		return;
	case SC_NODE_ADD:
	case SC_NODE_SUB:
		visit(k, work, n->a, from.use);
		visit(k, work, n->b, second);
		return;
	default:
		if (n->op < SC_NODE_ADD)
			return;
		visit(k, work, n->a, SC_USE_VALUE);
		visit(k, work, n->b, SC_USE_VALUE);
	}
}

/* Marks what addresses and conditions are computed from. */
static void find_uses(struct sc_footprint_kernel *k)
{
	visit_list work = {0};

	k->uses = sc_heap_xcalloc(k->graph.nodes.count, sizeof(*k->uses));
	for (size_t i = 0; i < k->graph.sites.count; i++) {
		const struct sc_site *s = &k->graph.sites.items[i];

		visit(k, &work, s->address, SC_USE_ADDRESS);
		visit(k, &work, s->guard, SC_USE_VALUE);
		visit(k, &work, s->size, SC_USE_VALUE);
		visit(k, &work, s->pitch, SC_USE_VALUE);
	}
	for (size_t i = 0; i < k->graph.conditions.count; i++)
		visit(k, &work, k->graph.conditions.items[i], SC_USE_VALUE);
	while (work.count) {
		struct visit next = work.items[--work.count];

		visit_operands(k, &work, next);
	}
	sc_vector_fini(&work);
}

/* The offsets of parameters that are declared or treated as pointers. */
static void find_pointers(const struct sc_footprint_kernel *k, struct sc_u64_map *offsets)
{
	const struct sc_function *f = k->function;

	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct sc_symbol *s = &k->module->ptx.symbols.items[f->param_first + i];

		if (s->is_pointer)
			*sc_u64_map_get(offsets, s->offset) = 1;
	}
	for (size_t i = 1; i < k->graph.nodes.count; i++) {
		const struct sc_node *n = &k->graph.nodes.items[i];

		if (n->op == SC_NODE_PARAM && n->aux)
			*sc_u64_map_get(offsets, n->a) = 1;
	}
}

/* A pointer counts by its value only where the kernel computes with it, or where it might be an
 * offset in truth. */
static void find_key(struct sc_footprint_kernel *k)
{
	struct sc_u64_map pointers = {0}, known = {0};

	find_pointers(k, &pointers);
	for (size_t i = 1; i < k->graph.nodes.count; i++) {
		const struct sc_node *n = &k->graph.nodes.items[i];
		struct sc_key_part part = {.offset = n->a, .bytes = n->b};
		uint64_t *place;

		if (n->op != SC_NODE_PARAM || !k->uses[i])
			continue;
		if (!(k->uses[i] & SC_USE_VALUE) && n->b == 8 && sc_u64_map_find(&pointers, n->a))
			continue;
		place = sc_u64_map_get(&known, (uint64_t)n->a << 32 | n->b);
		if (!(*place)++)
			sc_vector_push(&k->key, part);
	}
	sc_u64_map_fini(&pointers);
	sc_u64_map_fini(&known);
}

/* Returns 0, or the reason why there is no graph. */
static enum sc_footprint_reason make_graph(struct sc_footprint_kernel *k)
{
	int err;

	sc_flat_make(&k->flat, &k->module->ptx, k->function);
	if (k->flat.cut)
		return SC_REASON_BUDGET;
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
	find_uses(k);
	find_key(k);
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
	free(k->uses);
}

static uint32_t image_bytes(const struct sc_ptx *m, const struct sc_function *f)
{
	const struct sc_symbol *last;

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

	sc_ptx_read(&m->ptx, text, bytes);
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
	sc_evaluate_free_shared(m->evaluation);
	sc_ptx_fini(&m->ptx);
	sc_arena_fini(&m->arena);
	free(m);
}

uint32_t sc_footprint_problems(const struct sc_footprint_module *m)
{
	return m->ptx.problems;
}

size_t sc_footprint_kernel_count(const struct sc_footprint_module *m)
{
	return m->kernels.count;
}

struct sc_footprint_kernel *sc_footprint_kernel_at(struct sc_footprint_module *m, size_t index)
{
	return index < m->kernels.count ? &m->kernels.items[index] : NULL;
}

struct sc_footprint_kernel *sc_footprint_find(struct sc_footprint_module *m, const char *name)
{
	uint32_t id;
	const uint64_t *index =
		sc_ptx_find_name(&m->ptx, name, &id) ? sc_u64_map_find(&m->by_name, id) : NULL;

	return index ? &m->kernels.items[*index - 1] : NULL;
}

const char *sc_footprint_kernel_name(const struct sc_footprint_kernel *k)
{
	return k->module->ptx.names.items[k->function->name];
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

const char *sc_footprint_reason_text(unsigned reason)
{
	static const char *const texts[] = {
#define REASON(id, text) text,
#include "analyzer/footprint/reason.def"
#undef REASON
	};

	return reason < SC_REASONS ? texts[reason] : "";
}
