/* The page guard's signals: faults and single steps. */
#include "interposer/guard/fault.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "base/assert.h"
#include "interposer/arch/instruction.h"
#include "interposer/arch/processor.h"
#include "interposer/core/maps.h"
#include "interposer/core/safe_read.h"
#include "interposer/core/code_range.h"
#include "interposer/core/raw.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/stack/stack.h"
#include "interposer/python/python.h"
#include "interposer/object/memory.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/guard_thread.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/core/thread.h"

#define MOST_RETRIES 8
/* Bytes that unwinding may need, or reading Python's lines and a fault on the way to them. */
#define STACK_TO_UNWIND 12288

bool sc_fault_is_stack_short(void)
{
	char *here = __builtin_frame_address(0);
	stack_t alternate;

	if (sc_raw(SYS_sigaltstack, 0, (uint64_t)&alternate, 0, 0, 0, 0) ||
	    !(alternate.ss_flags & SS_ONSTACK))
		return false;
	return here - (char *)alternate.ss_sp < STACK_TO_UNWIND;
}

/* What lies outside the allocation that was hit is no part of the access to it. */
static struct sc_memory_operand clip(struct sc_memory_operand operand, uint64_t fault)
{
	struct sc_known_allocation a;
	uint64_t end = operand.address + operand.bytes;

	if (!sc_memory_look_up(&sc_memory, fault, &a))
		return operand;
	if (operand.address < a.start)
		operand.address = a.start;
	if (end > a.start + a.bytes)
		end = a.start + a.bytes;
	operand.bytes = (uint32_t)(end - operand.address);
	return operand;
}

static uint64_t write_access(struct sc_memory_operand operand, bool is_write, uint32_t flags,
			     int32_t result, const ucontext_t *context)
{
	struct sc_op op = sc_put_new(is_write ? SC_OP_HOST_WRITE : SC_OP_HOST_READ);
	struct sc_call_operand o = sc_memory_classify(operand.address, operand.bytes, true);
	bool is_short = sc_fault_is_stack_short();
	struct sc_stack stack = sc_stack_interrupted(context, is_short);

	op.flags = flags | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.result = result;
	op.stack = is_short ? stack.id : sc_python_stack_interrupted(stack.id);
	op.bytes = operand.bytes;
	op.object = o.object;
	if (is_write) {
		op.dst = o.address;
		op.dst_mem = o.memory;
	} else {
		op.src = o.address;
		op.src_mem = o.memory;
	}
	return sc_put_op(&op, NULL, 0);
}

/* ---- single steps ---- */

/* A debugger would take the trap for its own. Asked now and then: one may come later. */
static bool is_traced(void)
{
	static atomic_uint asked, answer;

	if (atomic_fetch_add_explicit(&asked, 1, memory_order_relaxed) % 256 == 0)
		atomic_store_explicit(&answer, sc_maps_is_traced(), memory_order_relaxed);
	return atomic_load_explicit(&answer, memory_order_relaxed);
}

/* Lets the instruction run once; SIGTRAP then protects the page again. */
static void step_over(uint64_t page, ucontext_t *context)
{
	bool is_known = false;

	for (unsigned i = 0; i < sc_self.steps; i++)
		is_known |= sc_guard_thread()->step_page[i] == page;
	if (sc_self.steps == SC_STEPS)
		sc_self.steps = 0; /* one instruction touches fewer: an older step was left */
	sc_assert(sc_self.steps < SC_STEPS);
	if (!is_known)
		sc_guard_thread()->step_page[sc_self.steps++] = page;
	if (!sc_context_steps(context))
		sc_guard_thread()->traps++;
	sc_context_set_step(context, true);
}

void sc_fault_settle(void)
{
	while (sc_self.steps)
		sc_guard_rearm(sc_guard_thread()->step_page[--sc_self.steps]);
}

static void end_step(ucontext_t *context)
{
	sc_fault_settle();
	sc_assert(sc_guard_thread()->traps > 0);
	sc_guard_thread()->traps--;
	sc_context_set_step(context, false);
}

/* The trap of a step. Signal handlers may have come between, and stepped too; one that jumped away
 * leaves a trap that never comes. A breakpoint of the application's own is none of ours. */
static bool has_stepped(const siginfo_t *info, ucontext_t *context)
{
	if (!sc_guard_thread()->traps ||
	    (info->si_code != TRAP_TRACE && info->si_code != TRAP_BRKPT))
		return false;
	end_step(context);
	return true;
}

/* ---- faults ---- */

/* Another thread opened the page between our fault and now: the instruction will succeed. */
static bool is_worth_a_retry(uint64_t address)
{
	uint64_t openings = atomic_load(&sc_guard.openings);

	if (sc_guard_thread()->retry_address != address ||
	    sc_guard_thread()->retry_openings != openings) {
		sc_guard_thread()->retry_address = address;
		sc_guard_thread()->retry_openings = openings;
		sc_guard_thread()->retries = 0;
	}
	return sc_guard_thread()->retries++ < MOST_RETRIES;
}

