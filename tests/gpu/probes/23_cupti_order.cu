// Probe 23: do CUPTI's numbers give the order of calls, so that few of them have to be requested?
//
// Two threads launch kernels and copies into a stream each. Every few launches a thread makes a
// call that returns its number (an anchor). Counted: stretches between two anchors in which the
// records of the stream are not those that were launched there, in this order.
#include "probe.h"
#include <algorithm>
#include <cupti.h>
#include <mutex>

struct record {
	uint32_t correlation, stream, blocks; // blocks 0: a copy
};
struct stretch {
	uint32_t from, to;	      // numbers of the anchors around it
	std::vector<uint32_t> blocks; // what was launched in it, in order
};

static std::mutex lock;
static std::vector<record> records;
static thread_local uint32_t anchor;

static void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *data)
{
	const CUpti_CallbackData *call = (const CUpti_CallbackData *)data;

	if (call->callbackSite == CUPTI_API_ENTER)
		anchor = call->correlationId;
}

static void CUPTIAPI requested(uint8_t **buffer, size_t *size, size_t *most)
{
	*size = 1 << 20;
	*buffer = (uint8_t *)aligned_alloc(8, *size);
	*most = 0;
}

static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid)
{
	std::lock_guard<std::mutex> held(lock);
	CUpti_Activity *r = nullptr;

	while (cuptiActivityGetNextRecord(buffer, valid, &r) == CUPTI_SUCCESS) {
		const CUpti_ActivityKernel9 *kernel = (const CUpti_ActivityKernel9 *)r;
		const CUpti_ActivityMemcpy5 *copy = (const CUpti_ActivityMemcpy5 *)r;

		if (r->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
			records.push_back(
				{kernel->correlationId, kernel->streamId, (uint32_t)kernel->gridX});
		else if (r->kind == CUPTI_ACTIVITY_KIND_MEMCPY)
			records.push_back({copy->correlationId, copy->streamId, 0});
	}
	free(buffer);
}

static uint32_t ask()
{
	CUstreamCaptureStatus status;

	anchor = 0;
	cuStreamIsCapturing(CU_STREAM_PER_THREAD, &status);
	return anchor;
}

static void work(unsigned seed, cudaStream_t stream, char *from, char *to, int *word,
		 std::vector<stretch> *found)
{
	for (unsigned i = 0; i < 2000; i++) {
		stretch s = {ask(), 0, {}};

		for (unsigned n = rand_r(&seed) % 7; n; n--) {
			uint32_t blocks = rand_r(&seed) % 5;

			if (blocks)
				store<<<blocks, 1, 0, stream>>>(word, 1);
			else
				CHECK(cudaMemcpyAsync(to, from, 256, cudaMemcpyDeviceToDevice,
						      stream));
			s.blocks.push_back(blocks);
		}
		s.to = ask();
		found->push_back(s);
		if (i % 100 == 0)
			CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaStreamSynchronize(stream));
}

static unsigned wrong(const std::vector<stretch> &found, uint32_t stream)
{
	unsigned wrong = 0;

	for (const stretch &s : found) {
		std::vector<uint32_t> seen;

		for (const record &r : records)
			if (r.stream == stream && r.correlation > s.from && r.correlation < s.to)
				seen.push_back(r.blocks);
		wrong += !s.from || !s.to || seen != s.blocks;
	}
	return wrong;
}

int main()
{
	CUpti_SubscriberHandle subscriber;
	std::vector<stretch> found[2];
	cudaStream_t stream[2];
	uint32_t id[2], ids;
	CUcontext context;
	char *memory;
	double start;

	if (cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)called, nullptr) != CUPTI_SUCCESS ||
	    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
				CUPTI_DRIVER_TRACE_CBID_cuStreamIsCapturing) != CUPTI_SUCCESS ||
	    cuptiActivityRegisterCallbacks(requested, completed) != CUPTI_SUCCESS ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) != CUPTI_SUCCESS ||
	    cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) != CUPTI_SUCCESS) {
		printf("skip: CUPTI cannot be used here\n");
		return 77;
	}
	CHECK(cudaMalloc(&memory, 4096));
	CHECK_DRIVER(cuCtxGetCurrent(&context));
	for (unsigned i = 0; i < 2; i++) {
		CHECK(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking));
		cuptiGetStreamIdEx(context, stream[i], 0, &id[i]);
	}
	std::thread other([&] {
		work(1, stream[1], memory, memory + 1024, (int *)(memory + 512), &found[1]);
	});
	work(2, stream[0], memory, memory + 2048, (int *)(memory + 3072), &found[0]);
	other.join();
	ids = ask();
	start = now_ms();
	for (unsigned i = 0; i < 100000; i++)
		ask();
	printf("fact: an anchor costs = %.0f ns\n", (now_ms() - start) * 10);
	cuptiActivityFlushAll(0);
	std::sort(records.begin(), records.end(),
		  [](const record &a, const record &b) { return a.correlation < b.correlation; });
	printf("fact: records = %zu\nfact: numbers given to calls = %u\n", records.size(), ids);
	for (unsigned i = 0; i < 2; i++)
		printf("fact: stretches of stream %u that are not as launched = %u of %zu\n", i,
		       wrong(found[i], id[i]), found[i].size());
	return 0;
}
