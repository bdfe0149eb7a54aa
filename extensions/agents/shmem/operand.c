/* Operands: those of each form of shmem.def. */
#include "extensions/agents/shmem/operand.h"

#include <stddef.h>

#define SIGNAL_BYTES 8

struct call {
	const struct sc_shmem_row *row;
	const uint64_t *parameter;
	const struct sc_shmem_self *self;
	struct sc_shmem_accesses *out;
};

/* The value of a parameter, or `otherwise` if there is none. */
static uint64_t value(const struct call *c, unsigned number, uint64_t otherwise)
{
	return number ? c->parameter[number - 1] : otherwise;
}

/* One that is an int: the rest of its register is not defined. */
static int number(const struct call *c, unsigned parameter)
{
	return (int)(uint32_t)c->parameter[parameter - 1];
}

static bool append(const struct call *c, uint64_t at, const struct sc_access *shape, uint8_t mode,
		   uint8_t known)
{
	struct sc_access *a = &c->out->item[c->out->count];
	uint64_t end;

	if (!shape->width || !shape->rows)
		return true;
	if (__builtin_mul_overflow(shape->rows - 1, shape->pitch, &end) ||
	    __builtin_add_overflow(end, shape->width, &end) ||
	    __builtin_add_overflow(end, at, &end))
		return false;
	*a = *shape;
	a->base = at;
	a->mode = mode;
	a->known = known;
	c->out->count++;
	return true;
}

/* `elements` times `bytes`, one after the other, or `step` elements apart. */
static bool append_elements(const struct call *c, unsigned at, uint64_t elements, uint64_t bytes,
			    unsigned step, uint8_t mode, uint8_t known)
{
	struct sc_access shape = {.rows = 1, .slices = 1};
	uint64_t apart = value(c, step, 1);

	if (!at)
		return true;
	if ((int64_t)apart < 1 || __builtin_mul_overflow(apart, bytes, &shape.pitch) ||
	    __builtin_mul_overflow(elements, bytes, &shape.width))
		return false;
	if (apart > 1) {
		shape.rows = elements;
		shape.width = bytes;
	}
	shape.pitch = shape.rows > 1 ? shape.pitch : 0;
	return append(c, value(c, at, 0), &shape, mode, known);
}

/* The peer's memory is this process's own if the peer is this process. */
static bool is_own_peer(const struct call *c)
{
	return c->row->peer && c->self->process >= 0 && number(c, c->row->peer) == c->self->process;
}

static bool append_signal(const struct call *c)
{
	return !is_own_peer(c) ||
	       append_elements(c, c->row->signal, 1, SIGNAL_BYTES, 0, SC_WRITE, SC_KNOWN_EXACT);
}

/* Elements that are waited for; those with a status other than 0 are left out. */
static bool append_wait(const struct call *c, uint64_t elements)
{
	uint8_t known = value(c, c->row->status, 0) ? SC_KNOWN_OVER : SC_KNOWN_EXACT;
	unsigned status = known == SC_KNOWN_OVER ? c->row->status : 0;

	return append_elements(c, c->row->reads, elements, c->row->element, 0, SC_READ, known) &&
	       append_elements(c, c->row->values, elements, c->row->element, 0, SC_READ, known) &&
	       append_elements(c, status, elements, sizeof(int), 0, SC_READ, SC_KNOWN_EXACT);
}

/* Some versions of the manual have the root's own copy written, others do not. */
static bool append_broadcast(const struct call *c, uint64_t elements)
{
	const struct sc_shmem_row *row = c->row;
	bool is_root = number(c, row->root) == c->self->index;
	bool is_in_place = value(c, row->reads, 0) == value(c, row->writes, 0);

	if (is_root &&
	    !append_elements(c, row->reads, elements, row->element, 0, SC_READ, SC_KNOWN_EXACT))
		return false;
	return (is_root && is_in_place) ||
	       append_elements(c, row->writes, elements, row->element, 0, SC_WRITE,
			       is_root ? SC_KNOWN_OVER : SC_KNOWN_EXACT);
}

static bool append_collective(const struct call *c, uint64_t elements)
{
	const struct sc_shmem_row *row = c->row;
	uint64_t all;

	if (c->self->size < 1 || c->self->index < 0 ||
	    __builtin_mul_overflow(elements, (uint64_t)c->self->size, &all))
		return false;
	if (row->root)
		return append_broadcast(c, elements);
	return append_elements(c, row->reads, row->reads_each ? all : elements, row->element, 0,
			       SC_READ, SC_KNOWN_EXACT) &&
	       append_elements(c, row->writes, row->writes_each ? all : elements, row->element, 0,
			       SC_WRITE, SC_KNOWN_EXACT);
}

static bool append_move(const struct call *c, uint64_t elements)
{
	const struct sc_shmem_row *row = c->row;
	unsigned reads = is_own_peer(c) && row->reads_peer ? row->reads_peer : row->reads;
	unsigned writes = is_own_peer(c) && row->writes_peer ? row->writes_peer : row->writes;

	return append_elements(c, reads, elements, row->element, row->from_step, SC_READ,
			       SC_KNOWN_EXACT) &&
	       append_elements(c, writes, elements, row->element, row->to_step, SC_WRITE,
			       SC_KNOWN_EXACT) &&
	       append_signal(c);
}

bool sc_shmem_describe(const struct sc_shmem_row *row, const uint64_t *parameter,
		       const struct sc_shmem_self *self, struct sc_shmem_accesses *out)
{
	struct call c = {row, parameter, self, out};
	uint64_t elements = value(&c, row->count, 1);

	out->count = 0;
	if (row->way == SC_SHMEM_AWAITS)
		return append_wait(&c, elements);
	return row->team ? append_collective(&c, elements) : append_move(&c, elements);
}
