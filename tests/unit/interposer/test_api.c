/* The table of driver entry points against NVIDIA's own headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "interposer/call/api.h"
#include "interposer/runtime/runtime.h"
#include "trace/op.h"

/* Entry points without a row, each with its reason. */
static const char *const explained[][2] = {
#define SC_API_EXEMPT(symbol, reason) {#symbol, reason},
#include "interposer/call/api_exempt.def"
#undef SC_API_EXEMPT
};

static const char *const runtime_names[] = {
#define RUNTIME(name) #name,
#include "interposer/runtime/runtime.def"
#undef RUNTIME
};

static char *read_header(const char *name)
{
	char path[512], *text;
	FILE *f;
	long size;

	snprintf(path, sizeof(path), "%s/%s", SC_CUDA_INCLUDE, name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	rewind(f);
	text = malloc((size_t)size + 1);
	assert_non_null(text);
	assert_int_equal(fread(text, 1, (size_t)size, f), (size_t)size);
	text[size] = '\0';
	fclose(f);
	return text;
}

/* Two headers have the types of the driver's functions. */
struct typedefs {
	char *all, *profiler;
};

static void expect_typedef(const struct typedefs *headers, const struct sc_api *api, int version,
			   const char *form)
{
	char name[160];

	snprintf(name, sizeof(name), "*PFN_%s_v%d%s)", api->base, version, form);
	if (!strstr(headers->all, name) && !strstr(headers->profiler, name))
		fail_msg("%s: cudaTypedefs.h has no %s", api->base, name);
}

TEST(versions_are_those_of_cuda_typedefs)
{
	static const char *const forms[] = {"", "_ptsz", "_ptds"};
	struct typedefs headers = {read_header("cudaTypedefs.h"),
				   read_header("cudaProfilerTypedefs.h")};

	for (int i = 0; i < SC_APIS; i++) {
		const struct sc_api *api = &sc_apis[i];

		expect_typedef(&headers, api, api->version, "");
		if (api->form != SC_FORM_PLAIN)
			expect_typedef(&headers, api, api->version < 7000 ? 7000 : api->version,
				       forms[api->form]);
	}
	free(headers.all);
	free(headers.profiler);
}

static bool is_explained(const char *symbol)
{
	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++) {
		if (!strcmp(explained[i][0], symbol))
			return true;
	}
	return false;
}

TEST(every_entry_point_has_a_row)
{
	char *header = read_header("generated_cuda_meta.h"), symbol[128];
	unsigned seen = 0;
	bool per_thread;

	for (char *at = header; (at = strstr(at, "typedef struct cu")); at++) {
		char *end = strstr(at, "_params_st");

		at += strlen("typedef struct ");
		snprintf(symbol, sizeof(symbol), "%.*s", (int)(end - at), at);
		seen++;
		if (sc_api_symbol(symbol, &per_thread) < 0 && !is_explained(symbol))
			fail_msg("%s has no row in api.def and no reason here", symbol);
	}
	assert_true(seen > 600);
	free(header);
}

TEST(every_explained_name_has_no_row)
{
	bool per_thread;

	for (size_t i = 0; i < sizeof(explained) / sizeof(explained[0]); i++)
		assert_int_equal(sc_api_symbol(explained[i][0], &per_thread), -1);
}

static bool is_runtime_name(const char *name)
{
	if (!strcmp(name, "cudaGetErrorName") || !strcmp(name, "cudaGetErrorString"))
		return true; /* words only */
	for (size_t i = 0; i < sizeof(runtime_names) / sizeof(runtime_names[0]); i++) {
		if (!strcmp(runtime_names[i], name))
			return true;
	}
	return false;
}

TEST(every_runtime_function_is_wrapped)
{
	char *header = read_header("cuda_runtime_api.h"), name[128];
	unsigned seen = 0;

	for (char *at = header; (at = strstr(at, "CUDARTAPI cuda")); at++) {
		at += strlen("CUDARTAPI ");
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "( "), at);
		seen++;
		if (at[strlen(name)] == '(' && !is_runtime_name(name))
			fail_msg("%s is not in runtime.def", name);
	}
	assert_true(seen > 250);
	free(header);
}

