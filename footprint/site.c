/* Access sites: the instructions that touch memory, as places of the value graph. */
#include <stdbool.h>
#include "footprint/build.h"

static const struct sc_ptx_operand *operands_of(const struct sc_builder *b,
						const struct sc_instruction *in)
{
	return &b->flat->f.operands.items[in->first];
}

/* The n-th address among the operands, or NULL. */
static const struct sc_ptx_operand *find_address(const struct sc_builder *b,
						 const struct sc_instruction *in, unsigned n)
{
	const struct sc_ptx_operand *o = operands_of(b, in);

	for (uint32_t i = 0; i < in->count; i++)
		if (o[i].kind == SC_OPERAND_ADDRESS && !n--)
			return &o[i];
	return NULL;
}

static struct sc_memory_site start_site(struct sc_builder *b, const struct sc_instruction *in,
					unsigned mode)
{
	struct sc_memory_site s = {.block = b->block,
				   .mode = (uint8_t)mode,
				   .space = in->space,
				   .rows = 1,
				   .line = in->line,
				   .early = sc_grid_early(&b->waits, b->waited),
				   .width = sc_type_bits(in->type) / 8 * in->vector};

	if (in->guard)
		s.guard = sc_build_read(b, b->block, in->guard - 1);
	s.guard_negated = in->guard_negated;
	return s;
}

/* The site of an instruction whose parts say what it touches: one that has an unknown part is an
 * unknown access. */
static struct sc_memory_site start_access(struct sc_builder *b, const struct sc_instruction *in,
					  unsigned mode)
{
	struct sc_memory_site s = start_site(b, in, mode);

	if (in->flags & SC_PART_ODD)
		s.reason = SC_REASON_INSTRUCTION;
	else if (in->flags & SC_PART_AT_MOST)
		s.reason = SC_REASON_SIZE;
	return s;
}

/* Reads or writes, perhaps in one piece, perhaps in a way that the host may answer. */
static unsigned mode_of(const struct sc_builder *b, const struct sc_instruction *in, unsigned mode)
{
	if (sc_ptx_is_atomic_load(b->m, in))
		mode |= SC_FOOTPRINT_IN_ONE_PIECE;
	return sc_grid_is_for_host(b->m->names.items[in->name]) ? mode | SC_FOOTPRINT_STRONG : mode;
}

void sc_build_unknown_site(struct sc_builder *b, const struct sc_instruction *in, unsigned mode,
			   enum sc_footprint_reason reason)
{
	struct sc_memory_site s = start_site(b, in, mode);

	s.space = SC_SPACE_GENERIC;
	s.reason = (uint8_t)reason;
	sc_vector_push(&b->g->sites, s);
}

static bool is_private(unsigned space)
{
	return space == SC_SPACE_SHARED || space == SC_SPACE_LOCAL || space == SC_SPACE_PARAM;
}

/* Adds a site whose address is the operand, unless it is memory of the block or thread. */
static void add_site(struct sc_builder *b, struct sc_memory_site s,
		     const struct sc_ptx_operand *address)
{
	if (is_private(s.space))
		return;
	if (!address || (!s.width && !s.size) || s.reason == SC_REASON_INSTRUCTION) {
		s.reason = s.reason ? s.reason : SC_REASON_INSTRUCTION;
		s.address = 0;
		s.space = SC_SPACE_GENERIC;
	} else {
		s.address = sc_build_address(b, address);
	}
	sc_vector_push(&b->g->sites, s);
}

/* Value of a kernel parameter, if the address leads to one. */
static uint32_t param_value(struct sc_builder *b, uint32_t address, unsigned element,
			    const struct sc_instruction *in)
{
	const struct sc_value_node *n = &b->g->nodes.items[address];
	unsigned bytes = sc_type_bits(in->type) / 8;
	const struct sc_ptx_symbol *symbol;
	struct sc_value_node out = {.op = SC_NODE_PARAM,
				    .bits = (uint8_t)sc_type_bits(in->type),
				    .is_signed = sc_type_kind(in->type) == SC_KIND_SIGNED};
	uint64_t offset;

	if (n->op != SC_NODE_SYMBOL || n->a < b->kernel->param_first ||
	    n->a - b->kernel->param_first >= b->kernel->param_count || bytes > 8 || !bytes)
		return 0;
	symbol = &b->m->symbols.items[n->a];
	offset = symbol->offset + (uint64_t)n->value + (uint64_t)element * bytes;
	if (n->value < 0 || offset > 65536)
		return 0;
	out.a = (uint32_t)offset;
	out.b = bytes;
	return sc_build_node(b, out);
}

/* The handle is looked at as if the access were to a byte at that address: how sure it is that it
 * is made follows from the same conditions. */
void sc_build_object_site(struct sc_builder *b, const struct sc_instruction *in, unsigned mode)
{
	struct sc_memory_site s = start_site(b, in, mode);

	s.space = SC_SPACE_GENERIC;
	s.width = 1;
	add_site(b, s, find_address(b, in, 0));
}

