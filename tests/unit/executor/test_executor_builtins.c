/* The executor: the device's printf, assertions, and the heap. */
#include "tests/unit/executor/executor_fixture.h"

#define FORMATS 512 /* bytes of the device's memory for texts; arguments follow */

static struct {
	char texts[FORMATS];
	char arguments[512];
	uint32_t results[64];
} memory;

static char printed[1 << 17];

static void print(void *context, const char *text, size_t bytes)
{
	(void)context;
	strncat(printed, text, bytes);
}

#define FUNCTIONS                                                                 \
	".extern .func (.param .b32 v) vprintf(.param .b64 f, .param .b64 a);\n"  \
	".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c," \
	".param .b64 d, .param .b64 e);\n"                                        \
	".extern .func (.param .b64 v) malloc(.param .b64 n);\n"                  \
	".extern .func free(.param .b64 p);\n"

static struct device device_for(uint32_t threads)
{
	struct device d = device_with(&memory, sizeof(memory), threads);

	printed[0] = 0;
	d.services = (struct exec_services){.print = print, .complain = print};
	d.functions = FUNCTIONS;
	return d;
}

/* ---- printf ---- */

#define PRINT                                                                               \
	"add.u64 %rd1, %rd9, 512;\n"                                                        \
	"{ .param .b64 f; st.param.b64 [f], %rd9; .param .b64 a; st.param.b64 [a], %rd1;\n" \
	".param .b32 v; call.uni (v), vprintf, (f, a); ld.param.b32 %r1, [v]; }\n"          \
	"st.global.u32 [%rd9+1024], %r1;\n"

static size_t filled; /* bytes of arguments */

/* Packed as the compiler does: each argument at a multiple of its size. */
static void add(const void *value, size_t bytes)
{
	filled = (filled + bytes - 1) / bytes * bytes;
	memcpy(memory.arguments + filled, value, bytes);
	filled += bytes;
}

static void add_number(uint64_t value, size_t bytes)
{
	add(&value, bytes);
}

static void add_double(double value)
{
	add(&value, sizeof(value));
}

/* Prints the arguments that were added. */
static void check_printed(const char *format, const char *expected, int result)
{
	struct device d = device_for(1);

	snprintf(memory.texts, sizeof(memory.texts), "%s", format);
	device_runs(&d, PRINT);
	assert_string_equal(printed, expected);
	assert_int_equal((int)memory.results[0], result);
	filled = 0;
	memset(memory.arguments, 0, sizeof(memory.arguments));
}

TEST(printing_integers)
{
	check_printed("plain, 100%%\n", "plain, 100%\n", 0);
	add_number((uint32_t)-5, 4);
	add_number(7, 4);
	add_number((uint64_t)-1, 8);
	add_number(255, 4);
	check_printed("%d|%5u|%lld|%#x", "-5|    7|-1|0xff", 4);
	add_number(3, 4);
	add_number(0xffff1234, 4);
	add_number(0x1ff, 4);
	add_number('z', 4);
	check_printed("%+-6d|%hx|%hhu|%c", "+3    |1234|255|z", 4);
}

TEST(printing_numbers_and_strings)
{
	const char *text = "words";

	strcpy(memory.texts + 256, text);
	add_double(1.5);
	add_double(0.1);
	add_double(2.0 / 3);
	check_printed("%f %e %.3g", "1.500000 1.000000e-01 0.667", 3);
	add_number(DEVICE_BASE + 256, 8);
	add_number(0, 8);
	add_number(0x1234, 8);
	check_printed("%s %8.3s %p", "words      (nu 0x1234", 3);
}

/* What is no conversion, and arguments beyond the thirty-second one, come out as they are written.
 */
TEST(printing_what_is_none)
{
	char format[256] = "", expected[256] = "";

	check_printed("%y %", "%y %", 0);
	check_printed("%*.*f", "%*.*f", 0); /* as on an H200 */
	check_printed("%n %lls", "%n (null)", 1);
	for (unsigned i = 0; i < 34; i++) {
		add_number(1, 4);
		strcat(format, "%d");
		strcat(expected, i < 32 ? "1" : "%d");
	}
	check_printed(format, expected, 32);
}

/* A width or precision has an end. */
TEST(printing_a_long_number)
{
	static char expected[4097];

	add_number(5, 4);
	memset(expected, '0', 4095);
	expected[4095] = '5';
	check_printed("%.99999999999d", expected, 1);
}

