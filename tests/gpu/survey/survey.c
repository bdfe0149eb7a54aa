/* Surveys the PTX in files: how much of it the footprint analysis reads, and how much is exact.
 *
 *	survey SHARD SHARDS FILE...
 *	survey keep FOLDER MOST-BYTES FILE...
 *	survey census FILE...
 *
 * Files are PTX texts, fatbins, or anything that has fatbins inside (libraries, programs). Of the
 * texts found, every SHARDS-th is read, from SHARD on. Each kernel is launched once on paper, with
 * 256 blocks of 256 threads, pointers to memory of their own, and numbers of 1000. One line of JSON
 * has the sums, and which kernels the simulated device can execute. `keep` writes the texts of at
 *most MOST-BYTES into FOLDER instead: seeds for fuzzers.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "footprint/kernel.h"
#include "image/fatbin.h"
#include "image/text.h"
#include "tests/gpu/survey/census.h"

#define PARAM_BYTES 32764
#define MOST_KEPT   200	      /* texts of one file */
#define SLOW_NS	    100000000 /* a kernel that takes longer is counted */

struct survey {
	unsigned long shard, shards, found;
	unsigned long texts, bytes, broken_images, with_problems, problems;
	unsigned long kernels, exact_kernels, known_kernels, instructions, ranges, exact_ranges;
	unsigned long slow, reasons[SC_REASONS];
	unsigned long long read_ns, analysis_ns, slowest_ns;
	struct census census;
};

static unsigned long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (unsigned long long)t.tv_sec * 1000000000 + (unsigned long long)t.tv_nsec;
}

/* Parameters of 8 bytes are pointers, all others numbers. */
static void fill_params(uint8_t *image, const struct sc_footprint_kernel *k)
{
	const struct sc_function *f = k->function;
	uint32_t number = 1000;

	memset(image, 0, PARAM_BYTES);
	for (uint32_t i = 0; i < f->param_count; i++) {
		const struct sc_ptx_symbol *s = &k->module->ptx.symbols.items[f->param_first + i];
		uint64_t pointer = UINT64_C(0x700000000000) + ((uint64_t)i << 36);

		if (s->offset + s->bytes > PARAM_BYTES)
			continue;
		for (uint64_t at = s->offset; at + 8 <= s->offset + s->bytes; at += 8)
			memcpy(image + at, &pointer, 8);
		if (s->bytes < 8)
			memcpy(image + s->offset, &number, s->bytes < 4 ? s->bytes : 4);
	}
}

static void count_ranges(struct survey *v, const struct sc_footprint *f)
{
	bool is_known = 1;

	for (size_t i = 0; i < f->count; i++) {
		const struct sc_footprint_range *r = &f->ranges[i];

		v->exact_ranges += !r->reason;
		v->reasons[r->reason < SC_REASONS ? r->reason : 0]++;
		is_known &= r->base_kind != SC_BASE_UNKNOWN;
	}
	v->ranges += f->count;
	v->exact_kernels += f->is_exact;
	v->known_kernels += is_known;
}

static void survey_kernel(struct survey *v, struct sc_footprint_kernel *k, uint8_t *params)
{
	struct sc_footprint_launch launch = {.grid = {256, 1, 1},
					     .block = {256, 1, 1},
					     .param_bytes = sc_footprint_param_bytes(k),
					     .params = params};
	unsigned long long start, took;
	struct sc_footprint f;

	if (launch.param_bytes > PARAM_BYTES)
		return;
	fill_params(params, k);
	start = now_ns();
	f = sc_footprint_of(k, &launch);
	took = now_ns() - start;
	v->kernels++;
	v->instructions += k->function->code.count;
	v->analysis_ns += took;
	v->slow += took > SLOW_NS;
	v->slowest_ns = took > v->slowest_ns ? took : v->slowest_ns;
	count_ranges(v, &f);
}

static void survey_text(void *context, const char *text, size_t bytes)
{
	static uint8_t params[PARAM_BYTES];
	struct survey *v = context;
	struct sc_footprint_module *m;
	unsigned long long start;
	uint32_t problems;

	if (v->found++ % v->shards != v->shard)
		return;
	start = now_ns();
	m = sc_footprint_parse(text, bytes);
	problems = sc_footprint_problems(m);
	v->read_ns += now_ns() - start;
	v->texts++;
	v->bytes += bytes;
	v->problems += problems;
	v->with_problems += problems != 0;
	for (size_t i = 0; i < sc_footprint_kernel_count(m); i++)
		survey_kernel(v, sc_footprint_kernel_at(m, i), params);
	census_add(&v->census, &m->ptx, text, bytes);
	sc_footprint_free(m);
}

/* ---- texts as files ---- */

struct keeping {
	const char *folder;
	size_t most_bytes;
	unsigned long kept, of_file;
};

