/* Reading memory that may not be there: a copy that survives a fault, and the kernel's own. */
#include "interposer/core/peek.h"

#include <fcntl.h>
#include <unistd.h>
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/core/valgrind.h"
#include "interposer/core/thread.h"

#define SET_SIZE    sizeof(uint64_t) /* of the kernel's signal set */
#define BIT(signal) (UINT64_C(1) << ((signal)-1))

extern const char sc_peek_copied[], sc_peek_failed[];

void sc_peek_begin(struct sc_peek *p)
{
	p->outer = sc_self.peek;
	p->memory = -1;
	/* memcheck would say that the program reads what it must not */
	p->is_direct = sc_session.catches_faults && !sc_valgrind_runs();
	p->is_handler = p->is_held = false;
	atomic_signal_fence(memory_order_seq_cst);
	sc_self.peek = p;
}

void sc_peek_begin_in_handler(struct sc_peek *p)
{
	uint64_t faults = BIT(SIGSEGV) | BIT(SIGBUS);

	sc_peek_begin(p);
	p->is_handler = true;
	sc_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (uint64_t)&faults, (uint64_t)&p->mask, SET_SIZE, 0,
	       0);
}

void sc_peek_end(struct sc_peek *p)
{
	if (p->is_handler)
		sc_raw(SYS_rt_sigprocmask, SIG_SETMASK, (uint64_t)&p->mask, 0, SET_SIZE, 0, 0);
	sc_self.peek = p->outer;
	atomic_signal_fence(memory_order_seq_cst);
	if (p->is_held) /* it is blocked now, and comes when our handler has returned */
		sc_raw(SYS_rt_tgsigqueueinfo, (uint64_t)getpid(),
		       (uint64_t)sc_raw(SYS_gettid, 0, 0, 0, 0, 0, 0), (uint64_t)p->held.si_signo,
		       (uint64_t)&p->held, 0, 0);
	if (p->memory >= 0)
		sc_raw(SYS_close, (uint64_t)p->memory, 0, 0, 0, 0, 0);
}

bool sc_peek_ask(struct sc_peek *p, void *to, uint64_t from, size_t bytes)
{
	static const char path[] = "/proc/self/mem";

	if (p->memory < 0)
		p->memory = (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
					O_RDONLY | O_CLOEXEC, 0, 0, 0);
	return p->memory >= 0 && sc_raw(SYS_pread64, (uint64_t)p->memory, (uint64_t)to, bytes, from,
					0, 0) == (long)bytes;
}

bool sc_peek_takes(const siginfo_t *info, ucontext_t *context)
{
	greg_t *rip = &context->uc_mcontext.gregs[REG_RIP];
	struct sc_peek *p = sc_self.peek;

	if (!p)
		return false;
	if (info->si_code > 0 && (uint64_t)*rip - (uint64_t)&sc_peek_copy <
					 (uint64_t)sc_peek_copied - (uint64_t)&sc_peek_copy) {
		*rip = (greg_t)(uint64_t)sc_peek_failed;
		return true;
	}
	if (info->si_code > 0 || !p->is_handler)
		return false;
	p->held = *info;
	p->is_held = true;
	return true;
}

/* The kernel reads the set before it looks at the other arguments: EFAULT means that the memory is
 * unreadable. Costs a system call, changes nothing. Valgrind does not know this one, so there it is
 * read. */
bool sc_peek_is_readable(uint64_t address)
{
	struct sc_peek peek;
	uint64_t word;
	bool ok;

	address &= ~UINT64_C(7);
	if (address >= sc_self.stack_start && address < sc_self.stack_end)
		return true;
	if (sc_valgrind_runs()) {
		sc_peek_begin(&peek);
		ok = sc_peek_read(&peek, &word, address, sizeof(word));
		sc_peek_end(&peek);
		return ok;
	}
	return sc_raw(SYS_rt_sigprocmask, ~UINT64_C(0), address, 0, 8, 0, 0) != -EFAULT;
}
