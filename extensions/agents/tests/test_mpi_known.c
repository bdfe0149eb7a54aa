/* Calls of MPI that come again: the same records as by the ordinary way, and only while all that
 * they rest on is as it was. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "interposer/core/code_range.h"
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/driver/entry.h"
#include "extensions/agents/mpi/group.h"
#include "extensions/agents/mpi/operation.h"
#include "interposer/object/memory.h"
#include "interposer/stack/stack.h"
#include "trace/slot.h"

#define WORLD	 0x1000 /* handles */
#define INT	 0x2000
#define DERIVED	 0x2008
#define ANYBODY	 (-1)
#define BUFFER	 UINT64_C(0x100000)
#define OTHER	 UINT64_C(0x900000) /* in no allocation */
#define ELEMENTS 8

/* ---- a library ---- */

static unsigned asked; /* what types are, and who is in a communicator */

static int type_size(uint64_t type, int *size)
{
	(void)type;
	asked++;
	*size = 4;
	return 0;
}

static int type_extent(uint64_t type, int64_t *lower, int64_t *extent)
{
	(void)type;
	asked++;
	*lower = 0;
	*extent = 4;
	return 0;
}

static int type_envelope(uint64_t type, int *integers, int *addresses, int *types, int *combiner)
{
	asked++;
	*integers = *addresses = 0;
	*types = type == DERIVED;
	*combiner = type == DERIVED; /* MPI_COMBINER_DUP of Open MPI, MPI_COMBINER_NAMED */
	return 0;
}

static int type_contents(uint64_t type, int integers, int addresses, int types, int *integer,
			 int64_t *address, void *of_types)
{
	const uint64_t inner = INT;

	(void)type, (void)integers, (void)addresses, (void)types, (void)integer, (void)address;
	asked++;
	memcpy(of_types, &inner, sizeof(inner));
	return 0;
}

static int rank_or_size(uint64_t communicator, int *number)
{
	(void)communicator;
	*number = 1;
	return 0;
}

static int error_class(int error, int *out)
{
	*out = error;
	return 0;
}

static struct sc_mpi_library library = {
	.in_place = 1,
	.world = WORLD,
	.handle_bytes = 8,
	.proc_null = -2,
	.any_source = ANYBODY,
	.any_tag = -1,
	.truncated = 15,
	.type_size = type_size,
	.type_extent = type_extent,
	.type_true_extent = type_extent,
	.type_envelope = type_envelope,
	.type_contents = type_contents,
	.group_rank = rank_or_size,
	.group_size = rank_or_size,
	.error_class = error_class,
};

static int real(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g;
	return 0;
}

/* ---- a session ---- */

static char path[64];

static void insert(uint8_t memory)
{
	const struct sc_known_allocation a = {
		.start = BUFFER, .bytes = 4096, .object = 7, .memory = memory};

	assert_int_equal(sc_memory_insert(&sc_memory, &a), 0);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test_mpi_known.%d.sct", getpid());
	unlink(path);
	memset((void *)&sc_session, 0, sizeof(sc_session));
	memset(&sc_self, 0, sizeof(sc_self));
	assert_int_equal(sc_writer_open(&sc_session.writer, path, 1 << 21), 0);
	atomic_store(&sc_session.state, SC_LIVE);
	atomic_store(&sc_entries.driver_known, 1);
	sc_stacks.slot = mmap(NULL, SC_STACK_SLOTS * sizeof(void *), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal((void *)sc_stacks.slot, MAP_FAILED);
	sc_session.options.stack_depth = 32;
	sc_code_range_scan(); /* so that the first stack is as long as the next ones */
	library.is_host_only = false;
	asked = 0;
	insert(SC_MEM_PINNED);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	sc_writer_close(&sc_session.writer);
	sc_modules_forget();
	unlink(path);
	return 0;
}

/* ---- calls, all from one place ---- */

struct arguments {
	struct sc_library_function *function;
	uint64_t buffer, type, communicator;
	int count, rank, tag;
};

static const struct arguments plain = {.function = &sc_mpi_functions.Isend,
				       .buffer = BUFFER + 64,
				       .type = INT,
				       .communicator = WORLD,
				       .count = ELEMENTS,
				       .rank = 1,
				       .tag = 5};

static __attribute__((noinline)) struct sc_mpi_flight call_here(const struct arguments *a)
{
	uint64_t handle = 0;
	uint64_t parameter[] = {a->buffer,
				(uint32_t)a->count,
				a->type,
				(uint32_t)a->rank,
				(uint32_t)a->tag,
				a->communicator,
				(uint64_t)(uintptr_t)&handle};
	struct sc_mpi_call c = {.of = {a->function, a->function, 7, parameter,
				       __builtin_frame_address(0), (void *)real},
				.library = &library,
				.row = sc_mpi_row(a->function)};
	struct sc_mpi_flight flight;
	int error = 0;

	assert_int_equal(sc_mpi_operation_run(&c, &flight, &error), 0);
	return flight;
}

static struct sc_mpi_flight (*volatile call)(const struct arguments *a) = call_here;

/* The op that the call writes, without its time and the check words that the file has with it. */
static struct sc_op op_of_call(const struct arguments *a)
{
	struct sc_mpi_flight flight = call(a);
	struct sc_op op = sc_put_written(flight.sequence);
	const struct sc_slot *slot = sc_session.writer.slots + flight.sequence;

	assert_int_equal(op.kind, SC_OP_AGENT);
	assert_true(flight.message[0] == 0 || flight.message[0] == flight.sequence + 1);
	assert_int_equal(sc_slot_check(slot, SC_SLOT_LEFT(slot->head) + 1),
			 sc_slot_word((const uint8_t *)slot + SC_SLOT_CHECK));
	assert_int_not_equal(op.time_ns, 0);
	sc_mpi_agent_end(flight, SC_AGENT_COMPLETE);
	op.time_ns = op.reserved[0] = op.reserved[1] = 0;
	return op;
}

/* The same call three times: the third one is known, or asks anew. In a loop, so that all of them
 * have one stack; the last one's op. */
static struct sc_op repeat(const struct arguments *a, bool is_known)
{
	struct sc_op op[3];
	volatile unsigned i;

	for (i = 0; i < 3; i++) {
		asked = 0;
		op[i] = op_of_call(a);
	}
	assert_int_equal(asked == 0, is_known);
	assert_memory_equal(&op[0], &op[1], sizeof(op[0]));
	assert_memory_equal(&op[1], &op[2], sizeof(op[0]));
	return op[2];
}

EACH_TEST(set_up, tear_down)

TEST(the_same_record)
{
	struct sc_library_function *const functions[] = {
		&sc_mpi_functions.Isend, &sc_mpi_functions.Irecv, &sc_mpi_functions.Send,
		&sc_mpi_functions.Recv, &sc_mpi_functions.Issend};
	struct arguments a = plain;

	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		a.function = functions[i];
		repeat(&a, true);
		a.rank = ANYBODY;
		repeat(&a, true);
		a.rank = 1;
	}
}

