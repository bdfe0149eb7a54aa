/* Grid dependencies: what a kernel's PTX says of programmatic launches (specification L-2). */
#include <string.h>
#include "analyzer/footprint/kernel.h"

/* A fence that blocks of other kernels can see, which could hand results over before the end. */
static _Bool is_fence(const char *name)
{
	if (strstr(name, ".cta"))
		return 0;
	return !strncmp(name, "membar.", 7) || !strncmp(name, "fence.", 6) ||
	       strstr(name, ".release") || strstr(name, ".acq_rel");
}

static unsigned bits_of(const char *name)
{
	if (!strcmp(name, "griddepcontrol.wait"))
		return SC_FOOTPRINT_WAITS;
	if (!strcmp(name, "griddepcontrol.launch_dependents"))
		return SC_FOOTPRINT_TRIGGERS;
	if (!strcmp(name, "fence.proxy.alias"))
		return SC_FOOTPRINT_FENCES_ALIASES | SC_FOOTPRINT_FENCES;
	return is_fence(name) ? SC_FOOTPRINT_FENCES : 0;
}

/* Sets *calls if the function calls others. */
static unsigned scan(const struct sc_ptx *m, const struct sc_function *f, _Bool *calls)
{
	unsigned bits = 0;

	for (size_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];

		bits |= bits_of(m->names.items[in->name]);
		*calls |= in->opcode == SC_PTX_CALL;
	}
	return bits;
}

/* Of a kernel that calls functions, all functions of its module count; one without a body may do
 * anything. */
unsigned sc_footprint_grid(const struct sc_footprint_kernel *k)
{
	const struct sc_ptx *m = &k->module->ptx;
	_Bool calls = 0;
	unsigned bits = SC_FOOTPRINT_KNOWS_GRID | scan(m, k->function, &calls);

	for (size_t i = 0; calls && i < m->functions.count; i++) {
		const struct sc_function *f = &m->functions.items[i];

		if (f->is_kernel)
			continue;
		if (!f->has_body && !sc_ptx_function(m, f->name))
			bits &= ~(unsigned)SC_FOOTPRINT_KNOWS_GRID;
		bits |= scan(m, f, &calls);
	}
	return m->problems ? bits & ~(unsigned)SC_FOOTPRINT_KNOWS_GRID : bits;
}
