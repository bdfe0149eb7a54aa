/* What a kernel's PTX says of programmatic launches (specification L-2), and of words in memory
 * that it signals by, or waits for (M-4, D-7). */
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

/* Raw facts of one function, below the bits that tell of the whole kernel. */
enum strong {
	TOLD = 1 << 16,	 /* a store beyond its block that others may wait for */
	HEARD = 1 << 17, /* a load beyond its block that may wait for others */
	RELEASES = 1 << 18,
	ACQUIRES = 1 << 19
};

static _Bool is_of_block(const char *name)
{
	static const char *const words[] = {".shared", ".local", ".param",
					    ".const",  ".cta",	 ".cluster"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strstr(name, words[i]))
			return 1;
	return 0;
}

static _Bool is_strong(const char *name)
{
	return strstr(name, ".volatile") || strstr(name, ".relaxed") || strstr(name, ".acquire") ||
	       strstr(name, ".release") || strstr(name, ".acq_rel") || strstr(name, ".mmio");
}

/* What a strong access can do: a store tells, a load hears. Plain ones of two agents are a race. */
static unsigned access_of(const char *name)
{
	if (is_of_block(name))
		return 0;
	if (!strncmp(name, "atom.", 5) || !strncmp(name, "multimem.ld", 11))
		return TOLD | HEARD;
	if (!strncmp(name, "red.", 4) || !strncmp(name, "multimem.", 9))
		return TOLD;
	if (!is_strong(name))
		return 0;
	return !strncmp(name, "st.", 3) ? TOLD : !strncmp(name, "ld.", 3) ? HEARD : 0;
}

/* M-4, D-7. Volatile accesses are relaxed ones of system scope. */
static unsigned talk_of(const char *name)
{
	_Bool is_system =
		strstr(name, ".sys") || strstr(name, ".volatile") || strstr(name, ".mmio");
	_Bool is_both = strstr(name, ".acq_rel") != NULL;
	unsigned bits = access_of(name);

	if (bits && (is_both || strstr(name, ".release")))
		bits |= RELEASES;
	if (bits && (is_both || strstr(name, ".acquire")))
		bits |= ACQUIRES;
	if (is_fence(name) && !bits)
		bits = RELEASES | ACQUIRES;
	if (is_system && bits & (TOLD | RELEASES))
		bits |= SC_FOOTPRINT_TELLS_HOST;
	if (is_system && bits & (HEARD | ACQUIRES))
		bits |= SC_FOOTPRINT_HEARS_HOST;
	return bits;
}

/* Other kernels see a kernel's results only if it releases them, and if they acquire them. */
static unsigned settle(unsigned bits)
{
	unsigned told = TOLD | RELEASES, heard = HEARD | ACQUIRES;

	if ((bits & told) == told)
		bits |= SC_FOOTPRINT_TELLS;
	if ((bits & heard) == heard)
		bits |= SC_FOOTPRINT_HEARS;
	return bits & ~(told | heard);
}

/* Sets *calls if the function calls others. */
static unsigned scan(const struct sc_ptx *m, const struct sc_function *f, _Bool *calls)
{
	unsigned bits = 0;

	for (size_t i = 0; i < f->code.count; i++) {
		const struct sc_instruction *in = &f->code.items[i];

		bits |= bits_of(m->names.items[in->name]) | talk_of(m->names.items[in->name]);
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
	bits = settle(bits);
	return m->problems ? bits & ~(unsigned)SC_FOOTPRINT_KNOWS_GRID : bits;
}