/* Whatever differs, what is known is not taken for it. */
TEST(other_parameters)
{
	struct arguments a = plain;

	repeat(&a, true);
	a.count++;
	assert_int_equal(repeat(&a, true).bytes, 4 * (ELEMENTS + 1));
	a.tag++;
	assert_int_equal(repeat(&a, true).value >> SC_AGENT_TAG_SHIFT, plain.tag + 2);
	a.rank++;
	assert_int_equal(repeat(&a, true).peer, plain.rank + 2);
	a.buffer += 4;
	assert_int_equal(repeat(&a, true).src, plain.buffer + 4);
	a.function = &sc_mpi_functions.Irecv;
	assert_int_equal(repeat(&a, true).dst, plain.buffer + 4);
}

/* The memory was freed, and is there again as something else. */
TEST(memory_that_was_made_anew)
{
	assert_int_equal(repeat(&plain, true).src_mem, SC_MEM_PINNED);
	sc_memory_remove(&sc_memory, BUFFER, 7);
	assert_int_equal(op_of_call(&plain).src_mem, SC_MEM_PAGEABLE);
	insert(SC_MEM_MANAGED);
	assert_int_equal(op_of_call(&plain).src_mem, SC_MEM_MANAGED);
	insert(SC_MEM_DEVICE); /* over the other one */
	assert_int_equal(repeat(&plain, true).src_mem, SC_MEM_DEVICE);
}

/* Of memory that the table does not have, the driver is asked each time. */
TEST(memory_that_is_not_known)
{
	struct arguments a = plain;

	a.buffer = OTHER;
	assert_int_equal(repeat(&a, false).src_mem, SC_MEM_PAGEABLE);
}

/* The handle of a communicator that was freed stands for another one. */
TEST(a_communicator_that_was_made_anew)
{
	uint32_t before;

	before = repeat(&plain, true).object;
	sc_mpi_group_freed(SC_MPI_COMMUNICATOR, WORLD);
	assert_int_not_equal(op_of_call(&plain).object, before);
	assert_int_not_equal(repeat(&plain, true).object, before);
}

/* Its handle may be another type's tomorrow, and nobody says so. */
TEST(types_of_the_program)
{
	struct arguments a = plain;

	repeat(&plain, true);
	a.type = DERIVED;
	repeat(&a, false);
}

/* The library cannot use the memory, and said so. */
TEST(memory_that_the_library_cannot_use)
{
	library.is_host_only = true;
	assert_int_equal(repeat(&plain, true).value & 0xff, SC_AGENT_ANY_MEMORY);
	insert(SC_MEM_DEVICE); /* nothing is mapped there */
	assert_int_equal(repeat(&plain, true).value & 0xff, SC_AGENT_HOST_ONLY);
}

static __attribute__((noinline)) struct sc_op from_elsewhere(void)
{
	struct sc_op op = op_of_call(&plain);

	__asm__ volatile("" : : : "memory"); /* no tail call: the stack is looked at */
	return op;
}

/* The stack is the call's own, and so is the host function that it is in. */
TEST(another_place)
{
	struct sc_op op, other;

	op = repeat(&plain, true);
	asked = 0;
	sc_self.callback = 3;
	other = from_elsewhere();
	sc_self.callback = 0;
	assert_int_equal(asked, 0);
	assert_int_not_equal(other.stack, 0);
	assert_int_not_equal(other.stack, op.stack);
	assert_int_equal(other.callback, 3);
	other.stack = op.stack;
	other.callback = op.callback;
	assert_memory_equal(&op, &other, sizeof(op));
}
