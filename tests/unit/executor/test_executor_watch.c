/* The executor: what of a block's accesses to its shared memory is a hazard, and what is ordered.
 */
#include "tests/unit/executor/executor_fixture.h"

#include "simulator/executor/hazard.h"

/* %r1: the address of the thread's word in shared memory, %r2 that of the thread beside it in its
 * warp, %r3 that of the thread opposite to it in the block; %p1: it is thread 0, %p2: it is of warp
 * 0, %p3: its lane is even. */
#define PLACES                                                                              \
	"shl.b32 %r1, %r9, 2; xor.b32 %r2, %r1, 4; sub.u32 %r3, 252, %r1; mov.u32 %r10, s;" \
	"add.u32 %r1, %r1, %r10; add.u32 %r2, %r2, %r10; add.u32 %r3, %r3, %r10;"           \
	"mov.u32 %r11, b; setp.eq.u32 %p1, %r9, 0; setp.lt.u32 %p2, %r9, 32;"               \
	"and.b32 %r4, %r9, 1; setp.eq.u32 %p3, %r4, 0;"
#define PUT	  "st.shared.u32 [%r1], %r9;"
#define GET	  "ld.shared.u32 %r5, [%r3];"
#define GET_NEXT  "ld.shared.u32 %r5, [%r2];"
#define MEET	  "bar.sync 0;"
#define MEET_WARP "bar.warp.sync -1;"

/* %r12: the block; %r13: the thread's word in the other block of its cluster, %r14 that block's
 * barrier; %p5: it is of the first block. */
#define PEERS                                                                              \
	"mov.u32 %r12, %cluster_ctarank; xor.b32 %r15, %r12, 1; mapa.shared::cluster.u32 " \
	"%r13, %r1, %r15; mapa.shared::cluster.u32 %r14, %r11, %r15; setp.eq.u32 %p5, %r12, 0;"
#define ARRIVE_ALL     "barrier.cluster.arrive;"
#define WAIT_ALL       "barrier.cluster.wait;"
#define ARRIVE_RELAXED "barrier.cluster.arrive.relaxed;"
#define GET_PEER       "ld.shared::cluster.u32 %r5, [%r13];"
#define PUT_PEER       "st.shared::cluster.u32 [%r13], %r9;"
#define INIT	       "@%p1 mbarrier.init.shared.b64 [%r11], 64;" ARRIVE_ALL WAIT_ALL

static uint32_t memory[64];
static bool ends_at_once; /* blocks of a cluster do not wait for each other at their end */

struct story {
	const char *about, *body;
	uint32_t hazards; /* pairs of places */
	uint32_t cluster;
};

static uint32_t hazards_of(const struct story *s, struct exec_hazards *found)
{
	struct device d = device_with(memory, sizeof(memory), 64);
	char body[4096];

	memset(memory, 0, sizeof(memory));
	*found = (struct exec_hazards){0};
	d.functions = ".shared .align 8 .b32 s[64]; .shared .align 8 .b64 b;";
	d.hazards = found;
	d.cluster[0] = s->cluster;
	d.grid[0] = s->cluster ? s->cluster : 1;
	snprintf(body, sizeof(body), "%s%s%s", PLACES, s->body,
		 s->cluster > 1 && !ends_at_once ? "barrier.cluster.arrive; barrier.cluster.wait;"
						 : "");
	device_runs(&d, body);
	return found->count;
}

static void told(const struct story *stories, size_t count)
{
	struct exec_hazards found;

	for (size_t i = 0; i < count; i++)
		if (hazards_of(&stories[i], &found) != stories[i].hazards)
			fail_msg("%s: %u hazards", stories[i].about, found.count);
}
#define TOLD(stories) told(stories, sizeof(stories) / sizeof(*(stories)))

