/* A kernel after its one-time analysis: graph, flow, guards, and what its launches depend on. */
#pragma once

#include <stdbool.h>
#include "footprint/guard.h"

/* How a node's value is used. */
enum sc_node_use {
	SC_USE_ADDRESS = 1, /* as a summand of an address: may be a symbolic pointer */
	SC_USE_VALUE = 2,   /* otherwise: its real value matters */
	SC_USE_LOW = 4,	    /* its low bits matter, as for a test of alignment */
	SC_USE_RIVAL = 8    /* as a summand beside another one that may be the pointer */
};

#define SC_LOW_BITS 12 /* at most */

/* Bytes of the parameter image that the footprint depends on, as a number. */
struct sc_key_part {
	uint32_t offset;
	uint32_t bytes; /* at most 8 */
	uint64_t mask;	/* the bits that matter */
};

struct sc_cache_entry; /* cache.c */
struct sc_evaluation;  /* evaluate.c */

struct sc_footprint_kernel {
	struct sc_footprint_module *module;
	const struct sc_function *function;
	uint32_t param_bytes;
	bool analyzed;
	uint8_t refused; /* enum sc_footprint_reason: no graph, everything is unknown */
	struct sc_flat flat;
	struct sc_flow flow;
	struct sc_value_graph graph;
	struct sc_guards guards;
	uint64_t steps;	   /* of work so far, by analysis and evaluation */
	uint64_t walked;   /* steps of walks so far (walk.h) */
	uint8_t *uses;	   /* owned: of each node, enum sc_node_use bits */
	uint8_t *low_bits; /* owned: of each node, how many of USE_LOW */
	SC_VECTOR(struct sc_key_part) key;
	struct sc_u64_map pointers; /* offsets of parameters that are pointers for sure */
	struct sc_u64_map followed; /* words that were asked for → may be followed (follow.c) */
	struct sc_eval *eval;	    /* owned: scratch memory of evaluation */
	struct sc_cache_entry **cache; /* owned */
	size_t cache_count;
	size_t cache_room;
};

struct sc_footprint_module {
	struct sc_ptx ptx;
	struct sc_arena arena;		  /* results */
	struct sc_evaluation *evaluation; /* owned: scratch memory */
	SC_VECTOR(struct sc_footprint_kernel) kernels;
	struct sc_u64_map by_name; /* name → first kernel of that name + 1 */
	SC_VECTOR(unsigned) facts; /* of each name as an opcode (grid.c); 0: not asked for */
	unsigned called;	   /* what all its functions say of a kernel that calls (grid.c) */
	bool has_called;
};

typedef SC_VECTOR(struct sc_footprint_range) sc_range_list;

/* Analyses once; later calls return at once. */
void sc_kernel_analyze(struct sc_footprint_kernel *k);
/* Fills uses, key and pointers (key.c). */
void sc_key_make(struct sc_footprint_kernel *k);
/* How many low bits are all that matters of the node's operands; 0: it takes more. */
unsigned sc_key_low_bits(const struct sc_footprint_kernel *k, uint32_t node);
typedef SC_VECTOR(size_t) sc_site_firsts;

/* refine.c: where the ranges of a site are not exact, walks the threads of the launch; `firsts`
 * says where those of each site begin, and where they end. */
void sc_refine_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
		      const sc_site_firsts *firsts, sc_range_list *out);
/* Ranges of a launch, unsorted, appended to `out`. */
void sc_evaluate_launch(struct sc_footprint_kernel *k, const struct sc_footprint_launch *launch,
			sc_range_list *out);
void sc_evaluate_free(struct sc_eval *e);
void sc_evaluate_free_shared(struct sc_evaluation *v);
/* Merges neighbours, drops duplicates, sorts. */
void sc_ranges_tidy(sc_range_list *list);
void sc_cache_fini(struct sc_footprint_kernel *k);
