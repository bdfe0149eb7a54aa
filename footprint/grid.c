/* What a kernel's PTX says of programmatic launches (specification L-2), and of words in memory
 * that it signals by, or waits for (M-4, D-7). */
#include "footprint/grid.h"

#include <stdbool.h>
#include <string.h>
#include "footprint/kernel.h"
#include "base/heap.h"

#define WAIT	"griddepcontrol.wait"
#define TRIGGER "griddepcontrol.launch_dependents"

/* ---- where the waits stand ---- */

static bool is_wait(const struct sc_ptx *m, const struct sc_instruction *in)
{
	return in->opcode == SC_PTX_OTHER && !strcmp(m->names.items[in->name], WAIT);
}

uint8_t sc_grid_pass(const struct sc_ptx *m, const struct sc_instruction *in, uint8_t waited)
{
	if (in->opcode == SC_PTX_CALL)
		return in->rows == SC_CALL_UNKNOWN ? waited | SC_GRID_WAITED : waited;
	if (!is_wait(m, in))
		return waited;
	return in->guard ? waited | SC_GRID_WAITED : SC_GRID_WAITED;
}

/* Hands on what holds at the end of a block; false if that is nothing new. */
static bool pass_block(struct sc_grid_waits *w, const struct sc_ptx *m, const struct sc_flat *flat,
		       const struct sc_flow *flow, uint32_t block)
{
	const struct sc_block *b = &flow->blocks.items[block];
	uint8_t waited = w->at_entry[block];
	bool is_new = 0;

	for (uint32_t i = b->first; i < b->end; i++) {
		w->has_wait |= is_wait(m, &flat->f.code.items[i]);
		waited = sc_grid_pass(m, &flat->f.code.items[i], waited);
	}
	for (uint32_t i = b->succ_first; i < b->succ_first + b->succ_count; i++) {
		uint8_t *to = &w->at_entry[flow->edges.items[i].to];

		is_new |= (waited & ~*to) != 0;
		*to |= waited;
	}
	return is_new;
}

/* A function that nobody can look into may trigger. */
static bool may_trigger(const struct sc_ptx *m, const struct sc_instruction *in)
{
	if (in->opcode == SC_PTX_CALL)
		return in->rows == SC_CALL_UNKNOWN;
	return in->opcode == SC_PTX_OTHER && !strcmp(m->names.items[in->name], TRIGGER);
}

static bool triggers_early(const struct sc_ptx *m, const struct sc_flat *flat,
			   const struct sc_block *b, uint8_t waited)
{
	for (uint32_t i = b->first; i < b->end; i++) {
		if (waited & SC_GRID_NOT_WAITED && may_trigger(m, &flat->f.code.items[i]))
			return 1;
		waited = sc_grid_pass(m, &flat->f.code.items[i], waited);
	}
	return 0;
}

void sc_grid_waits_make(struct sc_grid_waits *w, const struct sc_ptx *m, const struct sc_flat *flat,
			const struct sc_flow *flow)
{
	bool is_new = 1;

	*w = (struct sc_grid_waits){0};
	w->at_entry = sc_heap_xcalloc(flow->blocks.count + 1, sizeof(*w->at_entry));
	w->at_entry[0] = SC_GRID_NOT_WAITED;
	while (is_new) {
		is_new = 0;
		for (uint32_t i = 0; i < flow->blocks.count; i++)
			is_new |= pass_block(w, m, flat, flow, i);
	}
	for (uint32_t i = 0; i < flow->blocks.count && !w->has_early_trigger; i++)
		w->has_early_trigger =
			triggers_early(m, flat, &flow->blocks.items[i], w->at_entry[i]);
}

void sc_grid_waits_fini(struct sc_grid_waits *w)
{
	free(w->at_entry);
}

/* ---- what a kernel does at all ---- */

