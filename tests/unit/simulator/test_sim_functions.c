/* Functions that kernels of the simulated driver call: addresses of functions in variables,
 * printing, assertions, the heap. */
#include <stdio.h>
#include <unistd.h>

#include "tests/unit/simulator/sim_loaded.h"

static const char text[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".extern .func (.param .b32 v) vprintf(.param .b64 f, .param .b64 a);\n"
	".extern .func (.param .b64 v) malloc(.param .b64 n);\n"
	".extern .func free(.param .b64 p);\n"
	".global .align 1 .b8 format[4] = {37, 117, 59, 0};\n"
	".func (.param .b32 v) square(.param .b32 a) { .reg .b32 %r<3>; ld.param.u32 %r1, [a];\n"
	"mul.lo.s32 %r2, %r1, %r1; st.param.b32 [v], %r2; ret; }\n"
	".const .align 8 .u64 table[2] = {0, square};\n"
	".visible .entry indirect(.param .u64 p) { .reg .b64 %rd<4>; .reg .b32 %r<4>;\n"
	"ld.param.u64 %rd1, [p]; ld.const.u64 %rd2, [table+8]; mov.u32 %r1, 12;\n"
	"{ .param .b32 a; st.param.b32 [a], %r1; .param .b32 v;\n"
	"q: .callprototype (.param .b32 _) _ (.param .b32 _); call (v), %rd2, (a), q;\n"
	"ld.param.b32 %r2, [v]; }\nst.global.u32 [%rd1], %r2; ret; }\n"
	".visible .entry print(.param .u32 n) { .local .align 8 .b8 depot[8]; .reg .b64 %rd<6>;\n"
	".reg .b32 %r<4>; .reg .pred %p; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;\n"
	"mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, format;\n"
	"cvta.global.u64 %rd4, %rd3;\n"
	"LOOP: st.local.u32 [%rd1], %r1; { .param .b64 f; st.param.b64 [f], %rd4;\n"
	".param .b64 a; st.param.b64 [a], %rd2; .param .b32 v; call (v), vprintf, (f, a); }\n"
	"add.u32 %r1, %r1, 1; setp.lt.u32 %p, %r1, %r2; @%p bra LOOP; ret; }\n"
	".visible .entry take(.param .u64 p, .param .u64 n) { .reg .b64 %rd<6>;\n"
	"ld.param.u64 %rd1, [p]; ld.param.u64 %rd3, [n];\n"
	"{ .param .b64 a; st.param.b64 [a], %rd3; .param .b64 v; call (v), malloc, (a);\n"
	"ld.param.b64 %rd2, [v]; }\nst.global.u64 [%rd1], %rd2; ret; }\n"
	".visible .entry give(.param .u64 q) { .reg .b64 %rd<6>; ld.param.u64 %rd1, [q];\n"
	"{ .param .b64 a; st.param.b64 [a], %rd1; call free, (a); } ret; }\n"
	".func down() { call down; ret; }\n"
	".visible .entry deep() { .local .align 8 .b8 depot[8]; .reg .b64 %rd<6>;\n"
	"mov.u64 %rd1, depot; cvta.local.u64 %rd2, %rd1; mov.u64 %rd3, format;\n"
	"cvta.global.u64 %rd4, %rd3; st.local.u32 [depot], 5;\n"
	"{ .param .b64 f; st.param.b64 [f], %rd4; .param .b64 a; st.param.b64 [a], %rd2;\n"
	".param .b32 v; call (v), vprintf, (f, a); } call down; ret; }\n";

static CUmodule module;

static CUresult launch(const struct sim_loaded *l, const char *name, void **params)
{
	CUfunction function;

	OK(cuModuleGetFunction(&function, module, name));
	return cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, l->stream, params, NULL);
}

