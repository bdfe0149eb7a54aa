/* The signal functions of libc, as the application calls them. */
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include "interposer/core/safe_read.h"
#include "interposer/libc/side_effect.h"
#include "interposer/core/session.h"
#include "interposer/libc/signals.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/unprotected.h"
#include "interposer/core/thread.h"
#include "interposer/core/real.h"

#define EXPORT	   __attribute__((visibility("default")))
#define KERNEL_SET 8 /* bytes */

static bool is_ours(int i)
{
	return i >= 0 && sc_session.catches_faults;
}

EXPORT int sigaction(int number, const struct sigaction *new, struct sigaction *old)
{
	int i = sc_signals_index(number);
	struct sigaction copy;

	if (is_ours(i) && !sc_self.busy) {
		struct sigaction wanted = new ? *new : (struct sigaction){0};

		sc_signals_exchange(i, number, new ? &wanted : NULL, old);
		return 0;
	}
	if (!new)
		return SC_REAL(sigaction)(number, new, old);
	copy = *new;
	sc_signals_keep(&copy.sa_mask);
	return SC_REAL(sigaction)(number, &copy, old);
}

/* The same by syscall(). The restorer is libc's, since our handler calls the program's. */
#define FLAG_RESTORER UINT64_C(0x04000000)

static struct sigaction from_kernel(const struct sc_kernel_action *k)
{
	struct sigaction a = {.sa_handler = (sighandler_t)k->handler,
			      .sa_flags = (int)(k->flags & ~FLAG_RESTORER)};

	memcpy(&a.sa_mask, &k->mask, sizeof(k->mask));
	return a;
}

static struct sc_kernel_action to_kernel(const struct sigaction *a)
{
	struct sc_kernel_action k = {.handler = (uint64_t)a->sa_handler,
				     .flags = (uint64_t)(unsigned)a->sa_flags};

	memcpy(&k.mask, &a->sa_mask, sizeof(k.mask));
	return k;
}

static bool is_there(uint64_t action)
{
	return !action ||
	       (sc_safe_read_is_possible(action) &&
		sc_safe_read_is_possible(action + offsetof(struct sc_kernel_action, mask)));
}

bool sc_signals_serve(const uint64_t *a, long *result)
{
	struct sc_kernel_action *old = (struct sc_kernel_action *)a[2];
	struct sigaction wanted, before;
	int i = sc_signals_index((int)a[0]);

	if (!is_ours(i) || sc_self.busy || a[3] != KERNEL_SET || !is_there(a[1]) || !is_there(a[2]))
		return false;
	if (a[1])
		wanted = from_kernel((const struct sc_kernel_action *)a[1]);
	sc_signals_exchange(i, (int)a[0], a[1] ? &wanted : NULL, &before);
	if (old)
		*old = to_kernel(&before);
	*result = 0;
	return true;
}

static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set)
		return NULL;
	*copy = *set;
	sc_signals_keep(copy);
	return copy;
}

#define LEAST_STACK 8192 /* our handler, after the kernel's frame */

/* A fault of the guard would not fit on a smaller stack, and end the program. */
static void effects_of_stack(struct sc_side_effects *e, const stack_t *new)
{
	stack_t stack;

	if (!sc_side_effect_read(e, (uint64_t) new, &stack, sizeof(stack)))
		return;
	if (!(stack.ss_flags & SS_DISABLE) && stack.ss_size < LEAST_STACK)
		sc_guard_stand_down("page guard: an alternate signal stack is small");
	sc_unprotected_set_alternate_stack(&stack);
}

EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	struct sc_side_effects e;
	int result;

	sc_side_effect_begin(&e, SC_FAILS_MINUS);
	if (sc_session_is_live()) {
		effects_of_stack(&e, new);
		sc_side_effect_access(&e, (uint64_t)old, sizeof(*old), true);
	}
	result = SC_REAL(sigaltstack)(new, old);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result);
	return result;
}

/* Both functions: the kernel writes the old set where the program wants it. */
static int set_mask(typeof(&sigprocmask) real, int how, const sigset_t *set, sigset_t *old)
{
	struct sc_side_effects e;
	sigset_t copy;
	int result;

	sc_side_effect_begin(&e, SC_FAILS_CODE);
	if (sc_session_is_live())
		sc_side_effect_access(&e, (uint64_t)old, KERNEL_SET, true);
	result = real(how, how == SIG_UNBLOCK ? set : without_ours(set, &copy), old);
	if (sc_side_effect_is_needed(&e))
		sc_side_effect_end(&e, result);
	return result;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(SC_REAL(sigprocmask), how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return set_mask(SC_REAL(pthread_sigmask), how, set, old);
}
