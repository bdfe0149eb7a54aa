/* Text form: everything that can be printed parses back, scripts by hand mean what they say. */
#include "trace/text.h"

#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "base/buf.h"
#include "base/vector.h"
#include "trace/field.h"
#include "trace/slot.h"

static char message[300];

/* A trace in memory, built record by record. */
struct built {
	struct sc_buf bytes;
};

static void begin_trace(struct built *t)
{
	struct sc_trace_header header = {.magic = SC_TRACE_MAGIC,
					 .version = SC_TRACE_VERSION,
					 .op_bytes = sizeof(struct sc_op),
					 .closed = 1};

	*t = (struct built){0};
	sc_buf_add_bytes(&t->bytes, &header, sizeof(header));
	sc_buf_fill(&t->bytes, 0, SC_TRACE_HEADER - sizeof(header));
}

static void add_record(struct built *t, const struct sc_op *op, const struct sc_attachment *a,
		       unsigned count)
{
	struct sc_slot slots[64] = {0};
	uint32_t n = sc_slot_count(a, count);

	assert_in_range(n, 2, 64);
	sc_slot_fill(slots, n, op, a, count);
	sc_buf_add_bytes(&t->bytes, slots, n * sizeof(slots[0]));
	((struct sc_trace_header *)t->bytes.text)->slots += n;
}

/* The text form of a binary trace; free it. */
static char *print_all(const void *trace, size_t bytes)
{
	struct sc_record record;
	struct sc_reader *r;
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	if (sc_reader_open_memory(&r, trace, bytes, message, sizeof(message)))
		fail_msg("%s", message);
	while (sc_reader_next(r, &record))
		sc_text_print(out, r, &record);
	assert_int_equal(sc_reader_stats(r)->damaged, 0);
	sc_reader_free(r);
	fclose(out);
	return text;
}

static struct sc_text_script parse(const char *text)
{
	struct sc_text_script s;

	if (sc_text_parse(&s, text, strlen(text), message, sizeof(message)))
		fail_msg("%s in:\n%s", message, text);
	return s;
}

/* Compares line by line, so that a failure names the one line that differs. */
static void assert_same_lines(const char *first, const char *second)
{
	while (*first || *second) {
		int a = (int)strcspn(first, "\n"), b = (int)strcspn(second, "\n");

		if (a != b || memcmp(first, second, (size_t)a))
			fail_msg("\n%.*s\nbecame\n%.*s", a, first, b, second);
		first += a + !!first[a];
		second += b + !!second[b];
	}
}