TEST(barriers)
{
	static const struct story stories[] = {
		{"nothing orders", PUT GET, 1, 0},
		{"a barrier does", PUT MEET GET, 0, 0},
		{"not for the next turn", PUT MEET GET PUT, 1, 0},
		{"of one that arrives",
		 PUT "@!%p2 bar.sync 1, 64; @%p2 bar.arrive 1, 64; @!%p2 ld.shared.u32 %r5, [%r3];",
		 0, 0},
		{"not the other way",
		 PUT "@%p2 bar.sync 1, 64; @!%p2 bar.arrive 1, 64; @!%p2 ld.shared.u32 %r5, [%r3];",
		 1, 0},
		{"of one warp each", PUT "@%p2 bar.sync 1, 32; @!%p2 bar.sync 2, 32;" GET, 1, 0},
		{"one that votes", PUT "barrier.cta.red.or.pred %p4, 0, %p1;" GET, 0, 0},
		{"the cluster's", PUT "barrier.cluster.arrive; barrier.cluster.wait;" GET, 0, 0},
		{"nor does a cluster of one block", PUT GET, 1, 1}};

	TOLD(stories);
}

TEST(lanes)
{
	static const struct story stories[] = {
		{"lanes do not run in step", PUT GET_NEXT, 1, 0},
		{"they meet", PUT MEET_WARP GET_NEXT, 0, 0},
		{"that is no order of warps", PUT MEET_WARP GET, 1, 0},
		{"they take part together", PUT "vote.sync.any.pred %p4, %p1, -1;" GET_NEXT, 0, 0},
		{"one's own", PUT "ld.shared.u32 %r5, [%r1];" PUT, 0, 0},
		{"all lanes of one read", "ld.shared.u32 %r5, [s]; @%p1 st.shared.u32 [s], %r9;", 1,
		 0},
		{"one instruction", "@%p2 st.shared.u32 [s], %r9;", 0, 0},
		{"one that divided",
		 "@%p3 bra E; @%p2 st.shared.u32 [s], %r9; bra X; E: @%p2 st.shared.u32 [s], %r9; "
		 "X: bar.sync 0; ld.shared.u32 %r5, [s];",
		 1, 0}};

	TOLD(stories);
}

TEST(bytes)
{
	static const struct story stories[] = {
		{"reads do not collide", GET GET_NEXT, 0, 0},
		{"bytes of one word",
		 "mov.u32 %r10, s; add.u32 %r10, %r10, %r9; st.shared.u8 [%r10], %r9; ld.shared.u8 "
		 "%h1, [%r10];",
		 0, 0},
		{"a byte and its word",
		 "mov.u32 %r10, s; add.u32 %r10, %r10, %r9; st.shared.u8 [%r10], %r9;" GET, 1, 0},
		{"the same value", "st.shared.u32 [s], 7;", 0, 0},
		{"another value", "st.shared.u32 [s], %r9;" MEET "ld.shared.u32 %r5, [s];", 1, 0},
		{"read meanwhile", "st.shared.u32 [s], 7; ld.shared.u32 %r5, [s];", 1, 0},
		{"by a generic address",
		 "cvt.u64.u32 %rd1, %r1; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1], %r9;" GET, 1,
		 0},
		{"a vector",
		 "mul.lo.u32 %r10, %r9, 2; and.b32 %r10, %r10, 62; shl.b32 %r10, %r10, 2; mov.u32 "
		 "%r5, s;"
		 "add.u32 %r10, %r10, %r5; ld.shared.v2.u32 {%r5, %r6}, [%r10];" PUT,
		 1, 0}};

	TOLD(stories);
}

/* Which of two plain writes came last makes a difference to who reads what they left only. */
#define PUT_ALL "st.shared.u32 [s], %r9;"
#define GET_ALL "ld.shared.u32 %r5, [s];"

