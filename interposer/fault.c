/* The signal handler: faults of the page guard become ops, all else goes to the application. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include "interposer/range.h"
#include "interposer/session.h"
#include "interposer/stack.h"

#define PAGE		UINT64_C(4096)
#define TRAP_FLAG	0x100 /* of RFLAGS: single step */
#define FAULT_WRITE	2     /* of the page fault's error code */
#define MOST_RETRIES	8
#define STACK_TO_UNWIND 12288 /* bytes that unwinding may need */

/* On a small alternate stack only the program counter is taken. */
static bool is_stack_short(void)
{
	char *here = __builtin_frame_address(0);
	stack_t alternate;

	if (sigaltstack(NULL, &alternate) || !(alternate.ss_flags & SS_ONSTACK))
		return false;
	return here - (char *)alternate.ss_sp < STACK_TO_UNWIND;
}

static void write_access(uint64_t address, bool is_write, uint32_t flags, const ucontext_t *context)
{
	struct sc_op op = sc_session_op(is_write ? SC_OP_HOST_WRITE : SC_OP_HOST_READ);
	struct sc_operand o = sc_memory_classify(address, 1, true);
	struct sc_stack stack = sc_stack_interrupted(context, is_stack_short());

	op.flags = flags | (stack.library ? SC_FLAG_LIBRARY : 0);
	op.stack = stack.id;
	op.bytes = 1;
	op.object = o.object;
	if (is_write) {
		op.dst = o.address;
		op.dst_mem = o.memory;
	} else {
		op.src = o.address;
		op.src_mem = o.memory;
	}
	sc_session_put(&op, NULL, 0);
}

/* Lets the instruction run once; SIGTRAP then protects the page again. */
static void step_over(uint64_t address, ucontext_t *context)
{
	if (sc_self.steps == SC_STEPS)
		sc_self.steps = 0; /* one instruction touches fewer: an older step was left */
	sc_self.step_page[sc_self.steps++] = address & ~(PAGE - 1);
	context->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static bool has_stepped(ucontext_t *context)
{
	if (!sc_self.steps)
		return false;
	while (sc_self.steps)
		sc_guard_rearm(sc_self.step_page[--sc_self.steps]);
	context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
	return true;
}

/* Another thread opened the page between our fault and now: the instruction will succeed. */
static bool is_worth_a_retry(uint64_t address)
{
	uint64_t openings = atomic_load(&sc_session.guard.openings);

	if (sc_self.retry_address != address || sc_self.retry_openings != openings) {
		sc_self.retry_address = address;
		sc_self.retry_openings = openings;
		sc_self.retries = 0;
	}
	return sc_self.retries++ < MOST_RETRIES;
}

static bool is_foreign_handled(uint64_t address, bool is_write, ucontext_t *context)
{
	struct sc_allocation a;

	if (!sc_memory_find(&sc_session.memory, address, &a))
		return false;
	if (sc_memory_is_host(a.memory))
		return is_worth_a_retry(address);
	/* Host code dereferences device memory; what then happens is the program's fate. */
	if (!is_worth_a_retry(address)) /* its own handler returned: once is enough */
		return false;
	write_access(address, is_write, SC_FLAG_FATAL | SC_FLAG_GUARDED, context);
	return false;
}

/* True if the fault was ours and the instruction may go on. */
static bool handle(const siginfo_t *info, ucontext_t *context)
{
	uint64_t address = (uint64_t)info->si_addr;
	bool is_write = context->uc_mcontext.gregs[REG_ERR] & FAULT_WRITE;
	enum sc_code code = sc_range_code((uint64_t)context->uc_mcontext.gregs[REG_RIP]);
	/* The driver's and the recorder's own accesses are no business of the application. */
	bool silent = code == SC_CODE_DRIVER || code == SC_CODE_OWN || sc_self.depth;

	if (!sc_session_is_live())
		return false;
	if (sc_self.busy) { /* a handler of the application interrupted the recorder */
		if (!sc_guard_near(&sc_session.guard, address, 1))
			return false;
		return !mprotect((void *)(address & ~(PAGE - 1)), PAGE, PROT_READ | PROT_WRITE);
	}
	switch (sc_guard_fault(address, is_write, silent)) {
	case SC_FAULT_HIT: write_access(address, is_write, SC_FLAG_GUARDED, context); return true;
	case SC_FAULT_NEIGHBOUR: step_over(address, context); return true;
	case SC_FAULT_OPENED: return true;
	case SC_FAULT_FOREIGN: break;
	}
	return is_foreign_handled(address, is_write, context);
}

void sc_fault_signal(int number, siginfo_t *info, void *data)
{
	ucontext_t *context = data;
	int saved = errno;
	bool done = false;

	if (number == SIGTRAP)
		done = has_stepped(context);
	else if ((number == SIGSEGV || number == SIGBUS) && info->si_code > 0)
		done = handle(info, context);
	errno = saved;
	if (!done)
		sc_signals_chain(number, info, context);
}
