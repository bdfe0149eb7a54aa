/* The op record: the one vocabulary between recorder, trace, analyzer and reports.
 *
 * An op says what one CUDA call, or one host access, did. It is plain data: fixed size, no
 * pointers, little-endian, all ids small numbers that the recorder gave out (never reused, so an
 * id is also a generation; specification 0.5). Zero means "none" in every field.
 *
 * Position is order: the sequence number of an op is its place in the trace, and ops were placed
 * when their call was *entered* (appendix A, "hazards"). `result` is patched when the call returns;
 * SC_RESULT_PENDING in a finished trace means that the call never returned.
 *
 * What does not fit follows the op as attachments (struct sc_attach_head + data).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "trace/attach.h"
#include "trace/grid.h"
#include "trace/result.h"

enum sc_op_kind {
#define SC_OP(id, text, operands, class, meaning) SC_OP_##id,
#include "trace/op.def"
#undef SC_OP
	SC_OP_KINDS
};

#include "trace/op_class.h"

enum sc_memory {
#define SC_MEMORY(id, text, host, meaning) SC_MEM_##id,
#include "trace/memory.def"
#undef SC_MEMORY
	SC_MEM_KINDS
};

enum sc_op_flag {
#define SC_FLAG(id, bit, text, meaning) SC_FLAG_##id = 1 << (bit),
#include "trace/flag.def"
#undef SC_FLAG
};

/* What a device works with. */
enum sc_engine {
#define SC_ENGINE(id, text, is_work, meaning) SC_ENGINE_##id,
#include "trace/engine.def"
#undef SC_ENGINE
	SC_ENGINES
};

enum sc_phase { SC_PHASE_ONCE, SC_PHASE_BEGIN, SC_PHASE_END };

/* `value` of a DEVICE op; above these bits its architecture (90 for sm_90), 0 if not known. */
enum sc_device_property {
	SC_DEVICE_PAGEABLE_ACCESS = 1 << 0,   /* kernels may touch any host memory (M-9) */
	SC_DEVICE_CONCURRENT_MANAGED = 1 << 1 /* M-6 applies, else M-7 */
};
#define SC_DEVICE_ARCH_SHIFT 8

/* `object` of a VALUE_WRITE op, bits: nothing is certain to be visible before the value (W-1); the
 * value is added to the word, or and-ed or or-ed with it (W-3). */
enum sc_value_write { SC_VALUE_NO_BARRIER = 1 << 0, SC_VALUE_REDUCED = 1 << 1 };

/* `object` of a VALUE_WAIT op: what the word must be, compared with `value` (W-2). */
enum sc_value_condition { SC_VALUE_GEQ, SC_VALUE_EQ, SC_VALUE_AND, SC_VALUE_NOR };

/* `value` of a LAUNCH_BYTES op. Of a graph's launch: what its node `object` - 1 touched is not
 * known; or, without a node, all kernels of the launch ended, and those without a record touched
 * what they did in the launch before. Of a kernel's: not executed, but the documented operands of
 * the library's function `call`; or AT_LEAST, if it may have touched more. */
enum sc_bytes {
	SC_BYTES_KNOWN,
	SC_BYTES_NOT_KNOWN,
	SC_BYTES_COMPLETE,
	SC_BYTES_DOCUMENTED,
	SC_BYTES_AT_LEAST
};

/* Bits of `peer` of a LAUNCH_BYTES op: patches of the kernel's instructions on a GPU said it, which
 * see neither textures nor constant memory; the kernel's code has variables in constant memory; and
 * what comes before the kernel's wait for other grids is told apart (SC_ACCESS_EARLY). */
enum sc_bytes_source { SC_BYTES_RECORDED = 1, SC_BYTES_CONSTANTS = 2, SC_BYTES_APART = 4 };

/* `object` of a LAUNCHES op: launches on the simulated device; on a GPU that records their bytes;
 * on the simulated device, which did not wait for their end. */
enum sc_launches { SC_LAUNCHES_SIMULATED, SC_LAUNCHES_RECORDED, SC_LAUNCHES_GIVEN_UP };

/* `value` of a NAME op: what its `object` is the id of. */
enum sc_naming { SC_NAMES_STREAM, SC_NAMES_EVENT, SC_NAMES_THREAD };

#define SC_RESULT_PENDING INT32_MIN /* the call has not returned; no CUresult */

/* CUDA arrays have no address; they are placed at this one, id from their ALLOC op. */
#define SC_ARRAY_ADDRESS(id) (UINT64_C(0xA) << 60 | (uint64_t)(id) << 36)

struct sc_op {
	uint16_t kind;	   /* enum sc_op_kind */
	uint8_t phase;	   /* enum sc_phase */
	uint8_t device;	   /* ordinal */
	uint32_t flags;	   /* enum sc_op_flag */
	uint32_t call;	   /* string id of the entry point, "cuMemcpyHtoDAsync_v2" */
	int32_t result;	   /* CUresult, or SC_RESULT_PENDING */
	uint32_t thread;   /* 1, 2, … in order of appearance */
	uint32_t callback; /* execution of a host function that the thread is inside, else 0 */
	uint32_t context;  /* context id */
	uint32_t stream;   /* stream id; NULL handles are already resolved (0.5) */
	uint32_t object;   /* event, kernel, graph, allocation, module: the op's main object */
	uint32_t peer;	   /* second object */
	uint32_t stack;	   /* stack id */
	uint8_t dst_mem;   /* enum sc_memory */
	uint8_t src_mem;   /* enum sc_memory */
	uint16_t engine;   /* enum sc_engine, of a DEVICE_TIME op */
	uint64_t time_ns;  /* CLOCK_MONOTONIC at the call's entry */
	uint64_t dst;	   /* written, allocated or freed address */
	uint64_t src;	   /* read address */
	uint64_t bytes;	   /* size of the linear access; 0 with attached accesses */
	uint64_t value;	   /* fill value, flags, counts: see op.def */
	uint64_t link; /* sequence number + 1 of another op: END names BEGIN, callbacks their op */
	uint32_t dst_context; /* contexts of the two sides of a peer copy (C-S6) */
	uint32_t src_context;
	uint64_t reserved[2];
};
_Static_assert(sizeof(struct sc_op) == 120, "two slots carry one op");

/* Names for the text form and for messages; NULL for a number that is no member. */
const char *sc_op_kind_text(unsigned kind);
const char *sc_memory_text(unsigned memory);
const char *sc_op_flag_text(uint32_t single_bit);
/* True if host code can dereference this kind of memory. */
bool sc_memory_is_host(unsigned memory);
const char *sc_engine_text(unsigned engine);
/* True if the device is at work meanwhile. */
bool sc_engine_is_work(unsigned engine);
