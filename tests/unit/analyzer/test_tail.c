/* Tail calls: functions of this very program that jump, written by hand. */
#include "analyzer/symbol/tail.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>
#include "tests/unit/unit.h"

#define MARK(name) ".global " name "\n" name ":\n"
#define FUNCTION_IN(section, name, code)                                                        \
	__asm__(".pushsection " section ", \"ax\"\n.type " name ", @function\n" name ":\n" code \
		".size " name ", . - " name "\n.popsection")
#define FUNCTION(name, code) FUNCTION_IN(".text", name, code)
/* A caller; its call returns to `back_NAME`. */
#define CALLER(name, call)       \
	FUNCTION("caller_" name, \
		 "sub $8, %rsp\n" call "\n" MARK("back_" name) "add $8, %rsp\nret\n")

/* None of them is ever run. */
FUNCTION("leaf", MARK("at_leaf") "ret\n");
FUNCTION("outer_of_leaf", "test %edi, %edi\n" MARK("to_leaf") "jmp leaf\n");
FUNCTION("outermost_of_leaf", MARK("to_outer") "jmp outer_of_leaf\n");
FUNCTION("one_way", "jmp leaf\n");
FUNCTION("two_ways", "test %edi, %edi\nje one_way\njmp outer_of_leaf\n");
FUNCTION("rare", "test %edi, %edi\njne rare.cold\nret\n");
FUNCTION("leaves", MARK("to_library") "jmp getppid@plt\n");
FUNCTION("round", "jmp round_again\n");
FUNCTION("round_again", "jmp round\n");
FUNCTION("__device_stub__Z4kernv", MARK("at_stub") "ret\n");
FUNCTION("_Z4kernv", MARK("to_stub") "jmp __device_stub__Z4kernv\n");
FUNCTION("launches", MARK("to_kernel") "jmp _Z4kernv\n");
FUNCTION_IN(".text.unlikely", "rare.cold", MARK("to_leaf_rarely") "jmp leaf\n");
CALLER("path", "call outermost_of_leaf");
CALLER("direct", "call leaf");
CALLER("ways", "call two_ways");
CALLER("rare", "call rare");
CALLER("leaving", "call leaves");
CALLER("round", "call round");
CALLER("pointer", "call *%rax");

extern const char at_leaf[], to_leaf[], to_outer[], to_leaf_rarely[], to_library[], at_stub[],
	to_stub[], to_kernel[];
extern const char back_path[], back_direct[], back_ways[], back_rare[], back_leaving[],
	back_round[], back_pointer[];

/* This program as a file, and where it was loaded. */
struct fixture {
	int fd;
	Elf *elf;
	struct sc_symbol_table symbols;
	struct sc_jumps *jumps;
	struct sc_tails tails;
};

static int take_base(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	*(uint64_t *)context = info->dlpi_addr;
	return 1; /* the program is the first one */
}

static uint64_t in_file(const char *place)
{
	uint64_t base = 0;

	dl_iterate_phdr(take_base, &base);
	return (uint64_t)(uintptr_t)place - base;
}

static int set_up(void **state)
{
	static struct fixture f;

	elf_version(EV_CURRENT);
	f.fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	assert_true(f.fd >= 0);
	f.elf = elf_begin(f.fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(f.elf);
	sc_symbol_table_init(&f.symbols, f.elf);
	f.jumps = sc_jumps_new(f.elf, &f.symbols);
	*state = &f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	sc_jumps_free(f->jumps);
	sc_symbol_table_fini(&f->symbols);
	elf_end(f->elf);
	close(f->fd);
	return 0;
}

static void between(struct fixture *f, const char *callee, const char *back)
{
	sc_tail_between(&f->tails, f->jumps, &f->symbols, in_file(callee), in_file(back),
			callee == at_stub);
}

ALL_TESTS(set_up, tear_down)

TEST(functions_that_jumped_are_found_in_order)
{
	struct fixture *f = *state;

	between(f, at_leaf, back_path);
	assert_int_equal(f->tails.count, 1);
	assert_int_equal(f->tails.path[0].count, 2);
	assert_int_equal(f->tails.path[0].jump[0], in_file(to_leaf));
	assert_int_equal(f->tails.path[0].jump[1], in_file(to_outer));
}

TEST(a_callee_that_was_called_needs_none)
{
	struct fixture *f = *state;

	between(f, at_leaf, back_direct);
	assert_int_equal(f->tails.count, 0);
}

TEST(each_way_is_a_path)
{
	struct fixture *f = *state;

	between(f, at_leaf, back_ways);
	assert_int_equal(f->tails.count, 2);
}

TEST(a_part_that_runs_rarely_is_no_function)
{
	struct fixture *f = *state;

	between(f, at_leaf, back_rare);
	assert_int_equal(f->tails.count, 1);
	assert_int_equal(f->tails.path[0].count, 1);
	assert_int_equal(f->tails.path[0].jump[0], in_file(to_leaf_rarely));
}

TEST(a_jump_to_another_file_is_found_by_its_name)
{
	struct fixture *f = *state;

	sc_tail_out(&f->tails, f->jumps, &f->symbols, in_file(back_leaving), "getp");
	assert_int_equal(f->tails.count, 1);
	assert_int_equal(f->tails.path[0].jump[0], in_file(to_library));
	sc_tail_out(&f->tails, f->jumps, &f->symbols, in_file(back_leaving), "cu");
	assert_int_equal(f->tails.count, 0);
}

TEST(jumps_in_a_circle_end)
{
	struct fixture *f = *state;

	between(f, at_leaf, back_round);
	assert_int_equal(f->tails.count, 0);
}

TEST(a_stub_called_by_pointer_is_found_from_its_end)
{
	struct fixture *f = *state;

	between(f, at_stub, back_pointer);
	assert_int_equal(f->tails.count, 1);
	assert_int_equal(f->tails.path[0].count, 2);
	assert_int_equal(f->tails.path[0].jump[0], in_file(to_stub));
	assert_int_equal(f->tails.path[0].jump[1], in_file(to_kernel));
	between(f, at_leaf, back_pointer);
	assert_int_equal(f->tails.count, 0);
}

TEST(a_stub_called_from_another_file_is_found_too)
{
	struct fixture *f = *state;

	sc_tail_into(&f->tails, f->jumps, &f->symbols, in_file(at_stub));
	assert_int_equal(f->tails.count, 1);
	assert_int_equal(f->tails.path[0].jump[1], in_file(to_kernel));
}
