/* The executor: copies of tiles, on tensor maps that are right, and on bytes that are none. */
#include "simulator/executor/texture/tensor.h"
#include "ptx/isa.h"
#include "tests/unit/executor/executor_fixture.h"

#define WIDTH  8 /* of 16-bit numbers: rows of 16 bytes */
#define HEIGHT 3
#define DEPTH  2

/* A map, and from byte 1024 on a tensor of 3 dimensions. */
static union {
	struct exec_tensor map;
	uint16_t halves[4096];
} memory;

static struct device device(void)
{
	struct device d = device_with(&memory, sizeof(memory), 1);

	memset(&memory, 0, sizeof(memory));
	memory.map = (struct exec_tensor){.magic = EXEC_TENSOR_MAGIC,
					  .address = DEVICE_BASE + 1024,
					  .stride = {16, 16 * HEIGHT},
					  .last = {WIDTH - 1, HEIGHT - 1, DEPTH - 1},
					  .box = {8, 2, 3},
					  .step = {1, 1, 2},
					  .rank = 3,
					  .type = SC_TYPE_U16,
					  .element_bytes = 2,
					  .fills_nan = 1};
	for (uint16_t i = 0; i < WIDTH * HEIGHT * DEPTH; i++)
		memory.halves[512 + i] = (uint16_t)(i + 1);
	d.shared_bytes = 8192;
	return d;
}

#define LOAD(coordinates)                                                                   \
	"mbarrier.init.shared.b64 [4096], 1; mov.u32 %r5, 0; mov.u32 %r6, 4096;"            \
	"mbarrier.arrive.expect_tx.shared::cta.b64 _, [4096], 64;"                          \
	"cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes " \
	"[%r5], [%rd9, {" coordinates "}], [%r6];"                                          \
	"WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [4096], 0; @!%p2 bra WAIT;"

/* Two rows of two planes, every second one; what lies outside is no number. */
TEST(fill)
{
	struct device d = device();

	memory.map.last[0] = 4;
	device_runs(
		&d,
		"mov.u32 %r1, 0; mov.u32 %r2, 2; mov.u32 %r3, -1;" LOAD(
			"%r1, %r2, %r3") "mov.u32 %r7, 0; LOOP: ld.shared.u16 %h1, [%r7]; "
					 "cvt.u64.u32 %rd1, %r7;"
					 "add.s64 %rd1, %rd1, %rd9; st.global.u16 [%rd1+2048], %h1;"
					 "add.u32 %r7, %r7, 2; setp.lt.u32 %p1, %r7, 64; @%p1 bra "
					 "LOOP;");
	for (int i = 0; i < 32; i++) {
		int x = i % 8, y = i / 8 % 2 + 2, z = i / 16 * 2 - 1;
		bool is_inside = x <= 4 && y < HEIGHT && z >= 0 && z < DEPTH;

		assert_int_equal(memory.halves[1024 + i],
				 is_inside ? (z * HEIGHT + y) * WIDTH + x + 1 : 0x7FF7);
	}
}

/* A tile is stored as far as it lies in the tensor; added, it counts twice. */
TEST(store_and_add)
{
	struct device d = device();

	memory.map.step[2] = 1;
	memory.map.box[2] = 1;
	memory.map.type = SC_TYPE_U32;
	memory.map.element_bytes = 4;
	memory.map.last[0] = WIDTH / 2 - 2;
	memory.map.box[0] = 4;
	device_runs(&d, "mov.u32 %r1, 0; mov.u32 %r2, 2; mov.u32 %r3, 1; mov.u32 %r5, 0;"
			"st.shared.v4.u32 [0], {%r3, %r2, %r3, %r2}; fence.proxy.async;"
			"cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group"
			" [%rd9, {%r1, %r2, %r3}], [%r5];"
			"cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group"
			" [%rd9, {%r1, %r2, %r3}], [%r5];"
			"cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;");
	assert_int_equal(memory.halves[512 + 5 * WIDTH], 2);
	assert_int_equal(memory.halves[512 + 5 * WIDTH + 2], 4);
	assert_int_equal(memory.halves[512 + 5 * WIDTH + 4], 2);
	assert_int_equal(memory.halves[512 + 5 * WIDTH + 6], 47); /* after the tensor */
	assert_int_equal(memory.halves[512 + 6 * WIDTH], 0);	  /* after the tensor */
}

/* All fences of the manual; memory is in order as it is. */
TEST(fences)
{
	struct device d = device();

	device_runs(&d,
		    "fence.proxy.alias; fence.proxy.async; fence.proxy.async.global;"
		    "fence.proxy.async.shared::cta; fence.proxy.async.shared::cluster;"
		    "fence.proxy.tensormap::generic.release.cta;"
		    "fence.proxy.tensormap::generic.acquire.gpu [%rd9], 128;"
		    "fence.proxy.tensormap::generic.acquire.sys [%rd9+128], 128;"
		    "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;"
		    "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;"
		    "fence.acquire.sync_restrict::shared::cluster.cluster;"
		    "fence.release.sync_restrict::shared::cta.cluster;"
		    "fence.proxy.alias.acquire.sys; fence.proxy.alias.release.sys;"
		    "fence.alias.sync_restrict::read.release.sys;"
		    "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cta;"
		    "fence.mbarrier_init.release.cluster; fence.sc.cta; fence.acq_rel.cluster;"
		    "fence.acquire.gpu; fence.release.sys; fence.sys;"
		    "mov.u32 %r1, 7; st.global.u32 [%rd9+1024], %r1;");
	assert_int_equal(memory.halves[512], 7);
}

