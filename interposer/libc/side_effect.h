/* What one call into the kernel, or into libc, does to the program's memory.
 *
 * The kernel answers EFAULT where a program would fault. So whatever a call may touch is exempted
 * first: while the call lasts none of these pages is protected, however many threads watch
 * something meanwhile (guard.h); and what is watched there now is opened. What conflicts with
 * something in flight is recorded when the call has returned, with the bytes that it says it
 * touched, and only if it succeeded: a call that blocks may begin long before its access.
 *
 * Nothing but CUDA's own host memory is ever protected, so other addresses cost two loads and a
 * comparison, and no address of the program is followed unless it is known to be readable. No lock
 * but the guard's, no heap, errno kept: calls come from signal handlers, and between vfork and
 * exec.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SC_CHANNEL_LATER UINT64_MAX
#define SC_KEPT_ACCESSES 4 /* accesses of one call that are recorded; its frame is on any stack */

enum sc_failure_form { SC_FAILS_MINUS, SC_FAILS_ZERO, SC_FAILS_CODE };

/* How much of an access the call has made. */
enum sc_access_extent {
	SC_EXTENT_ALL,
	SC_EXTENT_RESULT, /* as far as the result says */
	SC_EXTENT_BATCH,  /* as far as its message's length says, if the result counts it */
	SC_EXTENT_TEXT	  /* up to the end of the string that is there now */
};

/* What the call's end means for channels (channel.h). */
enum sc_after {
	SC_AFTER_NOTHING,
	SC_AFTER_ACQUIRE,     /* if the result is above 0, `channel` was read */
	SC_AFTER_ACQUIRE_ANY, /* if it is not below: an empty message, too */
	SC_AFTER_WOKEN,	      /* the same of the word of a futex */
	SC_AFTER_MADE,	      /* the result is a new descriptor */
	SC_AFTER_MADE_PAIR    /* two are at `channel`, if it is 0 */
};

struct sc_kept_access {
	uint64_t start, bytes;
	uint64_t before; /* of the data that the result counts: bytes before these */
	uint64_t unit;	 /* bytes that 1 of the result stands for */
	uint64_t length; /* of a batch: where the call puts how long the message was */
	uint32_t index;	 /* and the number of the message */
	uint8_t extent;	 /* enum sc_access_extent */
	bool is_write;
};

struct sc_side_effects {
	uint64_t low, high; /* bounds of CUDA's host memory that the call uses; 0: none */
	uint64_t data;	    /* bytes of data so far */
	uint32_t exemption; /* its number; 0: none */
	uint32_t count;
	uint32_t failure; /* enum sc_failure_form */
	uint32_t after;	  /* enum sc_after */
	uint64_t channel; /* the channel of `after`; SC_CHANNEL_LATER: not needed yet */
	uint64_t awaited; /* the descriptor or word of that channel */
	uint64_t caller;  /* code that makes the call; 0: not known */
	bool is_brief; /* the call does not return: no exemption, accesses are recorded at once */
	struct sc_kept_access access[SC_KEPT_ACCESSES];
};

void sc_side_effect_begin(struct sc_side_effects *effects, enum sc_failure_form failure);
/* True if sc_side_effect_end has something to do. */
bool sc_side_effect_is_needed(const struct sc_side_effects *effects);
/* The call has returned. Keeps errno. */
void sc_side_effect_end(struct sc_side_effects *effects, int64_t result);

/* The effects, as system.def names them. */
void sc_side_effect_access(struct sc_side_effects *effects, uint64_t start, uint64_t bytes,
			   bool is_write);
void sc_side_effect_data(struct sc_side_effects *effects, uint64_t start, uint64_t bytes,
			 uint64_t unit, bool is_write);
void sc_side_effect_text(struct sc_side_effects *effects, uint64_t start, uint64_t bytes);
void sc_side_effect_open(struct sc_side_effects *effects, uint64_t start, uint64_t bytes);
/* Of a string no more than `most` bytes are read. */
void sc_side_effect_string(struct sc_side_effects *effects, uint64_t start, uint64_t most);
void sc_side_effect_strings(struct sc_side_effects *effects, uint64_t list);
void sc_side_effect_vector(struct sc_side_effects *effects, uint64_t vector, uint64_t count,
			   bool is_write);
void sc_side_effect_message(struct sc_side_effects *effects, uint64_t message, bool is_write);
void sc_side_effect_messages(struct sc_side_effects *effects, uint64_t messages, uint64_t count,
			     bool is_write);
/* A descriptor is written to, read (`after` says when it was), closed, or made. What is read, or
 * woken for, is looked up again when the call returns: the call may have begun long before the
 * first host function, or before there was a session. */
void sc_side_effect_release(const struct sc_side_effects *effects, uint64_t fd);
void sc_side_effect_acquire(struct sc_side_effects *effects, uint64_t fd, enum sc_after after);
void sc_side_effect_close(uint64_t fd);
void sc_side_effect_close_stream(uint64_t stream);
/* Others are woken at the word of a futex, or the caller waits there. */
void sc_side_effect_wake(const struct sc_side_effects *effects, uint64_t word);
void sc_side_effect_sleep(struct sc_side_effects *effects, uint64_t word);
void sc_side_effect_make(struct sc_side_effects *effects, enum sc_after after, uint64_t pair);
/* The kernel refuses device memory (M-10): recorded at once, whatever becomes of the call. */
void sc_side_effect_device(uint64_t start, uint64_t bytes, bool is_write);
/* Copies what the program's pointer leads to; false if it leads nowhere. */
bool sc_side_effect_read(struct sc_side_effects *effects, uint64_t from, void *to, uint64_t bytes);