static void keep_text(void *context, const char *text, size_t bytes)
{
	struct keeping *k = context;
	char path[4096];
	FILE *file;

	if (bytes > k->most_bytes || k->of_file++ >= MOST_KEPT)
		return;
	snprintf(path, sizeof(path), "%s/%lu.ptx", k->folder, k->kept++);
	file = fopen(path, "wb");
	if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file)) {
		perror(path);
		exit(1);
	}
}

/* ---- files ---- */

/* Bytes of the fatbin at the start of `data`; 0: there is none. */
static size_t fatbin_bytes(const uint8_t *data, size_t left)
{
	struct sim_fatbin_head head;

	if (left < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	if (head.magic != SIM_FATBIN_MAGIC || head.header_bytes < sizeof(head) ||
	    head.payload_bytes > left - sizeof(head))
		return 0;
	return head.header_bytes + head.payload_bytes;
}

/* Gives each text in `data` to `take`; returns how many images were broken. */
static unsigned long each_text(const uint8_t *data, size_t size,
			       void (*take)(void *, const char *, size_t), void *context)
{
	struct sim_text_request request = {0, (size_t)256 << 20, take, context};
	unsigned long broken = 0;
	bool is_sure;

	if (size > 8 && (*data == '.' || *data == '/')) {
		take(context, (const char *)data, strnlen((const char *)data, size));
		return 0;
	}
	for (size_t at = 0; at + sizeof(struct sim_fatbin_head) <= size; at += 8) {
		size_t bytes = fatbin_bytes(data + at, size - at);

		if (!bytes)
			continue;
		broken += sim_image_texts(data + at, bytes, &request, &is_sure) != 0;
		at += (bytes - 1) & ~(size_t)7;
	}
	return broken;
}

static unsigned long each_text_in(const char *path, void (*take)(void *, const char *, size_t),
				  void *context)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned long broken;
	struct stat s;
	void *data;

	if (fd < 0)
		return 0;
	if (fstat(fd, &s) || s.st_size <= 0) {
		close(fd);
		return 0;
	}
	data = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return 0;
	broken = each_text(data, (size_t)s.st_size, take, context);
	munmap(data, (size_t)s.st_size);
	return broken;
}

static void print(const struct survey *v)
{
	printf("{\"texts\": %lu, \"bytes\": %lu, \"broken_images\": %lu, \"with_problems\": %lu, "
	       "\"problems\": %lu, \"kernels\": %lu, \"exact_kernels\": %lu, "
	       "\"known_kernels\": %lu, \"instructions\": %lu, \"ranges\": %lu, "
	       "\"exact_ranges\": %lu, \"slow\": %lu, \"read_ns\": %llu, \"analysis_ns\": %llu, "
	       "\"slowest_ns\": %llu, \"reasons\": {",
	       v->texts, v->bytes, v->broken_images, v->with_problems, v->problems, v->kernels,
	       v->exact_kernels, v->known_kernels, v->instructions, v->ranges, v->exact_ranges,
	       v->slow, v->read_ns, v->analysis_ns, v->slowest_ns);
	for (unsigned i = 0; i < SC_REASONS; i++)
		printf("%s\"%u\": %lu", i ? ", " : "", i, v->reasons[i]);
	printf("}, ");
	census_print(&v->census);
	printf("}\n");
}

static int keep(int count, char **arguments)
{
	struct keeping k = {.folder = arguments[0], .most_bytes = strtoul(arguments[1], NULL, 10)};

	for (int i = 2; i < count; i++) {
		k.of_file = 0;
		each_text_in(arguments[i], keep_text, &k);
	}
	printf("%lu texts\n", k.kept);
	return 0;
}

static void count_text(void *context, const char *text, size_t bytes)
{
	struct sc_ptx m;

	sc_ptx_read(&m, text, bytes);
	census_add(context, &m, text, bytes);
	sc_ptx_fini(&m);
}

static int take_census(int count, char **files)
{
	struct census c = {0};

	for (int i = 0; i < count; i++)
		each_text_in(files[i], count_text, &c);
	printf("{\"kernels\": %lu, ", c.kernels);
	census_print(&c);
	printf("}\n");
	census_fini(&c);
	return 0;
}

int main(int argc, char **argv)
{
	struct survey v = {0};

	if (argc > 2 && !strcmp(argv[1], "census"))
		return take_census(argc - 2, argv + 2);
	if (argc > 4 && !strcmp(argv[1], "keep"))
		return keep(argc - 2, argv + 2);
	if (argc < 4 || !(v.shards = strtoul(argv[2], NULL, 10))) {
		fprintf(stderr, "usage: survey SHARD SHARDS FILE... | survey keep FOLDER "
				"MOST-BYTES FILE... | survey census FILE...\n");
		return 2;
	}
	v.shard = strtoul(argv[1], NULL, 10);
	for (int i = 3; i < argc; i++)
		v.broken_images += each_text_in(argv[i], survey_text, &v);
	print(&v);
	census_fini(&v.census);
	return 0;
}