TEST(writes_that_nobody_reads)
{
	static const struct story stories[] = {
		{"nobody reads it", PUT_ALL MEET, 0, 0},
		{"one reads it", PUT_ALL MEET "@%p1 " GET_ALL, 1, 0},
		{"one of the writers, before others write", PUT_ALL "@%p1 " GET_ALL, 1, 0},
		{"one that knows of both after it is written again",
		 PUT_ALL MEET "@%p1 " PUT_ALL MEET GET_ALL, 0, 0},
		{"one that knows of one of both", PUT_ALL MEET_WARP "@%p1 " PUT_ALL MEET GET_ALL, 1,
		 0},
		{"a part of it is read", PUT_ALL MEET "@%p1 ld.shared.u8 %h1, [s+3];", 0, 0},
		{"a part that they made different", PUT_ALL MEET "@%p1 ld.shared.u8 %h1, [s];", 1,
		 0},
		{"a part is written again",
		 PUT_ALL MEET "@%p1 st.shared.u8 [s], 7;" MEET "@%p1 ld.shared.u16 %h1, [s];", 0,
		 0},
		{"other bytes are", PUT_ALL MEET "@%p1 st.shared.u8 [s+1], 7;" MEET GET_ALL, 1, 0},
		{"an atomic reads", PUT_ALL MEET "@%p1 red.shared.add.u32 [s], 1;", 1, 0},
		{"other places", "@%p2 " PUT_ALL "@!%p2 " PUT_ALL MEET GET_ALL, 1, 0},
		{"two pairs of places",
		 "@%p2 " PUT_ALL "\n@!%p2 " PUT_ALL MEET
		 "\n@%p2 st.shared.u32 [s+4], %r9;\n@!%p2 st.shared.u32 [s+4], %r9;" MEET
		 "ld.shared.v2.u32 {%r5, %r6}, [s];",
		 2, 0},
		{"a volatile write is none of a pair's",
		 "@%p2 " PUT_ALL "@!%p2 st.volatile.shared.u32 [s], %r9;", 1, 0},
		{"in the memory of another block",
		 PEERS "@%p5 st.shared.u32 [%r1], 1; @!%p5 st.shared::cluster.u32 [%r13], 2;", 0,
		 2},
		{"which reads it",
		 PEERS
		 "@%p5 st.shared.u32 [%r1], 1; @!%p5 st.shared::cluster.u32 [%r13], 2;" ARRIVE_ALL
			 WAIT_ALL "@%p5 " GET,
		 1, 2}};

	TOLD(stories);
}

TEST(words_that_order)
{
	static const struct story stories[] = {
		{"atomics", "atom.shared.add.u32 %r5, [s], 1;", 0, 0},
		{"an atomic and a read", "atom.shared.add.u32 %r5, [s], 1; ld.shared.u32 %r6, [s];",
		 1, 0},
		{"a flag in shared memory",
		 "@%p2 st.shared.u32 [%r1], %r9; bar.warp.sync -1; @%p1 st.volatile.shared.u32 "
		 "[b], 1; @%p2 bra X;"
		 "L: ld.volatile.shared.u32 %r5, [b]; setp.eq.u32 %p4, %r5, 0; @%p4 bra L; "
		 "ld.shared.u32 %r6, [%r3]; X:",
		 0, 0},
		{"a flag in global memory",
		 "@%p2 st.shared.u32 [%r1], %r9; bar.warp.sync -1; @%p1 st.release.gpu.global.u32 "
		 "[%rd9], 1; @%p2 bra X;"
		 "L: ld.acquire.gpu.global.u32 %r5, [%rd9]; setp.eq.u32 %p4, %r5, 0; @%p4 bra L; "
		 "ld.shared.u32 %r6, [%r3]; "
		 "X:",
		 0, 0},
		{"a flag by a generic address",
		 "@%p2 st.shared.u32 [%r1], %r9; bar.warp.sync -1; @%p1 st.volatile.shared.u32 "
		 "[b], 1; @%p2 bra X; cvt.u64.u32 %rd1, %r11; cvta.shared.u64 %rd1, %rd1;"
		 "L: ld.volatile.u32 %r5, [%rd1]; setp.eq.u32 %p4, %r5, 0; @%p4 bra L; "
		 "ld.shared.u32 %r6, [%r3]; X:",
		 0, 0},
		{"another word",
		 PUT "@%p2 atom.shared.add.u32 %r5, [b], 1; @!%p2 atom.global.add.u32 %r5, [%rd9], "
		     "1;" GET,
		 1, 0},
		{"a barrier in memory",
		 "@%p1 mbarrier.init.shared.b64 [b], 64; bar.sync 0;" PUT
		 "mbarrier.arrive.shared.b64 %rd1, [b];"
		 "L: mbarrier.test_wait.shared.b64 %p4, [b], %rd1; @!%p4 bra L;" GET,
		 0, 0},
		{"copies that it waits for",
		 "@%p1 mbarrier.init.shared.b64 [b], 64; bar.sync 0; cp.async.ca.shared.global "
		 "[%r1], [%rd9], 4;"
		 "cp.async.mbarrier.arrive.shared.b64 [b]; mbarrier.arrive.shared.b64 %rd1, [b];"
		 "L: mbarrier.test_wait.shared.b64 %p4, [b], %rd1; @!%p4 bra L;" GET,
		 0, 0},
		{"copies that nobody waits for",
		 "cp.async.ca.shared.global [%r1], [%rd9], 4; cp.async.wait_all;" GET, 1, 0}};

	TOLD(stories);
}

