/* The image reader: what nvcc writes is understood, what nobody writes does no harm. */
#include <errno.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include <zstd.h>

#include "image/fatbin.h"
#include "image/image.h"
#include "image/write.h"

struct file {
	unsigned char *data;
	size_t size;
};

static struct file read_file(const char *name)
{
	struct file file = {NULL, 0};
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", SIM_IMAGES, name);
	in = fopen(path, "rb");
	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	file.size = (size_t)ftell(in);
	rewind(in);
	file.data = malloc(file.size + 1);
	assert_int_equal(fread(file.data, 1, file.size, in), file.size);
	file.data[file.size] = 0;
	fclose(in);
	return file;
}

static void check_params(const struct sim_image *image, const char *name, size_t count,
			 const struct sim_image_param *params)
{
	const struct sim_image_kernel *kernel = sim_image_find_kernel(image, name);
	size_t i;

	assert_non_null(kernel);
	assert_int_equal(kernel->param_count, count);
	for (i = 0; i < count; i++) {
		assert_int_equal(kernel->params[i].offset_bytes, params[i].offset_bytes);
		assert_int_equal(kernel->params[i].size_bytes, params[i].size_bytes);
	}
}

static const struct sim_image_global *find_global(const struct sim_image *image, const char *name)
{
	size_t i;

	for (i = 0; i < image->global_count; i++)
		if (strcmp(image->globals[i].name, name) == 0)
			return &image->globals[i];
	return NULL;
}

static void check_image(const struct sim_image *image)
{
	const struct sim_image_param scale[] = {{0, 8}, {8, 4}, {12, 4}};
	const struct sim_image_param mixed[] = {{0, 32}, {32, 1}, {40, 8}};
	const struct sim_image_param one[] = {{0, 8}};

	assert_int_equal(image->kernel_count, 4);
	check_params(image, "_Z5scalePffi", 3, scale);
	check_params(image, "_Z5mixed5MixedcPd", 3, mixed);
	check_params(image, "_Z3oneIiEvPT_", 1, one);
	check_params(image, "_Z4nonev", 0, NULL);
	assert_int_equal(find_global(image, "plain")->size_bytes, 4);
	assert_int_equal(find_global(image, "numbers")->size_bytes, 16);
	assert_true(find_global(image, "constants")->is_constant);
	assert_true(find_global(image, "managed")->is_managed);
	assert_false(find_global(image, "numbers")->is_managed);
}

static void check_code(const struct sim_image *image)
{
	const struct sim_image_kernel *mixed = sim_image_find_kernel(image, "_Z5mixed5MixedcPd");
	const float expected[4] = {1, 2, 3, 4};

	assert_false(image->is_ptx);
	assert_int_equal(mixed->shared_bytes, 512);
	assert_int_equal(mixed->max_threads, 128);
	assert_true(mixed->register_count > 0);
	assert_null(find_global(image, "plain")->initial);
	assert_int_equal(find_global(image, "numbers")->initial_bytes, sizeof(expected));
	assert_memory_equal(find_global(image, "numbers")->initial, expected, sizeof(expected));
}

static void read_code(const char *name)
{
	struct file file = read_file(name);
	struct sim_image *image;

	assert_int_equal(sim_image_parse(file.data, file.size, &image), 0);
	check_image(image);
	check_code(image);
	sim_image_free(image);
	free(file.data);
}

TEST(default_fatbin)
{
	read_code("default.fatbin");
}

TEST(debug_fatbin_is_compressed)
{
	read_code("debug.fatbin");
}

TEST(compressed_fatbin)
{
	read_code("compressed.fatbin");
}

TEST(relocatable_fatbin)
{
	read_code("relocatable.fatbin");
}

TEST(device_linked_fatbin)
{
	read_code("linked.fatbin");
}

TEST(cubin)
{
	read_code("plain.cubin");
}

/* The linker leaves no section for what the hardware keeps of a block's shared memory. */
TEST(device_linked_cubin)
{
	read_code("linked.cubin");
}

TEST(ptx_only)
{
	static const char *const names[] = {"plain.ptx", "ptx.fatbin"};
	struct sim_image *image;
	struct file file;
	int i;

	for (i = 0; i < 2; i++) {
		file = read_file(names[i]);
		assert_int_equal(sim_image_parse(file.data, file.size, &image), 0);
		assert_true(image->is_ptx);
		check_image(image);
		sim_image_free(image);
		free(file.data);
	}
}

