/* Symbols: this very program is the module that is looked up, whole, missing, and damaged. */
#define UNIT_OWN_MAIN
#include "analyzer/symbol/symbol.h"
#include "analyzer/symbol/cache.h"

#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"
#include "base/heap.h"
#include "trace/writer.h"

#define DAMAGED_COPIES 40

/* Where the return address of inner() was taken, as the debug information must have it. */
static uint64_t seen_pc;
static int call_line, inline_line;

/* Not instrumented: ThreadSanitizer ends functions by a jump, which is a frame of its own. */
#define PLAIN __attribute__((no_sanitize("thread")))

PLAIN __attribute__((noinline)) static void take_pc(void)
{
	seen_pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

PLAIN __attribute__((always_inline)) static inline void inlined_caller(void)
{
	inline_line = __LINE__ + 1;
	take_pc();
	__asm__ volatile("");
}

PLAIN __attribute__((noinline)) static void outer_caller(void)
{
	call_line = __LINE__ + 1;
	inlined_caller();
	__asm__ volatile("");
}

/* The mapping of this program that holds an address. */
struct mapping {
	uint64_t address, start, bytes, offset;
};

static int find_segment(struct dl_phdr_info *info, size_t size, void *context)
{
	struct mapping *m = context;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD || m->address < start || m->address - start >= p->p_memsz)
			continue;
		m->start = start;
		m->bytes = p->p_memsz;
		m->offset = p->p_offset;
		return 1;
	}
	return 0;
}

/* A trace with one map and one stack of one frame, written and opened again. */
struct fixture {
	char folder[64];
	char trace[128];
	struct sc_reader *reader;
	struct sc_symbols *symbols;
	const struct sc_frame *frames;
	size_t count;
};

static void put(struct sc_writer *w, const struct sc_op *op, uint32_t type, const void *data,
		size_t bytes, const void *build_id)
{
	struct sc_attachment attachments[] = {
		{.type = type, .bytes = (uint32_t)bytes, .data = data},
		{.type = SC_ATTACH_BUILD_ID, .bytes = 20, .data = build_id},
	};

	assert_true(sc_writer_put(w, op, attachments, build_id ? 2 : 1) != SC_NOT_WRITTEN);
}

static void look_up_with(struct fixture *f, const char *path, uint64_t pc, const void *build_id,
			 struct sc_symbol_cache *cache)
{
	struct mapping m = {.address = seen_pc};
	struct sc_op map = {.kind = SC_OP_MAP}, stack = {.kind = SC_OP_STACK, .object = 1};
	struct sc_record record;
	struct sc_writer w;

	strcpy(f->folder, "/tmp/test_symbol.XXXXXX");
	assert_non_null(mkdtemp(f->folder));
	snprintf(f->trace, sizeof(f->trace), "%s/t.sct", f->folder);
	assert_int_equal(dl_iterate_phdr(find_segment, &m), 1);
	map.dst = m.start;
	map.bytes = m.bytes;
	map.value = m.offset;
	assert_int_equal(sc_writer_open(&w, f->trace, 1 << 20), 0);
	put(&w, &map, SC_ATTACH_TEXT, path, strlen(path), build_id);
	put(&w, &stack, SC_ATTACH_FRAMES, &pc, sizeof(pc), NULL);
	sc_writer_close(&w);
	assert_int_equal(sc_reader_open(&f->reader, f->trace, NULL, 0), 0);
	while (sc_reader_next(f->reader, &record) > 0)
		continue;
	f->symbols = sc_symbols_new(f->reader);
	assert_non_null(f->symbols);
	sc_symbols_share(f->symbols, cache);
	f->count = sc_symbols_stack(f->symbols, 1, &f->frames);
}

static void look_up(struct fixture *f, const char *path, uint64_t pc, const void *build_id)
{
	look_up_with(f, path, pc, build_id, NULL);
}

static void forget(struct fixture *f)
{
	sc_symbols_free(f->symbols);
	sc_reader_free(f->reader);
	unlink(f->trace);
	rmdir(f->folder);
}

