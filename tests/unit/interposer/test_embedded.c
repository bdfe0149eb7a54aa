/* Device code that a file carries: this program's own section is filled with wrappers, good and
 * bad, and the trace says what was made of them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "tests/unit/unit.h"
#include "image/fatbin.h"
#include "interposer/call/launch.h"
#include "interposer/driver/driver.h"
#include "interposer/driver/entry.h"
#include "interposer/object/embedded.h"
#include "interposer/object/image.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "interposer/call/row_functions.h"

#define WRAPPERS 5000 /* more than are taken */
#define PAGE	 4096

/* A fatbin with one entry. */
struct fatbin {
	struct sim_fatbin_head head;
	struct sim_fatbin_entry entry;
	char bytes[64];
};

static struct sim_fatbin_wrapper section[WRAPPERS]
	__attribute__((section(".nvFatBinSegment"), used)) = {{.version = 1}};
static char path[64];

static int begin(void **state)
{
	(void)state;
	memset(section, 0, sizeof(section));
	memset(&sc_images, 0, sizeof(sc_images));
	memset(&sc_embedded, 0, sizeof(sc_embedded));
	memset(&sc_handles, 0, sizeof(sc_handles));
	atomic_store(&sc_session.object_ids, 0);
	sc_options_init(&sc_session.options);
	open_trace(path, "test_embedded", 1 << 22);
	return 0;
}

EACH_TEST(begin, NULL)

static struct fatbin make(uint16_t kind, const char *text)
{
	struct fatbin f = {.head = {.magic = SIM_FATBIN_MAGIC,
				    .version = 1,
				    .header_bytes = sizeof(f.head),
				    .payload_bytes = sizeof(f.entry) + sizeof(f.bytes)},
			   .entry = {.kind = kind,
				     .header_bytes = sizeof(f.entry),
				     .stored_bytes = sizeof(f.bytes),
				     .arch = 75}};

	snprintf(f.bytes, sizeof(f.bytes), "%s", text);
	return f;
}

static struct sim_fatbin_wrapper wrap(const void *fatbin)
{
	return (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 1, fatbin, NULL};
}

static struct sc_handle *find(void)
{
	return sc_embedded_module((uint64_t)find);
}

/* What the trace has, in order: i an image's piece, c a choice of one that was kept, 0 of one that
 * was not, s a source. */
static void expect(const char *kinds)
{
	struct sc_reader *r = close_trace(path);
	struct sc_record record;
	char got[32] = "";
	size_t n = 0;

	while (sc_reader_next(r, &record) == 1 && n < sizeof(got) - 1) {
		if (record.op.kind == SC_OP_MODULE_CHOICE)
			got[n++] = record.op.peer ? 'c' : '0';
		else
			got[n++] = record.op.kind == SC_OP_IMAGE ? 'i' : 's';
	}
	sc_reader_free(r);
	assert_string_equal(got, kinds);
}

TEST(each_fatbin_is_a_choice)
{
	struct fatbin text = make(SIM_FATBIN_PTX, "one"), other = make(SIM_FATBIN_PTX, "other");
	struct sc_handle *module;

	section[0] = wrap(&text);
	section[2] = wrap(&other); /* a gap, as alignment makes it */
	module = find();
	assert_non_null(module);
	assert_true(module->is_embedded);
	expect("icic");
}

TEST(a_file_is_looked_through_once)
{
	struct fatbin text = make(SIM_FATBIN_PTX, "one");
	struct sc_handle *module;

	section[0] = wrap(&text);
	module = find();
	assert_ptr_equal(find(), module);
	sc_embedded_changed(); /* another file may be at its place; it is not */
	assert_ptr_equal(find(), module);
	expect("ic");
}

TEST(a_file_without_code_has_no_module)
{
	assert_null(find());
	assert_null(sc_embedded_module(0));
	assert_null(sc_embedded_module(PAGE)); /* no file is there */
	expect("");
}

TEST(nothing_is_sought_without_images)
{
	struct fatbin text = make(SIM_FATBIN_PTX, "one");

	section[0] = wrap(&text);
	sc_session.options.images = 0;
	assert_null(find());
	expect("");
}

TEST(machine_code_alone_is_kept_for_its_names)
{
	struct fatbin code = make(SIM_FATBIN_ELF, "code");

	section[0] = wrap(&code);
	assert_non_null(find());
	expect("ic");
}

