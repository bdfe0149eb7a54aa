/* The executor: what of the accesses of a launch's threads to global memory is a hazard, and what
 * is ordered, with scopes. */
#include "tests/unit/executor/executor_fixture.h"

#include <pthread.h>

#include "simulator/executor/hazard.h"

/* %r4: the block; %p1: thread 0 of the first block, %p2: thread 0 of the second one, %p3: thread 32
 * of the first one. The data is at %rd9, the flag at %rd8, far away. */
#define PLACES                                                                                    \
	"mov.u32 %r4, %ctaid.x; or.b32 %r5, %r4, %r9; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, " \
	"%r4, 1; setp.eq.and.u32 %p2, %r9, 0, %p2; xor.b32 %r6, %r9, 32; or.b32 %r6, %r6, %r4; "  \
	"setp.eq.u32 %p3, %r6, 0; add.u64 %rd8, %rd9, 256;"
#define PUT   "st.global.u32 [%rd9], 7;"
#define SET   "atom.global.exch.b32 %r7, [%rd8], 1;"
#define TAKE  "L: atom.global.exch.b32 %r7, [%rd8], 0; setp.eq.u32 %p4, %r7, 0; @%p4 bra L;"
#define GET   "ld.global.u32 %r7, [%rd9];"
#define FENCE "membar.gl;"

/* The first thread does this, and that other one (a predicate) the rest. */
#define BOTH(first, other, second) "@!%p1 bra O; " first "bra X; O: @!" other " bra X; " second "X:"

static uint32_t memory[1024];
static uint32_t cluster; /* blocks of one; 0: there are none */

struct story {
	const char *about, *body;
	uint32_t hazards; /* pairs of places */
};

