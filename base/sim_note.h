/* Notes: what a run on the simulated device leaves for the command `run --confirm`, in one file for
 * each process, FOLDER/PID, FOLDER being the value of STREAMCHECK_SIM_NOTES.
 *
 * A file is a row of notes, each with `data_bytes` bytes of data after it. A run without a pair
 * (STREAMCHECK_SIM_PAIR) notes the names that operations and memory have in it, so that the next
 * run can be given pairs; a run with pairs notes what came of them, and, if it is recorded, names
 * too. Readers trust no number in it.
 */
#pragma once

#include <stdint.h>

#define SC_NOTE_MAGIC 0x45544F4Eu

/* `which` below: 0 is the operation that was to be the earlier one, 1 the other; of the Nth pair,
 * from 0, 2 * N more. */
enum sc_sim_note_kind {
	SC_NOTE_OP = 1, /* call, stream, number, work, destination, source; data: kernel's name */
	SC_NOTE_MEMORY, /* call, id, address, bytes */
	SC_NOTE_MET,	/* which, work; data: the kernel's name */
	SC_NOTE_BEFORE, /* which, bytes, digest; data: the range right before that op began, of
			   several pairs the first bytes */
	SC_NOTE_AFTER,	/* which, bytes, digest; data: and right after it ended */
	SC_NOTE_LEFT,	/* pair, bytes, digest; data: first bytes of the range when its memory
			   ended, or the program did */
	SC_NOTE_ORDER,	/* enum sc_sim_note_order, pair */
	SC_NOTE_DELIVERED, /* stream, number, bytes, digest; data: the first bytes */
	SC_NOTE_FULL,	   /* further notes were dropped */
};

/* Whether the order of the pair was made. */
enum sc_sim_note_order {
	SC_ORDER_MADE,
	SC_ORDER_DEPENDS,  /* the device itself orders them the other way */
	SC_ORDER_DEMANDED, /* the program waits for one before it enqueues the other */
	SC_ORDER_TIME,	   /* the one that was waited for did not come, or did not end */
	SC_ORDERS
};

/* Of `work`, which else is any number that the same operation has again. */
#define SC_NOTE_SKIPPED (UINT64_C(1) << 32) /* a kernel that is not executed */

#define SC_NOTE_NUMBERS 7

struct sc_sim_note {
	uint32_t magic;
	uint32_t kind; /* enum sc_sim_note_kind */
	uint64_t data_bytes;
	uint64_t number[SC_NOTE_NUMBERS];
};

#define SC_NOTE_RANGE_MAX     (UINT64_C(16) << 20) /* bytes of a range that are compared */
#define SC_NOTE_DELIVERED_MAX (UINT64_C(4) << 10)  /* bytes kept of a copy to the host */
#define SC_NOTE_FILE_MAX      (UINT64_C(96) << 20)
