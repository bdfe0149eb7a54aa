/* CUPTI without streamcheck: buffers that go round, records that are counted and thrown away. */
#include "bench/alone.h"

#include "interposer/driver/cuda.h"
#include <cupti_activity.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUFFERS	     64
#define BUFFER_BYTES (256u << 10)
#define READY	     8 /* buffers that are made in advance */

static const char *const libraries[] = {"libcupti.so.13", "libcupti.so.12",
					"/usr/local/cuda/lib64/libcupti.so",
					"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};

#define FUNCTIONS(F)                                     \
	F(Enable, cuptiActivityEnable)                   \
	F(Register, cuptiActivityRegisterCallbacks)      \
	F(Clock, cuptiActivityRegisterTimestampCallback) \
	F(Next, cuptiActivityGetNextRecord)              \
	F(Dropped, cuptiActivityGetNumDroppedRecords)    \
	F(Flush, cuptiActivityFlushAll)                  \
	F(Set, cuptiActivitySetAttribute)

static struct {
#define MEMBER(name, symbol) typeof(symbol) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} cupti;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[BUFFERS];
static unsigned spares;
static unsigned long kernels, dropped;
static bool is_on;

/* ---- what CUPTI calls ---- */

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *most)
{
	pthread_mutex_lock(&lock);
	*buffer = spares ? spare[--spares] : NULL;
	pthread_mutex_unlock(&lock);
	if (!*buffer)
		*buffer = calloc(1, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	*most = 0;
}

static void CUPTIAPI completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
			       size_t valid)
{
	CUpti_Activity *record = NULL;
	size_t lost = 0;

	if (cupti.Dropped && !cupti.Dropped(context, stream, &lost))
		dropped += lost;
	while (valid && !cupti.Next(buffer, valid, &record))
		kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
	memset(buffer, 0, size);
	pthread_mutex_lock(&lock);
	if (spares < BUFFERS)
		spare[spares++] = buffer;
	else
		free(buffer);
	pthread_mutex_unlock(&lock);
}

static uint64_t CUPTIAPI our_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- beginning ---- */

static bool find(void *library, const char *prefix)
{
	char symbol[96];

#define FIND(name, function)                                         \
	snprintf(symbol, sizeof(symbol), "%s%s", prefix, #function); \
	cupti.name = (typeof(cupti.name))dlsym(library, symbol);
	FUNCTIONS(FIND)
#undef FIND
	return cupti.Enable && cupti.Register && cupti.Next && cupti.Flush;
}

static bool open_library(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (library && find(library, "simulated_"))
		return true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		library = dlopen(libraries[i], RTLD_NOW);
		if (library && find(library, ""))
			return true;
	}
	return false;
}

static void make_ready(void)
{
	while (spares < READY) {
		spare[spares] = malloc(BUFFER_BYTES);
		if (!spare[spares])
			return;
		memset(spare[spares], 0, BUFFER_BYTES);
		spares++;
	}
}

void sc_alone_begin(void)
{
	size_t bytes = 1;
	uint8_t are_cleared = 1;

	if (!getenv("RECORD_CUPTI"))
		return;
	if (!open_library()) {
		fprintf(stderr, "record: no CUPTI\n");
		exit(77);
	}
	make_ready();
	if (cupti.Set)
		cupti.Set(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &are_cleared);
	if (cupti.Clock)
		cupti.Clock(our_clock);
	if (cupti.Register(requested, completed))
		exit(77);
	cupti.Enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
	is_on = true;
}

void sc_alone_end(void)
{
	if (!is_on)
		return;
	cupti.Flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	fprintf(stderr, "record: %lu records of kernels, %lu dropped\n", kernels, dropped);
}
