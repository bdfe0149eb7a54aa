/* Device images in the recorder: what loading and linking calls leave in the trace. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "image/fatbin.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "interposer/call/call.h"
#include "interposer/object/image.h"
#include "interposer/object/origin.h"
#include "interposer/object/text_cache.h"
#include "interposer/call/row_functions.h"

#define PTX_ONLY   1 /* option images=ptx */
#define ALL	   2
#define CODE_BYTES 256
#define PAGE	   4096

/* A fatbin with machine code, then text. */
struct fatbin {
	struct sim_fatbin_head head;
	struct sim_fatbin_entry code;
	uint8_t code_bytes[64];
	struct sim_fatbin_entry text;
	char text_bytes[64];
};

static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n";
static char path[64], file[64];

static int begin(void **state)
{
	(void)state;
	snprintf(file, sizeof(file), "/tmp/test_image.%d.ptx", getpid());
	memset(&sc_images, 0, sizeof(sc_images));
	memset(&sc_origins, 0, sizeof(sc_origins));
	memset(&sc_text_caches, 0, sizeof(sc_text_caches));
	setenv("HOME", "/nowhere", 1);
	atomic_store(&sc_session.object_ids, 0);
	sc_options_init(&sc_session.options);
	sc_session.options.images = PTX_ONLY;
	open_trace(path, "test_image", 1 << 20);
	return 0;
}

static void next(struct sc_reader *r, struct sc_record *record, unsigned kind)
{
	assert_int_equal(sc_reader_next(r, record), 1);
	assert_int_equal(record->op.kind, kind);
}

static void end(struct sc_reader *r)
{
	struct sc_record record;

	assert_int_equal(sc_reader_next(r, &record), 0);
	sc_reader_free(r);
}

static void expect_image(struct sc_reader *r, uint32_t id, const void *data, size_t bytes)
{
	struct sc_record record;
	uint32_t got = 0;
	const void *there;

	next(r, &record, SC_OP_IMAGE);
	assert_int_equal(record.op.object, id);
	assert_int_equal(record.op.value, 0);
	assert_int_equal(record.op.bytes, bytes);
	there = sc_record_attachment(&record, SC_ATTACH_IMAGE, &got);
	assert_int_equal(got, bytes);
	assert_memory_equal(there, data, bytes);
}

/* The trace says that something was left out. */
static void expect_incomplete(struct sc_reader *r)
{
	struct sc_record record;

	next(r, &record, SC_OP_SOURCE);
	assert_int_equal(record.op.value, 0);
}

static void expect_part(struct sc_reader *r, uint32_t module, uint32_t image)
{
	struct sc_record record;

	next(r, &record, SC_OP_MODULE_PART);
	assert_int_equal(record.op.object, module);
	assert_int_equal(record.op.peer, image);
}

/* Loads an image as module 77; the id of what was kept. */
static uint32_t load(const void *image)
{
	CUmodule module = NULL;
	cuModuleLoadData_params p = {.module = &module, .image = image};
	struct sc_call call = {.params = &p, .op.object = 77};

	sc_load_module_data(&call);
	return call.op.peer;
}

/* ---- images ---- */

EACH_TEST(begin, NULL)

TEST(text_is_kept_once)
{
	char *copy = strdup(ptx);
	struct sc_reader *r;

	assert_int_equal(load(ptx), 1);
	assert_int_equal(load(copy), 1);
	free(copy);
	r = close_trace(path);
	expect_image(r, 1, ptx, sizeof(ptx) - 1);
	end(r);
}

TEST(libraries_are_modules_too)
{
	CUlibrary library = NULL;
	cuLibraryLoadData_params p = {.library = &library, .code = ptx};
	struct sc_call call = {.params = &p};
	struct sc_reader *r;

	sc_load_library_data(&call);
	assert_int_equal(call.op.peer, 1);
	r = close_trace(path);
	expect_image(r, 1, ptx, sizeof(ptx) - 1);
	end(r);
}

TEST(files_are_read)
{
	CUmodule module = NULL;
	cuModuleLoad_params p = {.module = &module, .fname = file};
	cuModuleLoad_params none = {.module = &module, .fname = "/nowhere/at/all"};
	struct sc_call call = {.params = &p}, failed = {.params = &none};
	FILE *out = fopen(file, "w");
	struct sc_reader *r;

	assert_non_null(out);
	fputs(ptx, out);
	fclose(out);
	sc_load_module_file(&call);
	sc_load_module_file(&failed);
	unlink(file);
	assert_int_equal(call.op.peer, 1);
	assert_int_equal(failed.op.peer, 0);
	r = close_trace(path);
	expect_image(r, 1, ptx, sizeof(ptx) - 1);
	end(r);
}

static struct fatbin make_fatbin(void)
{
	struct fatbin f = {
		.head = {SIM_FATBIN_MAGIC, 1, sizeof(f.head), sizeof(f) - sizeof(f.head)},
		.code = {.kind = SIM_FATBIN_ELF, .header_bytes = sizeof(f.code), .arch = 90},
		.text = {.kind = SIM_FATBIN_PTX, .header_bytes = sizeof(f.text), .arch = 75}};

	f.code.stored_bytes = sizeof(f.code_bytes);
	f.text.stored_bytes = sizeof(f.text_bytes);
	memset(f.code_bytes, 0x5a, sizeof(f.code_bytes));
	memcpy(f.text_bytes, ptx, sizeof(ptx));
	return f;
}

