/* The builder of a value graph: registers to nodes, block by block. Internal to the graph. */
#pragma once

#include <stdbool.h>
#include "footprint/graph.h"
#include "footprint/grid.h"

struct sc_builder {
	struct sc_value_graph *g;
	const struct sc_ptx *m;
	const struct sc_function *kernel;
	const struct sc_flat *flat;
	const struct sc_flow *flow;
	struct sc_u64_map values; /* block, register → node at the end of the block, so far */
	SC_VECTOR(uint64_t) phis; /* block, register of phi nodes in order of birth */
	SC_VECTOR(uint32_t) phi_nodes;
	uint32_t block; /* being built */
	struct sc_grid_waits waits;
	uint8_t waited; /* enum sc_grid_waited bits, at the instruction being built */
	uint32_t steps; /* left; without, the graph is cut */
};

/* Adds a node to the current block, folded where that is free. */
uint32_t sc_build_node(struct sc_builder *b, struct sc_value_node n);
uint32_t sc_build_const(struct sc_builder *b, unsigned bits, int64_t value);
uint32_t sc_build_opaque(struct sc_builder *b, unsigned bits, enum sc_footprint_reason reason);
uint32_t sc_build_binary(struct sc_builder *b, enum sc_node_op op, unsigned bits, bool is_signed,
			 uint32_t x, uint32_t y);
/* The same value in another width. */
uint32_t sc_build_resize(struct sc_builder *b, uint32_t node, unsigned bits, bool is_signed);
/* Value of an operand as `bits` bits. */
uint32_t sc_build_operand(struct sc_builder *b, const struct sc_ptx_operand *o, unsigned bits);
/* Makes a register hold a value, or keep its old one where the instruction's guard is false. */
void sc_build_write(struct sc_builder *b, const struct sc_instruction *in,
		    const struct sc_ptx_operand *to, uint32_t node, bool is_signed);
uint32_t sc_build_read(struct sc_builder *b, uint32_t block, uint32_t reg);
/* Adds the address inside an ADDRESS operand. */
uint32_t sc_build_address(struct sc_builder *b, const struct sc_ptx_operand *address);

/* Instructions of class VALUE (arithmetic.c); false: not known. */
bool sc_build_value(struct sc_builder *b, const struct sc_instruction *in);
/* Instructions that touch memory (site.c). */
void sc_build_memory(struct sc_builder *b, const struct sc_instruction *in);
/* Makes everything that the first operand names unknown. */
void sc_build_forget(struct sc_builder *b, const struct sc_instruction *in,
		     enum sc_footprint_reason reason);
/* An access through the texture or surface object whose handle the address holds. */
void sc_build_object_site(struct sc_builder *b, const struct sc_instruction *in, unsigned mode);
/* An access of which only the mode is known. */
void sc_build_unknown_site(struct sc_builder *b, const struct sc_instruction *in, unsigned mode,
			   enum sc_footprint_reason reason);
