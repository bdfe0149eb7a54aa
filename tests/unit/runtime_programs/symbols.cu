/* Copies to, from and about __device__, __constant__ and __managed__ variables. */
#include "check.h"

__device__ int numbers[4] = {1, 2, 3, 4};
__constant__ double factors[2] = {0.5, 0.25};
static __device__ int hidden = 7;
__managed__ int shared_count = 5;
__managed__ int blank[3];

__global__ void touch(int *out)
{
	*out = numbers[0] + hidden + shared_count + blank[0] + (int)factors[0];
}

static void initial_values_are_there()
{
	int found[4] = {};
	double factor = 0;
	int value = 0;

	CHECK_CUDA(cudaMemcpyFromSymbol(found, numbers, sizeof(found)));
	CHECK(found[0] == 1 && found[1] == 2 && found[2] == 3 && found[3] == 4);
	CHECK_CUDA(cudaMemcpyFromSymbol(&factor, factors, sizeof(factor), sizeof(factor)));
	CHECK(factor == 0.25);
	CHECK_CUDA(cudaMemcpyFromSymbol(&value, hidden, sizeof(value)));
	CHECK(value == 7);
}

static void values_can_be_changed(cudaStream_t stream)
{
	int sent = 42, found = 0;
	void *address = nullptr;

	CHECK_CUDA(cudaMemcpyToSymbol(numbers, &sent, sizeof(sent), 8));
	CHECK_CUDA(cudaMemcpyFromSymbol(&found, numbers, sizeof(found), 8));
	CHECK(found == 42);
	CHECK_CUDA(cudaGetSymbolAddress(&address, numbers));
	CHECK_CUDA(cudaMemcpy(&found, (int *)address + 2, sizeof(found), cudaMemcpyDefault));
	CHECK(found == 42);
	sent = 43;
	CHECK_CUDA(cudaMemcpyToSymbolAsync(numbers, &sent, sizeof(sent), 4, cudaMemcpyHostToDevice,
					   stream));
	CHECK_CUDA(cudaMemcpyFromSymbolAsync(&found, numbers, sizeof(found), 4,
					     cudaMemcpyDeviceToHost, stream));
	CHECK_CUDA(cudaStreamSynchronize(stream));
	CHECK(found == 43);
}

static void mistakes_are_refused()
{
	int value = 0;
	size_t size = 0;

	CHECK_CUDA(cudaGetSymbolSize(&size, numbers));
	CHECK(size == sizeof(numbers));
	CHECK_ERROR(cudaMemcpyToSymbol(numbers, &value, 20), cudaErrorInvalidValue);
	CHECK_ERROR(cudaMemcpyToSymbol(numbers, &value, 4, 14), cudaErrorInvalidValue);
	CHECK_ERROR(cudaMemcpyToSymbol(value, &value, 4), cudaErrorInvalidSymbol);
	CHECK_ERROR(cudaMemcpyToSymbol(numbers, &value, 4, 0, cudaMemcpyDeviceToHost),
		    cudaErrorInvalidMemcpyDirection);
	cudaGetLastError();
}

static void managed_variables_are_shared()
{
	struct cudaPointerAttributes attributes;
	void *address = nullptr;

	CHECK(shared_count == 5);
	CHECK(blank[0] == 0 && blank[2] == 0);
	shared_count = 6;
	blank[1] = 9;
	CHECK_CUDA(cudaPointerGetAttributes(&attributes, &shared_count));
	CHECK(attributes.type == cudaMemoryTypeManaged);
	CHECK_CUDA(cudaGetSymbolAddress(&address, shared_count));
	CHECK(address == &shared_count);
	CHECK_CUDA(cudaMemset(&blank[1], 0, sizeof(blank[1])));
	CHECK_CUDA(cudaDeviceSynchronize());
	CHECK(blank[1] == 0 && shared_count == 6);
}

int main()
{
	cudaStream_t stream = nullptr;
	int *out = nullptr;

	/* Before any other call: touching a managed variable loads the module. */
	managed_variables_are_shared();
	CHECK_CUDA(cudaStreamCreate(&stream));
	initial_values_are_there();
	values_can_be_changed(stream);
	mistakes_are_refused();
	CHECK_CUDA(cudaMalloc(&out, sizeof(*out)));
	touch<<<1, 1>>>(out);
	CHECK_CUDA(cudaDeviceSynchronize());
	return 0;
}
