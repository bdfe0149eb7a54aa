/* libc functions that hand memory to the kernel: they open what is in flight first. */
#undef _FORTIFY_SOURCE
#include "interposer/core/safe_read.h"
#include "interposer/libc/libc.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>
#include "interposer/libc/format.h"
#include "interposer/libc/acquires.h"
#include "interposer/guard/host.h"
#include "interposer/libc/effect_rows.h"
#include "interposer/core/raw.h"
#include "interposer/core/session.h"
#include "interposer/libc/system.h"
#include "interposer/core/real.h"
#include "interposer/core/thread.h"
#include "interposer/guard/unprotected.h"
#include "interposer/libc/signals.h"
#include "interposer/object/memory.h"
#include "interposer/sync/descriptor.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(offsetof(struct sc_session, state) == 0 && SC_LIVE == 2, "libc.S looks at it");
_Static_assert(offsetof(struct sc_real, libc) == 8, "libc.S looks there");
_Static_assert(sizeof(struct sc_side_effects) <= 320, "libc.S has room for it");

/* ---- formats ---- */

static void effects_of_string(void *effects, uint64_t start, uint64_t most)
{
	sc_side_effect_string(effects, start, most);
}

static void effects_of_formatted(struct sc_side_effects *e, uint64_t format,
				 struct sc_arguments arguments)
{
	sc_side_effect_string(e, format, UINT64_MAX);
	sc_format_each_string((const char *)format, arguments, effects_of_string, e);
}

/* The format is an argument itself. */
static void effects_of_words(struct sc_side_effects *e, const uint64_t *a, unsigned format,
			     const uint64_t *stack)
{
	if (a[format] && sc_memory_has_host(&sc_memory))
		effects_of_formatted(e, a[format], sc_arguments_after(format + 1, a, stack));
}

static void effects_of_list(struct sc_side_effects *e, uint64_t format, uint64_t address)
{
	struct sc_arguments list;

	if (sc_memory_has_host(&sc_memory) && sc_side_effect_read(e, address, &list, sizeof(list)))
		effects_of_formatted(e, format, list);
}

/* ---- contexts ---- */

static void effects_of_context(struct sc_side_effects *e, uint64_t context)
{
	stack_t stack;

	if (!sc_self.busy &&
	    sc_side_effect_read(e, context + offsetof(ucontext_t, uc_stack), &stack, sizeof(stack)))
		sc_unprotected_add_stack((uint64_t)stack.ss_sp, stack.ss_size);
}

/* In place, since no code runs afterwards that could own a copy. */
static void unmask(uint64_t context)
{
	uint64_t *mask = (uint64_t *)(context + offsetof(ucontext_t, uc_sigmask));

	if (context && sc_safe_read_is_possible((uint64_t)mask) && *mask & SC_SIGNALS_KEPT)
		*mask &= ~SC_SIGNALS_KEPT;
}

/* ---- rows ---- */

#define WORDS(format)	   effects_of_words(e, a, format, stack);
#define LIST(format, list) effects_of_list(e, format, list);
#define CONTEXT(context)   effects_of_context(e, context);
#define MASK_OF(context)   unmask(context);
#define ENVIRONMENT	   sc_side_effect_strings(e, (uint64_t)environ);

static void add_effects(struct sc_side_effects *e, unsigned number, const uint64_t *a,
			const uint64_t *stack)
{
	const uint64_t a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], a4 = a[4], a5 = a[5];

	switch (number) {
#define SAME(name, call)                                   \
	case SC_REAL_##name:                               \
		sc_system_effects(e, SC_SYSTEM_##call, a); \
		break;
#define EFFECTS(name, effects) \
	case SC_REAL_##name:   \
		effects break;
#define OWN   EFFECTS
#define COUNT EFFECTS
#define CODE  EFFECTS
#define JUMP  EFFECTS
#define NONE(name, why)
#include "interposer/libc/libc.def"
	}
}

enum { FAILS_JUMP = -1 };

/* How a function says that it failed; FAILS_JUMP: it must not be called, only jumped to. */
static int failure_of(unsigned number)
{
	static const int8_t kinds[SC_REALS] = {
#define SAME(name, call)     [SC_REAL_##name] = SC_FAILS_MINUS,
#define OWN(name, effects)   [SC_REAL_##name] = SC_FAILS_MINUS,
#define COUNT(name, effects) [SC_REAL_##name] = SC_FAILS_ZERO,
#define CODE(name, effects)  [SC_REAL_##name] = SC_FAILS_CODE,
#define JUMP(name, effects)  [SC_REAL_##name] = FAILS_JUMP,
#define NONE(name, why)
#include "interposer/libc/libc.def"
	};

	return kinds[number];
}