TEST(printing_without_a_format)
{
	struct device d = device_for(1);

	device_runs(&d, "mov.u64 %rd2, 0; mov.u64 %rd3, %rd9;\n"
			"{ .param .b64 f; st.param.b64 [f], %rd2; .param .b64 a;\n"
			"st.param.b64 [a], %rd2; .param .b32 v; call (v), vprintf, (f, a);\n"
			"ld.param.b32 %r1, [v]; }\nst.global.u32 [%rd9+1024], %r1;\n");
	assert_int_equal((int)memory.results[0], -1);
	strcpy(memory.texts, "%s");
	memset(memory.arguments, 7, 8);
	device_ends(&d, PRINT, EXEC_ILLEGAL_ADDRESS);
}

/* Lanes print one after the other, arguments in each thread's own memory. */
TEST(each_lane_prints)
{
	struct device d = device_for(3);

	strcpy(memory.texts, "%u;");
	device_runs(&d, ".local .align 8 .b8 depot[8]; mov.u64 %rd1, depot;\n"
			"cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1], %r9;\n"
			"{ .param .b64 f; st.param.b64 [f], %rd9; .param .b64 a;\n"
			"st.param.b64 [a], %rd2; .param .b32 v; call (v), vprintf, (f, a); }\n");
	assert_string_equal(printed, "0;1;2;");
}

/* ---- assertions ---- */

TEST(assertions_name_their_place)
{
	struct device d = device_for(4);

	strcpy(memory.texts, "n > 2");
	strcpy(memory.texts + 64, "a.cu");
	strcpy(memory.texts + 128, "void k(int)");
	device_ends(&d,
		    "add.u64 %rd1, %rd9, 64; add.u64 %rd2, %rd9, 128; setp.lt.u32 %p1, %r9, 2;\n"
		    "@%p1 bra END; mov.u64 %rd3, 1;\n"
		    "{ .param .b64 a; st.param.b64 [a], %rd9; .param .b64 b;\n"
		    "st.param.b64 [b], %rd1; .param .b32 c; st.param.b32 [c], 19; .param .b64 d;\n"
		    "st.param.b64 [d], %rd2; .param .b64 e; st.param.b64 [e], %rd3;\n"
		    "call.uni __assertfail, (a, b, c, d, e); }\nEND:\n",
		    EXEC_ASSERT);
	assert_string_equal(printed, "a.cu:19: void k(int): block: [0,0,0], thread: [2,0,0] "
				     "Assertion `n > 2` failed.\n"
				     "a.cu:19: void k(int): block: [0,0,0], thread: [3,0,0] "
				     "Assertion `n > 2` failed.\n");
	assert_int_equal(d.outcome.thread[0], 2);
}

/* ---- the heap ---- */

static uint64_t released;

/* Every thread gets the same 16 bytes; more there are not. */
static uint64_t allocate(void *context, uint64_t bytes)
{
	(void)context;
	return bytes <= 16 ? DEVICE_BASE + 1024 : 0;
}

static bool release(void *context, uint64_t address)
{
	(void)context;
	released = address;
	return address == DEVICE_BASE + 1024;
}

#define ALLOCATE(bytes)                                                       \
	"{ .param .b64 n; mov.u64 %rd1, " bytes "; st.param.b64 [n], %rd1;\n" \
	".param .b64 v; call.uni (v), malloc, (n); ld.param.b64 %rd2, [v]; }\n"
#define RELEASE(address) "{ .param .b64 p; st.param.b64 [p], " address "; call.uni free, (p); }\n"

TEST(the_heap)
{
	struct device d = device_for(1);

	d.services.allocate = allocate;
	d.services.release = release;
	device_runs(&d, ALLOCATE("16") "st.u32 [%rd2], 11;\n" RELEASE("%rd2")
				ALLOCATE("17") "st.global.u64 [%rd9], %rd2;\n" RELEASE("%rd2"));
	assert_int_equal(memory.results[0], 11);
	assert_int_equal(released, DEVICE_BASE + 1024);
	assert_int_equal(memory.texts[0], 0);
	device_ends(&d, RELEASE("%rd9"), EXEC_ILLEGAL_ADDRESS);
}

TEST(a_device_without_services)
{
	struct device d = device_for(1);

	d.services = (struct exec_services){0};
	device_runs(&d, PRINT ALLOCATE("16") "st.global.u64 [%rd9], %rd2;\n");
	assert_int_equal(memory.texts[0], 0);
	device_refuses(&d, "{ .param .b32 p; call free, (p); }\n", "call");
	device_refuses(&d, "call free;\n", "call");
}