static bool is_foreign_handled(uint64_t address, bool is_write, ucontext_t *context)
{
	struct sc_known_allocation a;

	if (!sc_memory_look_up(&sc_memory, address, &a))
		return false;
	if (sc_memory_is_host(a.memory))
		return is_worth_a_retry(address);
	/* Host code dereferences device memory; what then happens is the program's fate. */
	if (!is_worth_a_retry(address)) /* its own handler returned: once is enough */
		return false;
	write_access(clip(sc_instruction_operand(context, address), address), is_write,
		     SC_FLAG_FATAL | SC_FLAG_GUARDED, 0, context);
	return false;
}

static struct sc_fault_access touched(const ucontext_t *context, uint64_t address, bool is_write)
{
	uint64_t pc = sc_context_pc(context);
	enum sc_code_kind code = sc_code_range_kind(pc);
	struct sc_memory_operand operand = sc_instruction_operand(context, address);
	uint64_t sp = sc_context_sp(context);

	return (struct sc_fault_access){
		.page = address & ~(SC_PAGE - 1),
		.start = operand.address,
		.bytes = operand.bytes,
		.pc = pc,
		.is_write = is_write,
		/* The driver's and the recorder's own accesses are no business of the application.
		 */
		.is_silent = code == SC_CODE_DRIVER || code == SC_CODE_OWN ||
			     sc_thread_is_inside((const void *)sp),
		.is_locked = operand.is_locked,
		.may_step = !is_traced()};
}

/* Another thread protected the page again before the instruction ran that is stepped over: it is no
 * second access. */
static bool is_step_undone(uint64_t page, const ucontext_t *context)
{
	bool is_stepping = sc_guard_thread()->traps && sc_context_steps(context);

	for (unsigned i = 0; is_stepping && i < sc_self.steps; i++)
		if (sc_guard_thread()->step_page[i] == page)
			return sc_watchpoint_open_pages(page, page + SC_PAGE);
	return false;
}

/* True if the fault was the guard's and the instruction may go on. */
static bool is_guards(uint64_t address, bool is_write, ucontext_t *context)
{
	struct sc_fault_access t = touched(context, address, is_write);
	enum sc_fault verdict = sc_guard_fault(&t);

	if (verdict == SC_FAULT_HIT || verdict == SC_FAULT_FIRST) {
		struct sc_memory_operand operand = {.address = t.start, .bytes = (uint32_t)t.bytes};
		int32_t result = t.may_be_poll ? SC_RESULT_PENDING : 0;
		uint64_t op = write_access(clip(operand, address), is_write, SC_FLAG_GUARDED,
					   result, context);

		if (t.may_be_poll)
			sc_guard_name_read(&t, op);
	}
	if (verdict == SC_FAULT_FIRST || verdict == SC_FAULT_NEIGHBOUR)
		step_over(t.page, context);
	return verdict != SC_FAULT_FOREIGN;
}

/* True if the fault was ours and the instruction may go on. */
static bool handle(const siginfo_t *info, ucontext_t *context)
{
	uint64_t address = (uint64_t)info->si_addr;
	bool is_write = sc_context_writes(context);

	if (!sc_session_is_live())
		return false;
	if (!sc_self.busy)
		return is_step_undone(address & ~(SC_PAGE - 1), context) ||
		       is_guards(address, is_write, context) ||
		       is_foreign_handled(address, is_write, context);
	/* a handler of the application interrupted the recorder */
	if (!sc_guard_near(&sc_guard, address, 1))
		return false;
	address &= ~(SC_PAGE - 1);
	return sc_watchpoint_open_pages(address, address + SC_PAGE);
}

/* Of the process, as the code is. */
static bool (*breakpoint)(ucontext_t *context);

void sc_fault_set_breakpoint(bool (*take)(ucontext_t *context))
{
	breakpoint = take;
}

bool sc_fault_handle(int number, siginfo_t *info, ucontext_t *context)
{
	int saved = errno;
	bool done = false;

	if (sc_safe_read_takes(info, context))
		return true;
	if (number == SIGTRAP)
		done = (breakpoint && breakpoint(context)) || has_stepped(info, context);
	else if ((number == SIGSEGV || number == SIGBUS) && info->si_code > 0)
		done = handle(info, context);
	/* the application's handler may jump away */
	if (!done && sc_guard_thread()->traps && sc_context_steps(context))
		end_step(context);
	errno = saved;
	return done;
}

/* ---- is the handler there? ---- */

/* Of the process: its handler stays in the child of a fork. */
static bool (*is_installed)(void);

void sc_fault_set_test(bool (*is_handler_installed)(void))
{
	is_installed = is_handler_installed;
}

bool sc_fault_is_handled(void)
{
	return !is_installed || is_installed();
}