/* Prints, parses and prints again: the bytes and the text must be the same. */
static void assert_round_trip(struct built *t)
{
	char *first = print_all(t->bytes.text, t->bytes.bytes), *second;
	struct sc_text_script s = parse(first);

	second = print_all(s.trace, s.bytes);
	assert_same_lines(first, second);
	assert_int_equal(s.bytes, t->bytes.bytes);
	for (size_t at = SC_TRACE_HEADER; at < s.bytes; at += SC_SLOT_SIZE)
		if (memcmp(s.trace + at, t->bytes.text + at, SC_SLOT_SIZE))
			fail_msg("slot %zu differs, text:\n%s",
				 (at - SC_TRACE_HEADER) / SC_SLOT_SIZE, first);
	free(first);
	free(second);
	sc_text_script_fini(&s);
	sc_buf_fini(&t->bytes);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A value that the field can hold and a reader accepts. */
static uint64_t random_value(unsigned field, uint64_t random)
{
	switch (sc_field_format(field)) {
	case SC_AS_MEMORY: return random % SC_MEM_KINDS;
	case SC_AS_PHASE: return random % (SC_PHASE_END + 1);
	default: return random;
	}
}

static struct sc_op random_op(unsigned kind, uint64_t *state, unsigned zeros)
{
	struct sc_op op = {.kind = (uint16_t)kind};

	for (unsigned field = 0; field < SC_FIELDS; field++) {
		uint64_t random = next_random(state);

		if ((random >> 40) % 8 >= zeros)
			sc_field_set(&op, field, random_value(field, random));
	}
	return op;
}

/* Kinds whose text or frames stand as an operand have them first, so that order is kept. */
static void test_every_kind_goes_both_ways(void **state)
{
	uint64_t random = 88172645463325252u;

	(void)state;
	for (unsigned zeros = 0; zeros <= 8; zeros += 2) {
		struct built t;

		begin_trace(&t);
		for (unsigned kind = 1; kind < SC_OP_KINDS; kind++)
			for (int i = 0; i < 20; i++) {
				struct sc_op op = random_op(kind, &random, zeros);

				add_record(&t, &op, NULL, 0);
			}
		assert_round_trip(&t);
	}
}

static void test_every_attachment_goes_both_ways(void **state)
{
	static const char text[] = "quote \" slash \\ line\n tab\t \x01\x7f\xc3\xa9 # [x]";
	static const uint64_t frames[] = {1, UINT64_MAX, 0};
	static const struct sc_access accesses[] = {
		{16, 1, 0, 1, 0, 1, SC_READ, SC_KNOWN_EXACT, SC_MEM_DEVICE, {0}},
		{UINT64_MAX, 2, 3, 4, 0, 1, SC_WRITE, SC_KNOWN_OVER, SC_MEM_NONE, {0}},
		{0, 2, 3, 4, 5, 6, SC_READ_WRITE, SC_KNOWN_PARAMETER, SC_MEM_UNKNOWN, {0}},
		{0, 0, 0, 0, 0, 0, SC_ATOMIC, SC_KNOWN_EXACT, SC_MEM_ARRAY, {0}},
	};
	static const struct sc_launch plain = {{1, 2, 3}, {4, 5, 6}, 7, 0, 8, 0};
	static const struct {
		struct sc_launch launch;
		uint8_t params[5];
	} full = {{{0, 0, 0}, {9, 9, 9}, 1, 5, UINT32_MAX, 0}, {1, 2, 3, 0xfe, 0xff}};
	static const struct sc_param layout[] = {{0, 8}, {8, UINT32_MAX}};
	struct sc_attachment all[] = {
		{SC_ATTACH_TEXT, sizeof(text) - 1, text},
		{SC_ATTACH_FRAMES, sizeof(frames), frames},
		{SC_ATTACH_ACCESSES, sizeof(accesses), accesses},
		{SC_ATTACH_LAUNCH, sizeof(plain), &plain},
		{SC_ATTACH_LAUNCH, sizeof(full.launch) + 5, &full},
		{SC_ATTACH_LAYOUT, sizeof(layout), layout},
		{SC_ATTACH_BUILD_ID, 5, "\0\1\2\3\xff"},
		{SC_ATTACH_PYTHON, sizeof(text) - 1, text},
		{77, 3, "abc"},
		{UINT32_MAX, 0, NULL},
	};
	const unsigned count = sizeof(all) / sizeof(all[0]);
	struct built t;

	(void)state;
	begin_trace(&t);
	for (unsigned kind = 1; kind < SC_OP_KINDS; kind++) {
		struct sc_op op = {.kind = (uint16_t)kind, .phase = SC_PHASE_BEGIN, .bytes = 1};

		for (unsigned i = 0; i < count; i++)
			add_record(&t, &op, &all[i], 1);
		if (kind == SC_OP_STACK) /* what is an operand stands first */
			all[0] = all[1];
		add_record(&t, &op, all, count);
		all[0] = (struct sc_attachment){SC_ATTACH_TEXT, sizeof(text) - 1, text};
	}
	assert_round_trip(&t);
}

static void test_links_are_line_numbers(void **state)
{
	struct sc_text_script s;
	char *printed;

	(void)state;
	s = parse("t1: host_func 3 context=1\ndriver 12000\n"
		  "t2: callback_begin 1 context=1 callback=1\n"
		  "t1: stream_sync 3 context=1\n"
		  "t1: call @0 context=1 link=@999\n");
	printed = print_all(s.trace, s.bytes);
	assert_string_equal(printed, "t1: host_func 3 context=1\n"
				     "driver 12000\n"
				     "t2: callback_begin 1 context=1 callback=1\n"
				     "t1: stream_sync 3 phase=begin context=1\n"
				     "t1: stream_sync 3 phase=end context=1 link=4\n"
				     "t1: call @0 context=1 link=@999\n");
	free(printed);
	sc_text_script_fini(&s);
}

/* What a script by hand turns into. */
static void assert_means(const char *script, const char *exact)
{
	struct sc_text_script s = parse(script);
	char *printed = print_all(s.trace, s.bytes);

	assert_string_equal(printed, exact);
	free(printed);
	sc_text_script_fini(&s);
}

#define CONTEXT	 "t1: context 1 0 flags=primary\n"
#define ALLOC_A	 CONTEXT "t1: alloc 0x7f0000000000 1024 device context=1 object=2\n"
#define STREAM_3 "t1: stream 3 - context=1\n"

static void test_the_example_of_the_header(void **state)
{
	struct sc_text_script s;

	(void)state;
	assert_means("# Copy on one stream, kernel on another, nothing orders them.\n"
		     "alloc  A 1024\n"
		     "copy   s1 A <- host 1024\n"
		     "kernel s2 reads A\n"
		     "expect race A write:2 read:3\n",
		     ALLOC_A STREAM_3
		     "t1: copy 3 0x7f0000000000 0x550000000000 1024 context=1 dst_mem=device "
		     "src_mem=pageable\n"
		     "t1: stream 4 - context=1\n"
		     "function 5 0 \"kernel\"\n"
		     "t1: kernel 4 5 context=1 accesses=[r 0x7f0000000000:1024@device]\n");
	s = parse("alloc A 8\n\n expect  race A \t\r\nset s1 A\nexpect none");
	assert_int_equal(s.expectation_count, 2);
	assert_string_equal(s.expectations[0], "race A");
	assert_string_equal(s.expectations[1], "none");
	sc_text_script_fini(&s);
}

static void test_op_lines_are_counted(void **state)
{
	struct sc_text_script s =
		parse("# comment\nalloc A 8\n\nset s1 A\nexpect x\nstream_sync s1\n");
	uint32_t lines[8] = {0};
	size_t count = 0;

	(void)state;
	for (size_t i = 0; i < s.op_line_count; i++)
		if (s.op_lines[i] || i % 2 == 0)
			lines[count++] = s.op_lines[i];
	assert_int_equal(s.op_line_count, 12);
	assert_int_equal(count, 6);
	assert_memory_equal(lines, ((uint32_t[]){0, 1, 0, 2, 3, 3}), 6 * sizeof(lines[0]));
	sc_text_script_fini(&s);
}

static void test_copies(void **state)
{
	(void)state;
	assert_means("alloc A 1k\ncopy s1 A+16 -> h1 8", ALLOC_A STREAM_3
		     "t1: copy 3 0x550000000000 0x7f0000000010 8 context=1 dst_mem=pageable "
		     "src_mem=device\n");
	assert_means("alloc A 1024\nalloc h1 64 pinned\ncopy L A <- h1 sync",
		     ALLOC_A "t1: alloc 0x7f0000002000 64 pinned context=1 object=3\n"
			     "t1: stream 4 legacy context=1\n"
			     "t1: copy 4 0x7f0000000000 0x7f0000002000 64 phase=begin context=1 "
			     "dst_mem=device src_mem=pinned flags=sync\n"
			     "t1: copy 4 0x0 0x0 0 phase=end context=1 flags=sync link=5\n");
	assert_means("alloc A 1024\ncopy2d s1 A <- h1 width=8 rows=4 dst_pitch=64", ALLOC_A STREAM_3
		     "t1: copy 3 0x7f0000000000 0x550000000000 0 context=1 dst_mem=device "
		     "src_mem=pageable accesses=[w 0x7f0000000000:8*4/64@device, "
		     "r 0x550000000000:8*4/8@pageable]\n");
	assert_means("alloc A 1024\ncopy s1 A <- 0x1234 4",
		     ALLOC_A STREAM_3 "t1: copy 3 0x7f0000000000 0x1234 4 context=1 dst_mem=device "
				      "src_mem=unknown\n");
	assert_means("alloc A 1024\ncopy s1 0x7f0000000010 <- h 4 call=cuX", ALLOC_A STREAM_3
		     "string 1 \"cuX\"\n"
		     "t1: copy 3 0x7f0000000010 0x550000000000 4 context=1 dst_mem=device "
		     "src_mem=pageable call=cuX\n");
}

static void test_kernels(void **state)
{
	(void)state;
	assert_means("alloc A 1024\nkernel s1 f reads A:4 A+8:8 writes A+0:16*2/32~ maybe A "
		     "atomics A+4:4 updates A+4:4",
		     ALLOC_A STREAM_3
		     "function 4 0 \"f\"\n"
		     "t1: kernel 3 4 context=1 accesses=[r 0x7f0000000000:4@device, "
		     "r 0x7f0000000008:8@device, w 0x7f0000000000:16*2/32@device~, "
		     "rw 0x7f0000000000:1024@device?, a 0x7f0000000004:4@device, "
		     "rw 0x7f0000000004:4@device]\n");
	assert_means("alloc A 1024\nkernel s1 args A+256 7",
		     ALLOC_A STREAM_3 "function 4 0 \"kernel\"\n"
				      "t1: kernel 3 4 context=1 launch=1,1,1/1,1,1/0/0 "
				      "params=00010000007f00000700000000000000\n");
	assert_means("alloc A 1024\nkernel s1 accesses=[r A, w A+4:4?]", ALLOC_A STREAM_3
		     "function 4 0 \"kernel\"\n"
		     "t1: kernel 3 4 context=1 accesses=[r 0x7f0000000000:1024@device, "
		     "w 0x7f0000000004:4@device?]\n");
}

static void test_waits(void **state)
{
	(void)state;
	assert_means("stream_sync s1", CONTEXT "t1: stream 2 - context=1\n"
					       "t1: stream_sync 2 phase=begin context=1\n"
					       "t1: stream_sync 2 phase=end context=1 link=3\n");
	assert_means("event_query e1 result=600",
		     CONTEXT "t1: event 2 - context=1\n"
			     "t1: event_query 2 phase=begin context=1 result=600\n"
			     "t1: event_query 2 phase=end context=1 link=3 result=600\n");
	assert_means("context_sync result=pending",
		     CONTEXT "t1: context_sync 1 phase=begin result=pending\n");
	assert_means("t2: stream_sync s1 begin\nhost_read h1 4\nstream_sync end link=1",
		     "t2: context 1 0 flags=primary\n"
		     "t2: stream 2 - context=1\n"
		     "t2: stream_sync 2 phase=begin context=1\n"
		     "t1: host_read 0x550000000000 4 src_mem=pageable\n"
		     "t2: stream_sync 2 phase=end context=1 link=3\n");
}

static void test_streams_and_contexts(void **state)
{
	(void)state;
	assert_means("host_func n1\nhost_func p\nt2: host_func p\nhost_func p\nhost_func L",
		     CONTEXT "t1: stream 2 nonblocking context=1\n"
			     "t1: host_func 2 context=1\n"
			     "t1: stream 3 per_thread context=1\n"
			     "t1: host_func 3 context=1\n"
			     "t2: stream 4 per_thread context=1\n"
			     "t2: host_func 4 context=1\n"
			     "t1: host_func 3 context=1\n"
			     "t1: stream 5 legacy context=1\n"
			     "t1: host_func 5 context=1\n");
	assert_means("context c2 device=1\nstream s9@c2\nhost_func s9\nhost_func L@c2\n"
		     "stream foo nonblocking|library context=c2\nhost_func foo\nhost_func s9@c2",
		     "t1: context 1 1\n"
		     "t1: stream 2 - context=1 device=1\n"
		     "t1: host_func 2 context=1 device=1\n"
		     "t1: stream 3 legacy context=1 device=1\n"
		     "t1: host_func 3 context=1 device=1\n"
		     "t1: stream 4 nonblocking|library context=1 device=1\n"
		     "t1: host_func 4 context=1 device=1\n"
		     "t1: host_func 2 context=1 device=1\n");
	assert_means("device 0 value=3 \"H200\"\ndriver 11010",
		     "device 0 3 \"H200\"\ndriver 11010\n");
	assert_means("event done notiming\nrecord done s1\nwait s2 done\nelapsed done e2",
		     CONTEXT "t1: event 2 notiming context=1\n"
			     "t1: stream 3 - context=1\n"
			     "t1: record 2 3 context=1\n"
			     "t1: stream 4 - context=1\n"
			     "t1: wait 4 2 context=1\n"
			     "t1: event 5 - context=1\n"
			     "t1: elapsed 2 5 context=1\n");
}

static void test_callbacks(void **state)
{
	(void)state;
	assert_means("host_func s1\ncallback_begin 1\ncb1: host_write h1 4\n"
		     "cb1: host_func s1 result=800\ncallback_end 1\nt7: callback_begin 1\n"
		     "cb2: host_read h1 4",
		     CONTEXT "t1: stream 2 - context=1\n"
			     "t1: host_func 2 context=1\n"
			     "t100: callback_begin 3 context=1 callback=1\n"
			     "t100: host_write 0x550000000000 4 dst_mem=pageable callback=1\n"
			     "t100: host_func 2 context=1 flags=in_callback callback=1 result=800\n"
			     "t100: callback_end 3 context=1 callback=1\n"
			     "t7: callback_begin 3 context=1 callback=2\n"
			     "t7: host_read 0x550000000000 4 src_mem=pageable callback=2\n");
}

static void test_lives_of_buffers(void **state)
{
	(void)state;
	assert_means("alloc A 1024\nfree A\nalloc A 512\nalloc B 16 dst=A",
		     ALLOC_A "t1: free 0x7f0000000000 context=1 dst_mem=device\n"
			     "t1: alloc 0x7f0000000000 512 device context=1 object=3\n"
			     "t1: alloc 0x7f0000000000 16 device context=1 object=4\n");
	assert_means("pin h1 4096\nhost_write h1+4 4\nunpin h1\nhost_read h1 4\nhost_free h1 8",
		     CONTEXT "t1: pin 0x550000000000 4096 context=1 dst_mem=registered\n"
			     "t1: host_write 0x550000000004 4 dst_mem=registered\n"
			     "t1: unpin 0x550000000000 context=1 dst_mem=registered\n"
			     "t1: host_read 0x550000000000 4 src_mem=pageable\n"
			     "t1: host_free 0x550000000000 8 dst_mem=pageable\n");
	assert_means("alloc_async s1 A 64\nfree_async s1 A\nalloc R 64 array",
		     CONTEXT "t1: stream 2 - context=1\n"
			     "t1: alloc_async 2 0x7f0000000000 64 context=1 object=3 "
			     "dst_mem=device flags=pool\n"
			     "t1: free_async 2 0x7f0000000000 context=1 dst_mem=device\n"
			     "t1: alloc 0xa000004000000000 64 array context=1 object=4\n");
}

static void test_threads_and_names(void **state)
{
	(void)state;
	assert_means("thread_begin t2 t1\nt2: host_read h1 4\nthread_end t2\nthread_join t2\n"
		     "exit 3\nstring 9 cuA\nt2: call cuA\nname 4 \"x\"",
		     "thread_begin t2 1\n"
		     "t2: host_read 0x550000000000 4 src_mem=pageable\n"
		     "thread_end t2\n"
		     "t1: thread_join 2\n"
		     "t1: exit 3\n"
		     "string 9 \"cuA\"\n"
		     "t2: context 1 0 flags=primary\n"
		     "t2: call cuA context=1\n"
		     "name 4 \"x\"\n");
}

static void test_mistakes_are_explained(void **state)
{
	static const struct {
		const char *script, *said;
	} cases[] = {
		{"\n\nfoo s1", "line 3: there is no op \"foo\""},
		{"none", "line 1: there is no op \"none\""},
		{"text=5", "line 1: there is no op on this line"},
		{"t1:", "line 1: there is no op on this line"},
		{"x1: driver 1", "line 1: \"x1:\" is neither a thread (t1:) nor a callback (cb1:)"},
		{"driver 1 2", "line 1: \"2\" is too much"},
		{"driver x", "line 1: \"x\" is no value of value"},
		{"driver 1 foo=1", "line 1: there is no field \"foo\""},
		{"driver 1 width=1", "line 1: there is no field \"width\""},
		{"driver 18446744073709551616", "line 1: \"18446744073709551616\" is no value of "
						"value"},
		{"device 256", "line 1: 256 does not fit into device"},
		{"string 1 \"abc", "line 1: a quote or a bracket is not closed"},
		{"string 1 \"abc\\", "line 1: a quote or a bracket is not closed"},
		{"string 1 \"\\q\"", "line 1: \"\\q\" is malformed"},
		{"string x y", "line 1: x is not a number"},
		{"stack 1 [0x1,zz]", "line 1: \"0x1,zz\" is malformed"},
		{"copy s1 A <- h1 4", "line 1: buffer A is not allocated (alloc A BYTES)"},
		{"copy s1 h1 <- h2", "line 1: how many bytes?"},
		{"copy s1 h1", "line 1: copy needs a src"},
		{"copy x1 h1 <- h2 4",
		 "line 1: stream names begin with s, t, n, p, or are L; not x1"},
		{"copy s1 h1+x <- h2 4", "line 1: \"x\" is no offset"},
		{"copy s1 h1- <- h2 4", "line 1: \"h1-\" is no address"},
		{"copy2d s1 h1 <- h2 rows=2", "line 1: copy2d needs width= and rows="},
		{"alloc A", "line 1: how many bytes?"},
		{"alloc A 4 foo", "line 1: \"foo\" is no value of dst_mem"},
		{"alloc A 4\nalloc A 4", "line 2: A is in use"},
		{"alloc A 9999999g", "line 1: so much room needs an address, add dst=0x..."},
		{"kernel s1 reads h1", "line 1: how much of h1? write h1:BYTES"},
		{"kernel s1 reads h1:", "line 1: \"h1:\" is no access"},
		{"kernel s1 reads h1:4*2", "line 1: \"h1:4*2\" is no access"},
		{"kernel s1 accesses=[x h1:4]", "line 1: \"x\" is no access mode (r, w, rw, a)"},
		{"kernel s1 launch=1,2,3,4", "line 1: \"1,2,3,4\" is no value of launch"},
		{"kernel s1 params=0", "line 1: \"0\" is no value of params"},
		{"callback_begin 1", "line 1: op line 1 does not stand before this one"},
		{"record done s1", "line 1: event done is not declared (event done)"},
		{"host_func s1@x", "line 1: context x is not declared (context x DEVICE)"},
		{"host_func s1@", "line 1: stream s1@ names no context"},
		{"host_func s1\nhost_func s1@c2",
		 "line 2: stream s1 belongs to another context than c2"},
		{"stream_sync s1 flags=foo", "line 1: \"foo\" is no value of flags"},
		{"stream_sync s1 phase=foo", "line 1: \"foo\" is no value of phase"},
		{"name zz \"x\"", "line 1: nothing is called zz so far"},
		{"fo\x1b[31m\x80", "line 1: there is no op \"fo?[31m?\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sc_text_script s;

		assert_int_equal(sc_text_parse(&s, cases[i].script, strlen(cases[i].script),
					       message, sizeof(message)),
				 -EINVAL);
		assert_string_equal(message, cases[i].said);
		assert_null(s.trace);
	}
}

static void test_a_record_that_is_too_long(void **state)
{
	static char text[400000] = "string 1 \"";
	struct sc_text_script s;
	size_t bytes = strlen(text);

	(void)state;
	memset(text + bytes, 'x', 200000);
	text[bytes + 200000] = '"';
	assert_int_equal(sc_text_parse(&s, text, strlen(text), message, sizeof(message)), -EINVAL);
	assert_string_equal(message, "line 1: the record is longer than 122880 bytes");
}

/* docs/trace-format.md lists every row of the tables, word for word. */
static char *read_document(void)
{
	FILE *f = fopen(SC_SOURCE_DIR "/docs/trace-format.md", "r");
	struct sc_buf text = {0};
	int c;

	assert_non_null(f);
	while ((c = getc(f)) != EOF)
		sc_buf_add_char(&text, (char)c);
	fclose(f);
	return sc_buf_take(&text);
}

static void assert_documented(const char *document, const char *format, ...)
{
	struct sc_buf row = {0};
	va_list arguments;

	va_start(arguments, format);
	sc_buf_vprintf(&row, format, arguments);
	va_end(arguments);
	if (!strstr(document, row.text))
		fail_msg("docs/trace-format.md lacks the row: %s", row.text);
	sc_buf_fini(&row);
}

static void test_the_document_is_complete(void **state)
{
	char *document = read_document();

	(void)state;
#define SC_OP(id, text, operands, class, meaning)                    \
	assert_documented(document, "| `%s` | %s | %s | %s |", text, \
			  *operands ? "`" operands "`" : "", #class, meaning);
#include "trace/op.def"
#undef SC_OP
#define SC_FIELD(member, format) assert_documented(document, "| `%s` | %s |", #member, #format);
#include "trace/field.def"
#undef SC_FIELD
#define SC_FLAG(id, bit, text, meaning) \
	assert_documented(document, "| `%s` | %d | %s |", text, bit, meaning);
#include "trace/flag.def"
#undef SC_FLAG
#define SC_MEMORY(id, text, host, meaning) \
	assert_documented(document, "| `%s` | %s | %s |", text, (host) ? "yes" : "no", meaning);
#include "trace/memory.def"
#undef SC_MEMORY
	free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind_goes_both_ways),
		cmocka_unit_test(test_every_attachment_goes_both_ways),
		cmocka_unit_test(test_links_are_line_numbers),
		cmocka_unit_test(test_the_example_of_the_header),
		cmocka_unit_test(test_op_lines_are_counted),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_streams_and_contexts),
		cmocka_unit_test(test_callbacks),
		cmocka_unit_test(test_lives_of_buffers),
		cmocka_unit_test(test_threads_and_names),
		cmocka_unit_test(test_mistakes_are_explained),
		cmocka_unit_test(test_a_record_that_is_too_long),
		cmocka_unit_test(test_the_document_is_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
