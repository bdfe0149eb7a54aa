/* A small fuzz driver for compilers without libFuzzer: mutates a corpus with a fixed random
 *sequence.
 *
 *	fuzz_NAME CORPUS-DIRECTORY [ITERATIONS [ONLY]]
 *
 * Every iteration depends on its number alone; when one crashes, its number is printed, and giving
 *it as ONLY runs that one again. Stops early after SC_FUZZ_SECONDS, so that slow builds stay
 *bounded.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SC_FUZZ_SECONDS 6
#define INPUT_BYTES	(64 << 10)
#define SEEDS		256

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
/* Of targets that know the language of their inputs. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t room, unsigned seed)
	__attribute__((weak));
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

struct input {
	uint8_t data[INPUT_BYTES];
	size_t bytes;
};

static struct input *seeds[SEEDS];
static size_t seed_count;
static unsigned long iteration;

static void say_iteration(void)
{
	char text[64];
	int bytes = snprintf(text, sizeof(text), "fuzz: crashed in iteration %lu\n", iteration);

	if (write(STDERR_FILENO, text, (size_t)bytes) < 0)
		return;
}

static void crashed(int signal)
{
	say_iteration();
	_exit(128 + signal);
}

static void watch_crashes(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

	signal(SIGABRT, crashed);
	if (__sanitizer_set_death_callback) {
		__sanitizer_set_death_callback(say_iteration);
		return;
	}
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], crashed);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_seed(const char *path)
{
	struct input *seed = calloc(1, sizeof(*seed));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 || !seed ? -1 : read(fd, seed->data, INPUT_BYTES);

	if (got < 0) {
		perror(path);
		exit(1);
	}
	close(fd);
	seed->bytes = (size_t)got;
	seeds[seed_count++] = seed;
}

/* In order of their names, so that numbers mean the same everywhere. */
static void load_seeds(const char *directory)
{
	struct dirent **names;
	int count = scandir(directory, &names, NULL, by_name);
	char path[4096];

	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
		if (names[i]->d_name[0] != '.' && seed_count < SEEDS)
			load_seed(path);
		free(names[i]);
	}
	if (count >= 0)
		free(names);
	if (!seed_count) {
		fprintf(stderr, "%s: no seeds there\n", directory);
		exit(1);
	}
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static size_t below(uint64_t *state, size_t limit)
{
	return limit ? next_random(state) % limit : 0;
}

static void flip_bit(struct input *in, uint64_t *state)
{
	if (in->bytes)
		in->data[below(state, in->bytes)] ^= (uint8_t)(1 << below(state, 8));
}

static void set_word(struct input *in, uint64_t *state)
{
	static const uint64_t words[] = {0,	    1,		7,	    8,	      60,
					 64,	    0x7f,	0xff,	    0xffff,   1 << 20,
					 INT32_MAX, UINT32_MAX, UINT64_MAX, INT64_MAX};
	uint64_t word = words[below(state, sizeof(words) / sizeof(words[0]))];
	size_t width = (size_t)1 << below(state, 4), at = below(state, in->bytes);

	if (at + width <= in->bytes)
		memcpy(in->data + at, &word, width);
}

static void remove_part(struct input *in, uint64_t *state)
{
	size_t at = below(state, in->bytes), bytes = below(state, (in->bytes - at) / 2 + 1);

	memmove(in->data + at, in->data + at + bytes, in->bytes - at - bytes);
	in->bytes -= bytes;
}

/* Inserts a part of some seed. */
static void insert_part(struct input *in, uint64_t *state)
{
	const struct input *from = seeds[below(state, seed_count)];
	size_t at = below(state, in->bytes + 1), start = below(state, from->bytes);
	size_t bytes = below(state, from->bytes - start + 1) % 300;

	if (in->bytes + bytes > INPUT_BYTES)
		return;
	memmove(in->data + at + bytes, in->data + at, in->bytes - at);
	memcpy(in->data + at, from->data + start, bytes);
	in->bytes += bytes;
}

static void overwrite_part(struct input *in, uint64_t *state)
{
	size_t from = below(state, in->bytes), to = below(state, in->bytes);
	size_t bytes = below(state, 200);

	if (from + bytes <= in->bytes && to + bytes <= in->bytes)
		memmove(in->data + to, in->data + from, bytes);
}

static void cut(struct input *in, uint64_t *state)
{
	in->bytes = below(state, in->bytes + 1);
}

static void mutate(struct input *in, uint64_t *state)
{
	static void (*const ways[])(struct input *, uint64_t *) = {
		flip_bit, flip_bit, set_word, set_word, remove_part, insert_part, overwrite_part,
	};

	if (LLVMFuzzerCustomMutator)
		in->bytes = LLVMFuzzerCustomMutator(in->data, in->bytes, INPUT_BYTES,
						    (unsigned)next_random(state));
	if (LLVMFuzzerCustomMutator && below(state, 4))
		return;
	for (size_t n = 1 + below(state, 6); n; n--)
		ways[below(state, sizeof(ways) / sizeof(ways[0]))](in, state);
	if (!below(state, 16))
		cut(in, state);
}

/* The first iterations are the seeds as they are. */
static void run(unsigned long number)
{
	static struct input in;
	uint64_t state = number * UINT64_C(0x9E3779B97F4A7C15) + 88172645463325252u;
	uint8_t *exact;

	iteration = number;
	next_random(&state);
	in = *seeds[number < seed_count ? number : below(&state, seed_count)];
	if (number >= seed_count)
		mutate(&in, &state);
	exact = malloc(in.bytes + !in.bytes); /* so that a sanitizer sees one byte too far */
	if (!exact)
		exit(1);
	memcpy(exact, in.data, in.bytes);
	LLVMFuzzerTestOneInput(exact, in.bytes);
	free(exact);
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
	time_t start = time(NULL);
	unsigned long i = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s CORPUS-DIRECTORY [ITERATIONS [ONLY]]\n", argv[0]);
		return 2;
	}
	load_seeds(argv[1]);
	watch_crashes();
	if (argc > 3) {
		run(strtoul(argv[3], NULL, 10));
		return 0;
	}
	for (; i < count && time(NULL) - start < SC_FUZZ_SECONDS; i++)
		run(i);
	printf("%lu inputs from %zu seeds\n", i, seed_count);
	for (size_t k = 0; k < seed_count; k++)
		free(seeds[k]);
	return 0;
}