/* In memory: by address only, with and without a wrapper of either version. */
TEST(load_by_address)
{
	struct file file = read_file("default.fatbin");
	struct sim_fatbin_wrapper wrapper = {SIM_WRAPPER_MAGIC, 1, file.data, NULL};
	struct file text = read_file("plain.ptx"), cubin = read_file("plain.cubin");
	const void *sources[] = {&wrapper, file.data, text.data, cubin.data};
	struct sim_image *image;
	size_t i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(sim_image_load(sources[i], &image), 0);
		check_image(image);
		sim_image_free(image);
	}
	wrapper.version = 2;
	assert_int_equal(sim_image_load(&wrapper, &image), 0);
	sim_image_free(image);
	wrapper.version = 3;
	assert_int_not_equal(sim_image_load(&wrapper, &image), 0);
	assert_null(image);
	wrapper.data = NULL;
	assert_int_not_equal(sim_image_load(&wrapper, &image), 0);
	assert_int_not_equal(sim_image_load(NULL, &image), 0);
	free(file.data);
	free(text.data);
	free(cubin.data);
}

/* NVRTC of CUDA 13 puts the headers of sections at any multiple of four. */
TEST(headers_lie_anywhere)
{
	struct file cubin = read_file("plain.cubin");
	size_t at = (cubin.size + 7) / 8 * 8 + 4, bytes;
	struct sim_image *image;
	unsigned char *moved;
	Elf64_Ehdr head;

	memcpy(&head, cubin.data, sizeof(head));
	bytes = head.e_shnum * sizeof(Elf64_Shdr);
	moved = calloc(1, at + bytes);
	assert_non_null(moved);
	memcpy(moved, cubin.data, cubin.size);
	memcpy(moved + at, cubin.data + head.e_shoff, bytes);
	head.e_shoff = at;
	memcpy(moved, &head, sizeof(head));
	assert_int_equal(sim_image_load(moved, &image), 0);
	check_image(image);
	sim_image_free(image);
	free(moved);
	free(cubin.data);
}

/* Exactly as many bytes as the reader may look at, so that a sanitizer sees one more. */
static void parse_copy(const unsigned char *data, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);
	struct sim_image *image;
	int err;

	assert_non_null(copy);
	memcpy(copy, data, size);
	err = sim_image_parse(copy, size, &image);
	assert_true(err <= 0);
	assert_int_equal(err == 0, image != NULL);
	sim_image_free(image);
	free(copy);
}

static const char *const all_files[] = {"default.fatbin", "compressed.fatbin", "debug.fatbin",
					"ptx.fatbin",	  "plain.cubin",       "plain.ptx"};

TEST(truncated_images)
{
	struct file file;
	size_t i, size;

	for (i = 0; i < sizeof(all_files) / sizeof(all_files[0]); i++) {
		file = read_file(all_files[i]);
		for (size = 0; size < file.size; size += 1 + size / 64)
			parse_copy(file.data, size);
		free(file.data);
	}
}

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Some bits, and some whole words set to sizes that overflow. */
static void damage(unsigned char *data, size_t size, uint64_t *seed)
{
	static const uint64_t nasty[] = {0, 1, 0x7fffffff, 0xffffffff, INT64_MAX, UINT64_MAX};
	int i, count = 1 + (int)(next_random(seed) % 4);
	size_t at;

	for (i = 0; i < count; i++) {
		at = next_random(seed) % size;
		if (next_random(seed) % 2)
			data[at] ^= (unsigned char)(1u << (next_random(seed) % 8));
		else if (size - at >= 8)
			memcpy(data + at, &nasty[next_random(seed) % 6],
			       next_random(seed) % 2 ? 4 : 8);
	}
}

TEST(damaged_images)
{
	uint64_t seed = 0x1234567887654321u;
	struct file file;
	unsigned char *copy;
	size_t i, round;

	for (i = 0; i < sizeof(all_files) / sizeof(all_files[0]); i++) {
		file = read_file(all_files[i]);
		copy = malloc(file.size);
		for (round = 0; round < 400; round++) {
			memcpy(copy, file.data, file.size);
			damage(copy, file.size, &seed);
			/* Half of the damage goes where the headers are. */
			if (round % 2)
				damage(copy, file.size < 256 ? file.size : 256, &seed);
			parse_copy(copy, file.size);
		}
		free(copy);
		free(file.data);
	}
}

