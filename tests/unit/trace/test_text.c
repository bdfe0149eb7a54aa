/* Text form: scripts by hand mean what they say, and mistakes are explained. */
#include "trace/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "tests/unit/trace/text_form.h"

TEST(links_are_line_numbers)
{
	struct sc_text_script s;
	char *printed;

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

#define RANKS_TEXT                                                \
	"group g 77 world of=2\n"                                 \
	"rank 0: message f send+blocks g to=1 tag=4\n"            \
	"rank 1: t2: message f receive g from=0 tag=4 returned\n" \
	"message f collective g nth=1 root=1\n"
#define GROUP_AS(rank, time) "group 1 0x4d 1 peer=" #rank " bytes=2 time_ns=" #time "\n"

static void assert_rank_means(uint32_t rank, const char *exact)
{
	struct sc_text_script s;
	char *printed;

	assert_int_equal(sc_text_parse_rank(&s, rank, RANKS_TEXT, strlen(RANKS_TEXT), message,
					    sizeof(message)),
			 0);
	printed = print_all(s.trace, s.bytes);
	assert_string_equal(printed, exact);
	free(printed);
	sc_text_script_fini(&s);
}

TEST(ranks)
{
	static const char link[] = "rank 1: driver 1\nrank 0: call f link=1\n";
	struct sc_text_script s;

	assert_rank_means(0, GROUP_AS(1, 1) "string 1 \"f\"\n"
					    "t1: message f 257 1 peer=2 src=0x5 time_ns=2\n"
					    "t1: message f 4 1 peer=2 src=0x1 time_ns=4\n");
	assert_rank_means(1, GROUP_AS(2, 1) "string 1 \"f\"\n"
					    "t2: message f 2 1 peer=1 src=0x5 time_ns=3\n"
					    "t2: message_end 3 time_ns=3\n"
					    "t1: message f 4 1 peer=2 src=0x1 time_ns=4\n");
	assert_int_equal(sc_text_parse_rank(&s, 0, link, strlen(link), message, sizeof(message)),
			 -EINVAL);
	assert_string_equal(message, "line 2: op line 1 is of another rank");
}

TEST(the_example_of_the_header)
{
	struct sc_text_script s;

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

TEST(op_lines_are_counted)
{
	struct sc_text_script s =
		parse("# comment\nalloc A 8\n\nset s1 A\nexpect x\nstream_sync s1\n");
	uint32_t lines[8] = {0};
	size_t count = 0;

	for (size_t i = 0; i < s.op_line_count; i++)
		if (s.op_lines[i] || i % 2 == 0)
			lines[count++] = s.op_lines[i];
	assert_int_equal(s.op_line_count, 12);
	assert_int_equal(count, 6);
	assert_memory_equal(lines, ((uint32_t[]){0, 1, 0, 2, 3, 3}), 6 * sizeof(lines[0]));
	sc_text_script_fini(&s);
}

TEST(copies)
{
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

TEST(kernels)
{
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

TEST(waits)
{
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

TEST(streams_and_contexts)
{
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

TEST(callbacks)
{
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

TEST(lives_of_buffers)
{
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

TEST(threads_and_names)
{
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
	assert_means("call pool sync",
		     "string 1 \"pool\"\n" CONTEXT "t1: call pool context=1 flags=sync\n");
}

TEST(what_is_seldom_written)
{
	static const struct {
		const char *script, *exact;
	} cases[] = {
		{"driver 000 node=[3, in:2, body:1, disabled, flags:64, 0, 1p, 2l, 3s, 4:5:6:7]",
		 "driver 0 node=[3, in:2, body:1, disabled, flags:64, 0, 1:1:1, 2:1:2, 3:1:0, "
		 "4:5:6:7]\n"},
		{"driver 1 node=[0, 1:2:3]", "driver 1 node=[0, 1:2:3]\n"},
		{"driver 1 accesses=[r 0x10:4*1/8*1/16^, w 0x20:4*1/0*2/8, ar 0x30:1%stream]",
		 "driver 1 accesses=[r 0x10:4*1/8*1/16@unknown^, w 0x20:4*1/0*2/8@unknown, ar "
		 "0x30:1@unknown%stream]\n"},
		{"driver 1 accesses=[rw 0x10:4%read_first, r 0x20:4%moved]",
		 "driver 1 accesses=[rw 0x10:4@unknown%read_first, r 0x20:4@unknown%moved]\n"},
		{"driver 1 accesses=[r 0x1:1] accesses=[w 0x2:1]",
		 "driver 1 accesses=[r 0x1:1@unknown] accesses=[w 0x2:1@unknown]\n"},
		{"driver 1 launch=1/1/5 params=", "driver 1 launch=1,1,1/1,1,1/5/0\n"},
		{"image 1 0 4 data=", "image 1 0 4 data=\n"},
		{"image 1 0 4 data=\"//\"", "image 1 0 4 data=2f2f\n"},
		{"driver 1 call=@9 attach77=00", "driver 1 call=@9 attach77=00\n"},
		{"alloc A 1024\nkernel s1 a.b reads A:4 args 7",
		 CONTEXT "t1: alloc 0x7f0000000000 1024 device context=1 object=2\n"
			 "t1: stream 3 - context=1\n"
			 "function 4 0 \"a.b\"\n"
			 "t1: kernel 3 4 context=1 accesses=[r 0x7f0000000000:4@device] "
			 "launch=1,1,1/1,1,1/0/0 params=0700000000000000\n"},
		{"stream_sync s1 once", CONTEXT "t1: stream 2 - context=1\n"
						"t1: stream_sync 2 phase=once context=1\n"},
		{"t3: stream_sync s1 begin\nt4: stream_sync end link=1",
		 "t3: context 1 0 flags=primary\n"
		 "t3: stream 2 - context=1\n"
		 "t3: stream_sync 2 phase=begin context=1\n"
		 "t4: stream_sync 2 phase=end context=1 link=3\n"},
		{"host_func s1\nhost_func s1\ncallback_begin 1\ncallback_begin 2\ncallback_end 1",
		 CONTEXT "t1: stream 2 - context=1\n"
			 "t1: host_func 2 context=1\n"
			 "t1: host_func 2 context=1\n"
			 "t100: callback_begin 3 context=1 callback=1\n"
			 "t100: callback_begin 4 context=1 callback=2\n"
			 "t100: callback_end 3 context=1 callback=1\n"},
		{"cb5: host_read h1 4",
		 "t100: host_read 0x550000000000 4 src_mem=pageable callback=5\n"},
		{"7/0: set h1 4", CONTEXT "t1: set 0 0x550000000000 4 context=1 peer=7 "
					  "dst_mem=pageable flags=captured|node node=[0]\n"},
		{"host_func s1 context=7\nhost_func s1\nhost_func s1 context=c2",
		 "t1: stream 8 - context=7\n"
		 "t1: host_func 8 context=7\n"
		 "t1: host_func 8 context=7\n"
		 "t1: context 9 0 flags=primary\n"
		 "t1: host_func 8 context=9\n"},
		{"stream s1\nstream s1 flags=legacy\nhost_func s1\nname s1 \"x\"",
		 CONTEXT "t1: stream 2 - context=1\n"
			 "t1: stream 3 legacy context=1\n"
			 "t1: host_func 3 context=1\n"
			 "name 3 \"x\"\n"},
		{"event e1 context=0\nfunction f\nfunction f\nkernel s1 f",
		 "t1: event 1 - context=0\n"
		 "function 2 0 -\n"
		 "function 3 0 -\n"
		 "t1: context 4 0 flags=primary\n"
		 "t1: stream 5 - context=4\n"
		 "t1: kernel 5 3 context=4\n"},
		{"alloc A 8\nfree A\nalloc A 8192\nalloc_async s1 B 8 flags=-",
		 CONTEXT "t1: alloc 0x7f0000000000 8 device context=1 object=2\n"
			 "t1: free 0x7f0000000000 context=1 dst_mem=device\n"
			 "t1: alloc 0x7f0000002000 8192 device context=1 object=3\n"
			 "t1: stream 4 - context=1\n"
			 "t1: alloc_async 4 0x7f0000005000 8 context=1 object=5 dst_mem=device\n"},
		{"copy2d s1 h1 <- h2 width=8 rows=2 slices=2",
		 CONTEXT "t1: stream 2 - context=1\n"
			 "t1: copy 2 0x550000000000 0x550040000000 0 context=1 dst_mem=pageable "
			 "src_mem=pageable accesses=[w 0x550000000000:8*2/8*2/16@pageable, r "
			 "0x550040000000:8*2/8*2/16@pageable]\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_means(cases[i].script, cases[i].exact);
}

TEST(lines_are_repeated)
{
	assert_means("repeat 3 # turns\ndriver 1\n\ndriver 2\nagain\ndriver 3",
		     "driver 1\ndriver 2\ndriver 1\ndriver 2\n"
		     "driver 1\ndriver 2\ndriver 3\n");
	assert_means("repeat 1\ndriver 1\nagain\nrepeat 2\ndriver 2\nagain",
		     "driver 1\ndriver 2\ndriver 2\n");
}

/* Of a text that has no op before. */
#define NO_TRACE	"; if this is no trace in text form, name the file that option trace wrote"
#define NO_PREFIX	"neither a thread (t1:), a callback (cb1:) nor a node (g1/0:)"
#define IS(value, what) "line 1: \"" value "\" is " what

/* However short the place for it is. */
TEST(messages_are_cut)
{
	static const struct {
		size_t bytes;
		const char *said;
	} cases[] = {{0, "untouched"}, {1, ""}, {5, "line"}, {9, "line 1: "}, {12, "line 1: the"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char small[] = "untouched...";
		struct sc_text_script s;

		small[9] = 0;
		assert_int_equal(sc_text_parse(&s, "foo", 3, small, cases[i].bytes), -EINVAL);
		assert_string_equal(small, cases[i].said);
		assert_int_equal(sc_text_parse(&s, "foo", 3, NULL, cases[i].bytes), -EINVAL);
	}
}

static const struct {
	const char *script, *said;
} mistakes[] = {
	{"\n\nfoo s1", "line 3: there is no op \"foo\"" NO_TRACE},
	{"none", "line 1: there is no op \"none\"" NO_TRACE},
	{"text=5", "line 1: there is no op on this line"},
	{"t1:", "line 1: there is no op on this line"},
	{"x1: driver 1", IS("x1:", NO_PREFIX)},
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
	{"copy x1 h1 <- h2 4", "line 1: stream names begin with s, t, n, p, or are L; not x1"},
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
	{"kernel s1 accesses=[x h1:4]", "line 1: \"x\" is no access mode (r, w, rw, a, ar)"},
	{"kernel s1 launch=1,2,3,4", "line 1: \"1,2,3,4\" is no value of launch"},
	{"kernel s1 params=0", "line 1: \"0\" is no value of params"},
	{"callback_begin 1", "line 1: op line 1 does not stand before this one"},
	{"record done s1", "line 1: event done is not declared (event done)"},
	{"host_func s1@x", "line 1: context x is not declared (context x DEVICE)"},
	{"host_func s1@", "line 1: stream s1@ names no context"},
	{"host_func s1\nhost_func s1@c2", "line 2: stream s1 belongs to another context than c2"},
	{"stream_sync s1 flags=foo", "line 1: \"foo\" is no value of flags"},
	{"stream_sync s1 phase=foo", "line 1: \"foo\" is no value of phase"},
	{"name zz \"x\"", "line 1: nothing is called zz so far"},
	{"driver 1\nfoo", "line 2: there is no op \"foo\""},
	{"x 1", "line 1: there is no op \"x\"" NO_TRACE},
	{"cx1: driver 1", IS("cx1:", NO_PREFIX)},
	{"cbx: driver 1", IS("cbx:", NO_PREFIX)},
	{"t4294967296: driver 1", IS("t4294967296:", NO_PREFIX)},
	{"1x/0: set A 4", "line 1: 1x is no name of a graph"},
	{"/0: set A 4", IS("/0:", NO_PREFIX)},
	{"g1/x: set A 4", IS("g1/x:", NO_PREFIX)},
	{"\"expect\" none", "line 1: there is no op on this line"},
	{"expect=1", "line 1: there is no op on this line"},
	{"expect none\nfoo", "line 2: there is no op \"foo\"" NO_TRACE},
	{"driver 1 python=a\\", IS("a\\", "no value of python")},
	{"driver 1 python=\"\\x4\"", IS("\\x4", "no value of python")},
	{"driver 1 python=\"\\x4z\"", IS("\\x4z", "no value of python")},
	{"driver 1 python=\"\\xz4\"", IS("\\xz4", "no value of python")},
	{"driver 1!", IS("1!", "no value of value")},
	{"driver 99999999999999999999999", IS("99999999999999999999999", "no value of value")},
	{"driver 17179869185g", IS("17179869185g", "no value of value")},
	{"driver 1 accesses=[r", "line 1: a quote or a bracket is not closed"},
	{"driver 1 attach77=0z", IS("0z", "no value of attach77")},
	{"driver 1 attach77=z0", IS("z0", "no value of attach77")},
	{"driver 1 attachx=00", "line 1: there is no field \"attachx\""},
	{"driver 1 attach3=00", IS("00", "no value of attach3")},
	{"driver 1 layout=[4]", IS("4", "no value of layout")},
	{"driver 1 layout=[x:1]", IS("x:1", "no value of layout")},
	{"driver 1 layout=[1:x]", IS("1:x", "no value of layout")},
	{"driver 1 layout=[4294967296:1]", IS("4294967296:1", "no value of layout")},
	{"kernel s1 launch=x/1", IS("x/1", "no value of launch")},
	{"kernel s1 launch=1/x", IS("1/x", "no value of launch")},
	{"kernel s1 launch=1/1/x/0", IS("1/1/x/0", "no value of launch")},
	{"kernel s1 launch=1/1/0/x", IS("1/1/0/x", "no value of launch")},
	{"kernel s1 reads h1:4*x/2", IS("h1:4*x/2", "no access")},
	{"kernel s1 reads h1:4*2/x", IS("h1:4*2/x", "no access")},
	{"kernel s1 reads h1:4*2/4*x/2", IS("h1:4*2/4*x/2", "no access")},
	{"kernel s1 reads h1:4@foo", IS("h1:4@foo", "no access")},
	{"kernel s1 reads h1:4%foo", IS("h1:4%foo", "no access")},
	{"kernel s1 reads h1~:4", IS("h1~:4", "no access")},
	{"kernel s1 reads B", "line 1: buffer B is not allocated (alloc B BYTES)"},
	{"kernel s1 accesses=[r]", "line 1: no access follows \"r\""},
	{"kernel s1 accesses=[r B, w h1:4]", "line 1: buffer B is not allocated (alloc B BYTES)"},
	{"kernel s1 args B", "line 1: buffer B is not allocated (alloc B BYTES)"},
	{"g1/0: kernel after=[x]", IS("x", "no place of a node")},
	{"g1/0: kernel after=[4294967296]", IS("4294967296", "no place of a node")},
	{"g1/0: kernel after=[4:5]", IS("4:5", "no place of a node")},
	{"g1/0: kernel after=[4:x:1]", IS("4:x:1", "no place of a node")},
	{"g1/0: kernel after=[4:1:x]", IS("4:1:x", "no place of a node")},
	{"g1/0: kernel after=[4:1:1:x]", IS("4:1:1:x", "no place of a node")},
	{"g1/0: kernel after=[p]", IS("p", "no place of a node")},
	{"g1/0: kernel after=[-:1]", IS("-:1", "no place of a node")},
	{"g1/0: kernel after=[in:4294967295]", IS("in:4294967295", "no place of a node")},
	{"g1/0: kernel after=[foo:1]", IS("foo:1", "no place of a node")},
	{"driver 1 node=[]", IS("", "no value of node")},
	{"driver 1 node=[x]", IS("x", "no value of node")},
	{"copy2d s1 h1 <- h2 width=2", "line 1: copy2d needs width= and rows="},
	{"copy2d s1 h1 <- h2 width=x rows=1", IS("x", "no value of width")},
	{"copy2d s1 h1 <- h2 width=1 rows=1 foo=1", "line 1: there is no field \"foo\""},
	{"copy s1 +4 <- h1 4", IS("+4", "no address")},
	{"alloc A 8\ncopy s1 A+8 <- h1", "line 2: how many bytes?"},
	{"alloc A 8\ncopy s1 A+0xffffffffffffffff <- h1", "line 2: how many bytes?"},
	{"alloc A-b 4", IS("A-b", "no name")},
	{"stream_sync end link=@99", "line 1: stream_sync needs a stream"},
	{"driver 1\ndriver 2\nstream_sync end link=@2", "line 3: stream_sync needs a stream"},
	{"call @0 stream=", IS("", "no value of stream")},
	{"exit 0 result=", IS("", "no value of result")},
	{"host_func 99999999999999999999", IS("99999999999999999999", "no value of stream")},
	{"host_func -", IS("-", "no value of stream")},
	{"thread_join peer=", IS("", "no value of peer")},
	{"thread_join tx", IS("tx", "no value of peer")},
	{"peer_access c1 peer= 1", IS("", "no value of peer")},
	{"peer_access c1 x1 1", "line 1: context x1 is not declared (context x1 DEVICE)"},
	{"stream_sync s1 flags=0x100000000", IS("0x100000000", "no value of flags")},
	{"call call=", IS("", "no value of call")},
	{"call @x", IS("@x", "no value of call")},
	{"call @0 link=", IS("", "no value of link")},
	{"call @0 link=x", IS("x", "no value of link")},
	{"driver 1 engine=foo", IS("foo", "no value of engine")},
	{"message f receive+foo 1", IS("receive+foo", "no value of value")},
	{"message f receive 1 from=x", IS("x", "no rank, tag or number")},
	{"repeat 101\nagain", "line 1: repeat, in no other, takes a number from 1 to 100"},
	{"repeat 0\nagain", "line 1: repeat, in no other, takes a number from 1 to 100"},
	{"repeat\nagain", "line 1: repeat, in no other, takes a number from 1 to 100"},
	{"repeat 2\nrepeat 2", "line 2: repeat, in no other, takes a number from 1 to 100"},
	{"repeat 2\ndriver 1", "line 2: repeat without again"},
	{"again", "line 1: again without repeat"},
	{"repeat 9\n\nfoo\nagain", "line 3: there is no op \"foo\"" NO_TRACE},
	{"repeat 9\nagain\nfoo", "line 3: there is no op \"foo\"" NO_TRACE},
	{"rank 0: driver 1", "line 1: there is no op \"rank\"" NO_TRACE},
	{"fo\x1b[31m\x80", "line 1: there is no op \"fo?[31m?\"" NO_TRACE},
};

TEST(mistakes_are_explained)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		struct sc_text_script s;

		assert_int_equal(sc_text_parse(&s, mistakes[i].script, strlen(mistakes[i].script),
					       message, sizeof(message)),
				 -EINVAL);
		assert_string_equal(message, mistakes[i].said);
		assert_null(s.trace);
	}
}

TEST(a_record_that_is_too_long)
{
	static char text[SC_RECORD_MOST * SC_SLOT_DATA + 100] = "string 1 \"";
	struct sc_text_script s;
	size_t bytes = strlen(text);

	memset(text + bytes, 'x', SC_RECORD_MOST * SC_SLOT_DATA);
	text[bytes + SC_RECORD_MOST * SC_SLOT_DATA] = '"';
	assert_int_equal(sc_text_parse(&s, text, strlen(text), message, sizeof(message)), -EINVAL);
	assert_string_equal(message, "line 1: the record is longer than 62914560 bytes");
}
