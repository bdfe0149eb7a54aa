// A program with many operations in little memory: two streams hand a buffer to each other.
// Arguments:
//
//   clean ROUNDS   each hand-over is ordered by an event
//   races ROUNDS   three are not: near the beginning, in the middle, near the end
//   steps          as clean: as many rounds as a line of standard input says, then "done"; a line
//                  "race" is a hand-over without an event; "call" begins a call in another thread,
//                  which returns after a line "gate"
//   locked         the same, with a lock of the program held during the rounds of a line
#include <pthread.h>
#include <semaphore.h>
#include "testcases/common.h"

#define ELEMENTS 32
#define OFTEN	 500 // rounds between two waits of the host

static cudaStream_t first, second, held;
static cudaEvent_t filled, used;
static float *d_values, *d_sum, *d_still, *h_sum;
static const char *way;
static pthread_t caller;
static sem_t gate;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __global__ void fill(float *values, float number)
{
	values[threadIdx.x] = number;
}

static __global__ void use(const float *values, float *sum)
{
	sum[threadIdx.x] += values[threadIdx.x];
}

static bool is(const char *name)
{
	return !strcmp(way, name);
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

// Without an event in between; ordered with all that comes later.
static void race_early(void)
{
	fill<<<1, ELEMENTS, 0, first>>>(d_values, 1);
	use<<<1, ELEMENTS, 0, second>>>(d_values, d_sum); // @early
	CHECK(cudaDeviceSynchronize());
}

static void race_midway(void)
{
	fill<<<1, ELEMENTS, 0, first>>>(d_values, 2);
	use<<<1, ELEMENTS, 0, second>>>(d_values, d_sum); // @midway
	CHECK(cudaDeviceSynchronize());
}

static void race_late(void)
{
	fill<<<1, ELEMENTS, 0, first>>>(d_values, 3);
	use<<<1, ELEMENTS, 0, second>>>(d_values, d_sum); // @late
	CHECK(cudaDeviceSynchronize());
}

static void race_on_request(void)
{
	fill<<<1, ELEMENTS, 0, first>>>(d_values, 4);
	use<<<1, ELEMENTS, 0, second>>>(d_values, d_sum); // @request
	CHECK(cudaDeviceSynchronize());
}

static void wait_now(void)
{
	CHECK(cudaMemcpyAsync(h_sum, d_sum, ELEMENTS * sizeof(float), cudaMemcpyDeviceToHost,
			      second));
	CHECK(cudaStreamSynchronize(second));
}

static void run(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		hand_over((float)i);
		if (i % OFTEN)
			continue;
		wait_now();
		if (is("races") && i == OFTEN)
			race_early();
		if (is("races") && i == rounds / 2 / OFTEN * OFTEN)
			race_midway();
		if (is("races") && i == (rounds - 1) / OFTEN * OFTEN)
			race_late();
	}
}

static void wait_for_gate(void *)
{
	sem_wait(&gate);
}

// To pageable memory, so that it may return late, which its record does not say.
static void *call_that_waits(void *)
{
	float values[ELEMENTS];

	CHECK(cudaMemcpyAsync(values, d_still, sizeof(values), cudaMemcpyDeviceToHost, held));
	CHECK(cudaStreamSynchronize(held));
	return NULL;
}

static void begin_call(void)
{
	sem_init(&gate, 0, 0);
	CHECK(cudaLaunchHostFunc(held, wait_for_gate, nullptr));
	pthread_create(&caller, NULL, call_that_waits, NULL);
}

static void end_call(void)
{
	sem_post(&gate);
	pthread_join(caller, NULL);
}

static void run_steps(void)
{
	char line[32];

	while (fgets(line, sizeof(line), stdin)) {
		if (is("locked"))
			pthread_mutex_lock(&mutex);
		if (line[0] == 'r')
			race_on_request();
		else if (line[0] == 'c')
			begin_call();
		else if (line[0] == 'g')
			end_call();
		else
			run(atoi(line));
		if (is("locked"))
			pthread_mutex_unlock(&mutex);
		printf("done\n");
		fflush(stdout);
	}
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "steps";
	h_sum = pinned(ELEMENTS * sizeof(float));
	d_values = on_device(ELEMENTS * sizeof(float));
	d_sum = on_device(ELEMENTS * sizeof(float));
	d_still = on_device(ELEMENTS * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&held, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
	CHECK(cudaEventCreateWithFlags(&used, cudaEventDisableTiming));
	CHECK(cudaMemsetAsync(d_sum, 0, ELEMENTS * sizeof(float), second));
	printf("ready\n");
	fflush(stdout);
	if (argc > 2)
		run(atoi(argv[2]));
	else
		run_steps();
	CHECK(cudaDeviceSynchronize());
	printf("ended\n");
	return 0;
}
