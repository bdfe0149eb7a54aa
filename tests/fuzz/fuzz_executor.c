/* Fuzz: whatever PTX says, its kernels are refused, or run on their memory alone and end; and the
 * same twice.
 *
 * A text may say in a comment how its kernels are launched: "//launch", grid, block, bytes of
 * dynamic shared memory. Numbers that a driver would refuse are made smaller.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"
#include "simulator/executor/executor.h"
#include "simulator/executor/texture/tensor.h"
#include "simulator/executor/texture/texture.h"

#define BASE	     UINT64_C(0x700000000000)
#define APART	     UINT64_C(0x100000) /* from one allocation to the next */
#define BYTES	     8192
#define KERNELS_MOST 4
#define BUDGET	     20000
#define THREADS_MOST 1024
#define SHARED_MOST  (227U << 10)
#define MAPS_AT	     1024 /* in the constant memory: maps of tensors */
#define MAPS	     4
#define CHANGED	     8 /* bytes at the end of a text */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

enum { WRITABLE, CONSTANT, PRIVATE, ALLOCATIONS };
enum { SHEET, CUBE, LINEAR, SURFACE, TEXTURES };

struct device {
	unsigned char *bytes[ALLOCATIONS]; /* owned; of exactly so many bytes */
	struct exec_texture textures[TEXTURES];
	uint64_t said;	/* a sum of what kernels printed */
	uint64_t taken; /* bytes of the heap, which is the end of the writable memory */
	unsigned char constant[BYTES]; /* as it must stay */
};

static bool find(void *context, uint64_t address, struct exec_span *span)
{
	const struct device *d = context;
	uint64_t which = (address - BASE) / APART;

	if (which >= ALLOCATIONS || (address - BASE) % APART >= BYTES)
		return 0;
	*span = (struct exec_span){BASE + which * APART, BYTES,
				   which == PRIVATE ? NULL : (char *)d->bytes[which],
				   which != CONSTANT};
	return 1;
}

/* The place of private memory; the executor must not ask for other memory than it found. */
static unsigned char *private_bytes(const struct device *d, uint64_t address, size_t bytes)
{
	uint64_t at = address - BASE - PRIVATE * APART;

	if (at > BYTES || bytes > BYTES - at)
		abort();
	return d->bytes[PRIVATE] + at;
}

static bool read_private(void *context, void *to, uint64_t from, size_t bytes)
{
	memcpy(to, private_bytes(context, from, bytes), bytes);
	return 1;
}

static bool write_private(void *context, uint64_t to, const void *from, size_t bytes)
{
	memcpy(private_bytes(context, to, bytes), from, bytes);
	return 1;
}

static void say(void *context, const char *text, size_t bytes)
{
	struct device *d = context;

	for (size_t i = 0; i < bytes; i++)
		d->said = d->said * 31 + (unsigned char)text[i];
}

static uint64_t allocate(void *context, uint64_t bytes)
{
	struct device *d = context;

	if (bytes > BYTES / 2 - d->taken)
		return 0;
	d->taken += bytes;
	return BASE + BYTES - d->taken;
}

static bool release(void *context, uint64_t address)
{
	(void)context;
	return address - BASE < BYTES;
}

/* Every number is an object, but few. */
static const struct exec_texture *texture_of(void *context, uint64_t handle)
{
	const struct device *d = context;
	uint64_t which = (handle / 64 + handle / APART + handle) % (TEXTURES + 1);

	return which == TEXTURES ? NULL : &d->textures[which];
}

/* A level without gaps; without bytes it lies in linear memory. */
static void add_level(struct exec_texture *t, char *bytes, uint32_t width, uint32_t height,
		      uint32_t depth)
{
	uint64_t row = (uint64_t)width * exec_texel_bytes(t);

	t->levels[t->level_count++] = (struct exec_texture_level){
		.bytes = bytes,
		.address = BASE + PRIVATE * APART + BYTES / 2, /* half of it is nowhere */
		.width = width,
		.height = height,
		.depth = depth,
		.row_bytes = row,
		.slice_bytes = row * height};
}

