/* Footprints of single PTX kernels: the instructions that the test machine does not run. */
#include <stdbool.h>
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "footprint/footprint.h"

#define HEAD                                                                              \
	".version 9.0\n.target sm_90\n.address_size 64\n"                                 \
	".visible .entry k(.param .u64 .ptr .global a, .param .u64 .ptr .global b, "      \
	".param .u32 n)\n{\n.reg .b64 %a, %b, %d<4>; .reg .b32 %r<8>; .reg .pred %p<4>; " \
	".reg .f32 %f<16>;\n"                                                             \
	"ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u32 %r0, [n];\n"            \
	"mov.u32 %r1, %tid.x; mul.wide.u32 %d0, %r1, 4; add.s64 %d1, %a, %d0;\n"
#define TAIL "\nret;\n}\n"

struct image {
	uint64_t a, b;
	uint32_t n;
};

static struct sc_footprint_module *module;

static struct sc_footprint analyse_image(const char *text, const struct image *image)
{
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {32, 1, 1}, .param_bytes = 20, .params = image};

	sc_footprint_free(module);
	module = sc_footprint_parse(text, strlen(text));
	assert_int_equal(sc_footprint_problems(module), 0);
	assert_int_equal(sc_footprint_kernel_count(module), 1);
	return sc_footprint_of(sc_footprint_find(module, "k"), &launch);
}

static struct sc_footprint analyse(const char *text)
{
	static const struct image image = {0x7000000000, 0x8000000000, 100};

	return analyse_image(text, &image);
}

static int teardown(void **state)
{
	(void)state;
	sc_footprint_free(module);
	module = NULL;
	return 0;
}

static void expect_one(const char *body, uint32_t base, unsigned mode, int64_t offset,
		       uint64_t width)
{
	char text[4096];
	struct sc_footprint f;

	snprintf(text, sizeof(text), "%s%s%s", HEAD, body, TAIL);
	f = analyse(text);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].base_kind, SC_BASE_PARAMETER);
	assert_int_equal(f.ranges[0].base, base);
	assert_int_equal(f.ranges[0].mode, mode);
	assert_int_equal(f.ranges[0].offset, offset);
	assert_int_equal(f.ranges[0].width, width);
	assert_int_equal(f.ranges[0].reason, SC_REASON_NONE);
}

static void expect_unknown(const char *body, unsigned mode, unsigned reason)
{
	char text[4096];
	struct sc_footprint f;

	snprintf(text, sizeof(text), "%s%s%s", HEAD, body, TAIL);
	f = analyse(text);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].base_kind, SC_BASE_UNKNOWN);
	assert_int_equal(f.ranges[0].mode, mode);
	assert_int_equal(f.ranges[0].reason, reason);
	assert_false(f.is_exact);
}

static void expect_nothing(const char *body)
{
	char text[4096];

	snprintf(text, sizeof(text), "%s%s%s", HEAD, body, TAIL);
	assert_int_equal(analyse(text).count, 0);
}

ALL_TESTS(NULL, teardown)

TEST(plain_loads_and_stores)
{
	expect_one("ld.global.nc.L1::no_allocate.L2::128B.f32 %f0, [%d1];", 0, SC_FOOTPRINT_READ, 0,
		   128);
	expect_one("ld.volatile.u32 %r2, [%d1+-4];", 0,
		   SC_FOOTPRINT_READ | SC_FOOTPRINT_IN_ONE_PIECE | SC_FOOTPRINT_STRONG, -4, 128);
	expect_one("ld.acquire.gpu.global.u32 %r2, [%b];", 8,
		   SC_FOOTPRINT_READ | SC_FOOTPRINT_IN_ONE_PIECE, 0, 4);
	expect_one("ld.relaxed.cta.global.u32 %r2, [%b];", 8, SC_FOOTPRINT_READ, 0, 4);
	expect_one("st.release.sys.global.u32 [%b+16], %r1;", 8,
		   SC_FOOTPRINT_WRITE | SC_FOOTPRINT_STRONG, 16, 4);
	expect_one("st.global.v4.f32 [%a], {%f0, %f1, %f2, %f3};", 0, SC_FOOTPRINT_WRITE, 0, 16);
	expect_one("ld.global.v8.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, [%a];", 0,
		   SC_FOOTPRINT_READ, 0, 32);
}

