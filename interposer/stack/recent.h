/* Recent stacks: what a thread unwound before is not unwound again.
 *
 * Each frame is kept with the registers that it was found with, and what the step to its caller
 * rested on; such a step is gone again by comparing the few words that it had read. A call from a
 * place that called before (program counter and stack pointer) finds its stack if no word differs.
 * Any other stack is unwound frame by frame, but where a frame has the registers of one of the
 * stack before, the kept steps are taken as far as they go: outer frames seldom change. So a stack
 * is exactly what unwinding gives (test_recent.c compares). Return addresses alone would not do:
 * above a frame of changing size (alloca) old ones may lie about. Not for signal handlers, which
 * unwind.
 */
#pragma once

#include "interposer/stack/depot.h"
#include "interposer/stack/unwind.h"

struct sc_recent; /* opaque; a thread's, in sc_self */

/* The calling thread's, for `most` frames a stack; NULL if there is none to be had, or what it
 * interrupted is using it. */
struct sc_recent *sc_recent_open(unsigned most);
void sc_recent_close(struct sc_recent *r);
/* Unwinds and keeps the frames; returns what they are named, id 0 if they are new. */
struct sc_stack sc_recent_unwind(struct sc_recent *r, const struct sc_registers *from,
				 unsigned most);
/* The return addresses of the frames, as sc_unwind has them; returns how many. */
unsigned sc_recent_frames(const struct sc_recent *r, uint64_t *frames);
void sc_recent_name(struct sc_recent *r, struct sc_stack stack);

#define SC_RECENT_WORDS 64

/* The words by which a stack is known again: each as 16 bits of how many words further up than the
 * one before (the first: than sp), and 48 of what it is. */
struct sc_recent_words {
	uint32_t count;
	bool needs_base;    /* it is that stack only with the same base */
	uint64_t low, high; /* the places of the first and the last one; 0 where there is none */
	uint64_t word[SC_RECENT_WORDS];
};

/* True if the words are there, going up from `sp`. The caller knows that all of them can be read.
 */
static inline bool sc_recent_is_linked(const uint64_t *word, unsigned count, uint64_t sp)
{
	const uint64_t *at = (const uint64_t *)sp;

	for (unsigned i = 0; i < count; i++) {
		at += word[i] >> 48;
		if (*at != (word[i] & ~(UINT64_C(0xffff) << 48)))
			return false;
	}
	return true;
}

#define SC_RECENT_MARK_WORDS 16

/* The stack of a call, kept by who expects the same call again. Zeros: none. */
struct sc_recent_mark {
	const void *frame;     /* of a function of ours that the program called */
	uint64_t base, caller; /* what is there */
	uint64_t low, high;    /* as above */
	uint32_t version;
	uint32_t stack; /* id */
	uint8_t count;
	bool needs_base;
	uint64_t word[SC_RECENT_MARK_WORDS];
};

/* Marks the stack of the call with that frame, if it was the last one that was looked for. */
void sc_recent_mark(struct sc_recent_mark *mark, const void *frame);
/* True if the call with that frame has the marked stack. */
bool sc_recent_is_marked(const struct sc_recent_mark *mark, const void *frame);

/* Of the stack of `from`, if that was the last one; NULL if it was not, or words do not show it.
 * The words last until the next stack is unwound. */
const struct sc_recent_words *sc_recent_words_of(const struct sc_registers *from,
						 struct sc_stack *stack);