TEST(addresses_of_functions_in_variables)
{
	struct sim_loaded *l = *state;
	int out = 0;

	OK(launch(l, "indirect", (void *[]){&l->memory}));
	OK(cuMemcpyDtoHAsync(&out, l->memory, sizeof(out), l->stream));
	OK(cuStreamSynchronize(l->stream));
	assert_int_equal(out, 144);
}

/* What the process has printed since it was asked the last time. */
struct capture {
	FILE *file;
	int saved;
	char text[4096];
};

static void capture_begin(struct capture *c)
{
	fflush(stdout);
	c->file = tmpfile();
	c->saved = dup(STDOUT_FILENO);
	assert_non_null(c->file);
	dup2(fileno(c->file), STDOUT_FILENO);
}

static const char *captured(struct capture *c)
{
	size_t bytes;

	fflush(stdout);
	rewind(c->file);
	bytes = fread(c->text, 1, sizeof(c->text) - 1, c->file);
	c->text[bytes] = 0;
	return c->text;
}

static void capture_end(struct capture *c)
{
	dup2(c->saved, STDOUT_FILENO);
	close(c->saved);
	fclose(c->file);
}

TEST(printing_waits_for_the_host)
{
	struct sim_loaded *l = *state;
	unsigned count = 3;
	struct capture c;

	capture_begin(&c);
	OK(launch(l, "print", (void *[]){&count}));
	while (cuStreamQuery(l->stream) == CUDA_ERROR_NOT_READY)
		;
	assert_string_equal(captured(&c), "");
	OK(cuStreamSynchronize(l->stream));
	assert_string_equal(captured(&c), "0;1;2;");
	capture_end(&c);
}

/* A context of its own, in which nothing was printed. */
TEST(printing_too_much_keeps_the_latest)
{
	unsigned count = 100;
	CUfunction function;
	CUcontext context;
	struct capture c;
	CUmodule loaded;

	FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 10));
	OK(cuCtxCreate(&context, NULL, 0, 0));
	OK(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 10));
	OK(cuModuleLoadData(&loaded, text));
	OK(cuModuleGetFunction(&function, loaded, "print"));
	capture_begin(&c);
	OK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&count}, NULL));
	OK(cuCtxSynchronize());
	assert_string_equal(captured(&c), "97;98;99;");
	capture_end(&c);
	OK(cuCtxDestroy(context));
}

static CUdeviceptr take(struct sim_loaded *l, uint64_t bytes)
{
	CUdeviceptr out = 0;

	OK(launch(l, "take", (void *[]){&l->memory, &bytes}));
	OK(cuMemcpyDtoHAsync(&out, l->memory, sizeof(out), l->stream));
	OK(cuStreamSynchronize(l->stream));
	return out;
}

TEST(the_heap_has_an_end)
{
	struct sim_loaded *l = *state;
	CUdeviceptr a, b, c;

	OK(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4096));
	assert_int_equal(take(l, 4097), 0);
	a = take(l, 2000);
	b = take(l, 2000);
	assert_true(a && b && (a + 2000 <= b || b + 2000 <= a));
	assert_int_equal(a % 16, 0);
	assert_int_equal(take(l, 2000), 0);
	c = take(l, 1);
	assert_true(c);
	OK(launch(l, "give", (void *[]){&a}));
	OK(launch(l, "give", (void *[]){&b}));
	assert_true(take(l, 4000));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
	FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(c));
}

/* Last: the error stays. What was printed before the fault comes out. */
TEST(a_stack_that_overflows)
{
	struct sim_loaded *l = *state;
	struct capture c;

	capture_begin(&c);
	OK(launch(l, "deep", NULL));
	FAILS(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(l->stream));
	FAILS(CUDA_ERROR_LAUNCH_FAILED, cuStreamSynchronize(l->stream));
	assert_string_equal(captured(&c), "5;");
	capture_end(&c);
}

static int setup(void **state)
{
	return sim_loaded_setup(state) || cuModuleLoadData(&module, text);
}

static int teardown(void **state)
{
	(void)state;
	return 0;
}
ALL_TESTS(setup, teardown)