/* What a linker writes says what its parts said. */
/* By address only, with pages after it that must not be touched. */
TEST(damaged_images_in_memory)
{
	uint64_t seed = 0x8765432112345678u;
	static const char *const names[] = {"plain.cubin", "default.fatbin"};

	for (size_t i = 0; i < 2; i++) {
		struct file file = read_file(names[i]);
		size_t room = (file.size + 4095) & ~(size_t)4095;
		unsigned char *pages = mmap(NULL, room + 4096, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		struct sim_image *image;

		assert_ptr_not_equal(pages, MAP_FAILED);
		assert_int_equal(munmap(pages + room, 4096), 0);
		for (size_t round = 0; round < 2000; round++) {
			memcpy(pages, file.data, file.size);
			damage(pages + 16, file.size < 256 ? file.size - 16 : 240, &seed);
			if (round % 2)
				damage(pages, file.size, &seed);
			if (!sim_image_load(pages, &image))
				sim_image_free(image);
		}
		munmap(pages, room);
		free(file.data);
	}
}

TEST(linked_image_is_read_back)
{
	struct file file = read_file("plain.cubin");
	struct sim_image linked = {0}, *image;
	size_t size;
	void *data;

	assert_int_equal(sim_image_parse(file.data, file.size, &image), 0);
	assert_int_equal(sim_image_merge(&linked, image), 0);
	assert_int_equal(sim_image_merge(&linked, image), -EEXIST);
	sim_image_free(image);
	assert_int_equal(sim_cubin_write(&linked, NULL, 0, &data, &size), 0);
	sim_image_fini(&linked);
	assert_int_equal(sim_image_parse(data, size, &image), 0);
	check_image(image);
	check_code(image);
	sim_image_free(image);
	free(data);
	free(file.data);
}

/* Sizes above 14 bits have an attribute of their own. */
TEST(large_parameters_are_read_back)
{
	struct sim_image_param params[] = {{0, 4}, {4, 32000}, {32008, 8}};
	char name[] = "k";
	struct sim_image_kernel kernel = {.name = name, .params = params, .param_count = 3};
	struct sim_image linked = {.kernels = &kernel, .kernel_count = 1}, *image;
	size_t size;
	void *data;

	assert_int_equal(sim_cubin_write(&linked, NULL, 0, &data, &size), 0);
	assert_int_equal(sim_image_parse(data, size, &image), 0);
	assert_int_equal(image->kernel_count, 1);
	assert_int_equal(image->kernels[0].param_count, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(image->kernels[0].params[i].offset_bytes, params[i].offset_bytes);
		assert_int_equal(image->kernels[0].params[i].size_bytes, params[i].size_bytes);
	}
	sim_image_free(image);
	free(data);
}

TEST(no_image_at_all)
{
	struct sim_image *image;

	assert_int_not_equal(sim_image_parse("", 0, &image), 0);
	assert_int_not_equal(sim_image_parse("hello, world", 12, &image), 0);
	assert_int_not_equal(sim_image_parse("\x7f"
					     "ELF",
					     4, &image),
			     0);
	assert_int_not_equal(sim_image_parse(".entry f()", 10, &image), 0);
	assert_null(image);
}

/* A fatbin of a few bytes that claims a huge text does not make the reader allocate it. */
TEST(compressed_claim_is_not_believed)
{
	static const char text[] = ".version 9.0\n.visible .entry f(.param .u64 p) { ret; }\n";
	struct {
		struct sim_fatbin_head head;
		struct sim_fatbin_entry entry;
		unsigned char packed[256];
	} fatbin = {{SIM_FATBIN_MAGIC, 1, sizeof(struct sim_fatbin_head), 0}, {0}, {0}};
	size_t packed = ZSTD_compress(fatbin.packed, sizeof(fatbin.packed), text, sizeof(text), 1);
	struct sim_image *image;

	assert_false(ZSTD_isError(packed));
	fatbin.entry = (struct sim_fatbin_entry){.kind = SIM_FATBIN_PTX,
						 .header_bytes = sizeof(fatbin.entry),
						 .stored_bytes = sizeof(fatbin.packed),
						 .compressed_bytes = (uint32_t)packed,
						 .arch = 90,
						 .flags = SIM_FATBIN_ZSTD,
						 .plain_bytes = UINT64_MAX};
	fatbin.head.payload_bytes = sizeof(fatbin.entry) + sizeof(fatbin.packed);
	assert_int_equal(sim_image_parse(&fatbin, sizeof(fatbin), &image), 0);
	assert_int_equal(image->kernel_count, 1);
	assert_string_equal(image->kernels[0].name, "f");
	assert_int_equal(image->kernels[0].params[0].size_bytes, 8);
	sim_image_free(image);
}
