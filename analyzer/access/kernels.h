/* Kernels: all that a trace records of its kernels, for code that asks what a launch touches. */
#pragma once

#include <stdbool.h>
#include "analyzer/kernel/code.h"
#include "analyzer/declare/declared_footprint.h"
#include "analyzer/kernel/kernel_tally.h"
#include "analyzer/access/executed.h"
#include "analyzer/access/texture.h"
#include "analyzer/access/variable.h"

/* An empty one is all zero; it forgets no module. */
struct sc_kernels {
	struct sc_code code;
	struct sc_variables variables;
	struct sc_textures textures;
	struct sc_declarations declarations;
	struct sc_u64_map declared; /* kernel id → number of its declaration + 1, or NONE */
	sc_declared_ranges ranges;  /* of the current launch */
	struct sc_executed executed;
	struct sc_kernel_tallies tallies;
	uint8_t open;	  /* enum sc_footprint_reason: why the launch looked at last touches memory
			   * that is not known at all, or NONE */
	bool hides;	  /* it touches memory in ways that recordings on a GPU do not see */
	bool has_handles; /* it may use textures and surfaces by handles */
	bool is_outside;  /* of all windows: launches have no bytes */
	bool is_spoken_for;  /* another launch of the same library's call stands for it */
	bool has_footprint;  /* code or a declaration said what the launch touches */
	uint64_t walked;     /* steps of walking threads one by one */
	uint64_t leftovers;  /* structs of which pointers to host memory were not followed */
	uint64_t stale_rows; /* addresses of freed memory in tables among the parameters */
	uint64_t unread;     /* DECLARE ops that made no sense */
	struct sc_memory_map *memory; /* borrowed: of the variables */
	uint64_t at;		      /* sequence of the record at hand */
	bool ignores_code;	      /* know kernels by their parameters and declarations only */
};

/* Of modules that were unloaded so many stay known, the last ones. */
void sc_kernels_init(struct sc_kernels *k, struct sc_memory_map *m, size_t unloaded);
void sc_kernels_fini(struct sc_kernels *k);
/* Takes up what the record says of kernels. */
void sc_kernels_note(struct sc_kernels *k, struct sc_memory_map *m, const struct sc_record *r);
/* The launch looked at last may use any of the host's memory by an address that it loads; textures
 * and tensor maps stand for memory of the device. */
static inline bool sc_kernels_may_load(const struct sc_kernels *k)
{
	return k->open != SC_REASON_NONE && k->open != SC_REASON_TEXTURE &&
	       k->open != SC_REASON_TENSOR_MAP && k->open != SC_REASON_MULTICAST;
}
/* The declaration of a kernel, or NULL. */
const struct sc_declaration *sc_kernels_declared(struct sc_kernels *k, uint32_t id,
						 const struct sc_code_kernel *kernel);
