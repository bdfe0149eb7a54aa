/* Copies of tiles by tensor maps (TMA) on the device that libcuda.so.1 is, for a comparison bit by
 * bit.
 *
 * usage: run_tensors sums SHARE OF   a line for each case: NAME = a checksum of the bytes, or the
 * error run_tensors dump SHARE OF   the same with all bytes that were copied run_tensors ptx the
 * kernels
 *
 * Of so many shares one is run: 0 of 1 are all cases.
 *
 * An error kills the context: the next case runs in a new process.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/executor/tensors/tensor_case.h"

#define SHARED_BYTES 40960 /* of which a tile may lie anywhere */
#define TENSOR_BYTES (1 << 20)
#define TEXT_BYTES   8192
#define LATE	     0xDEADBEEF /* instead of a barrier that not all bytes reach */

/* ---- kernels ---- */

/* {%r2, %r3}: so many registers from that one on. */
static void add_list(char *text, const char *letter, unsigned first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		sprintf(text + strlen(text), "%s%%%s%u", i ? ", " : "{", letter, first + i);
	strcat(text, "}");
}

static void add_instruction(char *text, const struct tensor_case *c)
{
	static const char *const modes[] = {[TILE] = "tile", [IM2COL] = "im2col"};
	char *end;

	if (c->action == LOAD)
		sprintf(text + strlen(text),
			"cp.async.bulk.tensor.%ud.shared::cluster.global.%s."
			"mbarrier::complete_tx::bytes [%%r10], [%%rd0, ",
			c->instruction_rank, modes[c->instruction_mode]);
	else
		sprintf(text + strlen(text),
			"cp.%sasync.bulk.tensor.%ud.global.shared::cta%s%s.%s.bulk_group [%%rd0, ",
			c->action == REDUCE ? "reduce." : "", c->instruction_rank,
			c->action == REDUCE ? "." : "", c->action == REDUCE ? c->reduction : "",
			c->instruction_mode == IM2COL ? "im2col_no_offs" : "tile");
	add_list(text, "r", 2, c->instruction_rank);
	end = text + strlen(text);
	if (c->action != LOAD) {
		strcpy(end, "], [%r10]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
		return;
	}
	strcpy(end, "], [%r11]");
	if (c->instruction_mode == IM2COL) {
		strcat(text, ", ");
		add_list(text, "h", 0, c->instruction_rank - 2);
	}
	strcat(text, ";\n");
}

/* The tile's place in shared memory is %r10, the barrier's %r11; one thread copies, and all of a
 * warp copy shared memory to the result. */
static void make_kernel(char *text, const struct tensor_case *c, unsigned number)
{
	sprintf(text,
		".visible .entry k%u(.param .align 128 .b8 map[128], .param .u64 far,\n"
		".param .align 4 .b8 at[32], .param .u32 tile, .param .u32 barrier,\n"
		".param .u32 bytes, .param .u64 image, .param .u32 size) {\n"
		".reg .b64 %%rd<9>; .reg .b32 %%r<20>; .reg .b16 %%h<4>; .reg .pred %%p<4>;\n"
		".shared .align 1024 .b8 tiles[%u];\n"
		"ld.param.u64 %%rd0, [far]; setp.ne.u64 %%p0, %%rd0, 0; @%%p0 bra there;\n"
		"mov.b64 %%rd0, map; cvta.param.u64 %%rd0, %%rd0;\n"
		"there: ld.param.u64 %%rd1, [image]; ld.param.u32 %%r12, [size];\n"
		"mov.u32 %%r13, tiles; mov.u32 %%r0, %%tid.x; mul.lo.u32 %%r14, %%r0, 4;\n"
		/* shared memory gets the image first */
		"mov.u32 %%r15, %%r14;\n"
		"fill: setp.ge.u32 %%p1, %%r15, %%r12; @%%p1 bra filled;\n"
		"cvt.u64.u32 %%rd2, %%r15; add.s64 %%rd2, %%rd1, %%rd2; add.u32 %%r16, %%r13, "
		"%%r15;\n"
		"ld.global.u32 %%r1, [%%rd2]; st.shared.u32 [%%r16], %%r1; add.u32 %%r15, %%r15, "
		"128;\n"
		"bra fill;\nfilled:\n",
		number, SHARED_BYTES);
	for (unsigned d = 0; d < 5; d++)
		sprintf(text + strlen(text), "ld.param.u32 %%r%u, [at+%u];", 2 + d, 4 * d);
	for (unsigned d = 0; d < 3; d++)
		sprintf(text + strlen(text), "ld.param.u16 %%h%u, [at+%u];", d, 20 + 2 * d);
	strcat(text, "\nld.param.u32 %r10, [tile]; add.u32 %r10, %r10, %r13;\n"
		     "ld.param.u32 %r11, [barrier]; add.u32 %r11, %r11, %r13;\n"
		     "setp.ne.u32 %p0, %r0, 0; @%p0 bra other;\n");
	if (c->action == LOAD)
		strcat(text, "mbarrier.init.shared.b64 [%r11], 1;\n");
	strcat(text, "fence.proxy.async.shared::cta;\nother: bar.sync 0;\n@%p0 bra done;\n");
	if (c->action != LOAD)
		strcat(text, "fence.proxy.async.shared::cta;\n");
	else
		strcat(text, "ld.param.u32 %r17, [bytes];\n"
			     "mbarrier.arrive.expect_tx.shared.b64 %rd4, [%r11], %r17;\n");
	add_instruction(text, c);
	if (c->action == LOAD) /* not for ever: a tile may be smaller than expected */
		strcat(text, "mov.u32 %r18, 0;\n"
			     "again: mbarrier.try_wait.parity.shared.b64 %p2, [%r11], 0;\n"
			     "@%p2 bra done; add.u32 %r18, %r18, 1; setp.lt.u32 %p3, %r18, 64;\n"
			     "@%p3 bra again; mov.u32 %r1, 0xDEADBEEF;\n"
			     "st.shared.u32 [%r11], %r1;\n");
	strcat(text,
	       "done: bar.sync 0;\nmov.u32 %r15, %r14;\n"
	       "copy: setp.ge.u32 %p1, %r15, %r12; @%p1 bra end;\n"
	       "cvt.u64.u32 %rd2, %r15; add.s64 %rd2, %rd1, %rd2; add.u32 %r16, %r13, %r15;\n"
	       "ld.shared.u32 %r1, [%r16]; st.global.u32 [%rd2], %r1; add.u32 %r15, %r15, 128;\n"
	       "bra copy;\nend: ret; }\n");
}

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/* ---- memory ---- */

static uint64_t mix(uint64_t a)
{
	a = (a ^ a >> 31) * 0xBF58476D1CE4E5B9ULL;
	a = (a ^ a >> 29) * 0x94D049BB133111EBULL;
	return a ^ a >> 32;
}

/* Subnormal, halfway between two of tf32, infinite, none. */
static const uint32_t specials[] = {
	0x00000001, 0x807FFFFF, 0x00800000, 0x7F800000, 0xFF800000, 0x7FC00001,
	0xFF800001, 0x3F801000, 0x3F803000, 0x3F801001, 0x7F7FFFFF, 0x7F7FF000,
	0x80000000, 0x007FF000, 0x00001000, 0x3F800FFF, 0x80800001, 0xBF803000,
};
#define SPECIALS (sizeof(specials) / sizeof(*specials))

/* Elements: any bits; or small numbers, where they are added up as floating point. */
static void fill(const struct tensor_case *c, char *bytes, size_t size, uint64_t seed)
{
	bool is_float = c->type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 ||
			c->type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ||
			c->type == CU_TENSOR_MAP_DATA_TYPE_FLOAT32 ||
			c->type == CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
	size_t each = tensor_element_bytes(c->type);

	for (size_t i = 0; c->is_special && i < size / each; i++)
		memcpy(bytes + i * each, &specials[mix(seed + i) % SPECIALS], each);
	for (size_t i = 0; !c->is_special && i < size / each; i++) {
		uint64_t random = mix(seed + i);
		double number = (double)(random % 31) - 15;
		float single = (float)number;
		_Float16 half = (_Float16)single;
		char *at = bytes + i * each;

		if (c->action != REDUCE || !is_float)
			memcpy(at, &random, each);
		else if (each == 8)
			memcpy(at, &number, each);
		else if (each == 4)
			memcpy(at, &single, each);
		else if (c->type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
			memcpy(at, &half, each);
		else
			memcpy(at, (char *)&single + 2, each);
	}
}

static void print_bytes(const struct tensor_case *c, const char *bytes, size_t size, bool is_late,
			bool is_dump)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = mix(sum + (unsigned char)bytes[i] + 1);
	printf("%s = %016llx%s", c->name, (unsigned long long)sum, is_late ? "-late" : "");
	for (size_t i = 0; is_dump && i < size; i++)
		printf("%s%02x", i % 16 ? "" : " ", (unsigned char)bytes[i]);
	puts("");
}

/* ---- cases ---- */

static CUresult encode(const struct tensor_case *c, CUdeviceptr tensor, CUtensorMap *map)
{
	cuuint64_t dims[5], strides[5] = {0};
	cuuint64_t stride = tensor_element_bytes(c->type);

	for (unsigned d = 0; d < c->rank; d++) {
		dims[d] = c->dims[d];
		stride = d ? stride * c->dims[d] : (stride * c->dims[d] + 15) / 16 * 16;
		strides[d] = c->strides[d] ? c->strides[d] : stride;
		stride = strides[d];
	}
	if (c->mode == TILE)
		return cuda.encode_tiled(map, c->type, c->rank,
					 (void *)(uintptr_t)(tensor + c->offset), dims, strides,
					 c->box, c->steps, c->interleave, c->swizzle,
					 CU_TENSOR_MAP_L2_PROMOTION_NONE, c->fill);
	return cuda.encode_im2col(map, c->type, c->rank, (void *)(uintptr_t)(tensor + c->offset),
				  dims, strides, c->lower, c->upper, c->channels, c->pixels,
				  c->steps, c->interleave, c->swizzle,
				  CU_TENSOR_MAP_L2_PROMOTION_NONE, c->fill);
}

struct run {
	CUdeviceptr tensor, image, map;
	char *bytes; /* of a tensor */
	bool is_dump;
};

static CUresult launch(const struct tensor_case *c, unsigned number, const struct run *r,
		       CUtensorMap *map)
{
	static char text[TEXT_BYTES];
	struct {
		int32_t at[5];
		uint16_t offsets[6];
	} place = {{0}, {0}};
	CUdeviceptr far = c->map_place == IN_GLOBAL ? r->map + c->map_offset : 0, image = r->image;
	uint32_t tile = 1024 + c->tile_offset, barrier = c->barrier_offset, size = SHARED_BYTES;
	uint32_t bytes = tensor_case_bytes(c);
	void *parameters[] = {map, &far, &place, &tile, &barrier, &bytes, &image, &size};
	CUmodule module;
	CUfunction kernel;
	CUresult result;
	char name[16];

	memcpy(place.at, c->at, sizeof(place.at));
	memcpy(place.offsets, c->offsets, sizeof(c->offsets));
	strcpy(text, head);
	make_kernel(text + strlen(text), c, number);
	result = cuda.load(&module, text);
	if (result != CUDA_SUCCESS)
		return result;
	sprintf(name, "k%u", number);
	driver_check(cuda.get_function(&kernel, module, name), "cuModuleGetFunction");
	if (c->map_place == OF_ZEROS)
		memset(map, 0, sizeof(*map));
	if (far)
		driver_check(cuda.to_device(far, map, sizeof(*map)), "cuMemcpyHtoD");
	result = cuda.launch(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL);
	return result == CUDA_SUCCESS ? cuda.synchronize() : result;
}

/* 0: the context is dead. */
static bool run_case(unsigned number, const struct run *r)
{
	const struct tensor_case *c = &tensor_cases[number];
	_Alignas(128) CUtensorMap map = {{0}};
	const char *name = "?";
	CUresult result;
	uint32_t barrier;

	fill(c, r->bytes, TENSOR_BYTES, 1);
	driver_check(cuda.to_device(r->tensor, r->bytes, TENSOR_BYTES), "cuMemcpyHtoD");
	fill(c, r->bytes, SHARED_BYTES, 1 << 30);
	driver_check(cuda.to_device(r->image, r->bytes, SHARED_BYTES), "cuMemcpyHtoD");
	result = encode(c, r->tensor + 4096, &map);
	if (result != CUDA_SUCCESS) {
		cuda.error_name(result, &name);
		printf("%s = encode: %s\n", c->name, name);
		return 1;
	}
	if (c->action == ENCODE) {
		printf("%s = encode: CUDA_SUCCESS\n", c->name);
		return 1;
	}
	result = launch(c, number, r, &map);
	if (result != CUDA_SUCCESS) {
		cuda.error_name(result, &name);
		printf("%s = %s\n", c->name, name);
		return 0;
	}
	if (c->action == LOAD) {
		driver_check(cuda.to_host(r->bytes, r->image, SHARED_BYTES), "cuMemcpyDtoH");
		memcpy(&barrier, r->bytes + c->barrier_offset, sizeof(barrier));
		print_bytes(c, r->bytes + 1024, SHARED_BYTES - 1024, barrier == LATE, r->is_dump);
	} else {
		driver_check(cuda.to_host(r->bytes, r->tensor, TENSOR_BYTES), "cuMemcpyDtoH");
		print_bytes(c, r->bytes, TENSOR_BYTES / 16, 0, r->is_dump);
	}
	return 1;
}

/* Cases from `first` on, up to one that kills the context: which one is next? */
static unsigned run_some(unsigned first, unsigned of, bool is_dump)
{
	struct run r = {.is_dump = is_dump, .bytes = malloc(TENSOR_BYTES)};
	unsigned at = first;
	bool is_alive = 1;

	if (!r.bytes)
		exit(1);
	driver_open();
	driver_check(cuda.allocate(&r.tensor, TENSOR_BYTES), "cuMemAlloc");
	driver_check(cuda.allocate(&r.image, SHARED_BYTES), "cuMemAlloc");
	driver_check(cuda.allocate(&r.map, 4096), "cuMemAlloc");
	for (; is_alive && at < tensor_case_count; at += of)
		is_alive = run_case(at, &r);
	fflush(stdout);
	free(r.bytes);
	return at;
}

static int run_share(unsigned share, unsigned of, bool is_dump)
{
	unsigned at = share;
	int ends[2], status;

	while (at < tensor_case_count) {
		pid_t child;

		if (pipe(ends))
			return 1;
		fflush(stdout);
		child = fork();
		if (!child) {
			at = run_some(at, of, is_dump);
			_exit(write(ends[1], &at, sizeof(at)) != sizeof(at));
		}
		close(ends[1]);
		if (read(ends[0], &at, sizeof(at)) != sizeof(at)) { /* it has ended */
			waitpid(child, &status, 0);
			return WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1;
		}
		close(ends[0]);
		waitpid(child, &status, 0);
	}
	return 0;
}

int main(int argc, char **argv)
{
	static char text[TEXT_BYTES];

	tensor_cases_make();
	if (argc == 2 && !strcmp(argv[1], "ptx")) {
		fputs(head, stdout);
		for (unsigned i = 0; i < tensor_case_count; i++) {
			make_kernel(text, &tensor_cases[i], i);
			if (tensor_cases[i].action != ENCODE)
				fputs(text, stdout);
		}
		return 0;
	}
	if (argc == 4 && atoi(argv[3]) > 0)
		return run_share((unsigned)atoi(argv[2]), (unsigned)atoi(argv[3]),
				 !strcmp(argv[1], "dump"));
	fputs("usage: run_tensors sums|dump SHARE OF\n", stderr);
	return 2;
}