static uint32_t hazards_of(const struct story *s, struct exec_hazards *found)
{
	struct device d = device_with(memory, sizeof(memory), 64);
	char body[4096];

	memset(memory, 0, sizeof(memory));
	*found = (struct exec_hazards){0};
	d.functions = ".shared .align 8 .b32 s[2];";
	d.grid[0] = 2;
	d.cluster[0] = cluster;
	d.hazards = found;
	snprintf(body, sizeof(body), "%s%s", PLACES, s->body);
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

/* The first thread's last access to the counter has taken place and is not yet compared when the
 * other one has read it and clears it. */
#define ADD   "atom.global.add.u32 %r7, [%rd8], 1;"
#define COUNT "L: ld.volatile.global.u32 %r8, [%rd9]; " ADD "setp.eq.u32 %p4, %r8, 0; @%p4 bra L;"
#define SEEN  "M: " ADD "setp.eq.u32 %p4, %r7, 0; @%p4 bra M;"
#define CLEAR "st.global.u32 [%rd8], 0;"
#define GO    "atom.global.exch.b32 %r7, [%rd9], 1;"

TEST(what_is_compared_late)
{
	static const struct story stories[] = {
		{"a counter is cleared by who read it last",
		 BOTH(FENCE COUNT, "%p2", SEEN CLEAR FENCE GO), 0},
		{"by who did not read it", BOTH(FENCE COUNT, "%p2", CLEAR FENCE GO), 1}};

	TOLD(stories);
}

TEST(flags)
{
	static const struct story stories[] = {
		{"nothing orders", BOTH(PUT, "%p2", GET), 1},
		{"a flag and a fence", BOTH(PUT FENCE SET, "%p2", TAKE GET), 0},
		{"a flag without one", BOTH(PUT SET, "%p2", TAKE GET), 1},
		{"one of a block's scope", BOTH(PUT "membar.cta;" SET, "%p2", TAKE GET), 1},
		{"that is enough in a block", BOTH(PUT "membar.cta;" SET, "%p3", TAKE GET), 0},
		{"a release",
		 BOTH(PUT "st.release.gpu.global.u32 [%rd8], 1;", "%p2",
		      "L: ld.acquire.gpu.global.u32 %r7, [%rd8]; setp.eq.u32 %p4, %r7, 0; @%p4 "
		      "bra L;" GET),
		 0},
		{"a plain store after a fence",
		 BOTH(PUT FENCE "st.global.u32 [%rd8], 1;", "%p2",
		      "L: ld.volatile.global.u32 %r7, [%rd8]; setp.eq.u32 %p4, %r7, 0; @%p4 bra "
		      "L;" GET),
		 1 /* the flag's own, a warning */},
		{"a read is over when the flag is set", BOTH(GET SET, "%p2", TAKE PUT), 0},
		{"not one after it", BOTH(SET GET, "%p2", TAKE PUT), 1}};

	TOLD(stories);
}

#define ENTER(label)                                                                              \
	label ": atom.global.cas.b32 %r7, [%rd8], 0, 1; setp.ne.u32 %p4, %r7, 0; @%p4 bra " label \
	      ";"
#define LEAVE "atom.global.exch.b32 %r7, [%rd8], 0;"

TEST(locks)
{
	static const struct story stories[] = {
		{"with fences",
		 BOTH(ENTER("A") FENCE PUT FENCE LEAVE, "%p2",
		      ENTER("B") FENCE "st.global.u32 [%rd9], 8;" FENCE LEAVE),
		 0},
		{"none after it was taken first",
		 BOTH(ENTER("A") PUT FENCE LEAVE, "%p2",
		      ENTER("B") FENCE "st.global.u32 [%rd9], 8;" FENCE LEAVE),
		 1},
		{"none after it was taken then",
		 BOTH(ENTER("A") FENCE PUT FENCE LEAVE, "%p2",
		      ENTER("B") "st.global.u32 [%rd9], 8;" FENCE LEAVE),
		 1},
		{"none before it is given back",
		 BOTH(ENTER("A") FENCE PUT LEAVE, "%p2",
		      ENTER("B") FENCE "st.global.u32 [%rd9], 8;" FENCE LEAVE),
		 1}};

	TOLD(stories);
}

/* A hazard has what the second access found and left. */
TEST(values)
{
	static const struct story stories[] = {
		{"", BOTH(PUT, "%p2", GET), 1},
		{"", BOTH(PUT, "%p2", "st.global.u32 [%rd9], 9;"), 1}};
	struct exec_hazards found;
	const struct exec_hazard *h = &found.items[0];

	hazards_of(&stories[0], &found);
	assert_int_equal(h->value_bytes, 4);
	assert_int_equal(h->before, 7);
	hazards_of(&stories[1], &found);
	assert_int_equal(h->before, 7);
	assert_int_equal(h->after, 9);
}

/* By shared memory: whoever reads the flag knows what was before, and what was known before that,
 * but not what came after. */
#define SET_SHARED  "atom.shared.exch.b32 %r7, [s], 1;"
#define TAKE_SHARED "M: atom.shared.exch.b32 %r7, [s], 0; setp.eq.u32 %p4, %r7, 0; @%p4 bra M;"

TEST(flags_in_shared_memory)
{
	static const struct story stories[] = {
		{"a flag", BOTH(PUT SET_SHARED, "%p3", TAKE_SHARED GET), 0},
		{"what comes after it", BOTH(SET_SHARED PUT, "%p3", TAKE_SHARED GET), 1},
		{"unless it is set again", BOTH(SET_SHARED PUT SET_SHARED, "%p3", TAKE_SHARED GET),
		 0},
		{"a read of it first", BOTH(GET SET_SHARED, "%p3", TAKE_SHARED PUT), 0},
		{"no order of another block", BOTH(PUT SET_SHARED, "%p2", SET_SHARED GET), 1},
		{"what another block said before",
		 "@!%p1 bra O; " PUT FENCE SET "bra X; O: @!%p2 bra P; " TAKE
		 "atom.shared.exch.b32 %r7, [s], 1; bra X; P: setp.eq.u32 %p5, %r4, 1; "
		 "setp.eq.and.u32 %p5, "
		 "%r9, 32, %p5; @!%p5 bra X; " TAKE_SHARED GET "X:",
		 0}};

	TOLD(stories);
}

TEST(accesses)
{
	static const struct story stories[] = {
		{"the same value", PUT, 0},
		{"another one", "st.global.u32 [%rd9], %r9;", 1},
		{"atomics", "atom.global.add.u32 %r7, [%rd9], 1;", 0},
		{"atomics of a block's scope", "atom.cta.global.add.u32 %r7, [%rd9], 1;", 1},
		{"in one block",
		 "@%p2 bra X; setp.eq.u32 %p5, %r4, 0; @%p5 atom.cta.global.add.u32 %r7, [%rd9], "
		 "1; X:",
		 0},
		{"an atomic and a read", BOTH("atom.global.add.u32 %r7, [%rd9], 1;", "%p2", GET),
		 1},
		{"a barrier", BOTH(PUT, "%p3", "") "bar.sync 0; @%p3 " GET, 0},
		{"it is not for other blocks", BOTH(PUT, "%p3", "") "bar.sync 0; @%p2 " GET, 1}};

	TOLD(stories);
}

#define THREADS 4

static void *work(void *job)
{
	struct exec_run *run = exec_run_new(job);

	while (run && exec_run_work(run) != EXEC_ENDED)
		;
	exec_run_free(run);
	return NULL;
}

static void launch_in_threads(struct device *d, const struct exec_launch *l)
{
	struct exec_job *job = exec_job_new(l);
	pthread_t thread[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, work, job), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	exec_job_free(job, &d->outcome);
}

/* Block after block adds to a word, in threads of their own, which ThreadSanitizer may look at. */
TEST(blocks_in_several_threads)
{
	struct device d = device_with(memory, sizeof(memory), 32);
	struct exec_hazards found = {0};

	memset(memory, 0, sizeof(memory));
	d.grid[0] = 64;
	d.launch = launch_in_threads;
	d.hazards = &found;
	device_runs(&d,
		    "atom.global.add.u32 %r7, [%rd9], 1; mov.u32 %r4, %ctaid.x; setp.ne.u32 %p1, "
		    "%r9, 0; @%p1 bra X; L: ld.acquire.gpu.global.u32 %r7, [%rd9+128];"
		    "setp.ne.u32 %p2, %r7, %r4; @%p2 bra L; ld.global.u32 %r8, [%rd9+256];"
		    "add.u32 %r8, %r8, %r4; st.global.u32 [%rd9+256], %r8; add.u32 %r7, %r7, 1;"
		    "st.release.gpu.global.u32 [%rd9+128], %r7; X:");
	assert_int_equal(memory[0], 64 * 32);
	assert_int_equal(memory[64], 63 * 64 / 2);
	assert_int_equal(found.count, 0);
}

/* Runs take several of many blocks at once: each runs once, and of two that fail the first one is
 * told, whichever thread has it. */
TEST(many_blocks_in_several_threads)
{
	struct device d = device_with(memory, sizeof(memory), 1);

	d.grid[0] = 5000;
	d.launch = launch_in_threads;
	for (unsigned i = 0; i < 20; i++) {
		memset(memory, 0, sizeof(memory));
		device_runs(&d, "atom.global.add.u32 %r7, [%rd9], 1;");
		assert_int_equal(memory[0], 5000);
		device_ends(&d,
			    "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p1, %r4, 1003; @%p1 trap;"
			    "setp.eq.u32 %p2, %r4, 1011; @%p2 trap;",
			    EXEC_TRAP);
		assert_int_equal(d.outcome.block[0], 1003);
	}
}

static unsigned begun_blocks(void)
{
	return memory[0] + memory[1] + memory[2] + memory[3];
}

static void launch_with_pauses(struct device *d, const struct exec_launch *l)
{
	struct exec_job *job = exec_job_new(l);
	struct exec_run *run = exec_run_new(job);

	exec_job_pause(job, 1);
	assert_int_equal(exec_run_work(run), EXEC_LOOPS);
	assert_int_equal(begun_blocks(), 1);
	exec_job_pause(job, 0);
	assert_int_equal(exec_run_work(run), EXEC_LOOPS);
	assert_true(begun_blocks() > 1);
	while (exec_run_work(run) != EXEC_ENDED)
		;
	exec_run_free(run);
	exec_job_free(job, &d->outcome);
}

/* Who waits for a run waits for one block's turn, not for that of each of them. */
TEST(a_run_comes_back_while_the_job_pauses)
{
	struct device d = device_with(memory, sizeof(memory), 1);

	memset(memory, 0, sizeof(memory));
	d.grid[0] = 4;
	d.launch = launch_with_pauses;
	device_runs(&d,
		    "mov.u32 %r4, %ctaid.x; mul.wide.u32 %rd8, %r4, 4; add.u64 %rd9, %rd9, %rd8;"
		    "mov.u32 %r7, 1; st.global.u32 [%rd9], %r7; mov.u32 %r8, 0;"
		    "L: add.u32 %r8, %r8, 1; setp.lt.u32 %p2, %r8, 3000000; @%p2 bra L;");
	assert_int_equal(begun_blocks(), 4);
}

/* All blocks leave the same number: where two of them find the old one, each has changed it, and
 * still nothing depends on which of them is first. */
TEST(same_values_in_several_threads)
{
	struct device d = device_with(memory, sizeof(memory), 32);
	struct exec_hazards found = {0};

	d.grid[0] = 8;
	d.launch = launch_in_threads;
	d.hazards = &found;
	for (unsigned i = 0; i < 50; i++) {
		memset(memory, 0, sizeof(memory));
		device_runs(&d, "add.u64 %rd8, %rd9, 4096; L: st.global.u32 [%rd9], 7;"
				"add.u64 %rd9, %rd9, 4; setp.lt.u64 %p1, %rd9, %rd8; @%p1 bra L;");
		assert_int_equal(found.count, 0);
	}
	assert_int_equal(memory[1023], 7);
}

#define MEET_ALL "barrier.cluster.arrive; barrier.cluster.wait;"

/* Blocks of a cluster have its barrier, and each other's words in shared memory. */
TEST(clusters)
{
	static const struct story in_others[] = {
		{"a fence of the cluster's scope is not enough for others",
		 BOTH(PUT "fence.acq_rel.cluster;" SET, "%p2", TAKE GET), 1},
		{"a wider one is", BOTH(PUT FENCE SET, "%p2", TAKE GET), 0}};
	static const struct story stories[] = {
		{"nothing orders", BOTH(PUT, "%p2", GET), 1},
		{"their barrier does", "@%p1 " PUT MEET_ALL "@%p2 " GET, 0},
		{"nor does one of each block", "@%p1 " PUT "bar.sync 0;@%p2 " GET, 1},
		{"a relaxed arrival does not",
		 "@%p1 " PUT "barrier.cluster.arrive.relaxed; barrier.cluster.wait; @%p2 " GET, 1},
		{"but for a fence",
		 "@%p1 " PUT "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; "
		 "barrier.cluster.wait; @%p2 " GET,
		 0},
		{"a fence of the cluster's scope",
		 BOTH(PUT "fence.acq_rel.cluster; st.relaxed.cluster.global.u32 [%rd8], 1;", "%p2",
		      "L: ld.acquire.cluster.global.u32 %r7, [%rd8]; setp.eq.u32 %p4, %r7, 0; "
		      "@%p4 bra L;" GET),
		 0},
		{"a word in the other block's memory",
		 "mov.u32 %r10, s; xor.b32 %r11, %r4, 1; mapa.shared::cluster.u32 %r11, %r10, "
		 "%r11;" MEET_ALL BOTH(PUT "atom.release.cluster.shared::cluster.exch.b32 %r7, "
					   "[%r11], 1;",
				       "%p2",
				       "L: ld.acquire.cluster.shared.u32 %r7, [%r10]; setp.eq.u32 "
				       "%p4, %r7, 0; @%p4 bra L;" GET) MEET_ALL,
		 0},
		{"a word in its own is another one",
		 "mov.u32 %r10, s; " BOTH(PUT "atom.release.cta.shared.exch.b32 %r7, [%r10], 1;",
					  "%p2",
					  "atom.acquire.cta.shared.exch.b32 %r7, [%r10], 1;" GET),
		 1}};

	cluster = 2;
	TOLD(stories);
	cluster = 1;
	TOLD(in_others);
	cluster = 0;
}