static const char *self(void)
{
	static char path[PATH_MAX];
	ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(bytes > 0);
	path[bytes] = '\0';
	return path;
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

TEST(inlined_frames_have_function_file_and_line)
{
	struct fixture f;

	look_up(&f, self(), seen_pc, NULL);
	assert_int_equal(f.count, 2);
	assert_string_equal(f.frames[0].function, "inlined_caller");
	assert_string_equal(base_name(f.frames[0].file), "test_symbol.c");
	assert_int_equal(f.frames[0].line, inline_line);
	assert_true(f.frames[0].is_inlined);
	assert_string_equal(f.frames[1].function, "outer_caller");
	assert_string_equal(base_name(f.frames[1].file), "test_symbol.c");
	assert_int_equal(f.frames[1].line, call_line);
	assert_false(f.frames[1].is_inlined);
	assert_false(f.frames[1].is_internal);
	assert_int_equal(f.frames[0].file[0], '/');
	forget(&f);
}

/* No debug information is unpacked for frames that no report shows the source of. */
TEST(the_c_library_has_names_and_no_lines)
{
	char folder[] = "/tmp/test_symbol_libc.XXXXXX", path[64];
	struct fixture f;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/libc.so.6", folder);
	assert_int_equal(symlink(self(), path), 0);
	look_up(&f, path, seen_pc, NULL);
	assert_int_equal(f.count, 1);
	assert_string_equal(f.frames[0].function, "outer_caller");
	assert_true(f.frames[0].is_internal);
	assert_string_equal(f.frames[0].file, "");
	assert_int_equal(f.frames[0].line, 0);
	forget(&f);
	unlink(path);
	rmdir(folder);
}

TEST(a_missing_file_leaves_module_and_offset)
{
	struct fixture f;

	look_up(&f, "/nowhere/app", seen_pc, NULL);
	assert_int_equal(f.count, 1);
	assert_memory_equal(f.frames[0].function, "app+0x", 6);
	assert_false(f.frames[0].is_named);
	assert_string_equal(f.frames[0].file, "");
	assert_int_equal(f.frames[0].line, 0);
	forget(&f);
}

TEST(another_build_is_not_trusted)
{
	static const uint8_t other[20] = {1, 2, 3};
	struct fixture f;

	look_up(&f, self(), seen_pc, other);
	assert_int_equal(f.count, 1);
	assert_memory_equal(f.frames[0].function, "test_symbol+0x", 14);
	assert_non_null(f.frames[0].instead);
	forget(&f);
	look_up(&f, self(), seen_pc, NULL);
	assert_null(f.frames[0].instead);
	forget(&f);
}

TEST(a_pc_outside_all_maps_is_an_address)
{
	struct fixture f;

	look_up(&f, self(), 0x1234, NULL);
	assert_int_equal(f.count, 1);
	assert_string_equal(f.frames[0].function, "0x1234");
	assert_string_equal(f.frames[0].module, "");
	forget(&f);
}

/* What was found where the program is, is known where it is not. */
TEST(saved_names_are_those_of_the_program)
{
	struct fixture here, there;
	struct sc_symbols *moved;
	struct sc_buf text = {0};
	const struct sc_frame *frames;

	look_up(&here, self(), seen_pc, NULL);
	look_up(&there, "/nowhere/app", seen_pc, NULL);
	sc_symbols_save(here.symbols, &text);
	moved = sc_symbols_new(there.reader);
	sc_symbols_load(moved, text.text, text.bytes);
	assert_int_equal(sc_symbols_stack(moved, 1, &frames), 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_string_equal(frames[i].function, here.frames[i].function);
		assert_string_equal(frames[i].file, here.frames[i].file);
		assert_int_equal(frames[i].line, here.frames[i].line);
		assert_int_equal(frames[i].is_inlined, here.frames[i].is_inlined);
	}
	sc_symbols_free(moved);
	sc_buf_fini(&text);
	forget(&here);
	forget(&there);
}

TEST(any_text_may_come_as_names)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"1",
		"1234",
		"1234\t",
		"1234\t7\t0\t0\tmain",
		"zz\t1\t1\t1\tf\tg\th\n",
		"1234\t4294967299\t-1\t1\tmain\t../../"
		"x.c\n1235\t1\t1\t0\tf\tg\n1234\t1\t1\t0\tg\th\n",
		"1234\t1\t1\t0\t\tg\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct fixture f;
		struct sc_symbols *s;

		look_up(&f, self(), 0x1234, NULL);
		s = sc_symbols_new(f.reader);
		sc_symbols_load(s, texts[i], strlen(texts[i]));
		f.count = sc_symbols_stack(s, 1, &f.frames);
		assert_true(f.count >= 1);
		assert_true(*f.frames[f.count - 1].function != '\0');
		sc_symbols_free(s);
		forget(&f);
	}
}