/* used_bytes_mask: of a vector load some bytes only are used. Of a pragma that is not known nobody
 * knows what it changes. */
TEST(pragmas)
{
	expect_one(".pragma \"nounroll\"; ld.global.u32 %r2, [%b];", 8, SC_FOOTPRINT_READ, 0, 4);
	expect_one(".pragma \"used_bytes_mask 0xff0\";\n"
		   "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%b];",
		   8, SC_FOOTPRINT_READ, 4, 8);
	expect_one(".pragma \"used_bytes_mask 4080\"; ld.shared.f32 %f0, [%r2];\n"
		   "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%b];",
		   8, SC_FOOTPRINT_READ, 0, 16);
	expect_unknown(".pragma \"odd\"; ld.global.u32 %r2, [%b];",
		       SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE, SC_REASON_INSTRUCTION);
	expect_unknown(".odd 1; ld.global.u32 %r2, [%b];", SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE,
		       SC_REASON_INSTRUCTION);
}

TEST(atomics_are_a_mode_of_their_own)
{
	expect_one("atom.global.add.u32 %r2, [%d1], 1;", 0, SC_FOOTPRINT_ATOMIC, 0, 128);
	expect_one("red.relaxed.gpu.global.add.f32 [%b], %f0;", 8, SC_FOOTPRINT_ATOMIC, 0, 4);
	expect_one("atom.global.cas.b64 %d2, [%b], %d0, %d1;", 8,
		   SC_FOOTPRINT_ATOMIC | SC_FOOTPRINT_SWAP, 0, 8);
	expect_one("red.global.add.noftz.v2.f32 [%b], {%f0, %f1};", 8, SC_FOOTPRINT_ATOMIC, 0, 8);
}

TEST(asynchronous_copies_touch_their_global_side)
{
	expect_one("cp.async.ca.shared.global [%r2], [%d1], 4;", 0, SC_FOOTPRINT_READ, 0, 128);
	expect_one("cp.async.cg.shared.global [%r2], [%b], 16, 12;", 8, SC_FOOTPRINT_READ, 0, 12);
	expect_one("cp.async.cg.shared.global.L2::cache_hint [%r2], [%b], 16, %d3;", 8,
		   SC_FOOTPRINT_READ, 0, 16);
	expect_one("setp.lt.u32 %p0, %r1, 8; selp.b32 %r3, 4, 0, %p0;\n"
		   "cp.async.ca.shared.global [%r2], [%d1], 4, %r3;",
		   0, SC_FOOTPRINT_READ, 0, 32);
	expect_one("setp.ge.u32 %p0, %r1, 8; cp.async.ca.shared.global [%r2], [%d1], 4, %p0;", 0,
		   SC_FOOTPRINT_READ, 0, 32);
	expect_one("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%b], "
		   "256, [%r3];",
		   8, SC_FOOTPRINT_READ, 0, 256);
	expect_one("cp.async.bulk.global.shared::cta.bulk_group [%b], [%r2], 64;", 8,
		   SC_FOOTPRINT_WRITE, 0, 64);
	expect_one("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%b], [%r2], 64;", 8,
		   SC_FOOTPRINT_ATOMIC, 0, 64);
	expect_nothing("cp.async.commit_group; cp.async.wait_group 0; cp.async.wait_all;");
	expect_nothing("cp.async.bulk.prefetch.L2.global [%b], 256;");
}

