/* Reading memory of the program that may not be there, or that the page guard protects.
 *
 * Between _begin and _end, in one thread. Where the guard's signal handler is in place, memory is
 * simply read, and a fault on the way is answered by that handler: some ten instructions a word.
 * What cannot be read so is asked of the kernel (/proc/self/mem), which reads past the protection.
 * Inside the handler itself faults are let through meanwhile; a SIGSEGV that is sent then is held
 * back until _end. Safe in signal handlers; errno is left alone.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

struct sc_safe_read {
	struct sc_safe_read *outer; /* of the thread, while it lasts */
	int memory;		    /* file; -1: not opened */
	bool is_direct;		    /* faults come back to us */
	bool is_handler;
	bool is_held;	/* `held` is a signal that was sent meanwhile */
	uint64_t mask;	/* the handler's own, as the kernel has it */
	siginfo_t held; /* valid if is_held */
};

void sc_safe_read_begin(struct sc_safe_read *p);
/* The same in a signal handler under which SIGSEGV is blocked. */
void sc_safe_read_begin_in_handler(struct sc_safe_read *p);
void sc_safe_read_end(struct sc_safe_read *p);
/* Asks the kernel for what was not simply read. */
bool sc_safe_read_by_kernel(struct sc_safe_read *p, void *to, uint64_t from, size_t bytes);
/* True if all bytes could be read. Only where `is_direct`. */
bool sc_safe_copy(void *to, uint64_t from, size_t bytes);

/* A piece of memory with three words that say what it is: two that are kept, and the place of the
 * next one. */
struct sc_safe_frame {
	uint64_t place, code, instruction;
};

/* True if `count` (at least 1) such pieces follow each other from the first one on, and the last
 * one's next is the place of frame[count]; the offsets say where the words are. False if one
 * cannot be read. Only where `is_direct`. */
bool sc_safe_is_same(const struct sc_safe_frame *frame, size_t count, size_t code,
		     size_t instruction, size_t previous);

#define SC_SAFE_READ_LOWEST  UINT64_C(4096)	 /* nothing is mapped below */
#define SC_SAFE_READ_HIGHEST (UINT64_C(1) << 47) /* nothing of a program above */

/* Copies; false if not all of it is readable. */
static inline bool sc_safe_read_bytes(struct sc_safe_read *p, void *to, uint64_t from, size_t bytes)
{
	if (from < SC_SAFE_READ_LOWEST || from >= SC_SAFE_READ_HIGHEST ||
	    bytes > SC_SAFE_READ_HIGHEST - from)
		return false;
	return (p->is_direct && sc_safe_copy(to, from, bytes)) ||
	       sc_safe_read_by_kernel(p, to, from, bytes);
}

/* For the signal handler: true if the signal was a read's of the calling thread, and is settled. */
bool sc_safe_read_takes(const siginfo_t *info, ucontext_t *context);
/* True if the word there can be read. Costs a system call where that is not known. */
bool sc_safe_read_is_possible(uint64_t address);