/* Up to the last byte of the memory that they are in. */
static void make_textures(struct device *d)
{
	char *constant = (char *)d->bytes[CONSTANT], *writable = (char *)d->bytes[WRITABLE];

	d->textures[SHEET] = (struct exec_texture){.is_number = 1,
						   .is_normalized = 1,
						   .is_filtered = 1,
						   .is_mip_filtered = 1,
						   .is_srgb = 1,
						   .channel_bits = 8,
						   .channel_count = 4,
						   .address_mode = {0, 2, 3},
						   .most_level = 9};
	add_level(&d->textures[SHEET], constant, 64, 32, 1);
	add_level(&d->textures[SHEET], constant + BYTES - 2048, 32, 16, 1);
	d->textures[CUBE] = (struct exec_texture){.is_number = 1,
						  .is_filtered = 1,
						  .is_cube = 1,
						  .is_layered = 1,
						  .is_seamless = 1,
						  .channel = EXEC_CHANNEL_FLOAT,
						  .channel_bits = 32,
						  .channel_count = 1};
	add_level(&d->textures[CUBE], constant + BYTES - 4 * 8 * 8 * 12, 8, 8, 12);
	d->textures[LINEAR] = (struct exec_texture){.is_linear = 1,
						    .channel = EXEC_CHANNEL_SIGNED,
						    .channel_bits = 16,
						    .channel_count = 2,
						    .address_mode = {3, 3, 3}};
	add_level(&d->textures[LINEAR], NULL, BYTES / 4, 1, 1);
	d->textures[SURFACE] =
		(struct exec_texture){.is_surface = 1, .channel_bits = 16, .channel_count = 4};
	add_level(&d->textures[SURFACE], writable + BYTES - 8 * 10 * 10 * 10, 10, 10, 10);
}

/* Of writable memory, of pixels there, of private memory up to its end; and the first one with some
 * bytes as pairs at the end of the text say: which one, and what it is. */
static void make_maps(struct exec_tensor *maps, const uint8_t *data, size_t bytes)
{
	char *changed = (char *)&maps[MAPS - 1];

	for (unsigned i = 0; i < MAPS; i++)
		maps[i] = (struct exec_tensor){.magic = EXEC_TENSOR_MAGIC,
					       .address = BASE + BYTES - 7 * 64, /* up to its end */
					       .stride = {64, 512, 1024},
					       .last = {15, 6, 1, 1},
					       .box = {8, 4, 2, 1, 1},
					       .step = {1, 1, 2, 1, 1},
					       .rank = 2,
					       .type = SC_TYPE_F32,
					       .element_bytes = 4,
					       .swizzle = 1,
					       .fills_nan = 1};
	maps[1].kind = EXEC_TENSOR_PIXELS;
	maps[1].rank = 4;
	maps[1].pixels = 20;
	maps[1].lower[0] = maps[1].upper[1] = -1;
	maps[2].address = BASE + PRIVATE * APART + BYTES - 256;
	maps[2].rounds = 1;
	for (size_t i = bytes < CHANGED ? 0 : bytes - CHANGED; i + 1 < bytes; i += 2)
		changed[data[i] % sizeof(*maps)] = (char)data[i + 1];
}

/* Every other variable lies somewhere. */
static uint64_t address_of(void *context, const char *name)
{
	(void)context;
	return strlen(name) % 2 ? BASE : 0;
}

static void new_device(struct device *d, const struct exec_tensor *maps)
{
	*d = (struct device){0};
	for (unsigned i = 0; i < ALLOCATIONS; i++) {
		d->bytes[i] = malloc(BYTES);
		if (!d->bytes[i])
			exit(1);
		for (unsigned k = 0; k < BYTES; k++)
			d->bytes[i][k] = (unsigned char)(k * 167 >> (k & 7));
	}
	memcpy(d->bytes[CONSTANT] + MAPS_AT, maps, MAPS * sizeof(*maps));
	memcpy(d->constant, d->bytes[CONSTANT], BYTES);
	make_textures(d);
}

static uint32_t limited(uint32_t number, uint32_t most)
{
	return number < 1 ? 1 : number > most ? most : number;
}