/* Registers that a load writes: parameters have values, all else is unknown. */
static void load_results(struct sc_builder *b, const struct sc_instruction *in, uint32_t address)
{
	const struct sc_ptx_operand *to = operands_of(b, in);
	uint32_t count = to->kind == SC_OPERAND_VECTOR ? to->count : 1;
	unsigned bits = sc_type_bits(in->type);

	if (to->kind == SC_OPERAND_VECTOR)
		to = &b->flat->f.operands.items[to->id];
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node = address ? param_value(b, address, i, in) : 0;

		if (!node)
			node = sc_build_opaque(b, bits ? bits : 64, SC_REASON_LOADED);
		sc_build_write(b, in, &to[i], node, sc_type_kind(in->type) == SC_KIND_SIGNED);
	}
}

/* Moves of parameter memory that flattening turned into register moves. */
static bool build_param_move(struct sc_builder *b, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *o = operands_of(b, in);
	unsigned bits = sc_type_bits(in->type);
	const struct sc_ptx_operand *value = &o[1];

	if (in->space != SC_SPACE_PARAM || in->count != 2 || o[0].kind == SC_OPERAND_ADDRESS ||
	    value->kind == SC_OPERAND_ADDRESS)
		return 0;
	sc_build_write(b, in, &o[0], sc_build_operand(b, value, bits),
		       sc_type_kind(in->type) == SC_KIND_SIGNED);
	return 1;
}

/* A site for each run of bytes that the load uses. */
static void add_used_sites(struct sc_builder *b, const struct sc_instruction *in,
			   const struct sc_ptx_operand *address)
{
	struct sc_memory_site s = start_access(b, in, mode_of(b, in, SC_FOOTPRINT_READ));
	uint64_t used = in->used;
	uint32_t bytes = s.width;

	for (unsigned at = 0, end; used >> at && at < bytes; at = end) {
		struct sc_ptx_operand part = *address;

		at += (unsigned)__builtin_ctzll(used >> at);
		end = at + (unsigned)__builtin_ctzll(~(used >> at));
		if (at >= bytes)
			break;
		part.value = (int64_t)((uint64_t)part.value + at);
		s.width = (end < bytes ? end : bytes) - at;
		add_site(b, s, &part);
	}
}

static void build_load(struct sc_builder *b, const struct sc_instruction *in)
{
	const struct sc_ptx_operand *address = find_address(b, in, 0);
	uint32_t node = 0;

	if (build_param_move(b, in))
		return;
	if (!in->count || !address) {
		sc_build_forget(b, in, SC_REASON_LOADED);
		return;
	}
	if (in->space == SC_SPACE_PARAM || in->space == SC_SPACE_GENERIC)
		node = sc_build_address(b, address);
	if (in->used)
		add_used_sites(b, in, address);
	else
		add_site(b, start_access(b, in, mode_of(b, in, SC_FOOTPRINT_READ)), address);
	load_results(b, in, node);
}

static void build_store(struct sc_builder *b, const struct sc_instruction *in)
{
	if (!build_param_move(b, in))
		add_site(b, start_access(b, in, mode_of(b, in, SC_FOOTPRINT_WRITE)),
			 find_address(b, in, 0));
}

static void build_atomic(struct sc_builder *b, const struct sc_instruction *in)
{
	unsigned mode = in->flags & SC_PART_CAS ? SC_FOOTPRINT_ATOMIC | SC_FOOTPRINT_SWAP
						: SC_FOOTPRINT_ATOMIC;

	add_site(b, start_access(b, in, mode), find_address(b, in, 0));
	if (in->opcode == SC_PTX_ATOM)
		sc_build_forget(b, in, SC_REASON_LOADED);
}

static uint32_t size_operand(struct sc_builder *b, const struct sc_instruction *in, uint32_t index)
{
	return index < in->count ? sc_build_operand(b, &operands_of(b, in)[index], 32) : 0;
}

/* The fourth operand of cp.async: so much is read at most, and zeros make up the rest; or a
 * predicate, and nothing is read where it holds; or a policy of caching, of 64 bits. */
static uint32_t source_size(struct sc_builder *b, const struct sc_instruction *in, uint32_t size)
{
	const struct sc_ptx_operand *last = &operands_of(b, in)[3];
	unsigned bits = last->kind == SC_OPERAND_REGISTER
				? sc_type_bits(b->flat->f.registers.items[last->id])
				: 32;
	uint32_t none = sc_build_const(b, 32, 0);
	struct sc_value_node n = {.op = SC_NODE_SELECT,
				  .bits = 32,
				  .b = last->negated ? size : none,
				  .c = last->negated ? none : size};

	if (bits == 64)
		return size;
	if (bits != 1)
		return sc_build_binary(b, SC_NODE_MIN, 32, 0, size, sc_build_operand(b, last, 32));
	n.a = sc_build_read(b, b->block, last->id);
	return sc_build_node(b, n);
}