/* A mask or a margin leaves bytes out: the others are touched at most. */
TEST(copies_that_leave_bytes_out)
{
	static const char *const bodies[] = {
		"cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%a], [%r2], 64, %h0;",
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob "
		"[%r2], [%a], 64, %r3, %r4, [%r5];"};

	for (size_t i = 0; i < 2; i++) {
		char text[4096];
		struct sc_footprint f;

		snprintf(text, sizeof(text), "%s.reg .b16 %%h0; %s%s", HEAD, bodies[i], TAIL);
		f = analyse(text);
		assert_int_equal(f.count, 1);
		assert_int_equal(f.ranges[0].mode, i ? SC_FOOTPRINT_READ : SC_FOOTPRINT_WRITE);
		assert_int_equal(f.ranges[0].base_kind, SC_BASE_PARAMETER);
		assert_int_equal(f.ranges[0].width, 64);
		assert_int_equal(f.ranges[0].reason, SC_REASON_SIZE);
		assert_false(f.is_exact);
	}
}

/* Of an access with a part that nobody knows, nobody knows the bytes. */
TEST(accesses_with_unknown_parts)
{
	expect_unknown("ld.global.mirrored.u32 %r2, [%b];", SC_FOOTPRINT_READ,
		       SC_REASON_INSTRUCTION);
	expect_unknown("st.global.mirrored.u32 [%b], %r1;", SC_FOOTPRINT_WRITE,
		       SC_REASON_INSTRUCTION);
	expect_unknown("red.global.mirrored.add.u32 [%b], %r1;", SC_FOOTPRINT_ATOMIC,
		       SC_REASON_INSTRUCTION);
	expect_unknown("cp.async.bulk.global.shared::cta.mirrored [%a], [%r2], 64;",
		       SC_FOOTPRINT_WRITE, SC_REASON_INSTRUCTION);
	expect_nothing("ld.shared.mirrored.u32 %r2, [%r3];");
}

/* Instructions of PTX 9.1 to 9.5. */
TEST(newer_instructions)
{
	expect_one("ld.global.u32.proxy::readonly %r2, [%b];", 8, SC_FOOTPRINT_READ, 0, 4);
	expect_one("red.global.add.noftz.f32 [%b], %f0;", 8, SC_FOOTPRINT_ATOMIC, 0, 4);
	expect_one("tensormap.query.alloc_class_large.global.b1024 %p0, [%b];", 8,
		   SC_FOOTPRINT_READ, 0, 128);
	expect_unknown("fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes"
		       ".mbarrier::report::fabric.relaxed.sys.b128 [%r2], [%r3, %d0], %r4, [%r5];",
		       SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE, SC_REASON_INSTRUCTION);
	expect_nothing("applypriority.async.bulk.global.bulk_group.L2::evict_normal [%b], %r2;");
	expect_nothing("fabric.submit;");
}

#define STORE(id)          \
	"mov.u32 %r2, " id \
	"; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %a, %d2; st.global.u32 [%d3], %r2;"

/* One word for each block, or cluster; of three. */
static struct sc_footprint analyse_grid(const char *variable, const char *directives,
					const char *body)
{
	struct sc_footprint_launch launch = {
		.grid = {3, 1, 1},
		.block = {1, 1, 1},
		.param_bytes = 20,
		.params = &(struct image){0x7000000000, 0x8000000000, 100}};
	char text[4096];

	snprintf(text, sizeof(text),
		 ".version 9.5\n.target sm_90\n.address_size 64\n%s\n"
		 ".visible .entry k(.param .u64 .ptr .global a)\n%s\n{\n"
		 ".reg .b64 %%a, %%d<4>; .reg .b32 %%r<8>;\nld.param.u64 %%a, [a];\n%s%s",
		 variable, directives, body, TAIL);
	sc_footprint_free(module);
	module = sc_footprint_parse(text, strlen(text));
	assert_int_equal(sc_footprint_problems(module), 0);
	return sc_footprint_of(sc_footprint_find(module, "k"), &launch);
}

/* Launches of kernels of Tile IR count their tiles, which are clusters; those of other kernels
 * count blocks, in clusters of a size that only the launch says, unless a directive says that it
 * counts clusters. */
