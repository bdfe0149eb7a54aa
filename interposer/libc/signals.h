/* Signals: ours come first, the application's still run exactly as without us.
 *
 * While a session lives, this library owns the actions of the signals below. sigaction() and its
 * kin give the application its own action back and store what it sets; a signal that is not ours
 * is handed on with that action's mask, flags and stack. Because a fault of a thread that blocks
 * SIGSEGV is fatal, the three signals of the page guard cannot be blocked.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>
#include "interposer/core/lock.h"

/* The signals that kill by default and that we want to see first. */
#define SC_SIGNALS(S) S(SIGSEGV) S(SIGBUS) S(SIGTRAP) S(SIGABRT) S(SIGFPE) S(SIGILL)
/* Those that the page guard must always get, in the kernel's set. */
#define SC_SIGNALS_KEPT \
	(UINT64_C(1) << (SIGSEGV - 1) | UINT64_C(1) << (SIGBUS - 1) | UINT64_C(1) << (SIGTRAP - 1))

enum {
#define COUNT(signal) SC_COUNT_##signal,
	SC_SIGNALS(COUNT)
#undef COUNT
		SC_SIGNAL_COUNT
};

/* struct sigaction as the kernel has it. */
struct sc_kernel_action {
	uint64_t handler, flags, restorer, mask;
};

struct sc_signals {
	struct sc_lock lock;
	struct sigaction application[SC_SIGNAL_COUNT]; /* what the program asked for */
};

extern struct sc_signals sc_signals;

/* Installs our handlers, before the application's. */
void sc_signals_install(void);
/* The handler. */
void sc_signals_handle(int number, siginfo_t *info, void *context);
/* For the exported functions: which of our signals it is (-1: none), the application's action
 * exchanged in our table, a set without the signals that the page guard must always get. */
int sc_signals_index(int number);
void sc_signals_exchange(int index, int number, const struct sigaction *new, struct sigaction *old);
void sc_signals_keep(sigset_t *set);
/* rt_sigaction with these arguments, if it is about one of our signals: false if it is not. */
bool sc_signals_serve(const uint64_t *arguments, long *result);
/* Adds those signals to a set. */
void sc_signals_take(sigset_t *set);