TEST(too_much_machine_code_is_a_choice_that_was_not_kept)
{
	size_t bytes = 5u << 20;
	struct fatbin *code = calloc(1, bytes);

	assert_non_null(code);
	*code = make(SIM_FATBIN_ELF, "code");
	code->entry.stored_bytes = bytes - offsetof(struct fatbin, bytes);
	code->head.payload_bytes = bytes - sizeof(code->head);
	section[0] = section[1] = wrap(code);
	assert_non_null(find());
	expect("0"); /* once, and the trace is not incomplete */
	free(code);
}

TEST(the_parts_of_a_device_link_stand_for_it)
{
	struct fatbin linked = make(SIM_FATBIN_ELF, "linked"), part = make(SIM_FATBIN_PTX, "part");
	const void *list[] = {&part, &part, NULL};

	section[0] = (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 2, &linked, list};
	assert_non_null(find());
	expect("icc");
}

TEST(a_link_without_parts_is_itself)
{
	struct fatbin linked = make(SIM_FATBIN_ELF, "linked");
	const void *list[] = {NULL};

	section[0] = (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 2, &linked, list};
	assert_non_null(find());
	expect("ic");
}

/* ---- what lies ---- */

TEST(pointers_to_nowhere_leave_the_rest_in_doubt)
{
	struct fatbin text = make(SIM_FATBIN_PTX, "one");

	section[0] = wrap((const void *)PAGE);
	section[1] = wrap((const void *)UINT64_MAX);
	section[2] = wrap(&text);
	section[3] = (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 2, &text, (void *)PAGE};
	assert_non_null(find());
	expect("ic0");
}

TEST(wrappers_of_nothing_have_no_module)
{
	static const char no_fatbin[64] = "this is text";

	section[0] = wrap(NULL);
	section[1] = wrap(no_fatbin);
	assert_null(find());
	expect("");
}

TEST(unknown_versions_leave_the_rest_in_doubt)
{
	struct fatbin text = make(SIM_FATBIN_PTX, "one");

	section[0] = wrap(&text);
	section[1] = (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 3, &text, NULL};
	assert_non_null(find());
	expect("ic0");
}

TEST(sizes_that_lie_are_choices_that_were_not_kept)
{
	struct fatbin bad[4];

	for (unsigned i = 0; i < 4; i++)
		bad[i] = make(SIM_FATBIN_PTX, "bad");
	bad[0].head.payload_bytes = UINT64_MAX;
	bad[1].entry.stored_bytes = UINT64_MAX;
	bad[2].head.header_bytes = 1;
	bad[3].entry.header_bytes = UINT32_MAX;
	for (unsigned i = 0; i < 4; i++) {
		section[0] = wrap(&bad[i]);
		memset(&sc_embedded, 0, sizeof(sc_embedded));
		assert_non_null(find());
	}
	expect("0000");
}