TEST(numbers_of_clusters)
{
	static const char tile[] =
		".visible .global .align 8 .b8 ___NV_TILE_LAUNCH_META_DATA___[64];";
	static const char named[] = ".reqnctapercluster 2";
	static const char counted[] = ".blocksareclusters .reqntid 32 .reqnctapercluster 2, 1, 1";

	assert_true(analyse_grid("", "", STORE("%ctaid.x")).is_exact);
	assert_false(analyse_grid("", "", STORE("%clusterid.x")).is_exact);
	assert_true(analyse_grid(tile, "", STORE("%clusterid.x")).is_exact);
	assert_int_equal(analyse_grid(tile, "", STORE("%clusterid.x")).ranges[0].width, 12);
	assert_int_equal(analyse_grid(tile, ".reqntid 64, 2", STORE("%tid.x")).ranges[0].width,
			 256);
	assert_int_equal(analyse_grid("", ".reqntid 64", STORE("%tid.x")).ranges[0].width, 4);
	assert_false(analyse_grid(tile, named, STORE("%clusterid.x")).is_exact);
	assert_true(analyse_grid("", named, STORE("%ctaid.x")).is_exact);
	assert_true(analyse_grid("", counted, STORE("%clusterid.x")).is_exact);
	assert_false(analyse_grid("", counted, STORE("%ctaid.x")).is_exact);
	assert_false(analyse_grid("", counted, STORE("%nctaid.x")).is_exact);
	assert_true(analyse_grid("", counted, STORE("%nclusterid.x")).is_exact);
}

/* What writes all copies of the memory is no atomic operation. */
TEST(a_multicast_copy_writes)
{
	char text[4096];
	struct sc_footprint f;

	snprintf(text, sizeof(text), "%s%s%s", HEAD,
		 "multimem.cp.async.bulk.global.shared::cta.bulk_group [%a], [%r2], 64;", TAIL);
	f = analyse(text);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].mode, SC_FOOTPRINT_WRITE);
	assert_int_equal(f.ranges[0].reason, SC_REASON_MULTICAST);
}

TEST(what_is_not_global_does_not_count)
{
	expect_nothing("ld.shared.u32 %r2, [%r3]; st.local.u32 [%r3], %r2;");
	expect_nothing("mbarrier.arrive.shared::cta.b64 %d2, [%r3];");
	expect_nothing("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r2,%r3,%r4,%r5}, [%r6];");
	expect_nothing("prefetch.global.L2 [%a]; prefetchu.L1 [%a];");
	expect_nothing("membar.gl; bar.sync 0; griddepcontrol.wait;");
}

TEST(handles_and_maps_are_unknown)
{
	expect_unknown("xor.b64 %d2, %a, %b; tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%d2, {%r1}];",
		       SC_FOOTPRINT_TEXTURE | SC_FOOTPRINT_READ, SC_REASON_TEXTURE);
	expect_unknown("sust.b.1d.b32.trap [%d1, {%r1}], {%r2};",
		       SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_WRITE, SC_REASON_TEXTURE);
	expect_unknown("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::"
		       "bytes [%r2], [%a, {%r3, %r4}], [%r5];",
		       SC_FOOTPRINT_READ, SC_REASON_TENSOR_MAP);
}

TEST(handles_among_the_parameters_are_bases)
{
	expect_one("tex.1d.v4.f32.s32 {%f0,%f1,%f2,%f3}, [%a, {%r1}];", 0,
		   SC_FOOTPRINT_TEXTURE | SC_FOOTPRINT_READ, 0, 1);
	expect_one("sust.b.1d.b32.trap [%b, {%r1}], {%r2};", 8,
		   SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_WRITE, 0, 1);
	expect_one("sured.b.add.1d.u32.trap [%b, {%r1}], %r2;", 8,
		   SC_FOOTPRINT_SURFACE | SC_FOOTPRINT_ATOMIC, 0, 1);
}