TEST(files_that_are_no_elf_cost_nothing)
{
	static const char *const paths[] = {"/dev/zero", "/etc/passwd", "/proc/self/mem", "/tmp"};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct fixture f;

		look_up(&f, paths[i], seen_pc, NULL);
		assert_int_equal(f.count, 1);
		assert_false(f.frames[0].is_named);
		forget(&f);
	}
}

/* The whole file in memory. */
static uint8_t *read_self(size_t *bytes)
{
	int fd = open(self(), O_RDONLY);
	struct stat status;
	uint8_t *data;

	assert_int_equal(fstat(fd, &status), 0);
	*bytes = (size_t)status.st_size;
	data = sc_heap_xcalloc(*bytes, 1);
	assert_int_equal(read(fd, data, *bytes), *bytes);
	close(fd);
	return data;
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* Bytes are overturned all over the file, or it is cut short; each copy is looked up once. */
TEST(damaged_files_do_not_crash)
{
	char path[] = "/tmp/test_symbol_damaged.XXXXXX";
	uint32_t random = 20;
	size_t bytes;
	uint8_t *good = read_self(&bytes), *bad = sc_heap_xcalloc(bytes, 1);
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	for (int copy = 0; copy < DAMAGED_COPIES; copy++) {
		size_t cut = copy % 8 == 7 ? next_random(&random) % bytes : bytes;
		struct fixture f;

		memcpy(bad, good, bytes);
		for (int i = 0; i < 20 << (copy % 8); i++)
			bad[64 + next_random(&random) % (bytes - 64)] ^= 1u << (i % 8);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, bad, cut, 0), cut);
		look_up(&f, path, seen_pc, NULL);
		assert_true(f.count >= 1);
		forget(&f);
	}
	close(fd);
	unlink(path);
	free(good);
	free(bad);
}

static void assert_same_frames(const struct fixture *a, const struct fixture *b)
{
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		assert_string_equal(a->frames[i].function, b->frames[i].function);
		assert_string_equal(a->frames[i].file, b->frames[i].file);
		assert_int_equal(a->frames[i].line, b->frames[i].line);
		assert_int_equal(a->frames[i].column, b->frames[i].column);
		assert_int_equal(a->frames[i].is_named, b->frames[i].is_named);
		assert_int_equal(a->frames[i].is_inlined, b->frames[i].is_inlined);
		assert_int_equal(a->frames[i].is_internal, b->frames[i].is_internal);
	}
}

/* The file of `f`, and how many frames the cache has at the address that was looked up. */
static int cached_of(struct sc_symbol_cache *c, const struct fixture *f,
		     const struct sc_cached_frame **frames)
{
	struct sc_question question = {.offset = f->frames[0].offset};
	const struct sc_map *maps;

	assert_int_equal(sc_reader_maps(f->reader, &maps), 1);
	return sc_symbol_cache_find(c, sc_symbol_cache_file(c, maps), &question, frames);
}