/* The fatbin claims more than is mapped. */
TEST(a_fatbin_that_is_cut_off_was_not_kept)
{
	uint8_t *pages = mmap(NULL, 2 * (size_t)PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct fatbin text = make(SIM_FATBIN_PTX, "one");

	assert_true(pages != MAP_FAILED);
	assert_int_equal(munmap(pages + PAGE, PAGE), 0);
	memcpy(pages + PAGE - 100, &text, 100);
	section[0] = wrap(pages + PAGE - 100);
	assert_non_null(find());
	expect("0");
	munmap(pages, PAGE);
}

TEST(a_list_of_parts_that_never_ends_is_cut)
{
	struct fatbin part = make(SIM_FATBIN_PTX, "part");
	const void **list = calloc(WRAPPERS, sizeof(*list));
	struct sc_record record;
	struct sc_reader *r;
	unsigned choices = 0, unknown = 0;

	assert_non_null(list);
	for (unsigned i = 0; i < WRAPPERS; i++) {
		list[i] = &part;
		section[i] = (struct sim_fatbin_wrapper){SIM_WRAPPER_MAGIC, 2, &part, list};
	}
	assert_non_null(find());
	r = close_trace(path);
	while (sc_reader_next(r, &record) == 1) {
		choices += record.op.kind == SC_OP_MODULE_CHOICE;
		unknown += record.op.kind == SC_OP_MODULE_CHOICE && !record.op.peer;
	}
	sc_reader_free(r);
	assert_int_equal(unknown, 1);
	assert_true(choices <= 4096);
	free(list);
}

/* ---- functions ---- */

TEST(functions_are_looked_at_again_after_a_change)
{
	struct sc_handle module = {.is_embedded = true}, function = {0};

	assert_false(sc_embedded_is_current(&function)); /* nobody has looked for its module */
	function.outer = &module;
	assert_true(sc_embedded_is_current(&function)); /* a call that was seen named it */
	atomic_store(&function.looked, sc_embedded_changes());
	assert_true(sc_embedded_is_current(&function));
	sc_embedded_changed(); /* nothing was loaded unseen */
	assert_true(sc_embedded_is_current(&function));
	assert_null(find());
	sc_embedded_changed();
	assert_false(sc_embedded_is_current(&function));
	expect("");
}

TEST(names_of_seen_modules_are_not_sought)
{
	assert_false(sc_embedded_is_excluded(42));
	sc_embedded_exclude(42);
	assert_true(sc_embedded_is_excluded(42));
	expect("");
}

/* ---- launches, on a driver that is a table of functions ---- */

#define KERNEL	   ((CUfunction)0x7000)
#define OTHER	   ((CUfunction)0x7100)
#define SEEN	   ((CUmodule)0x9000)
#define LIBRARY	   ((CUlibrary)0x9100)
#define LISTED	   ((CUkernel)0x9200)
#define NOT_LISTED ((CUkernel)0x1) /* the driver would crash */

static const char *name;
static CUmodule module_now;
static unsigned asked;
static struct fatbin code;

static CUresult get_name(const char **out, CUfunction f)
{
	(void)f;
	asked++;
	*out = name;
	return name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult get_kernel_name(const char **out, CUkernel kernel)
{
	assert_ptr_equal(kernel, LISTED);
	*out = name;
	return CUDA_SUCCESS;
}

static CUresult get_module(CUmodule *out, CUfunction f)
{
	(void)f;
	*out = module_now;
	return CUDA_SUCCESS;
}

static CUresult count_functions(unsigned *count, CUmodule of)
{
	(void)of;
	*count = 1;
	return CUDA_SUCCESS;
}

static CUresult count_kernels(unsigned *count, CUlibrary of)
{
	(void)of;
	*count = 1;
	return CUDA_SUCCESS;
}

static int begin_launches(void **state)
{
	code = make(SIM_FATBIN_PTX, "code");
	begin(state);
	section[0] = wrap(&code);
	sc_entries.calls = (struct sc_driver){.FuncGetName = get_name,
					      .FuncGetModule = get_module,
					      .KernelGetName = get_kernel_name,
					      .ModuleGetFunctionCount = count_functions,
					      .LibraryGetKernelCount = count_kernels};
	atomic_store(&sc_entries.driver_known, 1);
	name = "work";
	module_now = (CUmodule)0x8000;
	asked = 0;
	return 0;
}

static int end_launches(void **state)
{
	(void)state;
	if (atomic_load(&sc_session.state) == SC_LIVE)
		sc_reader_free(close_trace(path));
	return 0;
}

static struct sc_handle *launch(CUfunction f)
{
	cuLaunchKernel_params p = {.f = f, .gridDimX = 1};
	struct sc_call call = {.params = &p};

	sc_launch_plain(&call);
	assert_non_null(call.function);
	return call.function;
}

static bool is_unseen(const struct sc_handle *function)
{
	return function->outer && function->outer->is_embedded;
}

TEST_WITH(an_unseen_function_is_sought_in_the_file_that_launches_it, begin_launches, end_launches)
{
	assert_true(is_unseen(launch(KERNEL)));
	assert_ptr_equal(launch(OTHER)->outer, launch(KERNEL)->outer);
}

TEST_WITH(a_function_of_a_seen_module_is_that_modules, begin_launches, end_launches)
{
	struct sc_handle *seen = sc_handle_make(SC_HANDLE_MODULE, SEEN, 0, 0);

	module_now = SEEN;
	assert_ptr_equal(launch(KERNEL)->outer, seen);
	sc_handle_kill(sc_handle_refer(seen));
	assert_null(launch(OTHER)->outer);
}

TEST_WITH(a_function_that_was_found_in_an_unseen_module_is_sought, begin_launches, end_launches)
{
	CUfunction f = KERNEL;
	cuModuleGetFunction_params p = {.hfunc = &f, .hmod = module_now, .name = "work"};
	struct sc_call call = {.params = &p};

	sc_launch_function_named(&call);
	assert_true(is_unseen(launch(KERNEL)));
}

TEST_WITH(a_name_stays_if_the_driver_says_none, begin_launches, end_launches)
{
	CUfunction f = KERNEL;
	cuModuleGetFunction_params p = {.hfunc = &f, .hmod = module_now, .name = "work"};
	struct sc_call call = {.params = &p};

	sc_launch_function_named(&call);
	sc_entries.calls.FuncGetName = NULL;
	assert_ptr_equal(launch(KERNEL), sc_handle_find(SC_HANDLE_FUNCTION, KERNEL));
	assert_null(launch(KERNEL)->outer);
}

TEST_WITH(the_name_of_a_seen_kernel_is_not_sought, begin_launches, end_launches)
{
	CUfunction f = KERNEL;
	cuModuleGetFunction_params p = {.hfunc = &f, .hmod = SEEN, .name = "work"};
	struct sc_call call = {.params = &p};

	sc_handle_make(SC_HANDLE_MODULE, SEEN, 0, 0);
	sc_launch_function_named(&call);
	assert_null(launch(OTHER)->outer); /* may be the same kernel's */
}

TEST_WITH(listed_kernels_are_seen, begin_launches, end_launches)
{
	struct sc_handle *seen = sc_handle_make(SC_HANDLE_MODULE, SEEN, 0, 0);
	struct sc_handle *library = sc_handle_make(SC_HANDLE_MODULE, LIBRARY, 0, 0);
	CUfunction functions[] = {KERNEL, NULL};
	CUkernel kernels[] = {LISTED, NOT_LISTED};
	cuModuleEnumerateFunctions_params p = {
		.functions = functions, .numFunctions = 2, .mod = SEEN};
	cuLibraryEnumerateKernels_params q = {.kernels = kernels, .numKernels = 2, .lib = LIBRARY};
	struct sc_call call = {.params = &p};

	sc_launch_functions_listed(&call);
	call.params = &q;
	sc_launch_kernels_listed(&call);
	assert_ptr_equal(sc_handle_find(SC_HANDLE_FUNCTION, KERNEL)->outer, seen);
	assert_ptr_equal(sc_handle_find(SC_HANDLE_FUNCTION, LISTED)->outer, library);
	assert_null(sc_handle_find(SC_HANDLE_FUNCTION, NOT_LISTED));
}

/* A library was closed, and the handle stands for a kernel of another one. */
TEST_WITH(a_handle_that_came_back_is_another_kernel, begin_launches, end_launches)
{
	struct sc_handle *first = launch(KERNEL);

	assert_ptr_equal(launch(KERNEL), first);
	assert_int_equal(asked, 1);
	sc_embedded_changed();
	assert_ptr_equal(launch(KERNEL), first); /* it was the same */
	sc_embedded_changed();
	name = "other";
	assert_int_not_equal(launch(KERNEL)->id, first->id);
	assert_int_equal(asked, 3);
}

TEST_WITH(other_code_in_the_same_place_is_another_module, begin_launches, end_launches)
{
	struct sc_handle *first = launch(KERNEL);
	struct fatbin other = make(SIM_FATBIN_PTX, "other code");

	section[0] = wrap(&other);
	memset(&sc_embedded.files, 0, sizeof(sc_embedded.files)); /* the file is another one */
	sc_embedded_changed();
	assert_int_not_equal(launch(KERNEL)->outer->id, first->outer->id);
}

/* The driver crashes if it is asked about a function that is gone. */
TEST_WITH(a_node_whose_function_may_be_gone_is_not_asked_about, begin_launches, end_launches)
{
	CUDA_KERNEL_NODE_PARAMS_v3 node = {.func = KERNEL, .gridDimX = 1};
	struct sc_call call = {0};
	struct sc_handle *first = launch(KERNEL);

	sc_launch_node(&call, &node, (struct sc_handle_ref){0}, NULL);
	assert_ptr_equal(call.function, first);
	sc_embedded_changed();
	call = (struct sc_call){0};
	sc_launch_node(&call, &node, (struct sc_handle_ref){0}, NULL);
	assert_int_not_equal(call.function->id, first->id);
	assert_null(call.function->outer);
	assert_int_equal(asked, 1);
	assert_true(is_unseen(launch(KERNEL)));
}