TEST(unknown_things_degrade_one_access)
{
	expect_unknown("frobnicate.global.u32 %r2, [%a];", SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE,
		       SC_REASON_INSTRUCTION);
	expect_nothing("frobnicate.u32 %r2, %r3;");
	expect_unknown("call.uni (%r2), %d3, (%r1), proto;", SC_FOOTPRINT_READ | SC_FOOTPRINT_WRITE,
		       SC_REASON_CALL);
	expect_unknown("shl.b64 %d2, %d1, 1; xor.b64 %d2, %d2, %d3; st.global.u32 [%d2], %r1;",
		       SC_FOOTPRINT_WRITE, SC_REASON_POINTER);
	expect_unknown("ld.shared.u64 %d2, [%r2]; st.global.u32 [%d2], %r1;", SC_FOOTPRINT_WRITE,
		       SC_REASON_POINTER);
}

TEST(a_kernel_may_be_empty)
{
	assert_int_equal(
		analyse(".version 9.0\n.target sm_90\n.visible .entry k()\n{\nret;\n}\n").count, 0);
	assert_int_equal(analyse(".version 9.0\n.target sm_90\n.visible .entry k()\n{\n}\n").count,
			 0);
}

/* Beside something unknown, the other accesses of the kernel stay what they are. */
TEST(the_others_stay_known)
{
	static const char *const bodies[] = {
		HEAD "call.uni (%r2), %d3, (%r1), proto;\nst.global.u32 [%b], %r1;" TAIL,
		HEAD "frobnicate.global.u32 %r2, [%a];\nst.global.u32 [%b], %r1;" TAIL,
		HEAD "{ // begin inline asm\nfrobnicate.b64 %d2, %a;\n// end inline asm\n}\n"
		     "st.global.u32 [%d2], %r1; st.global.u32 [%b], %r1;" TAIL,
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		struct sc_footprint f = analyse(bodies[i]);
		unsigned known = 0;

		assert_int_equal(f.count, 2);
		assert_false(f.is_exact);
		for (size_t k = 0; k < f.count; k++) {
			known += f.ranges[k].base_kind == SC_BASE_PARAMETER &&
				 f.ranges[k].base == 8 && f.ranges[k].width == 4 &&
				 f.ranges[k].reason == SC_REASON_NONE;
		}
		assert_int_equal(known, 1);
	}
}

TEST(matrix_fragments_are_rows)
{
	struct sc_footprint f = analyse(HEAD "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
					     "{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%a], %r0;" TAIL);

	assert_int_equal(f.count, 1);
	assert_true(f.is_exact);
	assert_int_equal(f.ranges[0].width, 32);
	assert_int_equal(f.ranges[0].rows, 16);
	assert_int_equal(f.ranges[0].pitch, 200);
}

TEST(blocks_may_declare_names_again)
{
	expect_one("{ .reg .b64 %d1; .reg .pred p; setp.eq.u32 p, %r1, 3; mov.u64 %d1, %b;\n"
		   "@p st.global.u32 [%d1+4], %r1; }",
		   8, SC_FOOTPRINT_WRITE, 4, 4);
	expect_one("{ bra L; L: }\n{ bra L; L: st.global.u8 [%b], %r1; }", 8, SC_FOOTPRINT_WRITE, 0,
		   1);
}

TEST(an_indexed_branch_is_anything)
{
	struct sc_footprint f = analyse(
		HEAD "t: .branchtargets L0, L1;\nbrx.idx.uni %r0, t;\nL0: st.global.u32 [%a], %r1; "
		     "bra E;\nL1: st.global.u32 [%b], %r1;\nE:" TAIL);

	assert_int_equal(f.count, 2);
	assert_false(f.is_exact);
	assert_int_equal(f.ranges[0].width, 4);
	assert_int_equal(f.ranges[1].base, 8);
}