/* A fence that blocks of other kernels can see, which could hand results over before the end. */
static bool is_fence(const char *name)
{
	if (strstr(name, ".cta"))
		return 0;
	return !strncmp(name, "membar.", 7) || !strncmp(name, "fence.", 6) ||
	       strstr(name, ".release") || strstr(name, ".acq_rel");
}

static unsigned bits_of(const char *name)
{
	if (!strcmp(name, WAIT))
		return SC_FOOTPRINT_WAITS;
	if (!strcmp(name, TRIGGER))
		return SC_FOOTPRINT_TRIGGERS;
	if (!strncmp(name, "fence.", 6) && strstr(name, ".alias")) /* also in one direction */
		return SC_FOOTPRINT_FENCES_ALIASES | SC_FOOTPRINT_FENCES;
	return is_fence(name) ? SC_FOOTPRINT_FENCES : 0;
}

/* Raw facts of one function, apart from the bits that describe the whole kernel. */
enum strong {
	PUBLISHED = 1 << 16, /* a store beyond its block that others may wait for */
	OBSERVED = 1 << 17,  /* a load beyond its block that may wait for others */
	RELEASES = 1 << 18,
	ACQUIRES = 1 << 19,
	ASKED = 1 << 20 /* of an opcode whose facts are known */
};

