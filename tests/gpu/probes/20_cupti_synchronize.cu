// Probe 20 (appendix A): which CUPTI synchronize callbacks fire inside frees and allocations?
#include "probe.h"
#include <cupti.h>

static const char *inside = "";
static int fired;

static void CUPTIAPI called(void *, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *)
{
	if (domain == CUPTI_CB_DOMAIN_SYNCHRONIZE && *inside) {
		printf("fact: inside %s = %s\n", inside,
		       id == CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED ? "stream synchronized"
									: "context synchronized");
		fired++;
	}
}

template <typename Call> static void ask(const char *name, Call call)
{
	inside = name;
	fired = 0;
	call();
	if (!fired)
		printf("fact: inside %s = no synchronize callback\n", name);
	inside = "";
}

int main()
{
	CUpti_SubscriberHandle subscriber;
	char *device, *pinned, *managed, *heap = (char *)aligned_alloc(4096, 1 << 20);

	if (cuptiSubscribe(&subscriber, (CUpti_CallbackFunc)called, nullptr) != CUPTI_SUCCESS ||
	    cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE) != CUPTI_SUCCESS) {
		printf("skip: CUPTI cannot be used here\n");
		return 77;
	}
	CHECK(cudaFree(nullptr));
	ask("cudaMalloc", [&] { CHECK(cudaMalloc(&device, 1 << 20)); });
	ask("cudaMallocHost", [&] { CHECK(cudaMallocHost(&pinned, 1 << 20)); });
	ask("cudaMallocManaged", [&] { CHECK(cudaMallocManaged(&managed, 1 << 20)); });
	ask("cudaHostRegister", [&] { CHECK(cudaHostRegister(heap, 1 << 20, 0)); });
	ask("cudaMemset", [&] { CHECK(cudaMemset(device, 0, 1 << 20)); });
	ask("cudaHostUnregister", [&] { CHECK(cudaHostUnregister(heap)); });
	ask("cudaFreeHost", [&] { CHECK(cudaFreeHost(pinned)); });
	ask("cudaFree", [&] { CHECK(cudaFree(device)); });
	ask("cudaFree of managed memory", [&] { CHECK(cudaFree(managed)); });
	free(heap);
	return 0;
}
