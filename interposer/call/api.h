/* The driver entry points as data: api.def expanded into numbers, names, decoders and wrappers.
 *
 * One decoder a row turns the parameter struct that NVIDIA publishes for the call into the facts
 * that an op is made of. The same struct comes from the wrappers here and from CUPTI's callbacks,
 * so that one decoder serves every source.
 */
#ifndef SC_INTERPOSER_CALL_API_H
#define SC_INTERPOSER_CALL_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "interposer/driver/entry.h"

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
	const void *green; /* a green context: `peer` of the op */
	uint32_t flags;	   /* enum sc_op_flag */
	uint32_t module;   /* of a variable: the module's id */
	uint8_t memory;	   /* enum sc_memory, of what the call creates */
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

extern const struct sc_api sc_apis[SC_APIS];

/* First row with that base name (a cuGetProcAddress name), or -1; sc_api_next gives the others. */
int sc_api_first(const char *base);
int sc_api_next(int row);
/* The row, and in *per_thread the form, of an exported symbol; -1 if it is no row. */
int sc_api_symbol(const char *symbol, bool *per_thread);
/* What cuGetProcAddress(base, version, per_thread) means; -1 if no row. */
int sc_api_choose(const char *base, int version, bool *per_thread);

#endif
