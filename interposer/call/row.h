/* What a row of api.def says of a call: when the call is recorded, and a decoder.
 *
 * The decoder turns the parameter struct that NVIDIA publishes for the call into the facts that an
 * op is made of. The same struct comes from the wrappers and from CUPTI's callbacks, so that one
 * decoder serves every source.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sc_call;

enum sc_call_form { SC_FORM_PLAIN, SC_FORM_PTSZ, SC_FORM_PTDS };
enum sc_write_when {
	SC_WHEN_QUIET,
	SC_WHEN_WATCH,
	SC_WHEN_NOTE,
	SC_WHEN_BLIND,
	SC_WHEN_ENTRY,
	SC_WHEN_SPAN,
	SC_WHEN_EXIT
};

/* What a row's fields say about one call. Handles are the application's, nothing is resolved. */
struct sc_facts {
	uint64_t dst, src, bytes, value;
	uint64_t rows, pitch; /* of a pitched destination; rows 0: linear */
	const void *stream, *event, *event2, *handle, *context;
	const void *dst_array, *src_array;
	const void *dst_context, *src_context;
	const void *green;   /* a green context: `peer` of the op */
	uint32_t flags;	     /* enum sc_op_flag */
	uint32_t module;     /* of a variable: the module's id */
	uint32_t dst_object; /* the allocation that dst is in, once it was looked up; 0: none */
	uint8_t memory;	     /* enum sc_memory, of what the call creates */
	uint8_t handle_type;
	bool has_stream, has_event2;
	bool dst_is_host, src_is_host; /* the entry point says so */
	bool is_repeated;	       /* the call may name an allocation again */
	void (*hand)(struct sc_call *call);
	void (*after)(struct sc_call *call);
};

struct sc_api {
	const char *base;
	uint16_t version;
	uint16_t kind; /* enum sc_op_kind */
	uint8_t form;  /* enum sc_call_form */
	uint8_t when;  /* enum sc_write_when */
	void (*decode)(struct sc_facts *facts, const void *params);
};