static void expect_choice(const char *base, int version, bool per_thread, const char *symbol)
{
	int row = sc_api_choose(base, version, &per_thread);

	assert_true(row >= 0);
	assert_string_equal(sc_entry_name(row, per_thread), symbol);
}

TEST(get_proc_address_finds_the_newest_known_version)
{
	bool per_thread = false;

	expect_choice("cuMemcpyHtoDAsync", 3020, false, "cuMemcpyHtoDAsync_v2");
	expect_choice("cuMemcpyHtoDAsync", 13000, false, "cuMemcpyHtoDAsync_v2");
	expect_choice("cuMemcpyHtoDAsync", 7000, true, "cuMemcpyHtoDAsync_v2_ptsz");
	expect_choice("cuMemcpy", 13000, true, "cuMemcpy_ptds");
	expect_choice("cuCtxSynchronize", 2000, false, "cuCtxSynchronize");
	expect_choice("cuCtxSynchronize", 12080, false, "cuCtxSynchronize");
	expect_choice("cuCtxSynchronize", 13000, false, "cuCtxSynchronize_v2");
	expect_choice("cuEventElapsedTime", 12070, false, "cuEventElapsedTime");
	expect_choice("cuStreamBeginCapture", 10010, true, "cuStreamBeginCapture_v2_ptsz");
	expect_choice("cuEventCreate", 13000, true, "cuEventCreate"); /* has no such form */
	assert_int_equal(sc_api_choose("cuNoSuchThing", 13000, &per_thread), -1);
	assert_int_equal(sc_api_choose("cuGraphLaunch", 9000, &per_thread), -1);
}

TEST(symbols_are_found_exactly)
{
	bool per_thread = true;

	assert_int_equal(sc_api_symbol("cuMemAlloc_v2", &per_thread), SC_API_cuMemAlloc_v2);
	assert_false(per_thread);
	assert_int_equal(sc_api_symbol("cuLaunchKernel_ptsz", &per_thread), SC_API_cuLaunchKernel);
	assert_true(per_thread);
	assert_int_equal(sc_api_symbol("cuLaunchKernel_ptds", &per_thread), -1);
	assert_int_equal(sc_api_symbol("cuLaunchKerne", &per_thread), -1);
	assert_int_equal(sc_api_symbol("cuMemAlloc_v2_ptsz", &per_thread), -1);
}

TEST(a_copy_is_decoded)
{
	cuMemcpyHtoDAsync_v2_params p = {.dstDevice = 0x1000,
					 .srcHost = (const void *)0x2000,
					 .ByteCount = 77,
					 .hStream = (CUstream)0x3000};
	const struct sc_api *api = &sc_apis[SC_API_cuMemcpyHtoDAsync_v2];
	struct sc_facts f;

	api->decode(&f, &p);
	assert_int_equal(api->kind, SC_OP_COPY);
	assert_int_equal(f.dst, 0x1000);
	assert_int_equal(f.src, 0x2000);
	assert_true(f.src_is_host);
	assert_false(f.dst_is_host);
	assert_int_equal(f.bytes, 77);
	assert_true(f.has_stream);
	assert_ptr_equal(f.stream, (void *)0x3000);
}

TEST(a_pitched_fill_is_decoded_by_rows)
{
	cuMemsetD2D32Async_params p = {.dstDevice = 0x1000,
				       .dstPitch = 512,
				       .ui = 7,
				       .Width = 10,
				       .Height = 3,
				       .hStream = NULL};
	struct sc_facts f;

	sc_apis[SC_API_cuMemsetD2D32Async].decode(&f, &p);
	assert_int_equal(f.bytes, 40);
	assert_int_equal(f.rows, 3);
	assert_int_equal(f.pitch, 512);
	assert_int_equal(f.value, 7);
}

/* Every row that takes a stream names it; the reverse would be a row of a wrong kind. */
TEST(enqueues_have_a_stream)
{
	static uint64_t zeros[64];
	struct sc_facts f;

	for (int i = 0; i < SC_APIS; i++) {
		if (sc_apis[i].when != SC_WHEN_ENTRY ||
		    sc_op_kind_class(sc_apis[i].kind) != SC_CLASS_ENQUEUE)
			continue;
		sc_apis[i].decode(&f, zeros);
		if (!f.has_stream)
			fail_msg("%s enqueues into no stream", sc_entry_name(i, false));
	}
}
