/* Compilers' caches: the text that lies beside the bytes of a module's machine code. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#include "tests/unit/unit.h"
#include "tests/unit/interposer/trace_fixture.h"
#include "interposer/call/call.h"
#include "interposer/object/image.h"
#include "interposer/object/origin.h"
#include "interposer/object/text_cache.h"
#include "interposer/call/row_functions.h"

#define CODE_BYTES 256
#define OLD	   1000000000 /* seconds since 1970 */

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
static char path[64], home[64], cache[96];

static int begin(void **state)
{
	(void)state;
	memset(&sc_images, 0, sizeof(sc_images));
	memset(&sc_origins, 0, sizeof(sc_origins));
	memset(&sc_text_caches, 0, sizeof(sc_text_caches));
	atomic_store(&sc_session.object_ids, 0);
	sc_options_init(&sc_session.options);
	sc_session.options.images = 1;
	snprintf(home, sizeof(home), "/tmp/test_text_cache.XXXXXX");
	assert_non_null(mkdtemp(home));
	snprintf(cache, sizeof(cache), "%s/cache", home);
	assert_int_equal(mkdir(cache, 0700), 0);
	setenv("TRITON_CACHE_DIR", cache, 1);
	setenv("HOME", home, 1);
	unsetenv("TRITON_HOME");
	open_trace(path, "test_text_cache", 1 << 20);
	return 0;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", home);
	return system(command);
}

/* What a compiler would give out, with `number` to distinguish it from others. */
static const uint8_t *code_of(uint8_t number)
{
	static uint8_t code[CODE_BYTES];
	Elf64_Ehdr head = {
		.e_ident = ELFMAG, .e_shoff = CODE_BYTES, .e_shentsize = sizeof(Elf64_Shdr)};

	memset(code, 0, sizeof(code));
	memcpy(code, &head, sizeof(head));
	code[CODE_BYTES - 1] = number;
	return code;
}

static void make_folder(const char *under, const char *key)
{
	char name[192];

	snprintf(name, sizeof(name), "%s/%s", under, key);
	assert_int_equal(mkdir(name, 0700), 0);
}

static void write_file(const char *under, const char *name, const void *data, size_t bytes)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", under, name);
	file = fopen(full, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	fclose(file);
}

static void write_code(const char *under, const char *name, uint8_t number)
{
	write_file(under, name, code_of(number), CODE_BYTES);
}

/* A folder as a compiler leaves it: code, and its text beside it. */
static void make_entry(const char *under, const char *key, uint8_t number, const char *text)
{
	char name[192];

	make_folder(under, key);
	snprintf(name, sizeof(name), "%s/add.cubin", key);
	write_code(under, name, number);
	snprintf(name, sizeof(name), "%s/add.ptx", key);
	write_file(under, name, text, strlen(text));
}

/* Loads code as module 77. */
static void load(uint8_t number)
{
	CUmodule module = NULL;
	cuModuleLoadData_params p = {.module = &module, .image = code_of(number)};
	struct sc_call call = {.params = &p, .op.object = 77};

	sc_load_module_data(&call);
	assert_int_equal(call.op.peer, 0);
}

static struct sc_record next(struct sc_reader *r, unsigned kind)
{
	struct sc_record record;

	assert_int_equal(sc_reader_next(r, &record), 1);
	assert_int_equal(record.op.kind, kind);
	return record;
}

/* The trace has an image with this text, and a part of module 77 that names it. */
static void expect_text(struct sc_reader *r, const char *text)
{
	struct sc_record image = next(r, SC_OP_IMAGE), part;
	uint32_t got = 0;
	const void *there = sc_record_attachment(&image, SC_ATTACH_IMAGE, &got);

	assert_int_equal(got, strlen(text));
	assert_memory_equal(there, text, got);
	part = next(r, SC_OP_MODULE_PART);
	assert_int_equal(part.op.object, 77);
	assert_int_equal(part.op.peer, image.op.object);
}