#define COPY   "cp.async.ca.shared.global [%r1], [%rd9], 4;"
#define COMMIT "cp.async.commit_group;"

TEST(asynchronous_copies)
{
	static const struct story stories[] = {
		{"its own copy is there after a wait",
		 COPY "cp.async.wait_all; ld.shared.u32 %r5, [%r1];", 0, 0},
		{"not before", COPY "ld.shared.u32 %r5, [%r1];", 1, 0},
		{"a barrier does not wait", COPY COMMIT MEET GET, 1, 0},
		{"a wait and a barrier", COPY COMMIT "cp.async.wait_group 0;" MEET GET, 0, 0},
		{"one group may be under way", COPY COMMIT "cp.async.wait_group 1;" MEET GET, 1, 0},
		{"and is another one", COPY COMMIT COMMIT "cp.async.wait_group 1;" MEET GET, 0, 0},
		{"one without a group", COPY "cp.async.wait_group 0;" MEET GET, 1, 0},
		{"one that is written over", COPY PUT, 1, 0},
		{"a write of its own", PUT COPY "cp.async.wait_all;" MEET GET, 0, 0}};

	TOLD(stories);
}

#define BEGIN_BULK                                                       \
	"@%p1 mbarrier.init.shared.b64 [b], 1; bar.sync 0; @!%p1 bra Y;" \
	"mbarrier.arrive.expect_tx.shared.b64 %rd1, [b], 256;" BULK "Y: bar.sync 0;"
#define BULK                                                                      \
	"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], " \
	"[%rd9], 256, [b];"
#define WAIT "L: mbarrier.test_wait.parity.shared.b64 %p4, [b], 0; @!%p4 bra L;"

TEST(bulk_copies)
{
	static const struct story stories[] = {
		{"somebody must wait", BEGIN_BULK GET, 1, 0},
		{"all do", BEGIN_BULK WAIT GET, 0, 0},
		{"one does, and a barrier is after it",
		 BEGIN_BULK "@!%p1 bra Z;" WAIT "Z: bar.sync 0;" GET, 0, 0},
		{"the second one must be waited for, too",
		 BEGIN_BULK WAIT "bar.sync 0; @!%p1 bra Z; mbarrier.arrive.expect_tx.shared.b64 "
				 "%rd1, [b], 256;" BULK "Z: bar.sync 0;" GET,
		 1, 0},
		{"a copy over another one", BEGIN_BULK "@!%p1 bra Z;" BULK "Z:", 1, 0}};

	TOLD(stories);
}

