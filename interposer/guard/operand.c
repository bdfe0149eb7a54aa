/* Which memory of the host an operation uses. */
#include "interposer/guard/operand.h"

#include "interposer/guard/watchpoint.h"
#include "interposer/object/managed_variable.h"
#include "interposer/object/handle.h"

#define MOST_REACHED 32 /* allocations that one launch watches */

/* ---- copies and fills ---- */

static bool is_watched(uint8_t memory)
{
	return memory == SC_MEM_PINNED || memory == SC_MEM_REGISTERED || memory == SC_MEM_MANAGED ||
	       memory == SC_MEM_PAGEABLE;
}

static const void *attached(const struct sc_enqueued *x, uint32_t type, uint32_t *bytes)
{
	for (uint32_t i = 0; i < x->parts; i++) {
		if (x->part[i].type != type)
			continue;
		*bytes = x->part[i].bytes;
		return x->part[i].data;
	}
	return NULL;
}

static void report(const struct sc_access *access, struct sc_operand_visitor to)
{
	if (is_watched(access->memory) && access->width)
		to.operand(to.context, access);
}

static void report_linear(const struct sc_enqueued *x, uint64_t base, uint8_t mode, uint8_t memory,
			  struct sc_operand_visitor to)
{
	struct sc_access access = {.base = base,
				   .width = x->op->bytes,
				   .rows = 1,
				   .slices = 1,
				   .mode = mode,
				   .memory = memory};

	report(&access, to);
}

static void report_copy(const struct sc_enqueued *x, struct sc_operand_visitor to)
{
	const struct sc_op *op = x->op;
	uint32_t bytes = 0;
	const struct sc_access *list = attached(x, SC_ATTACH_ACCESSES, &bytes);

	for (uint32_t i = 0; list && i < bytes / sizeof(*list); i++)
		report(&list[i], to);
	if (list)
		return;
	report_linear(x, op->dst, SC_WRITE, op->dst_mem, to);
	report_linear(x, op->src, SC_READ, op->src_mem, to);
}

/* ---- kernels ---- */

struct sc_access sc_operand_all_of(const struct sc_known_allocation *a)
{
	return (struct sc_access){.base = a->host ? a->host : a->start,
				  .width = a->bytes,
				  .rows = 1,
				  .slices = 1,
				  .mode = SC_READ_WRITE,
				  .known = SC_KNOWN_PARAMETER,
				  .memory = a->memory};
}

/* Managed variables of its module are within a kernel's reach without a parameter. */
static void report_variables(const struct sc_enqueued *x, struct sc_operand_visitor to)
{
	struct sc_known_allocation a;
	unsigned at = 0;

	while (x->function && sc_managed_variable_next(x->function, &at, &a)) {
		struct sc_access access = sc_operand_all_of(&a);

		to.operand(to.context, &access);
	}
}

/* Host memory that a kernel may reach through this parameter word; false if there is none. */
static bool reaches(uint64_t word, struct sc_access *access)
{
	struct sc_known_allocation a;

	if (!sc_memory_look_up(&sc_memory, word, &a) || !sc_memory_is_host(a.memory))
		return false;
	*access = sc_operand_all_of(&a);
	return true;
}

static bool is_known(const uint64_t *list, unsigned count, uint64_t base)
{
	for (unsigned i = 0; i < count; i++) {
		if (list[i] == base)
			return true;
	}
	return false;
}

/* Every aligned word may be a pointer, struct members included. The analyzer knows the kernel's
 * footprint, and decides whether an access conflicts. */
static void report_launch(const struct sc_enqueued *x, struct sc_operand_visitor to)
{
	uint32_t bytes = 0;
	const struct sc_launch *head = attached(x, SC_ATTACH_LAUNCH, &bytes);
	uint64_t seen[MOST_REACHED];
	const uint64_t *word;
	unsigned count = 0;

	if (!head || !sc_memory_has_host(&sc_memory))
		return;
	report_variables(x, to);
	word = (const uint64_t *)(head + 1);
	for (uint32_t i = 0; i < (bytes - sizeof(*head)) / 8; i++) {
		struct sc_access access;

		if (!sc_memory_may_be_host(&sc_memory, word[i]) ||
		    // cppcheck-suppress uninitvar ; the first `count` were written
		    !reaches(word[i], &access) || is_known(seen, count, access.base))
			continue;
		if (count == MOST_REACHED) { /* as an operand that finds no place */
			atomic_fetch_add(&sc_guard.unguarded, 1);
			return;
		}
		seen[count++] = access.base;
		to.operand(to.context, &access);
	}
}

/* ---- what an operation touches ---- */

void sc_operand_visit(const struct sc_enqueued *x, struct sc_operand_visitor to)
{
	if (x->op->kind == SC_OP_COPY || x->op->kind == SC_OP_SET)
		report_copy(x, to);
	else if (x->op->kind == SC_OP_KERNEL)
		report_launch(x, to);
}
