// Reads of words that kernels write, in an order that a seed chooses, between many operations that
// are in order. Which of them are polls is fixed by how often each looks, whatever the device does.
// Arguments: SEED ROUNDS
#include <pthread.h>
#include <unistd.h>
#include "testcases/common.h"

#define ELEMENTS 32
#define OFTEN	 250	 // rounds between two reads
#define LONG_US	 1500000 // longer than anything that is waited for in between

static cudaStream_t first, second;
static cudaEvent_t filled, used;
static float *d_values, *d_sum;
static int *word, *other;

static __global__ void fill(float *values, float number)
{
	values[threadIdx.x] = number;
}

static __global__ void use(const float *values, float *sum)
{
	sum[threadIdx.x] += values[threadIdx.x];
}

// A plain store: no host can wait for it.
static __global__ void store(int *to, int number)
{
	*to = number;
}

// What a host may wait for.
static __global__ void announce(volatile int *to, int number)
{
	*to = number;
}

static void hand_over(float number)
{
	fill<<<1, ELEMENTS, 0, first>>>(d_values, number);
	CHECK(cudaEventRecord(filled, first));
	CHECK(cudaStreamWaitEvent(second, filled, 0));
	use<<<1, ELEMENTS, 0, second>>>(d_values, d_sum);
	CHECK(cudaEventRecord(used, second));
	CHECK(cudaStreamWaitEvent(first, used, 0));
}

// One instruction for each way to read, so that each has findings of its own.
#define LOOK(name)                                 \
	HOST_LOOP int name(const volatile int *at) \
	{                                          \
		return *at;                        \
	}

LOOK(look_once)
LOOK(look_twice)
LOOK(look_around_work)
LOOK(look_after)
LOOK(look_in_thread)
LOOK(look_much_later)
LOOK(look_then_rest)
LOOK(look_at_announced)
LOOK(look_before_write)

static int once(void)
{
	store<<<1, 1, 0, first>>>(word, 1);
	return look_once(word);
}

static int twice(void)
{
	store<<<1, 1, 0, first>>>(word, 2);
	return look_twice(word) + look_twice(word);
}

static int around_work(void)
{
	int seen;

	store<<<1, 1, 0, first>>>(word, 3);
	seen = look_around_work(word);
	hand_over(1);
	return seen + look_around_work(word);
}

static int after(void)
{
	store<<<1, 1, 0, first>>>(word, 4);
	CHECK(cudaStreamSynchronize(first));
	return look_after(word);
}

static void *of_thread(void *unused)
{
	(void)unused;
	look_in_thread(word);
	return NULL;
}

static int in_thread(void)
{
	pthread_t thread;

	store<<<1, 1, 0, first>>>(word, 5);
	pthread_create(&thread, NULL, of_thread, NULL);
	pthread_join(thread, NULL);
	return 0;
}

static int much_later(void)
{
	static bool is_done;
	int seen;

	if (is_done)
		return 0;
	is_done = true;
	store<<<1, 1, 0, first>>>(word, 6);
	seen = look_much_later(word);
	usleep(LONG_US);
	return seen + look_much_later(word);
}

static int then_rest(void)
{
	static bool is_done;
	int seen;

	if (is_done)
		return 0;
	is_done = true;
	store<<<1, 1, 0, first>>>(word, 7);
	seen = look_then_rest(word);
	usleep(LONG_US);
	return seen;
}

static int at_announced(void)
{
	announce<<<1, 1, 0, first>>>(word, 8);
	return look_at_announced(word) + look_at_announced(word);
}

// What follows from a poll is not certain, either.
static int before_write(void)
{
	int seen;

	store<<<1, 1, 0, second>>>(other, 9);
	announce<<<1, 1, 0, first>>>(word, 9);
	seen = look_before_write(word) + look_before_write(word);
	*other = seen;
	return seen;
}

int main(int argc, char **argv)
{
	static int (*const ways[])(void) = {once,      once,	     twice,	  around_work,
					    after,     in_thread,    after,	  much_later,
					    then_rest, at_announced, before_write};
	int rounds = argc > 2 ? atoi(argv[2]) : OFTEN, seen = 0;

	srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	word = (int *)pinned(sizeof(*word));
	other = (int *)pinned(sizeof(*other));
	d_values = on_device(ELEMENTS * sizeof(float));
	d_sum = on_device(ELEMENTS * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
	for (int i = 0; i < rounds; i++) {
		hand_over((float)i);
		if (i % OFTEN)
			continue;
		CHECK(cudaDeviceSynchronize());
		seen += ways[(size_t)rand() % (sizeof(ways) / sizeof(*ways))]();
		CHECK(cudaDeviceSynchronize());
	}
	CHECK(cudaDeviceSynchronize());
	printf("%s\n", seen < 0 ? "impossible" : "ended");
	return 0;
}