TEST(clusters)
{
	static const struct story stories[] = {
		{"nothing orders", PEERS PUT GET_PEER, 1, 2},
		{"their barrier does", PEERS PUT ARRIVE_ALL WAIT_ALL GET_PEER, 0, 2},
		{"not one of each block", PEERS PUT MEET GET_PEER, 1, 2},
		{"its own, of threads of one block", PEERS PUT MEET GET, 0, 2},
		{"not for the next turn", PEERS PUT ARRIVE_ALL WAIT_ALL GET_PEER PUT, 1, 2},
		{"nor what is written after the arrival", PEERS ARRIVE_ALL PUT WAIT_ALL GET_PEER, 1,
		 2},
		{"what is read before the wait", PEERS PUT ARRIVE_ALL GET_PEER WAIT_ALL, 1, 2},
		{"who waits late learns of its own phase",
		 PEERS "@!%p5 bra A;" ARRIVE_ALL WAIT_ALL PUT ARRIVE_ALL "bra Z; A:" ARRIVE_ALL
		       "mov.u32 %r6, 0; T: add.u32 %r6, %r6, 1; setp.lt.u32 %p6, %r6, 5000; @%p6 "
		       "bra T;" WAIT_ALL GET_PEER ARRIVE_ALL "Z:" WAIT_ALL,
		 1, 2},
		{"a relaxed arrival releases nothing", PEERS PUT ARRIVE_RELAXED WAIT_ALL GET_PEER,
		 1, 2},
		{"but for a fence",
		 PEERS PUT "fence.acq_rel.cluster;" ARRIVE_RELAXED WAIT_ALL GET_PEER, 0, 2},
		{"what the other block writes", PEERS PUT_PEER "ld.shared.u32 %r5, [%r1];", 1, 2},
		{"is there after the barrier",
		 PEERS PUT_PEER ARRIVE_ALL WAIT_ALL "ld.shared.u32 %r5, [%r1];", 0, 2},
		{"words of two blocks are two words", PEERS "@%p5 " PUT_PEER "@%p5 " PUT, 0, 2},
		{"atomics",
		 PEERS "red.shared::cluster.add.u32 [%r13], 1; red.shared.add.u32 [%r1], 1;", 0, 2},
		{"an atomic and a plain read",
		 PEERS "red.shared::cluster.add.u32 [%r13], 1; ld.shared.u32 %r5, [%r1];", 1, 2},
		{"a barrier in the memory of the other block",
		 PEERS INIT PUT_PEER "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
				     "[%r14]; L: mbarrier.try_wait.parity.shared.b64 %p6, [%r11], "
				     "0; @!%p6 bra L; ld.shared.u32 %r5, [%r1];",
		 0, 2},
		{"nobody waits for it",
		 PEERS INIT PUT_PEER "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
				     "[%r14]; ld.shared.u32 %r5, [%r1];",
		 1, 2}};

	TOLD(stories);
}

TEST(blocks_that_end)
{
	static const struct story stories[] = {
		{"what is read then may be gone", PEERS PUT ARRIVE_ALL WAIT_ALL GET_PEER, 1, 2},
		{"and what is written", PEERS PUT_PEER, 1, 2},
		{"they wait for each other",
		 PEERS PUT ARRIVE_ALL WAIT_ALL GET_PEER ARRIVE_ALL WAIT_ALL, 0, 2},
		{"one that arrives only does not",
		 PEERS "@%p5 bra A;" PUT_PEER "A:" ARRIVE_ALL "@!%p5 " WAIT_ALL, 1, 2},
		{"the one that is written waits",
		 PEERS "@%p5 bra A;" PUT_PEER "A:" ARRIVE_ALL "@%p5 " WAIT_ALL, 0, 2},
		{"its own memory", PEERS PUT "bar.sync 0;" GET, 0, 2},
		{"a barrier in its memory",
		 PEERS INIT
		 "@!%p5 bra B;" PUT_PEER
		 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r14];bra X; B: "
		 "L: mbarrier.try_wait.parity.shared.b64 %p6, [%r11], 0; @!%p6 bra L; X:",
		 0, 2}};

	ends_at_once = 1;
	TOLD(stories);
	ends_at_once = 0;
}

