/* Room: where a trace's file gets longer, for the writer (trace/writer.h, whose functions about
 * room are here too).
 *
 * Room is made in steps ahead of the cursor: blocks of the disk, pages that the kernel has entered
 * in the mapping, then the cursor of what is ready moves on. One thread at a time does it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/writer.h"

#define SC_ROOM_STEP ((uint64_t)(4 << 20) / SC_SLOT_SIZE) /* slots: room is made this far ahead */
#define SC_ROOM_NEAR (SC_ROOM_STEP / 2) /* so far from its end more is asked for */

static inline uint64_t sc_room_offset(uint64_t slot)
{
	return SC_TRACE_HEADER + slot * SC_SLOT_SIZE;
}

static inline bool sc_room_is_closed(const struct sc_writer *w)
{
	return __atomic_load_n(&w->head->closed, __ATOMIC_SEQ_CST);
}

/* How much the program may use. Writing beyond RLIMIT_FSIZE would send SIGXFSZ to it. */
uint64_t sc_room_limit(int resource);
/* True if that is the trace's file. */
bool sc_room_is_ours(const struct sc_writer *w, int fd);
/* A descriptor of the trace file, or -1; close it if *temporary. */
int sc_room_descriptor(const struct sc_writer *w, bool *temporary);
/* True if the bound does not allow so many slots. */
bool sc_room_is_too_much(const struct sc_writer *w, uint64_t slots);
/* Makes slots [first, first + n) safe to touch. Returns 0 or -errno; keeps errno. */
int sc_room_make(struct sc_writer *w, uint64_t first, uint32_t n);
/* Has the thread that serves the writer look. */
void sc_room_ask(struct sc_writer *w);