TEST(a_pointer_counts_only_where_it_is_tested)
{
	static const char text[] = HEAD "and.b64 %d2, %b, 15; setp.ne.u64 %p0, %d2, 0;\n"
					"@%p0 st.global.u32 [%a], %r1;" TAIL;
	static const struct image aligned = {0x7000000000, 0x8000000000, 0};
	static const struct image skewed = {0x7000000000, 0x8000000004, 0};

	assert_int_equal(analyse_image(text, &aligned).count, 0);
	assert_int_equal(analyse_image(text, &skewed).count, 1);
}

TEST(a_launch_is_looked_up_by_what_matters)
{
	struct image image = {0x7000000000, 0x8000000000, 50};
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {64, 1, 1}, .param_bytes = 20, .params = &image};
	struct sc_footprint_kernel *k;
	struct sc_footprint first, second;

	analyse(HEAD "setp.ge.u32 %p0, %r1, %r0; @%p0 ret; st.global.u32 [%d1], %r1;" TAIL);
	k = sc_footprint_find(module, "k");
	first = sc_footprint_of(k, &launch);
	assert_int_equal(first.ranges[0].width, 200);
	image.a += 0x1000;
	second = sc_footprint_of(k, &launch);
	assert_ptr_equal(first.ranges, second.ranges);
	image.n = 30;
	second = sc_footprint_of(k, &launch);
	assert_int_equal(second.ranges[0].width, 120);
	launch.block[0] = 16;
	assert_int_equal(sc_footprint_of(k, &launch).ranges[0].width, 64);
}

/* Parameters that no compiler declared to be pointers. */
#define BARE                                                                                      \
	".version 9.0\n.target sm_90\n.address_size 64\n"                                         \
	".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n.reg .b64 %a, %b, "   \
	"%d<4>; .reg .b32 %r<8>; .reg .pred %p<4>;\nld.param.u64 %a, [a]; ld.param.u64 %b, [b]; " \
	"mov.u32 %r1, %tid.x; mul.wide.u32 %d0, %r1, 4; add.s64 %d1, %a, %d0;\n"

/* True if a launch with these parameters is found in the cache of one with `first`. */
static bool is_known_after(const char *text, const struct image *first, const struct image *second)
{
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {32, 1, 1}, .param_bytes = 20, .params = second};
	struct sc_footprint f = analyse_image(text, first);

	assert_true(f.is_exact);
	assert_true(f.count > 0);
	return sc_footprint_of(sc_footprint_find(module, "k"), &launch).ranges == f.ranges;
}

TEST(other_pointers_are_the_same_launch)
{
	static const struct image first = {0x7000000000, 0x8000000000, 1};
	static const struct image second = {0x7100000000, 0x8100000004, 1};

	assert_true(
		is_known_after(BARE "st.u32 [%d1], %r1; ld.u32 %r2, [%b];" TAIL, &first, &second));
	assert_true(is_known_after(BARE "setp.eq.u32 %p0, %r1, 3; selp.b64 %d2, %a, %b, %p0;\n"
					"st.u32 [%d2], %r1;" TAIL,
				   &first, &second));
}

/* A kernel that takes another way for aligned pointers, by all of the idioms. */
TEST(only_the_alignment_of_a_tested_pointer_counts)
{
	static const struct image first = {0x7000000000, 0x8000000000, 1};
	static const struct image aligned = {0x7100000010, 0x8100000020, 1};
	static const struct image skewed = {0x7100000010, 0x8100000024, 1};
	static const char *const tests[] = {
		BARE "or.b64 %d2, %a, %b; and.b64 %d3, %d2, 15; setp.eq.s64 %p0, %d3, 0;\n"
		     "@%p0 st.v4.u32 [%a], {%r1, %r1, %r1, %r1}; @!%p0 st.u32 [%b], %r1;" TAIL,
		BARE "cvt.u32.u64 %r2, %b; add.s32 %r3, %r2, 32; and.b32 %r4, %r3, 15;\n"
		     "setp.eq.s32 %p0, %r4, 0; @%p0 st.u32 [%d1], %r1; @!%p0 st.u32 [%b], "
		     "%r1;" TAIL,
	};

	for (unsigned i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		assert_true(is_known_after(tests[i], &first, &aligned));
		assert_false(is_known_after(tests[i], &first, &skewed));
		assert_int_equal(analyse_image(tests[i], &aligned).ranges[0].base, 0);
		assert_int_equal(analyse_image(tests[i], &skewed).ranges[0].base, 8);
	}
}