/* Of blocks of a cluster the finding has the one whose memory it is, and those of both threads. */
TEST(sides_in_clusters)
{
	static const struct story story = {
		"", PEERS "@!%p5 st.shared::cluster.u32 [%r13], 7; @%p5 ld.shared.u32 %r5, [%r1];",
		1, 2};
	struct exec_hazards found;
	const struct exec_hazard *h = &found.items[0];

	assert_int_equal(hazards_of(&story, &found), 1);
	assert_int_equal(h->side[0].block[0] + h->side[1].block[0], 1);
	assert_int_equal(h->owner[0], 0);
	assert_true(h->offset < 64 * 4 + 8);
	assert_int_equal(h->before + h->after, h->side[1].is_write ? 7 : 0);
}

/* A finding has both threads, which of them writes, the byte, and how often. */
TEST(sides)
{
	static const struct story story = {
		"", "@%p1 st.shared.u32 [s+8], %r9; @!%p2 ld.shared.u32 %r5, [s+8];", 1, 0};
	struct exec_hazards found;
	const struct exec_hazard *h = &found.items[0];

	assert_int_equal(hazards_of(&story, &found), 1);
	assert_true(h->side[0].is_write && !h->side[1].is_write);
	assert_int_equal(h->side[0].thread[0], 0);
	assert_int_equal(h->side[1].thread[0], 32);
	assert_int_equal(h->offset % 8, 0);
	assert_int_equal(h->count, 1 + 1); /* two lanes stand for all */
	assert_true(h->side[0].ptx_line != 0);
}

/* A volatile access is none of an atomic's. */
TEST(volatile_sides)
{
	static const struct story loads = {
		"", "@%p1 st.shared.u32 [s+8], %r9; @!%p2 ld.volatile.shared.u32 %r5, [s+8];", 1,
		0};
	static const struct story adds = {
		"", "@%p1 st.shared.u32 [s+8], %r9; @!%p2 atom.shared.add.u32 %r5, [s+8], 1;", 1,
		0};
	struct exec_hazards found;
	const struct exec_hazard *h = &found.items[0];

	assert_int_equal(hazards_of(&loads, &found), 1);
	assert_true(h->side[1].is_volatile && !h->side[0].is_volatile);
	assert_int_equal(hazards_of(&adds, &found), 1);
	assert_true(h->side[1].is_atomic && !h->side[1].is_volatile);
}

/* And what the second access found and left. */
TEST(values)
{
	static const struct story read = {
		"", "@%p1 st.shared.u32 [s+8], 7; @!%p2 ld.shared.u32 %r5, [s+8];", 1, 0};
	static const struct story write = {"",
					   "@%p1 ld.shared.u32 %r5, [s+8]; setp.eq.u32 %p4, %r9, "
					   "32; @%p4 st.shared.u16 [s+8], 5;",
					   1, 0};
	static const struct story pair = {
		"",
		"@%p1 st.shared.u32 [s], 5; setp.eq.u32 %p4, %r9, 32; @%p4 " PUT_ALL MEET
		"st.shared.u32 [s+4], 1; @%p1 " GET_ALL,
		1, 0};
	struct exec_hazards found;
	const struct exec_hazard *h = &found.items[0];

	assert_int_equal(hazards_of(&read, &found), 1);
	assert_int_equal(h->value_bytes, 4);
	assert_int_equal(h->before, 7);
	assert_int_equal(hazards_of(&write, &found), 1);
	assert_int_equal(h->value_bytes, 2);
	assert_int_equal(h->before, 0);
	assert_int_equal(h->after, 5);
	assert_int_equal(hazards_of(&pair, &found), 1);
	assert_true(h->side[0].is_write && h->side[1].is_write);
	assert_int_equal(h->side[0].thread[0] + h->side[1].thread[0], 32);
	assert_int_equal(h->before + h->after, 32 + 5);
}
