/* Reading memory that may not be there: a copy that survives a fault, and the kernel's own. */
#include "interposer/core/safe_read.h"

#include <fcntl.h>
#include <unistd.h>
#include "base/assert.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/arch/processor.h"
#include "interposer/arch/valgrind.h"
#include "interposer/core/thread.h"

#define SET_SIZE    sizeof(uint64_t) /* of the kernel's signal set */
#define BIT(signal) (UINT64_C(1) << ((signal)-1))

extern const char sc_safe_begin[], sc_safe_end[], sc_safe_failed[];

void sc_safe_read_begin(struct sc_safe_read *p)
{
	p->outer = sc_more()->safe_read;
	p->memory = -1;
	/* memcheck would say that the program reads what it must not */
	p->is_direct = sc_session.catches_faults && !sc_valgrind_runs();
	p->is_handler = p->is_held = false;
	atomic_signal_fence(memory_order_seq_cst);
	sc_more()->safe_read = p;
}

void sc_safe_read_begin_in_handler(struct sc_safe_read *p)
{
	uint64_t faults = BIT(SIGSEGV) | BIT(SIGBUS);

	sc_safe_read_begin(p);
	p->is_handler = true;
	sc_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (uint64_t)&faults, (uint64_t)&p->mask, SET_SIZE, 0,
	       0);
}

void sc_safe_read_end(struct sc_safe_read *p)
{
	if (p->is_handler)
		sc_raw(SYS_rt_sigprocmask, SIG_SETMASK, (uint64_t)&p->mask, 0, SET_SIZE, 0, 0);
	sc_assert(sc_more()->safe_read == p);
	sc_more()->safe_read = p->outer;
	atomic_signal_fence(memory_order_seq_cst);
	if (p->is_held) /* it is blocked now, and comes when our handler has returned */
		sc_raw(SYS_rt_tgsigqueueinfo, (uint64_t)getpid(),
		       (uint64_t)sc_raw(SYS_gettid, 0, 0, 0, 0, 0, 0), (uint64_t)p->held.si_signo,
		       (uint64_t)&p->held, 0, 0);
	if (p->memory >= 0)
		sc_raw(SYS_close, (uint64_t)p->memory, 0, 0, 0, 0, 0);
}

bool sc_safe_read_by_kernel(struct sc_safe_read *p, void *to, uint64_t from, size_t bytes)
{
	static const char path[] = "/proc/self/mem";

	if (p->memory < 0)
		p->memory = (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
					O_RDONLY | O_CLOEXEC, 0, 0, 0);
	return p->memory >= 0 && sc_raw(SYS_pread64, (uint64_t)p->memory, (uint64_t)to, bytes, from,
					0, 0) == (long)bytes;
}

bool sc_safe_read_takes(const siginfo_t *info, ucontext_t *context)
{
	struct sc_safe_read *p = sc_more()->safe_read;

	if (!p)
		return false;
	if (info->si_code > 0 && sc_context_pc(context) - (uint64_t)sc_safe_begin <
					 (uint64_t)sc_safe_end - (uint64_t)sc_safe_begin) {
		sc_context_set_pc(context, (uint64_t)sc_safe_failed);
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
bool sc_safe_read_is_possible(uint64_t address)
{
	struct sc_safe_read r;
	uint64_t word;
	bool ok;

	address &= ~UINT64_C(7);
	if (address >= sc_self.stack_start && address < sc_self.stack_end)
		return true;
	if (sc_valgrind_runs()) {
		sc_safe_read_begin(&r);
		ok = sc_safe_read_bytes(&r, &word, address, sizeof(word));
		sc_safe_read_end(&r);
		return ok;
	}
	return sc_raw(SYS_rt_sigprocmask, ~UINT64_C(0), address, 0, 8, 0, 0) != -EFAULT;
}