/* Numbers after "//launch"; one block of a warp for those that are not there. */
static void read_launch(struct exec_launch *l, const uint8_t *data, size_t bytes)
{
	uint32_t numbers[7] = {1, 1, 1, 32, 1, 1, 0};
	char line[128];
	const char *at = line + strlen("//launch");

	bytes = bytes < sizeof(line) ? bytes : sizeof(line) - 1;
	memcpy(line, data, bytes);
	line[bytes] = 0;
	if (!strncmp(line, "//launch", strlen("//launch")))
		for (unsigned i = 0; i < 7; i++) {
			char *end;
			unsigned long number = strtoul(at, &end, 10);

			if (end == at)
				break;
			numbers[i] = (uint32_t)number;
			at = end;
		}
	l->grid[0] = limited(numbers[0], INT32_MAX);
	l->grid[1] = limited(numbers[1], UINT16_MAX);
	l->grid[2] = limited(numbers[2], UINT16_MAX);
	l->block[0] = limited(numbers[3], THREADS_MOST);
	l->block[1] = limited(numbers[4], THREADS_MOST / l->block[0]);
	l->block[2] = limited(numbers[5], THREADS_MOST / l->block[0] / l->block[1]);
	l->dynamic_shared_bytes = numbers[6] <= SHARED_MOST ? numbers[6] : 0;
}

/* Runs a kernel on memory of its own: how it ended, and a sum of what it wrote. */
static uint64_t run(struct exec_launch *l, const struct exec_kernel *kernel,
		    const struct exec_tensor *maps, struct exec_outcome *outcome)
{
	uint64_t params[16], sum = 0;
	struct device d;

	new_device(&d, maps);
	for (unsigned i = 0; i < 16; i++)
		params[i] = BASE + i % 4 * APART + i / 4 * 64;
	l->kernel = kernel;
	l->params = params;
	l->params_bytes = sizeof(params);
	l->budget = BUDGET;
	l->memory = (struct exec_memory){find, read_private, write_private, texture_of, &d};
	l->services = (struct exec_services){say, say, allocate, release, &d, NULL};
	exec_launch_run(l, outcome);
	sum = d.said + d.taken;
	for (unsigned i = 0; i < ALLOCATIONS; i++)
		for (unsigned k = 0; k < BYTES; k++)
			sum = sum * 31 + d.bytes[i][k];
	if (memcmp(d.bytes[CONSTANT], d.constant, BYTES) != 0)
		abort();
	for (unsigned i = 0; i < ALLOCATIONS; i++)
		free(d.bytes[i]);
	return sum;
}

static void run_twice(struct exec_launch *l, const struct exec_kernel *kernel,
		      const struct exec_tensor *maps, bool reads_clock)
{
	struct exec_outcome one, other;
	uint64_t sum = run(l, kernel, maps, &one), again = run(l, kernel, maps, &other);

	if (one.result == EXEC_NO_MEMORY || reads_clock)
		return;
	if (sum != again || one.result != other.result || one.address != other.address ||
	    one.instructions != other.instructions || one.ptx_line != other.ptx_line ||
	    memcmp(one.block, other.block, sizeof(one.block)) != 0 ||
	    memcmp(one.thread, other.thread, sizeof(one.thread)) != 0)
		abort();
}

/* Reads all of an initial value. */
static void set(void *context, const char *variable, uint64_t offset, const void *bytes,
		size_t size)
{
	uint64_t *sum = context;

	*sum += offset + strlen(variable);
	for (size_t i = 0; i < size; i++)
		*sum = *sum * 31 + ((const uint8_t *)bytes)[i];
}

static bool contains(const uint8_t *data, size_t bytes, const char *word)
{
	return memmem(data, bytes, word, strlen(word)) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint64_t sum = 0;
	struct exec_program *p = exec_program_new(address_of, &sum);
	bool reads_clock = contains(data, bytes, "clock") || contains(data, bytes, "timer");
	struct exec_tensor maps[MAPS] = {0};
	struct exec_launch launch = {0};
	unsigned count = 0;
	struct sc_ptx m;

	read_launch(&launch, data, bytes);
	make_maps(maps, data, bytes);
	sc_ptx_read(&m, (const char *)data, bytes);
	exec_program_add(p, (const char *)data, bytes);
	for (size_t i = 0; i < m.functions.count && count < KERNELS_MOST; i++) {
		const char *name = m.names.items[m.functions.items[i].name], *why;
		const struct exec_kernel *kernel = exec_program_kernel(p, name, &why);

		if (!kernel && !why)
			abort();
		if (!kernel)
			continue;
		count++;
		run_twice(&launch, kernel, maps, reads_clock);
	}
	exec_program_initials(p, 0, set);
	sc_ptx_fini(&m);
	exec_program_free(p);
	return 0;
}
