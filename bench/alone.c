/* CUPTI without streamcheck: buffers that go round, records that are counted and thrown away. */
#include "bench/alone.h"

#include "interposer/call/cuda.h"
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "interposer/cupti/setting.h"

#define BUFFERS 64

static const char *const libraries[] = {"libcupti.so.13", "libcupti.so.12",
					"/usr/local/cuda/lib64/libcupti.so",
					"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"};

static const char *const launches[] = {"cuLaunchKernel",       "cuLaunchKernelEx",
				       "cuMemcpyDtoDAsync_v2", "cuMemcpyHtoDAsync_v2",
				       "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize",
				       "cuEventRecord",	       "cuStreamWaitEvent"};

static const CUpti_ActivityKind kinds[][2] = {
	{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_INVALID},
	{CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET},
	{CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_INVALID},
	{CUPTI_ACTIVITY_KIND_MEMORY_POOL, CUPTI_ACTIVITY_KIND_INVALID}};

#define FUNCTIONS(F)                                     \
	F(Subscribe, cuptiSubscribe)                     \
	F(EnableCallback, cuptiEnableCallback)           \
	F(GetCallbackName, cuptiGetCallbackName)         \
	F(Enable, cuptiActivityEnable)                   \
	F(Register, cuptiActivityRegisterCallbacks)      \
	F(Clock, cuptiActivityRegisterTimestampCallback) \
	F(Next, cuptiActivityGetNextRecord)              \
	F(Dropped, cuptiActivityGetNumDroppedRecords)    \
	F(Flush, cuptiActivityFlushAll)                  \
	F(Period, cuptiActivityFlushPeriod)              \
	F(Set, cuptiActivitySetAttribute)

static struct {
#define MEMBER(name, symbol) typeof(symbol) *name;
	FUNCTIONS(MEMBER)
#undef MEMBER
} cupti;

static struct sc_cupti_setting setting;
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
		*buffer = calloc(1, setting.buffer);
	*size = *buffer ? setting.buffer : 0;
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

static void CUPTIAPI on_call(void *unused, CUpti_CallbackDomain domain, CUpti_CallbackId id,
			     const void *data)
{
	(void)unused, (void)domain, (void)id, (void)data;
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
	return cupti.Subscribe && cupti.Enable && cupti.Register && cupti.Next && cupti.Flush;
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

static bool is_launch(const char *name)
{
	for (size_t i = 0; i < sizeof(launches) / sizeof(launches[0]); i++) {
		if (!strcmp(launches[i], name))
			return true;
	}
	return false;
}

static void enable_callbacks(void)
{
	CUpti_SubscriberHandle subscriber;
	const char *name;

	if (cupti.Subscribe(&subscriber, on_call, NULL))
		return;
	for (unsigned id = 1; cupti.GetCallbackName && id < 2048; id++) {
		if (!cupti.GetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) &&
		    is_launch(name))
			cupti.EnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
	}
}

static void make_ready(void)
{
	while (spares < setting.ready && spares < BUFFERS) {
		spare[spares] = malloc(setting.buffer);
		if (!spare[spares])
			return;
		memset(spare[spares], 0, setting.buffer);
		spares++;
	}
}

void sc_alone_begin(void)
{
	const char *text = getenv("RECORD_CUPTI");

	if (!text)
		return;
	if (!open_library()) {
		fprintf(stderr, "record: no CUPTI\n");
		exit(77);
	}
	sc_cupti_setting_read(&setting, text);
	make_ready();
	if (sc_cupti_setting_apply(&setting, cupti.Set, cupti.Period))
		fprintf(stderr, "record: CUPTI refuses attributes\n");
	if (setting.callbacks)
		enable_callbacks();
	if (setting.own_clock && cupti.Clock)
		cupti.Clock(our_clock);
	if (cupti.Register(requested, completed))
		exit(77);
	for (size_t i = 0; i < setting.kinds; i++) {
		cupti.Enable(kinds[i][0]);
		if (kinds[i][1])
			cupti.Enable(kinds[i][1]);
	}
	is_on = true;
}

void sc_alone_end(void)
{
	if (!is_on)
		return;
	cupti.Flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
	fprintf(stderr, "record: %lu records of kernels, %lu dropped\n", kernels, dropped);
}