TEST(a_cache_gives_later_traces_the_same_names)
{
	struct sc_symbol_cache *cache = sc_symbol_cache_new();
	const struct sc_cached_frame *frames;
	struct fixture plain, first, second;

	look_up(&plain, self(), seen_pc, NULL);
	look_up_with(&first, self(), seen_pc, NULL, cache);
	assert_int_equal(cached_of(cache, &first, &frames), (int)first.count);
	look_up_with(&second, self(), seen_pc, NULL, cache);
	assert_same_frames(&plain, &first);
	assert_same_frames(&plain, &second);
	/* They are the strings of the cache: nothing was looked up. */
	assert_int_equal(cached_of(cache, &second, &frames), (int)second.count);
	assert_ptr_equal(second.frames[0].function, frames[0].function);
	forget(&plain);
	forget(&first);
	forget(&second);
	sc_symbol_cache_free(cache);
}

TEST(a_cache_keeps_builds_and_missing_names_apart)
{
	static const uint8_t other_build[20] = {1};
	struct sc_symbol_cache *cache = sc_symbol_cache_new();
	const struct sc_cached_frame *frames;
	struct fixture right, wrong, plain;

	look_up_with(&wrong, self(), seen_pc, other_build, cache);
	assert_int_equal(cached_of(cache, &wrong, &frames), 1); /* no name is an answer */
	assert_null(frames[0].function);
	assert_string_equal(frames[0].instead, wrong.frames[0].instead);
	look_up_with(&right, self(), seen_pc, NULL, cache);
	look_up(&plain, self(), seen_pc, NULL);
	assert_same_frames(&plain, &right);
	forget(&wrong);
	forget(&right);
	look_up_with(&wrong, self(), seen_pc, other_build, cache);
	assert_false(wrong.frames[0].is_named);
	forget(&wrong);
	forget(&plain);
	sc_symbol_cache_free(cache);
}

/* A file that was written anew between two traces has its own names. */
TEST(a_cache_looks_at_what_lies_there_now)
{
	struct sc_symbol_cache *cache = sc_symbol_cache_new();
	struct sc_map map = {.bytes = 1};
	const struct sc_cached_frame frame = {.function = "f", .file = ""}, *found;
	char path[] = "/tmp/test_symbol_cache.XXXXXX";
	int fd = mkstemp(path);
	uint32_t file;

	assert_true(fd >= 0);
	map.path = path;
	file = sc_symbol_cache_file(cache, &map);
	sc_symbol_cache_add(cache, file, &(struct sc_question){.offset = 1}, &frame, 1);
	assert_int_equal(
		sc_symbol_cache_find(cache, file, &(struct sc_question){.offset = 1}, &found), 1);
	assert_int_equal(sc_symbol_cache_file(cache, &map), file);
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_not_equal(sc_symbol_cache_file(cache, &map), file);
	close(fd);
	unlink(path);
	sc_symbol_cache_free(cache);
}

TEST(a_cache_is_bounded)
{
	static char name[1 << 16];
	struct sc_symbol_cache *cache = sc_symbol_cache_new();
	struct sc_cached_frame frame = {.function = name, .file = "a.c", .line = 1};
	const struct sc_cached_frame *found;
	struct sc_map map = {.path = "/nowhere", .bytes = 1};
	uint32_t file = sc_symbol_cache_file(cache, &map);
	uint64_t kept = 0;

	memset(name, 'x', sizeof(name) - 1);
	for (uint64_t i = 0; i < 1000; i++)
		sc_symbol_cache_add(cache, file, &(struct sc_question){.offset = i}, &frame, 1);
	while (sc_symbol_cache_find(cache, file, &(struct sc_question){.offset = kept}, &found) ==
	       1)
		kept++;
	assert_in_range(kept, 256, SC_SYMBOL_CACHE_BYTES_MOST / sizeof(name) + 16);
	assert_int_equal(sc_symbol_cache_find(cache, 0, &(struct sc_question){.offset = 1}, &found),
			 -1);
	assert_int_equal(sc_symbol_cache_find(cache, file,
					      &(struct sc_question){.offset = UINT64_C(1) << 60},
					      &found),
			 -1);
	sc_symbol_cache_free(cache);
}

int main(void)
{
	outer_caller();
	return unit_run();
}
