/* The executor: blocks of a cluster, their barrier, and what they do to each other's shared memory.
 */
#include "tests/unit/executor/executor_fixture.h"

#define BLOCKS 8

static uint32_t memory[4096];

/* Eight blocks in clusters of so many. */
static struct device device(uint32_t threads, uint32_t cluster)
{
	struct device d = device_with(memory, sizeof(memory), threads);

	memset(memory, 0, sizeof(memory));
	d.grid[0] = BLOCKS;
	d.cluster[0] = cluster;
	d.cluster[1] = d.cluster[2] = cluster ? 1 : 0;
	d.shared_bytes = 256;
	return d;
}

#define AT_BLOCK                                                                      \
	"mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %rd9, %rd1;" \
	"mov.u32 %r2, %cluster_ctarank; mov.u32 %r3, %cluster_nctarank;"

TEST(places)
{
	struct device d = device(1, 4);

	device_runs(&d, AT_BLOCK "mov.u32 %r4, %clusterid.x; mad.lo.u32 %r4, %r4, 10, %r2;"
				 "mad.lo.u32 %r4, %r3, 100, %r4; mov.u32 %r5, %nclusterid.x;"
				 "mad.lo.u32 %r4, %r5, 1000, %r4;"
				 "mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r4, %r4, 10000;"
				 "st.global.u32 [%rd1], %r4;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], 12400 + i / 4 * 10 + i % 4);
}

/* Without clusters each block is one of its own, that nobody asked for. */
TEST(no_clusters)
{
	struct device d = device(1, 0);

	device_runs(&d, AT_BLOCK "mov.u32 %r4, %clusterid.x; mad.lo.u32 %r4, %r3, 100, %r4;"
				 "mov.pred %p1, %is_explicit_cluster; @%p1 add.u32 %r4, %r4, 10000;"
				 "barrier.cluster.arrive; barrier.cluster.wait;"
				 "st.global.u32 [%rd1], %r4;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], 100 + i);
}

/* Each block writes to the next one, by a shared and by a generic address. */
TEST(other_blocks_memory)
{
	struct device d = device(1, 8);

	device_runs(
		&d, AT_BLOCK
		"add.u32 %r4, %r2, 1; rem.u32 %r4, %r4, %r3; mov.u32 %r5, 16;"
		"mapa.shared::cluster.u32 %r6, %r5, %r4; st.shared::cluster.u32 [%r6], %r2;"
		"mov.u64 %rd2, 32; cvta.shared.u64 %rd2, %rd2; mapa.u64 %rd3, %rd2, %r4;"
		"atom.add.u32 %r8, [%rd3+4], 7; getctarank.u64 %r7, %rd3;"
		"getctarank.shared::cluster.u32 %r8, %r6;"
		"barrier.cluster.arrive.release; barrier.cluster.wait.acquire;"
		"ld.shared.u32 %r6, [16]; ld.shared.u32 %r5, [36]; mad.lo.u32 %r6, %r6, 10, %r5;"
		"mad.lo.u32 %r6, %r7, 1000, %r6; mad.lo.u32 %r6, %r8, 10000, %r6;"
		"st.global.u32 [%rd1], %r6;");
	for (uint32_t i = 0; i < BLOCKS; i++) {
		uint32_t next = (i + 1) % BLOCKS, before = (i + BLOCKS - 1) % BLOCKS;

		assert_int_equal(memory[i], next * 11000 + before * 10 + 7);
	}
}

TEST(which_shared_memory)
{
	struct device d = device(1, 2);

	device_runs(&d, AT_BLOCK "mov.u64 %rd2, 32; cvta.shared.u64 %rd2, %rd2; mov.u32 %r4, 1;"
				 "mapa.u64 %rd3, %rd2, %r4; isspacep.shared::cta %p1, %rd3;"
				 "selp.u32 %r5, 1, 0, %p1; isspacep.shared::cluster %p1, %rd3;"
				 "@%p1 add.u32 %r5, %r5, 10; isspacep.global %p1, %rd3;"
				 "@%p1 add.u32 %r5, %r5, 100; st.global.u32 [%rd1], %r5;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], 10 + i % 2);
}

/* Work between arriving and waiting; threads that have exited are not waited for. */
TEST(barrier_in_halves)
{
	struct device d = device(64, 4);

	device_runs(
		&d, AT_BLOCK
		"setp.gt.u32 %p1, %r9, 50; @%p1 exit; setp.ne.u32 %p2, %r9, 0;"
		"mov.u32 %r4, 8; mov.u32 %r5, 0; mapa.shared::cluster.u32 %r6, %r4, %r5;"
		"red.shared::cluster.add.u32 [%r6], 1; barrier.cluster.arrive;"
		"add.u32 %r7, %r2, 1; barrier.cluster.wait;"
		"ld.shared::cluster.u32 %r8, [%r6]; barrier.cluster.arrive; barrier.cluster.wait;"
		"mad.lo.u32 %r8, %r8, 10, %r7; @!%p2 st.global.u32 [%rd1], %r8;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], 4 * 51 * 10 + i % 4 + 1);
}

/* A store that a barrier in the other block counts, and a sum there. */
TEST(counted_stores)
{
	struct device d = device(1, 2);

	device_runs(&d, AT_BLOCK
		    "mbarrier.init.shared.b64 [0], 1; fence.mbarrier_init.release.cluster;"
		    "barrier.cluster.arrive; barrier.cluster.wait; xor.b32 %r4, %r2, 1;"
		    "mov.u32 %r5, 0; mapa.shared::cluster.u32 %r5, %r5, %r4; add.u32 %r6, %r5, 64;"
		    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [0], 20; add.u32 %r7, %r1, 100;"
		    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r6+16],"
		    "{%r7, 1, 2, 3}, [%r5];"
		    "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"
		    "[%r6], %r7, [%r5];"
		    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [0], 0; @!%p2 bra WAIT;"
		    "ld.shared.u32 %r7, [64]; ld.shared.v2.u32 {%r8, %r6}, [80];"
		    "mad.lo.u32 %r7, %r7, 1000, %r8; mad.lo.u32 %r7, %r6, 1000000, %r7;"
		    "barrier.cluster.arrive; barrier.cluster.wait; st.global.u32 [%rd1], %r7;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], 1000000 + (100 + (i ^ 1)) * 1001);
}

/* One bulk copy for the blocks whose bits are set, and the barrier of each. */
TEST(copies_to_many)
{
	struct device d = device(1, 4);

	for (uint32_t i = 0; i < 64; i++)
		memory[1024 + i] = 500 + i;
	device_runs(&d, AT_BLOCK
		    "mbarrier.init.shared.b64 [0], 1; setp.ne.u32 %p1, %r2, 2;"
		    "setp.eq.u32 %p2, %r2, 0; mov.b16 %h1, 11;"
		    "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [0], 32;"
		    "barrier.cluster.arrive; barrier.cluster.wait; mov.u32 %r4, 0;"
		    "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
		    ".multicast::cluster [%r4+32], [%rd9+4096], 32, [%r4], %h1;"
		    "@!%p1 bra END;"
		    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [0], 0; @!%p2 bra WAIT;"
		    "END: ld.shared.u32 %r5, [36]; st.global.u32 [%rd1], %r5;"
		    "barrier.cluster.arrive; barrier.cluster.wait;");
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_int_equal(memory[i], i % 4 == 2 ? 0 : 501);
}

TEST(failures)
{
	struct device d = device(1, 4);

	/* A rank that the cluster does not have, and bytes beyond another block's memory. */
	device_ends(&d,
		    "mov.u32 %r1, 0; mapa.shared::cluster.u32 %r2, %r1, 4;"
		    "st.shared::cluster.u32 [%r2], 1;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d,
		    "mov.u32 %r1, 256; mapa.shared::cluster.u32 %r2, %r1, 1;"
		    "st.shared::cluster.u32 [%r2], 1;",
		    EXEC_ILLEGAL_ADDRESS);
	device_ends(&d,
		    "mov.u32 %r1, 0; mapa.shared::cluster.u32 %r2, %r1, -1;"
		    "ld.shared::cluster.u32 %r3, [%r2];",
		    EXEC_ILLEGAL_ADDRESS);
	/* One block waits for ever; the others never arrive. */
	device_ends(&d,
		    "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 3;"
		    "@%p1 barrier.cluster.arrive; @%p1 barrier.cluster.wait;"
		    "@!%p1 bar.sync 0, 64;",
		    EXEC_NEVER_ENDS);
	/* A block fails while others wait for it. */
	device_ends(&d,
		    "mov.u32 %r1, %cluster_ctarank; setp.eq.u32 %p1, %r1, 3; @%p1 trap;"
		    "barrier.cluster.arrive; barrier.cluster.wait;",
		    EXEC_TRAP);
	assert_int_equal(d.outcome.block[0], 3);
}