static bool is_of_block(const char *name)
{
	static const char *const words[] = {".shared", ".local", ".param",
					    ".const",  ".cta",	 ".cluster"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return 1;
	return 0;
}

static bool is_strong(const char *name)
{
	return strstr(name, ".volatile") || strstr(name, ".relaxed") || strstr(name, ".acquire") ||
	       strstr(name, ".release") || strstr(name, ".acq_rel") || strstr(name, ".mmio");
}

/* A copy that another device may wait for, or that waits: of a peer's memory, of all copies of a
 * multicast address, or with an order of its own. One side of it is the block's shared memory. */
static bool is_strong_copy(const char *name)
{
	if (!strncmp(name, "fabric.try", 10) || !strncmp(name, "multimem.cp", 11))
		return 1;
	return !strncmp(name, "cp.", 3) && strstr(name, ".global") && strstr(name, ".relaxed") &&
	       !strstr(name, ".relaxed.cta") && !strstr(name, ".relaxed.cluster");
}

/* What a strong access can do: a store publishes (PUBLISHED), a load observes (OBSERVED). Plain
 * accesses of two agents are a race. */
static unsigned access_of(const char *name)
{
	if (is_strong_copy(name))
		return PUBLISHED | OBSERVED;
	if (is_of_block(name))
		return 0;
	if (!strncmp(name, "atom.", 5) || !strncmp(name, "multimem.ld", 11))
		return PUBLISHED | OBSERVED;
	if (!strncmp(name, "red.", 4) || !strncmp(name, "multimem.", 9))
		return PUBLISHED;
	if (!is_strong(name))
		return 0;
	return !strncmp(name, "st.", 3) ? PUBLISHED : !strncmp(name, "ld.", 3) ? OBSERVED : 0;
}

/* M-4, D-7. Volatile accesses are relaxed ones of system scope. */
static unsigned talk_of(const char *name)
{
	bool is_system = strstr(name, ".sys") || strstr(name, ".volatile") || strstr(name, ".mmio");
	bool is_both = strstr(name, ".acq_rel") != NULL;
	unsigned bits = access_of(name);

	if (bits && (is_both || strstr(name, ".release")))
		bits |= RELEASES;
	if (bits && (is_both || strstr(name, ".acquire")))
		bits |= ACQUIRES;
	if (is_fence(name) && !bits)
		bits = RELEASES | ACQUIRES;
	if (is_system && bits & (PUBLISHED | RELEASES))
		bits |= SC_FOOTPRINT_PUBLISHES_HOST;
	if (is_system && bits & (OBSERVED | ACQUIRES))
		bits |= SC_FOOTPRINT_OBSERVES_HOST;
	return bits;
}

bool sc_grid_is_for_host(const char *name)
{
	bool is_move = !strncmp(name, "ld.", 3) || !strncmp(name, "st.", 3);

	return is_move &&
	       talk_of(name) & (SC_FOOTPRINT_PUBLISHES_HOST | SC_FOOTPRINT_OBSERVES_HOST);
}

/* Other kernels see a kernel's results only if it releases them, and if they acquire them. */
static unsigned settle(unsigned bits)
{
	unsigned published = PUBLISHED | RELEASES, observed = OBSERVED | ACQUIRES;

	if ((bits & published) == published)
		bits |= SC_FOOTPRINT_PUBLISHES;
	if ((bits & observed) == observed)
		bits |= SC_FOOTPRINT_OBSERVES;
	return bits & ~(published | observed);
}

/* A module has few opcodes in many instructions. */
static unsigned facts_of(struct sc_footprint_module *m, uint32_t opcode)
{
	while (m->facts.count <= opcode)
		sc_vector_push(&m->facts, 0);
	if (!m->facts.items[opcode])
		m->facts.items[opcode] = ASKED | bits_of(m->ptx.names.items[opcode]) |
					 talk_of(m->ptx.names.items[opcode]);
	return m->facts.items[opcode] & ~(unsigned)ASKED;
}

/* Sets *calls if the function calls others. */
static unsigned scan(struct sc_footprint_module *m, const struct sc_function *f, bool *calls)
{
	unsigned bits = 0;

	for (size_t i = 0; i < f->code.count; i++) {
		bits |= facts_of(m, f->code.items[i].name);
		*calls |= f->code.items[i].opcode == SC_PTX_CALL;
	}
	return bits;
}

/* The facts about the module's waits, made more exact by where the kernel's own waits stand. */
static unsigned place_waits(struct sc_footprint_kernel *k, unsigned bits)
{
	sc_kernel_analyze(k);
	if (k->refused)
		return bits | SC_FOOTPRINT_EARLY;
	if (!k->graph.waits)
		return bits & ~(unsigned)SC_FOOTPRINT_WAITS;
	if (bits & SC_FOOTPRINT_TRIGGERS && !k->graph.early_trigger)
		bits |= SC_FOOTPRINT_TRIGGERS_LATE;
	for (size_t i = 0; i < k->graph.sites.count; i++)
		if (k->graph.sites.items[i].early)
			return bits | SC_FOOTPRINT_EARLY;
	return bits;
}

/* What the functions of the module say, one of which a kernel may call: one without a body may do
 * anything. */
static unsigned of_functions(struct sc_footprint_module *m)
{
	unsigned bits = SC_FOOTPRINT_KNOWS_GRID;
	bool calls = 0;

	for (size_t i = 0; i < m->ptx.functions.count; i++) {
		const struct sc_function *f = &m->ptx.functions.items[i];

		if (f->is_kernel)
			continue;
		bits |= scan(m, sc_ptx_body(&m->ptx, f), &calls);
		if (f->problems || (!f->has_body && !sc_ptx_function(&m->ptx, f->name)))
			bits &= ~(unsigned)SC_FOOTPRINT_KNOWS_GRID;
	}
	return bits;
}

/* Of a kernel that calls functions, all functions of its module count. */
unsigned sc_footprint_grid(struct sc_footprint_kernel *k)
{
	struct sc_footprint_module *m = k->module;
	bool calls = 0;
	unsigned bits = scan(m, k->function, &calls);
	unsigned known = k->function->problems ? 0 : SC_FOOTPRINT_KNOWS_GRID;

	if (calls && !m->has_called) {
		m->called = of_functions(m);
		m->has_called = 1;
	}
	if (calls) {
		bits |= m->called & ~(unsigned)SC_FOOTPRINT_KNOWS_GRID;
		known &= m->called;
	}
	bits = settle(bits);
	if (bits & SC_FOOTPRINT_WAITS)
		bits = place_waits(k, bits);
	return bits | known;
}