/* cp.async, cp.async.bulk, cp.reduce: [to], [from], size, one side of them global. */
static void build_copy(struct sc_builder *b, const struct sc_instruction *in)
{
	bool writes = in->space == SC_SPACE_GLOBAL;
	struct sc_memory_site s =
		start_access(b, in, writes ? SC_FOOTPRINT_WRITE : SC_FOOTPRINT_READ);

	if (in->flags & SC_PART_PREFETCH || (!writes && in->space2 != SC_SPACE_GLOBAL))
		return;
	if (in->flags & SC_PART_REDUCE)
		s.mode = SC_FOOTPRINT_ATOMIC;
	s.space = SC_SPACE_GLOBAL;
	if (in->flags & SC_PART_TENSOR) {
		sc_build_unknown_site(b, in, s.mode, SC_REASON_TENSOR_MAP);
		return;
	}
	s.width = 0;
	s.size = size_operand(b, in, 2);
	if (!(in->flags & SC_PART_BULK) && in->count > 3)
		s.size = source_size(b, in, s.size);
	add_site(b, s, find_address(b, in, writes ? 0 : 1));
}

/* Rows and row length of a fragment, by matrix and layout. */
static void fragment_shape(const struct sc_instruction *in, uint32_t *rows, uint32_t *row)
{
	*rows = in->flags & SC_PART_MATRIX_B ? in->depth : in->rows;
	*row = in->flags & SC_PART_MATRIX_A ? in->depth : in->columns;
	if (in->flags & SC_PART_COLUMN) {
		uint32_t swap = *rows;

		*rows = *row;
		*row = swap;
	}
}

static void build_matrix(struct sc_builder *b, const struct sc_instruction *in)
{
	bool loads = in->flags & SC_PART_LOAD;
	struct sc_memory_site s =
		start_access(b, in, loads ? SC_FOOTPRINT_READ : SC_FOOTPRINT_WRITE);
	uint32_t row;

	if (!(in->flags & (SC_PART_LOAD | SC_PART_STORE))) {
		sc_build_forget(b, in, SC_REASON_LOADED);
		return;
	}
	fragment_shape(in, &s.rows, &row);
	s.pitch_bytes = sc_type_bits(in->type) / 8;
	s.width = row * s.pitch_bytes;
	s.pitch = in->count > 2 ? size_operand(b, in, 2) : sc_build_const(b, 32, (int64_t)row);
	add_site(b, s, find_address(b, in, 0));
	if (loads)
		sc_build_forget(b, in, SC_REASON_LOADED);
}

/* multimem.ld_reduce, st, red; multimem.cp.async.bulk, which writes, and multimem.cp.reduce. */
static void build_multicast(struct sc_builder *b, const struct sc_instruction *in)
{
	bool copies = in->flags & SC_PART_BULK && !(in->flags & SC_PART_REDUCE);
	bool writes = in->flags & SC_PART_STORE || copies;
	struct sc_memory_site s = start_site(b, in,
					     in->flags & SC_PART_LOAD ? SC_FOOTPRINT_READ
					     : writes		      ? SC_FOOTPRINT_WRITE
								      : SC_FOOTPRINT_ATOMIC);

	s.reason = SC_REASON_MULTICAST;
	add_site(b, s, find_address(b, in, 0));
	if (in->flags & SC_PART_LOAD)
		sc_build_forget(b, in, SC_REASON_LOADED);
}

/* discard, tensormap: a block of 128 bytes. */
static void build_block(struct sc_builder *b, const struct sc_instruction *in)
{
	bool reads = in->flags & SC_PART_QUERY;
	struct sc_memory_site s = start_site(b, in, reads ? SC_FOOTPRINT_READ : SC_FOOTPRINT_WRITE);

	s.width = 128;
	add_site(b, s, find_address(b, in, 0));
	if (reads)
		sc_build_forget(b, in, SC_REASON_LOADED);
}

/* An opcode that no row of opcode.def names may touch other memory than that whose space it names:
 * one side of fabric.try_put is shared memory, the other one a peer's. */
static void build_other(struct sc_builder *b, const struct sc_instruction *in)
{
	if (find_address(b, in, 0))
		sc_build_unknown_site(b, in, SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE,
				      SC_REASON_INSTRUCTION);
	sc_build_forget(b, in, SC_REASON_NONLINEAR);
}

void sc_build_memory(struct sc_builder *b, const struct sc_instruction *in)
{
	switch (in->opcode) {
	case SC_PTX_LD:
	case SC_PTX_LDU: build_load(b, in); return;
	case SC_PTX_ST: build_store(b, in); return;
	case SC_PTX_ATOM:
	case SC_PTX_RED: build_atomic(b, in); return;
	case SC_PTX_CP: build_copy(b, in); return;
	case SC_PTX_WMMA: build_matrix(b, in); return;
	case SC_PTX_MULTIMEM: build_multicast(b, in); return;
	case SC_PTX_DISCARD:
	case SC_PTX_TENSORMAP: build_block(b, in); return;
	default: build_other(b, in); return; /* an opcode that no row of opcode.def names */
	}
}
