// Vectors in a scope are sources and results of asynchronous copies, and end when the copies have:
// after a wait, by a destructor that waits, moved to where they live longer, or deleted by a host
// function of the stream. The next vector often has the same address.
// expect: clean
#include <vector>
#include "testcases/common.h"

static const int N = 4096;
static const size_t bytes = N * sizeof(float);

struct waiter {
	cudaStream_t stream;

	~waiter()
	{
		CHECK(cudaStreamSynchronize(stream));
	}
};

static void waited_for(float *data, cudaStream_t stream)
{
	std::vector<float> source(N, 1), result(N);

	CHECK(cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaMemcpyAsync(result.data(), data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
}

static void waited_for_at_the_end(float *data, cudaStream_t stream)
{
	std::vector<float> source(N, 2);
	waiter at_the_end = {stream};

	CHECK(cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyHostToDevice, stream));
}

static void moved(float *data, cudaStream_t stream, std::vector<std::vector<float>> *kept)
{
	std::vector<float> source(N, 3);

	CHECK(cudaMemcpyAsync(data, source.data(), bytes, cudaMemcpyHostToDevice, stream));
	kept->push_back(std::move(source));
}

static void remove(void *vector)
{
	delete (std::vector<float> *)vector;
}

static void deleted_later(float *data, cudaStream_t stream)
{
	auto *source = new std::vector<float>(N, 4);

	CHECK(cudaMemcpyAsync(data, source->data(), bytes, cudaMemcpyHostToDevice, stream));
	CHECK(cudaLaunchHostFunc(stream, remove, source));
}

int main()
{
	std::vector<std::vector<float>> kept;
	float *data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	waited_for(data, stream);
	waited_for_at_the_end(data, stream);
	moved(data, stream, &kept);
	deleted_later(data, stream);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(data));
	return 0;
}
