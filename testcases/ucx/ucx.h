// What the programs of UCX need: two workers of one process, `here` and `there`, each with an
// endpoint to the other, and ../ranks/device.h. Head comments as described in ../common.h.
//
// All programs run one after the other in one process (all.c), which connects the workers once.
#ifndef SC_TESTCASES_UCX_H
#define SC_TESTCASES_UCX_H

#include <stdbool.h>
#include <ucp/api/ucp.h>
#include "testcases/ranks/device.h"

static inline void give_up(int code)
{
	exit(code);
}

#define MUST(call)                                                                    \
	do {                                                                          \
		ucs_status_t result = (call);                                         \
                                                                                      \
		if (result != UCS_OK) {                                               \
			fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
				ucs_status_string(result));                           \
			give_up(1);                                                   \
		}                                                                     \
	} while (0)

struct workers {
	ucp_context_h context;
	ucp_worker_h here, there;
	ucp_ep_h to_there, to_here;
};

extern struct workers workers;

// Memory of `there` that `here` may put to and get from.
struct window {
	float *memory;
	ucp_mem_h handle;
	ucp_rkey_h key;
};

static inline void progress(void)
{
	ucp_worker_progress(workers.here);
	ucp_worker_progress(workers.there);
}

static inline bool is_complete(void *request)
{
	if (UCS_PTR_IS_ERR(request)) {
		fprintf(stderr, "a request failed: %s\n",
			ucs_status_string(UCS_PTR_STATUS(request)));
		give_up(1);
	}
	return !request || ucp_request_check_status(request) != UCS_INPROGRESS;
}

static inline void wait_for(void *request)
{
	while (!is_complete(request))
		progress();
	if (request)
		ucp_request_free(request);
}

// No result is immediate, so that a program has a request whatever the transport is.
static inline ucp_request_param_t later(void)
{
	return (ucp_request_param_t){.op_attr_mask = UCP_OP_ATTR_FLAG_NO_IMM_CMPL};
}

static inline struct window open_window(float *memory, size_t bytes)
{
	ucp_mem_map_params_t map = {.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS |
						  UCP_MEM_MAP_PARAM_FIELD_LENGTH,
				    .address = memory,
				    .length = bytes};
	struct window w = {.memory = memory};
	size_t key_bytes;
	void *key;

	MUST(ucp_mem_map(workers.context, &map, &w.handle));
	MUST(ucp_rkey_pack(workers.context, w.handle, &key, &key_bytes));
	MUST(ucp_ep_rkey_unpack(workers.to_there, key, &w.key));
	ucp_rkey_buffer_release(key);
	return w;
}

static inline void close_window(const struct window *w)
{
	ucp_rkey_destroy(w->key);
	MUST(ucp_mem_unmap(workers.context, w->handle));
}

static inline uint64_t address_in(const struct window *w)
{
	return (uint64_t)(uintptr_t)w->memory;
}

#endif