static void expect_end(struct sc_reader *r)
{
	struct sc_record record;

	assert_int_equal(sc_reader_next(r, &record), 0);
	sc_reader_free(r);
}

EACH_TEST(begin, end)

TEST(the_text_beside_the_same_bytes_is_taken)
{
	struct sc_reader *r;

	make_entry(cache, "KEY", 1, ptx);
	make_entry(cache, "OTHER", 2, "// other");
	load(1);
	load(2);
	load(3);
	r = close_trace(path);
	expect_text(r, ptx);
	expect_text(r, "// other");
	expect_end(r);
}

TEST(the_home_folder_has_a_cache_too)
{
	struct sc_reader *r;

	make_folder(home, ".triton");
	make_folder(home, ".triton/cache");
	make_entry(home, ".triton/cache/KEY", 1, ptx);
	load(1);
	r = close_trace(path);
	expect_text(r, ptx);
	expect_end(r);
}

TEST(a_module_from_a_file_is_known_too)
{
	char name[192];
	CUmodule module = NULL;
	cuModuleLoad_params p = {.module = &module, .fname = name};
	struct sc_call call = {.params = &p, .op.object = 77};
	struct sc_reader *r;

	make_entry(cache, "KEY", 1, ptx);
	snprintf(name, sizeof(name), "%s/KEY/add.cubin", cache);
	sc_load_module_file(&call);
	r = close_trace(path);
	expect_text(r, ptx);
	expect_end(r);
}

/* A program may be told where its compiler, another process, put the code. */
TEST(a_file_in_a_folder_of_tritons_is_known_anywhere)
{
	char name[192];
	CUmodule module = NULL;
	cuModuleLoad_params p = {.module = &module, .fname = name};
	struct sc_call call = {.params = &p, .op.object = 77};
	struct sc_reader *r;

	make_entry(home, "KEY", 1, ptx);
	snprintf(name, sizeof(name), "%s/KEY/add.cubin", home);
	sc_load_module_file(&call); /* no compiler says that the two belong together */
	write_file(home, "KEY/__grp__add.json", "{}", 2);
	sc_load_module_file(&call);
	r = close_trace(path);
	expect_text(r, ptx);
	expect_end(r);
}

/* A compiler makes the folder first: once just now, once long ago. */
TEST(code_that_comes_later_is_found)
{
	struct utimbuf long_ago = {OLD, OLD};
	char name[128];
	struct sc_reader *r;

	make_folder(cache, "NEW");
	make_folder(cache, "OLD");
	snprintf(name, sizeof(name), "%s/OLD", cache);
	assert_int_equal(utime(name, &long_ago), 0);
	load(1);
	write_code(cache, "NEW/add.cubin", 1);
	write_file(cache, "NEW/add.ptx", ptx, sizeof(ptx) - 1);
	load(1);
	load(2);
	write_code(cache, "OLD/add.cubin", 2);
	write_file(cache, "OLD/add.ptx", "// other", 8);
	load(2);
	r = close_trace(path);
	expect_text(r, ptx);
	expect_text(r, "// other");
	expect_end(r);
}

TEST(what_is_no_file_is_not_waited_for)
{
	char name[192];
	struct sc_reader *r;

	make_folder(cache, "KEY");
	snprintf(name, sizeof(name), "%s/KEY/pipe.cubin", cache);
	assert_int_equal(mkfifo(name, 0600), 0);
	write_code(cache, "KEY/add.cubin", 1);
	snprintf(name, sizeof(name), "%s/KEY/add.ptx", cache);
	assert_int_equal(mkfifo(name, 0600), 0);
	write_code(cache, "KEY/alone.cubin", 2);
	write_file(cache, "file.cubin", "no folder", 9);
	load(1);
	load(2);
	r = close_trace(path);
	next(r, SC_OP_SOURCE); /* a text that cannot be read, and no part */
	expect_end(r);
}
