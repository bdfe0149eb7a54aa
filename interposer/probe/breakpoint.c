/* Breakpoints: writing instructions, and finding the function of a place. */
#include "interposer/probe/breakpoint.h"

#include <fcntl.h>
#include <stdatomic.h>
#include "interposer/core/maps.h"
#include "interposer/core/raw.h"
#include "interposer/arch/processor.h"
#include "interposer/arch/valgrind.h"
#include "interposer/guard/fault.h"

struct breakpoint {
	uint64_t place;
	sc_breakpoint_fn *hit;
	const void *data;
	bool is_set;
};

/* Of the process: a child of a fork has its parent's code. Places are never taken out. */
static struct breakpoint list[SC_BREAKPOINTS];
static atomic_uint count;

bool sc_breakpoint_is_possible(void)
{
	return sc_fault_is_handled() && !sc_maps_is_traced() && !sc_valgrind_runs();
}

/* One byte, so that a thread which runs there meets the old instruction or the new one. The kernel
 * writes it, as for a debugger: the page is never writable for others, and keeps its protection. */
static bool write_code(uint64_t place, uint8_t expected, uint8_t wanted)
{
	static const char path[] = "/proc/self/mem";
	const _Atomic uint8_t *byte = (const _Atomic uint8_t *)(uintptr_t)place;
	int memory;
	long done;

	if (atomic_load_explicit(byte, memory_order_relaxed) != expected)
		return false;
	memory = (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path, O_RDWR | O_CLOEXEC, 0,
			     0, 0);
	if (memory < 0)
		return false;
	done = sc_raw(SYS_pwrite64, (uint64_t)memory, (uint64_t)&wanted, 1, place, 0, 0);
	sc_raw(SYS_close, (uint64_t)memory, 0, 0, 0, 0, 0);
	return done == 1;
}

static bool take(ucontext_t *context)
{
	uint64_t place = sc_context_breakpoint(context);
	/* acquire: pairs with the release in sc_breakpoint_set */
	unsigned known = atomic_load_explicit(&count, memory_order_acquire);

	for (unsigned i = 0; i < known; i++) {
		if (list[i].place != place)
			continue;
		list[i].hit(list[i].data, context);
		return true;
	}
	return false;
}

/* The entry of a place, one that was there before or a new one; NULL: there is no room. */
static struct breakpoint *entry_of(uint64_t place)
{
	unsigned known = atomic_load_explicit(&count, memory_order_relaxed);

	for (unsigned i = 0; i < known; i++)
		if (list[i].place == place)
			return &list[i];
	return known < SC_BREAKPOINTS ? &list[known] : NULL;
}

bool sc_breakpoint_set(uint64_t place, sc_breakpoint_fn *hit, const void *data)
{
	struct breakpoint *b = entry_of(place);

	if (!b || b->is_set)
		return b != NULL;
	*b = (struct breakpoint){place, hit, data, true};
	if (b == &list[atomic_load_explicit(&count, memory_order_relaxed)])
		atomic_fetch_add_explicit(&count, 1, memory_order_release);
	sc_fault_set_breakpoint(take);
	b->is_set = write_code(place, SC_INSTRUCTION_NONE, SC_INSTRUCTION_BREAK);
	return b->is_set;
}

void sc_breakpoint_clear_all(void)
{
	unsigned known = atomic_load_explicit(&count, memory_order_relaxed);

	for (unsigned i = 0; i < known; i++)
		if (list[i].is_set &&
		    write_code(list[i].place, SC_INSTRUCTION_BREAK, SC_INSTRUCTION_NONE))
			list[i].is_set = false;
}