/* The system call of a function that this libc lacks, or that the loader itself needs before it can
 * be found; -1: it is more than that. */
static long call_of(unsigned number)
{
	static const int16_t calls[SC_REALS] = {
#define SAME(name, call) [SC_REAL_##name] = 1 + SC_SYSTEM_##call,
#define OWN(name, effects)
#define COUNT(name, effects)
#define CODE(name, effects)
#define JUMP(name, effects)
#define NONE(name, why)
#include "interposer/libc/libc.def"
	};

	return calls[number] - 1L;
}

static uint64_t without(unsigned number, const uint64_t *a)
{
	long call = call_of(number), result = -ENOSYS;

	if (call >= 0)
		result = sc_raw(call, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (result < 0 && result >= -4095) {
		errno = (int)-result;
		result = failure_of(number) == SC_FAILS_ZERO ? 0 : -1;
	}
	return (uint64_t)result;
}

struct sc_libc_next sc_libc_enter(struct sc_side_effects *e, const uint64_t *a, unsigned number,
				  const uint64_t *stack)
{
	void *real = atomic_load_explicit(&sc_real.libc[number], memory_order_relaxed);
	int saved = errno, failure = failure_of(number);
	struct sc_libc_next next = {real ? real : sc_real_find((enum sc_real_number)number), 0};

	if (!next.function) {
		next.is_back = without(number, a);
		return next;
	}
	sc_side_effect_begin(e, failure < 0 ? SC_FAILS_MINUS : (enum sc_failure_form)failure);
	e->is_brief = failure < 0;
	e->caller = stack[-1]; /* where it returns to */
	if (sc_session_is_live())
		add_effects(e, number, a, stack);
	else if (sc_acquires_libc[number])
		sc_side_effect_acquire(e, a[0], (enum sc_after)sc_acquires_libc[number]);
	next.is_back = sc_side_effect_is_needed(e);
	errno = saved;
	return next;
}

/* ---- what no row can say ---- */

ssize_t __recvfrom_chk(int fd, void *b, size_t n, size_t m, int f, struct sockaddr *a,
		       socklen_t *e);

/* The last argument is on the stack, so no row can describe the function. */
EXPORT ssize_t __recvfrom_chk(int fd, void *b, size_t n, size_t m, int f, struct sockaddr *a,
			      socklen_t *length)
{
	const uint64_t as_call[6] = {(uint64_t)fd, (uint64_t)b, n,
				     (uint64_t)f,  (uint64_t)a, (uint64_t)length};
	struct sc_side_effects e;
	ssize_t result;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	e.caller = (uint64_t)__builtin_return_address(0);
	if (sc_session_is_live())
		sc_system_effects(&e, SC_SYSTEM_recvfrom, as_call);
	else
		sc_side_effect_acquire(&e, (uint64_t)fd, SC_AFTER_ACQUIRE);
	result = SC_REAL(__recvfrom_chk)(fd, b, n, m, f, a, length);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result);
	return result;
}

/* Noted before there is a session, too: event loops make theirs early. */
EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
	const uint64_t as_call[6] = {(uint64_t)domain, (uint64_t)type, (uint64_t)protocol,
				     (uint64_t)ends};
	int kind = type & ~(SOCK_CLOEXEC | SOCK_NONBLOCK), result;
	struct sc_side_effects e;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	if (sc_session_is_live())
		sc_system_effects(&e, SC_SYSTEM_socketpair, as_call);
	result = SC_REAL(socketpair)(domain, type, protocol, ends);
	if (!result && domain == AF_UNIX && (kind == SOCK_STREAM || kind == SOCK_SEQPACKET))
		sc_descriptor_pair(ends);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result);
	return result;
}

/* A program that looks for the function finds ours where the C library has none. */
static void fill_randomly(char *b, size_t n)
{
	long got;

	for (; n; n -= (size_t)got, b += got) {
		got = sc_raw(SC_SYSTEM_getrandom, (uint64_t)b, n, 0, 0, 0, 0);
		if (got > 0)
			continue;
		*(volatile char *)b = 0; /* where there is no memory, the program faults */
		got = 0;
	}
}

void arc4random_buf(void *b, size_t n); /* newer than the C library that this may be built for */

/* libc ends the process if the kernel refuses the buffer. */
EXPORT void arc4random_buf(void *b, size_t n)
{
	struct sc_side_effects e;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	if (sc_session_is_live())
		sc_side_effect_access(&e, (uint64_t)b, n, true);
	if (SC_REAL(arc4random_buf))
		SC_REAL(arc4random_buf)(b, n);
	else
		fill_randomly(b, n);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, 0);
}
