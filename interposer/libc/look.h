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
#ifndef SC_INTERPOSER_LIBC_LOOK_H
#define SC_INTERPOSER_LIBC_LOOK_H

#include <stdbool.h>
#include <stdint.h>

#define SC_LOOK_LATER UINT64_MAX
#define SC_LOOK_MOST  4 /* accesses of one call that are recorded; its frame is on any stack */

enum sc_look_failure { SC_FAILS_MINUS, SC_FAILS_ZERO, SC_FAILS_CODE };

/* How much of what was looked at the call has touched. */
enum sc_look_extent {
	SC_LOOK_ALL,
	SC_LOOK_RESULT, /* as far as the result says */
	SC_LOOK_BATCH,	/* as far as its message's length says, if the result counts it */
	SC_LOOK_TEXT	/* up to the end of the string that is there now */
};

/* What the call's end means for channels (channel.h). */
enum sc_look_then {
	SC_THEN_NOTHING,
	SC_THEN_HEAR,	  /* if the result is above 0, `channel` was read */
	SC_THEN_HEAR_ANY, /* if it is not below: an empty message, too */
	SC_THEN_WOKEN,	  /* the same of the word of a futex */
	SC_THEN_MADE,	  /* the result is a new descriptor */
	SC_THEN_MADE_PAIR /* two are at `channel`, if it is 0 */
};

struct sc_look_access {
	uint64_t start, bytes;
	uint64_t before; /* of the data that the result counts: bytes before these */
	uint64_t unit;	 /* bytes that 1 of the result stands for */
	uint64_t length; /* of a batch: where the call puts how long the message was */
	uint32_t index;	 /* and the number of the message */
	uint8_t extent;	 /* enum sc_look_extent */
	bool is_write;
};

struct sc_look {
	uint64_t low, high; /* bounds of CUDA's host memory that is looked at; 0: none */
	uint64_t data;	    /* bytes of data so far */
	uint32_t exemption; /* its number; 0: none */
	uint32_t count;
	uint32_t failure; /* enum sc_look_failure */
	uint32_t then;	  /* enum sc_look_then */
	uint64_t channel; /* the channel of `then`; SC_LOOK_LATER: not needed yet */
	uint64_t heard;	  /* the descriptor or word of that channel */
	uint64_t caller;  /* code that makes the call; 0: not known */
	bool is_brief; /* the call does not return: no exemption, accesses are recorded at once */
	struct sc_look_access access[SC_LOOK_MOST];
};

void sc_look_begin(struct sc_look *look, enum sc_look_failure failure);
/* True if sc_look_end has something to do. */
bool sc_look_is_needed(const struct sc_look *look);
/* The call has returned. Keeps errno. */
void sc_look_end(struct sc_look *look, int64_t result);

/* Looks, as system.def names them. */
void sc_look_touched(struct sc_look *look, uint64_t start, uint64_t bytes, bool is_write);
void sc_look_data(struct sc_look *look, uint64_t start, uint64_t bytes, uint64_t unit,
		  bool is_write);
void sc_look_text(struct sc_look *look, uint64_t start, uint64_t bytes);
void sc_look_open(struct sc_look *look, uint64_t start, uint64_t bytes);
/* Of a string no more than `most` bytes are read. */
void sc_look_string(struct sc_look *look, uint64_t start, uint64_t most);
void sc_look_strings(struct sc_look *look, uint64_t list);
void sc_look_vector(struct sc_look *look, uint64_t vector, uint64_t count, bool is_write);
void sc_look_message(struct sc_look *look, uint64_t message, bool is_write);
void sc_look_messages(struct sc_look *look, uint64_t messages, uint32_t count, bool is_write);
/* A descriptor is written to, read (`then` says when it was), closed, or made. What is read, or
 * woken for, is looked up again when the call returns: the call may have begun long before the
 * first host function, or before there was a session. */
void sc_look_tells(const struct sc_look *look, uint64_t fd);
void sc_look_hears(struct sc_look *look, uint64_t fd, enum sc_look_then then);
void sc_look_closes(uint64_t fd);
void sc_look_closes_stream(uint64_t stream);
/* Others are woken at the word of a futex, or the caller waits there. */
void sc_look_wakes(const struct sc_look *look, uint64_t word);
void sc_look_sleeps(struct sc_look *look, uint64_t word);
void sc_look_makes(struct sc_look *look, enum sc_look_then then, uint64_t pair);
/* The kernel refuses device memory (M-10): recorded at once, whatever becomes of the call. */
void sc_look_device(uint64_t start, uint64_t bytes, bool is_write);
/* Copies what the program's pointer leads to; false if it leads nowhere. */
bool sc_look_read(struct sc_look *look, uint64_t from, void *to, uint64_t bytes);

#endif