TEST(machine_code_leaves_its_head)
{
	struct fatbin f = make_fatbin(), short_one = f;
	struct sim_fatbin_wrapper wrapper = {SIM_WRAPPER_MAGIC, 1, &f, NULL};
	uint8_t kept[sizeof(f) - sizeof(f.code_bytes)];
	size_t before = offsetof(struct fatbin, code_bytes);
	struct sc_reader *r;

	short_one.head.payload_bytes -= sizeof(f.code_bytes);
	short_one.code.stored_bytes = 0;
	memcpy(kept, &short_one, before);
	memcpy(kept + before, &f.text, sizeof(f.text) + sizeof(f.text_bytes));
	assert_int_equal(load(&wrapper), 1);
	r = close_trace(path);
	expect_image(r, 1, kept, sizeof(kept));
	end(r);
}

TEST(machine_code_is_kept_if_wanted)
{
	struct fatbin f = make_fatbin();
	struct sc_reader *r;

	sc_session.options.images = ALL;
	assert_int_equal(load(&f), 1);
	r = close_trace(path);
	expect_image(r, 1, &f, sizeof(f));
	end(r);
}

TEST(nothing_is_kept_if_not_wanted)
{
	sc_session.options.images = 0;
	assert_int_equal(load(ptx), 0);
	end(close_trace(path));
}

TEST(a_wrong_head_is_reported)
{
	struct fatbin f = make_fatbin();
	struct sc_reader *r;

	f.text.stored_bytes = UINT64_MAX - 8;
	assert_int_equal(load(&f), 0);
	f = make_fatbin();
	f.head.payload_bytes = UINT64_MAX;
	assert_int_equal(load(&f), 0);
	r = close_trace(path);
	expect_incomplete(r);
	end(r);
}

TEST(memory_that_cannot_be_read_is_reported_once)
{
	char *pages =
		mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sc_reader *r;

	assert_ptr_not_equal(pages, MAP_FAILED);
	memset(pages, 'x', PAGE); /* text without an end before the page that cannot be read */
	assert_int_equal(mprotect(pages + PAGE, PAGE, PROT_NONE), 0);
	assert_int_equal(load(pages), 0);
	assert_int_equal(load(pages + PAGE), 0);
	munmap(pages, 2 * PAGE);
	r = close_trace(path);
	expect_incomplete(r);
	end(r);
}

TEST(too_much_is_reported)
{
	struct sc_reader *r;

	sc_images.bytes = SC_IMAGES_MOST - 8;
	assert_int_equal(load(ptx), 0);
	r = close_trace(path);
	expect_incomplete(r);
	end(r);
}

/* ---- links ---- */

static void link_create(void *link)
{
	CUlinkState out = link;
	cuLinkCreate_v2_params p = {.stateOut = &out};

	sc_link_created(&(struct sc_call){.params = &p});
}

static void link_add(void *link, CUjitInputType type, const char *text)
{
	cuLinkAddData_v2_params p = {
		.state = link, .type = type, .data = (void *)text, .size = strlen(text)};

	sc_link_data_added(&(struct sc_call){.params = &p});
}

static void link_complete(void *link, uint8_t *code)
{
	void *out = code;
	size_t bytes = CODE_BYTES;
	cuLinkComplete_params p = {.state = link, .cubinOut = &out, .sizeOut = &bytes};

	sc_link_completed(&(struct sc_call){.params = &p});
}

/* What a linker would return, with `number` to distinguish it from others. */
static void make_code(uint8_t *code, uint8_t number)
{
	Elf64_Ehdr head = {
		.e_ident = ELFMAG, .e_shoff = CODE_BYTES, .e_shentsize = sizeof(Elf64_Shdr)};

	memset(code, 0, CODE_BYTES);
	memcpy(code, &head, sizeof(head));
	code[CODE_BYTES - 1] = number;
}

TEST(a_copy_of_the_result_names_the_parts)
{
	int link;
	uint8_t code[CODE_BYTES], copy[CODE_BYTES];
	struct sc_reader *r;

	make_code(code, 1);
	memcpy(copy, code, sizeof(copy));
	link_create(&link);
	link_add(&link, CU_JIT_INPUT_PTX, ptx);
	link_add(&link, CU_JIT_INPUT_PTX, "// other");
	link_add(&link, CU_JIT_INPUT_OBJECT, "an object of the host");
	link_complete(&link, code);
	memset(code, 0, sizeof(code));
	assert_int_equal(load(copy), 0);
	r = close_trace(path);
	expect_image(r, 1, ptx, sizeof(ptx) - 1);
	expect_image(r, 2, "// other", 8);
	expect_part(r, 77, 1);
	expect_part(r, 77, 2);
	expect_part(r, 77, 0);
	end(r);
}

TEST(results_are_distinguished_by_content)
{
	int link[2];
	uint8_t first[CODE_BYTES], second[CODE_BYTES], third[CODE_BYTES];
	struct sc_reader *r;

	make_code(first, 1);
	make_code(second, 2);
	make_code(third, 3);
	link_create(&link[0]);
	link_create(&link[1]);
	link_add(&link[0], CU_JIT_INPUT_PTX, ptx);
	link_add(&link[1], CU_JIT_INPUT_PTX, "// other");
	link_complete(&link[0], first);
	link_complete(&link[1], second);
	load(third);
	load(first);
	load(second);
	r = close_trace(path);
	expect_image(r, 1, ptx, sizeof(ptx) - 1);
	expect_image(r, 2, "// other", 8);
	expect_part(r, 77, 1);
	expect_part(r, 77, 2);
	end(r);
}

TEST(an_unknown_link_says_nothing)
{
	int link;
	uint8_t code[CODE_BYTES];

	make_code(code, 1);
	link_complete(&link, code);
	assert_int_equal(load(code), 0);
	end(close_trace(path));
}
