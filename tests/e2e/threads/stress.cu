// Sixteen threads that hand memory to each other in every way, and never wrongly: nothing to find.
//
// Prints what came out, which does not depend on who was faster.
#include <pthread.h>
#include <semaphore.h>
#include "testcases/common.h"

#define THREADS 16
#define ROUNDS	12
#define WORDS	256
#define BYTES	(WORDS * sizeof(float))

struct worker {
	int number;
	pthread_t thread;
	cudaStream_t stream, other;
	cudaEvent_t filled;
	float *h_data, *d_data;
	sem_t turn, called_back;
	double total;
};

static struct worker workers[THREADS];
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static float *d_shared, *d_ring, *d_table, *h_shared;
static int filled_rounds;

static struct worker *next_of(const struct worker *w)
{
	return &workers[(w->number + 1) % THREADS];
}

static void upload(struct worker *w, float *to, float value)
{
	fill(w->h_data, value, WORDS);
	CHECK(cudaMemcpyAsync(to, w->h_data, BYTES, cudaMemcpyHostToDevice, w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
}

static float download(struct worker *w, const float *from)
{
	CHECK(cudaMemcpyAsync(w->h_data, from, BYTES, cudaMemcpyDeviceToHost, w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	return sum(w->h_data, WORDS);
}

// Each fills its own memory, and after the barrier reads its neighbour's.
static void by_barrier(struct worker *w, int round)
{
	upload(w, w->d_data, w->number + round);
	pthread_barrier_wait(&barrier);
	w->total += download(w, next_of(w)->d_data);
	pthread_barrier_wait(&barrier);
}

// All add to one buffer, host and device side, under a lock.
static void by_lock(struct worker *w)
{
	pthread_mutex_lock(&lock);
	CHECK(cudaMemcpyAsync(h_shared, d_shared, BYTES, cudaMemcpyDeviceToHost, w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	h_shared[0] += w->number;
	CHECK(cudaMemcpyAsync(d_shared, h_shared, BYTES, cudaMemcpyHostToDevice, w->stream));
	CHECK(cudaStreamSynchronize(w->stream));
	pthread_mutex_unlock(&lock);
}

// A buffer goes round, one after the other.
static void by_semaphore(struct worker *w)
{
	sem_wait(&w->turn);
	upload(w, d_ring, download(w, d_ring) / WORDS + 1);
	sem_post(&next_of(w)->turn);
}

// One fills, and the others wait until it says so.
static void by_condition(struct worker *w, int round)
{
	if (w->number == round % THREADS) {
		upload(w, d_table, round);
		pthread_mutex_lock(&lock);
		filled_rounds++;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	while (filled_rounds <= round)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	w->total += download(w, d_table);
	pthread_barrier_wait(&barrier);
}

// Many read, one writes now and then.
static void by_readers_and_a_writer(struct worker *w, int round)
{
	if (w->number == round % THREADS) {
		pthread_rwlock_wrlock(&table_lock);
		upload(w, d_table, 1);
		pthread_rwlock_unlock(&table_lock);
	} else {
		pthread_rwlock_rdlock(&table_lock);
		download(w, d_table);
		pthread_rwlock_unlock(&table_lock);
	}
}

static void CUDART_CB call_back(void *data)
{
	sem_post(&((struct worker *)data)->called_back);
}

// A host function says that the stream is done, and another stream goes on.
static void by_host_function(struct worker *w, int round)
{
	CHECK(cudaMemsetAsync(w->d_data, round, BYTES, w->stream));
	CHECK(cudaLaunchHostFunc(w->stream, call_back, w));
	sem_wait(&w->called_back);
	CHECK(cudaMemsetAsync(w->d_data, 0, BYTES, w->other));
	CHECK(cudaStreamSynchronize(w->other));
}

// The event of one is waited for in the stream of the next.
static void by_event(struct worker *w)
{
	CHECK(cudaMemsetAsync(w->d_data, 0, BYTES, w->other));
	CHECK(cudaEventRecord(w->filled, w->other));
	pthread_barrier_wait(&barrier);
	CHECK(cudaStreamWaitEvent(w->stream, next_of(w)->filled, 0));
	w->total += download(w, next_of(w)->d_data);
	pthread_barrier_wait(&barrier);
}

static void *work(void *data)
{
	struct worker *w = (struct worker *)data;

	for (int round = 0; round < ROUNDS; round++) {
		by_barrier(w, round);
		by_lock(w);
		by_semaphore(w);
		by_condition(w, round);
		by_readers_and_a_writer(w, round);
		by_host_function(w, round);
		pthread_barrier_wait(&barrier);
		by_event(w);
	}
	return NULL;
}

static float *zeroed()
{
	float *data = on_device(BYTES);

	CHECK(cudaMemset(data, 0, BYTES));
	return data;
}

static void set_up(struct worker *w, int number)
{
	w->number = number;
	sem_init(&w->turn, 0, number == 0);
	sem_init(&w->called_back, 0, 0);
	CHECK(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&w->other, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&w->filled, cudaEventDisableTiming));
	w->h_data = pinned(BYTES);
	w->d_data = zeroed();
}

int main()
{
	struct worker *w = workers;
	double total = 0;

	pthread_barrier_init(&barrier, NULL, THREADS);
	d_shared = zeroed();
	d_ring = zeroed();
	d_table = zeroed();
	h_shared = pinned(BYTES);
	for (int i = 0; i < THREADS; i++)
		set_up(&workers[i], i);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	for (int i = 0; i < THREADS; i++)
		total += workers[i].total;
	printf("%g %g %g\n", total, (double)h_shared[0], (double)download(w, d_ring));
	CHECK(cudaDeviceSynchronize());
	return 0;
}