/* Of two that may be the pointer the greater is, so both values count. */
TEST(an_offset_beside_a_pointer_counts)
{
	static const struct image first = {0x7000000000, 64, 1};
	static const struct image moved = {0x7100000000, 128, 1};
	static const char text[] = BARE "add.s64 %d2, %d1, %b; st.u32 [%d2], %r1;" TAIL;

	assert_false(is_known_after(text, &first, &moved));
	assert_int_equal(analyse_image(text, &moved).ranges[0].base, 0);
	assert_int_equal(analyse_image(text, &moved).ranges[0].offset, 128);
}

/* The sum of a loaded pointer and a parameter: the parameter may be what the pointer is moved by.
 */
TEST(a_base_may_be_an_offset)
{
	struct sc_footprint f;

	f = analyse(BARE "ld.u64 %d2, [%a]; add.s64 %d3, %d2, %b; st.u32 [%d3], %r1;" TAIL);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.ranges[1].base, 8);
	assert_true(f.ranges[1].is_unbounded && f.ranges[1].may_be_offset);
	f = analyse(BARE "ld.u64 %d2, [%a]; cvta.to.global.u64 %d3, %b; add.s64 %d3, %d2, %d3;\n"
			 "st.global.u32 [%d3], %r1;" TAIL);
	assert_int_equal(f.count, 2);
	assert_true(f.ranges[1].is_unbounded && !f.ranges[1].may_be_offset);
}

TEST(a_short_image_is_no_launch)
{
	struct image image = {0};
	struct sc_footprint_launch launch = {
		.grid = {1, 1, 1}, .block = {64, 1, 1}, .param_bytes = 16, .params = &image};
	struct sc_footprint f;

	analyse(HEAD "setp.ge.u32 %p0, %r1, %r0; @%p0 ret; st.global.u32 [%d1], %r1;" TAIL);
	f = sc_footprint_of(sc_footprint_find(module, "k"), &launch);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.ranges[0].reason, SC_REASON_LAUNCH);
	assert_int_equal(f.ranges[0].base_kind, SC_BASE_UNKNOWN);
}

TEST(wrapped_indices_are_not_believed)
{
	static const struct image image = {0x7000000000, 0x8000000000, 0xfffffff0};
	struct sc_footprint f = analyse_image(
		HEAD "add.s32 %r2, %r1, %r0; mul.wide.u32 %d2, %r2, 4; add.s64 %d3, %a, %d2;\n"
		     "st.global.u32 [%d3], %r1;" TAIL,
		&image);

	assert_true(f.is_exact);
	assert_int_equal(f.count, 2);
	assert_int_equal(f.ranges[0].offset, 0);
	assert_int_equal(f.ranges[0].width, 64);
	assert_int_equal(f.ranges[1].offset, INT64_C(0xfffffff0) * 4);
	assert_int_equal(f.ranges[1].width, 64);
}

/* Nothing is read after the end of a text that ends with a dot; AddressSanitizer watches. */
TEST(a_text_may_break_off)
{
	static const char text[] = ".visible .entry k()\n{\nld.global.";
	char *exact = malloc(sizeof(text) - 1);

	assert_non_null(exact);
	memcpy(exact, text, sizeof(text) - 1);
	for (size_t bytes = 0; bytes < sizeof(text); bytes++) {
		sc_footprint_free(module);
		module = sc_footprint_parse(exact + sizeof(text) - 1 - bytes, bytes);
		assert_in_range(sc_footprint_kernel_count(module), 0, 1);
		(void)sc_footprint_problems(module); /* reads the body */
	}
	free(exact);
}
