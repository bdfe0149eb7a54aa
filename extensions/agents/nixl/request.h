/* Transfer requests (nixlXferReqH): what each of them reads and writes, and what of that is in
 * flight.
 *
 * A request that a thread works on is in no table: nobody else finds it meanwhile.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"
#include "extensions/agents/mpi/agent.h"
#include "extensions/agents/nixl/run.h"
#include "trace/agent.h"

struct sc_nixl_request;

/* A new one of this agent, by the handle that the program has; or NULL. */
struct sc_nixl_request *sc_nixl_request_new(uint64_t handle, uint64_t agent);
/* The transfer also touches these blocks; `mode` is an enum sc_mode. What is no memory is left out.
 */
void sc_nixl_request_add(struct sc_nixl_request *r, const struct sc_nixl_run *run, uint8_t mode);
/* Puts it into the table; what has its handle there goes. */
void sc_nixl_request_keep(struct sc_nixl_request *r);
/* Takes it out, or NULL. */
struct sc_nixl_request *sc_nixl_request_take(uint64_t handle);
/* Takes any that this agent made, or NULL. */
struct sc_nixl_request *sc_nixl_request_take_of(uint64_t agent);
void sc_nixl_request_free(struct sc_nixl_request *r);

bool sc_nixl_request_is_in_flight(const struct sc_nixl_request *r);
/* The function of this row begins the transfer. */
void sc_nixl_request_begin(struct sc_nixl_request *r, struct sc_library_function *function);
/* And returned; if it failed nothing is in flight. */
void sc_nixl_request_result(struct sc_nixl_request *r, bool has_failed);
/* Nothing is in flight any more. */
void sc_nixl_request_end(struct sc_nixl_request *r, enum sc_agent_end how);
