/* Rows of ucx.def: which parameters of a function of UCX are what. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "interposer/library/function.h"
#include "trace/attach.h"

/* What a call does with operations. */
enum sc_ucx_way {
	SC_UCX_BEGINS,	   /* begins one */
	SC_UCX_BLOCKS,	   /* begins one, and returns when it is complete */
	SC_UCX_FLUSHES,	   /* when it is complete, so are remote accesses that were begun before */
	SC_UCX_ASKS,	   /* whether request 0 is complete */
	SC_UCX_FREES,	   /* request 0 */
	SC_UCX_PROGRESSES, /* calls callbacks of operations that are complete */
	SC_UCX_HANDLES,	   /* gives the worker a callback for active messages */
	SC_UCX_DESTROYS	   /* the worker, with what is in flight */
};

/* Numbers are those of parameters; 0: there is none. */
struct sc_ucx_row {
	uint8_t way; /* enum sc_ucx_way */
	uint8_t parameters;
	uint8_t mode; /* enum sc_mode, of the buffer */
	uint8_t at, count, type;
	uint8_t header; /* that is sent, too; its length is the next one */
	uint8_t options, callback, request;
	bool is_workers;  /* parameter 0 is a worker, not an endpoint */
	bool is_remote;	  /* put, get, or atomic: a flush completes it */
	bool is_implicit; /* and only a flush does, if the call does not */
	bool is_open;	  /* success does not say that it is complete */
	bool is_yes;	  /* the answer is not 0 if the request is complete, not a status */
};

struct sc_ucx_functions {
#define UCX_CALL(name, parameters, way, ...) struct sc_library_function name;
#include "extensions/agents/ucx/ucx.def"
};

extern struct sc_ucx_functions sc_ucx_functions;
extern const struct sc_functions sc_ucx_table;

/* The row of a function of sc_ucx_functions. */
const struct sc_ucx_row *sc_ucx_row(const struct sc_library_function *function);
