/* The table of all instructions that run: key, operands, handler.
 *
 * A row's pattern is a key in which [abc] stands for one of these characters. Its form says what
 * operands the opcode has, and as how many bytes a lane the handler takes them:
 *	4		a register, immediate, address or special register of 4 bytes (2, 8)
 *	w		one of any width
 *	p		a predicate, perhaps negated
 *	=4 =w =p	the same as a result
 *	=q		a result of one or two predicates, p|q; the second one is the last slot
 *	=s		a result of 4 bytes and perhaps a predicate
 *	a		an address
 *	b		another address, with its offset in the slot after it
 *	m =m		a register of which a part may be named: in the bits above its width
 *	T		a tensor's map and coordinates: an address, its offset, its place in `list`
 *	v =v		as many operands as the vector has elements, of any width; from slot 2 on
 *	V44 =V28	the same of four (or two) elements of 4 (or 8) bytes, in registers as wide
 *	*44 =*84	a list {a, b, c, d} of four registers of 4 (or 8) bytes; in its slot is
 *			the place of the first one in the instruction's `list`
 *	_		no operand; its slot is a result that nobody wants
 *	t		an object and coordinates, [o, {x, y}]: the object's slot; `value` is the
 *			place of the coordinates in the instruction's `list`
 *	g		a list of as many numbers as the geometry has axes
 *	=|*44		a list of results, and perhaps a predicate: {a, b, c, d}|p; the last slot
 *	=#4		a list of so many results of 4 bytes for each element of the vector
 *	i		an integer immediate
 *	x		an operand that the key says already
 *	L		a label
 *	{ }		what is between are parts of one operand
 *	?		what follows may be missing
 * The first row is taken whose pattern fits, that can do all that the instruction demands, and
 * whose form has room for the operands.
 */
#pragma once

#include "simulator/executor/code/key.h"

struct exec_row {
	const char *pattern;
	const char *form;
	uint8_t demands; /* those that it can meet */
	exec_handler *run;
};

struct exec_rows {
	const struct exec_row *rows;
	size_t count;
};

#define EXEC_ROWS(list)                              \
	{                                            \
		list, sizeof(list) / sizeof(*(list)) \
	}

/* The next row for the key after `row`, or the first one if that is NULL; NULL: no more. */
const struct exec_row *exec_table_find(const struct exec_key *key, const struct exec_row *row);

/* Sources of the compute handlers are compiled once for each level of processors; EXEC_LEVEL is
 * the level's suffix. */
#define EXEC_JOIN_(a, b) a##_##b
#define EXEC_JOIN(a, b)	 EXEC_JOIN_(a, b)
#define EXEC_LEVELED(id) EXEC_JOIN(id, EXEC_LEVEL)

extern const struct exec_rows exec_control_rows, exec_stack_rows, exec_warp_rows, exec_atomic_rows,
	exec_carry_rows, exec_tile_rows, exec_async_rows, exec_vote_rows, exec_surface_rows,
	exec_cluster_rows, exec_tensor_rows, exec_sum_rows, exec_video_rows, exec_move_rows;

#define LEVEL(name)                                                                    \
	extern const struct exec_rows EXEC_JOIN(exec_integer_rows, name),              \
		EXEC_JOIN(exec_float_rows, name), EXEC_JOIN(exec_convert_rows, name),  \
		EXEC_JOIN(exec_access_rows, name), EXEC_JOIN(exec_compare_rows, name), \
		EXEC_JOIN(exec_half_rows, name), EXEC_JOIN(exec_narrow_rows, name),    \
		EXEC_JOIN(exec_matrix_rows, name), EXEC_JOIN(exec_rounded_rows, name), \
		EXEC_JOIN(exec_vector_rows, name), EXEC_JOIN(exec_texture_rows, name);
#include "simulator/executor/code/level.def"
#undef LEVEL
