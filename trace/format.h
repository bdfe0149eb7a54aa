/* The trace file: a header page, then 64-byte slots, little-endian, append-only.
 *
 * A record is one op with its attachments, cut into pieces of SC_SLOT_DATA bytes, one piece a slot.
 * Slots of a record are reserved together (one fetch_add on the cursor), so they are neighbours.
 * Each slot begins with a head; the head of the first slot is stored last, with release order: a
 * slot whose head is 0 was reserved but never committed (a process that died), and a reader walks
 * over it. What changes after the commit is `result` and one flag, at fixed places of the first two
 * slots. The sequence number of a record is the index of its first slot.
 *
 * A record longer than SC_RECORD_SLOTS goes on in parts, each no longer than that, right after each
 * other and reserved together; only the first part begins with SC_SLOT_FIRST.
 *
 * Each record has a checksum (trace/slot.h), so that it is checked wherever the process died.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "trace/gap.h"
#include "trace/op.h"

#define SC_TRACE_MAGIC	 "streamc\x1a"
#define SC_TRACE_VERSION 3
#define SC_TRACE_HEADER	 4096 /* bytes before slot 0 */
#define SC_SLOT_SIZE	 64
#define SC_SLOT_DATA	 60
#define SC_RECORD_SLOTS	 2048	   /* of one part of a record */
#define SC_RECORD_MOST	 (1 << 20) /* slots of all parts; a longer record is counted as lost */
#define SC_TRACE_SEAL	 2048	   /* byte of the header page where its copy of the end stands */

/* Places in a trace take 48 bits in clocks (analyzer/clock/clock.h). Traces end at 8 TiB, as much
 * as a file may be long and an address space has room for beside the program. */
#define SC_TRACE_SLOTS_MAX (UINT64_C(1) << 37)

/* Head of a slot: kind of slot, and how many slots follow in its record. */
#define SC_SLOT_FIRST	   UINT32_C(0x53C00000)
#define SC_SLOT_NEXT	   UINT32_C(0x53D00000)
#define SC_SLOT_MORE	   UINT32_C(0x53E00000) /* first slot of a later part */
#define SC_SLOT_TYPE(head) ((head)&UINT32_C(0xFFF00000))
#define SC_SLOT_LEFT(head) ((head)&UINT32_C(0x000FFFFF))

struct sc_slot {
	uint32_t head;
	uint8_t data[SC_SLOT_DATA];
};
_Static_assert(sizeof(struct sc_slot) == SC_SLOT_SIZE, "format");

/* Where these fields of an op lie in the first slot: they are patched. */
#define SC_SLOT_RESULT (sizeof(uint32_t) + offsetof(struct sc_op, result))
#define SC_SLOT_FLAGS  (sizeof(uint32_t) + offsetof(struct sc_op, flags))
/* And what is known of the record only where it is written: bytes from its first slot on. */
#define SC_SLOT_PATCH_CHECK \
	(2 * sizeof(uint32_t) + offsetof(struct sc_op, reserved)) /* of what is patched */
#define SC_SLOT_CHECK (SC_SLOT_PATCH_CHECK + sizeof(uint64_t))	  /* of everything else */

/* What readers want to know before they read the records. */
enum sc_trace_mark {
	SC_MARK_SEVERAL_RANKS = 1 << 0 /* the process has several ranks in one group of NCCL */
};

struct sc_trace_header {
	char magic[8];
	uint32_t version;
	uint32_t op_bytes;	      /* sizeof(struct sc_op) of the writer */
	uint32_t process;	      /* process id */
	uint32_t parent;	      /* its parent's */
	uint64_t start_ns;	      /* CLOCK_MONOTONIC when the file was made */
	uint64_t start_unix_s;	      /* the same moment on the wall clock */
	uint64_t slots;		      /* reserved so far: the cursor, updated atomically */
	uint64_t lost;		      /* records that found no room */
	uint32_t closed;	      /* 1 once the process ended in an orderly way */
	uint32_t marks;		      /* enum sc_trace_mark */
	uint64_t gaps[SC_TRACE_GAPS]; /* by enum sc_gap: what the recorder had to leave out */
	uint64_t check;		      /* in the seal: of all above */
};
_Static_assert(offsetof(struct sc_trace_header, gaps) == 64, "format");
_Static_assert(sizeof(struct sc_trace_header) <= SC_TRACE_SEAL, "format");
