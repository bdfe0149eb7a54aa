/* Call stacks: where unwinding starts, and what it leaves out. */
#include "interposer/stack/stack.h"

#include "interposer/core/code_range.h"
#include "interposer/stack/recent.h"
#include "interposer/core/session.h"
#include "interposer/stack/unwind.h"
#include "interposer/core/thread.h"

#define OWN_FRAMES 8
#define MAX_FRAMES (128 + OWN_FRAMES) /* option stack-depth's maximum, and ours */

/* The registers of the code that called into this library. Our own functions keep frame pointers,
 * so that their frames need no table. */
static struct sc_registers caller(const void *frame)
{
	struct sc_registers r = sc_registers_of_caller(frame);

	while (sc_code_range_is_own(&sc_code_ranges, r.pc))
		r = sc_registers_of_caller((const void *)r.base);
	return r;
}

struct sc_stack sc_stack_of_report(void)
{
	uint64_t frames[MAX_FRAMES];
	unsigned count, skip = 0;

	if (!sc_session.options.stack_depth || !sc_stacks.slot)
		return (struct sc_stack){0};
	count = sc_unwind(SC_REGISTERS_HERE(), frames, NULL, MAX_FRAMES);
	while (skip < count && (sc_code_range_is_own(&sc_code_ranges, frames[skip]) ||
				sc_code_range_kind(frames[skip]) == SC_CODE_DRIVER))
		skip++;
	return sc_stack_keep(frames + skip, count - skip);
}

static struct sc_stack stack_from(const struct sc_registers *from)
{
	unsigned depth = (unsigned)sc_session.options.stack_depth;
	struct sc_recent *recent = sc_recent_open(depth);
	uint64_t frames[MAX_FRAMES];
	struct sc_stack stack;

	if (!recent)
		return sc_stack_keep(frames, sc_unwind(*from, frames, NULL, depth));
	stack = sc_recent_unwind(recent, from, depth);
	if (!stack.id) {
		stack = sc_stack_keep(frames, sc_recent_frames(recent, frames));
		sc_recent_name(recent, stack);
	}
	sc_recent_close(recent);
	return stack;
}

struct sc_stack sc_stack_of_call(const void *frame)
{
	struct sc_registers from;

	if (!sc_session.options.stack_depth || !sc_stacks.slot)
		return (struct sc_stack){0};
	if (!frame || sc_self.in_source) /* between us and the program is the driver, not only we */
		return sc_stack_of_report();
	from = caller(frame);
	return stack_from(&from);
}

struct sc_stack sc_stack_here(void)
{
	struct sc_stack stack = sc_stack_of_call(__builtin_frame_address(0));

	__asm__ volatile("" : : : "memory"); /* our frame stays until then: no tail call */
	return stack;
}

/* The kind of the code, in whatever was loaded by now. */
static enum sc_code_kind kind_now(uint64_t place)
{
	enum sc_code_kind kind = sc_code_range_kind(place);

	if (kind != SC_CODE_UNKNOWN)
		return kind;
	sc_code_range_scan();
	return sc_code_range_kind(place);
}

uint64_t sc_stack_place(void)
{
	uint64_t frames[MAX_FRAMES];
	unsigned count = sc_unwind(SC_REGISTERS_HERE(), frames, NULL, MAX_FRAMES);

	for (unsigned i = 0; i < count; i++) {
		enum sc_code_kind kind = kind_now(frames[i]);

		if (kind == SC_CODE_PROGRAM)
			return frames[i] - 1;
		if (kind == SC_CODE_LIBRARY || kind == SC_CODE_UNKNOWN)
			return 0;
	}
	return 0;
}

struct sc_stack sc_stack_interrupted(const ucontext_t *context, bool shallow)
{
	unsigned limit = shallow ? 1 : (unsigned)sc_session.options.stack_depth;
	uint64_t frames[MAX_FRAMES];

	if (!sc_session.options.stack_depth || !sc_stacks.slot)
		return (struct sc_stack){0};
	return sc_stack_keep(frames, sc_unwind(sc_registers_of(context), frames, NULL, limit));
}