/* 16 bytes of a row change places with the row's number. */
TEST(swizzle)
{
	struct device d = device();

	memory.map = (struct exec_tensor){.magic = EXEC_TENSOR_MAGIC,
					  .address = DEVICE_BASE + 1024,
					  .stride = {64},
					  .last = {31, 7},
					  .box = {32, 8},
					  .step = {1, 1},
					  .rank = 2,
					  .type = SC_TYPE_U16,
					  .element_bytes = 2,
					  .swizzle = 2};
	for (uint16_t i = 0; i < 256; i++)
		memory.halves[512 + i] = i;
	device_runs(
		&d,
		"mbarrier.init.shared.b64 [4096], 1; mov.u32 %r5, 1024; mov.u32 %r6, 4096;"
		"mov.u32 %r1, 0; mbarrier.arrive.expect_tx.shared::cta.b64 _, [4096], 512;"
		"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
		" [%r5], [%rd9, {%r1, %r1}], [%r6];"
		"ld.shared.u16 %h1, [1024]; st.global.u16 [%rd9+4096], %h1;"
		"ld.shared.u16 %h1, [1168]; st.global.u16 [%rd9+4098], %h1;"   /* row 2, piece 1 */
		"ld.shared.u16 %h1, [1248]; st.global.u16 [%rd9+4100], %h1;"); /* row 3, piece 2 */
	assert_int_equal(memory.halves[2048], 0);
	assert_int_equal(memory.halves[2049], 2 * 32);	       /* piece 1 ^ 1 */
	assert_int_equal(memory.halves[2050], 3 * 32 + 3 * 8); /* piece 2 ^ 1 */
}

#define STORE(coordinates)                                                                   \
	"mov.u32 %r5, 0; cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group [%rd9, " \
	"{" coordinates "}], [%r5];"

/* Tiles that a GPU refuses, as tests/executor/tensors has seen. */
TEST(places)
{
	struct device d = device();

	device_ends(&d, LOAD("1, 0, 0"), EXEC_MISALIGNED_TILE);
	d = device();
	device_ends(&d, STORE("4, 0, 0"), EXEC_MISALIGNED_TILE);
	d = device();
	device_ends(&d, STORE("0, -1, 0"), EXEC_TILE_BEFORE);
	d = device();
	device_runs(&d, STORE("0, 100, 0"));
}

/* Pixels follow each other in their box, which begins before the tensor: three of two rows. */
TEST(pixels)
{
	static const int expected[6][2] = {{-1, 0}, {0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
	struct device d = device();

	memory.map.kind = EXEC_TENSOR_PIXELS;
	memory.map.rank = 4;
	memory.map.stride[2] = 16 * HEIGHT * DEPTH;
	memory.map.last[3] = 0;
	memory.map.step[2] = memory.map.step[3] = 1;
	memory.map.pixels = 6;
	memory.map.lower[0] = -1;
	memory.map.upper[0] = 1 - (HEIGHT - 1); /* up to the second one */
	memory.map.fills_nan = 0;
	device_runs(&d,
		    "mbarrier.init.shared.b64 [4096], 1; mov.u32 %r5, 0; mov.u32 %r6, 4096;"
		    "mov.u16 %h1, 1; mov.u16 %h2, 0;"
		    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [4096], 96;"
		    "cp.async.bulk.tensor.4d.shared::cluster.global.im2col."
		    "mbarrier::complete_tx::bytes [%r5], [%rd9, {0, -1, 0, 0}], [%r6], {%h1, %h2};"
		    "WAIT: mbarrier.try_wait.parity.shared::cta.b64 %p2, [4096], 0; @!%p2 bra WAIT;"
		    "mov.u32 %r7, 0; LOOP: ld.shared.u16 %h1, [%r7]; cvt.u64.u32 %rd1, %r7;"
		    "add.s64 %rd1, %rd1, %rd9; st.global.u16 [%rd1+2048], %h1;"
		    "add.u32 %r7, %r7, 16; setp.lt.u32 %p1, %r7, 96; @%p1 bra LOOP;");
	for (int i = 0; i < 6; i++) {
		int y = expected[i][0] + 1, z = expected[i][1];

		assert_int_equal(memory.halves[1024 + 8 * i], (z * HEIGHT + y) * WIDTH + 1);
	}
	device_ends(&d,
		    "mov.u16 %h1, 0; cp.async.bulk.tensor.4d.shared::cluster.global.im2col."
		    "mbarrier::complete_tx::bytes [0], [%rd9, {0, 2, 0, 0}], [4096], {%h1, %h1};",
		    EXEC_PIXEL_OUTSIDE);
}

/* Bytes that are no map, or the map of something else. */
TEST(hostile_maps)
{
	struct device d = device();

	memory.map.magic++;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.rank = 2;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.box[1] = 60000;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.step[2] = 0;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.box[1] = memory.map.box[2] = 256;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR); /* larger than shared memory */
	d = device();
	memory.map.type = SC_TYPE_U64; /* of elements of 2 bytes */
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.type = 200;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.rounds = 1; /* what is no single precision */
	device_ends(&d, LOAD("0, 0, 0"), EXEC_WRONG_TENSOR);
	d = device();
	memory.map.address = 16;
	device_ends(&d, LOAD("0, 0, 0"), EXEC_ILLEGAL_ADDRESS);
	d = device();
	memory.map.last[0] = UINT32_MAX;
	memory.map.stride[1] = UINT64_MAX - 15;
	device_ends(&d, LOAD("2000000000, 0, 1"), EXEC_ILLEGAL_ADDRESS);
}
