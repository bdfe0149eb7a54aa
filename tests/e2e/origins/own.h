/* Objects that own what they make, as programs wrap CUDA's: each is made at one line. */
#ifndef SC_TESTS_ORIGINS_OWN_H
#define SC_TESTS_ORIGINS_OWN_H

#include "testcases/common.h"

#define BYTES (1 << 16)

struct Stream {
	cudaStream_t stream;

	Stream()
	{
		CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); /* made: stream */
	}
	Stream(const Stream &) = delete;
	~Stream()
	{
		cudaStreamDestroy(stream);
	}
};

struct Buffer {
	float *bytes;

	Buffer()
	{
		CHECK(cudaMalloc(&bytes, BYTES)); /* made: buffer */
	}
	Buffer(const Buffer &) = delete;
	~Buffer()
	{
		cudaFree(bytes);
	}
};

/* One more around them. */
struct Worker {
	Stream stream; /* of which an object is made in the constructor */
	Buffer buffer;

	__attribute__((noinline)) Worker()
	{ /* made: worker */
	}
};

/* Defined elsewhere. */
struct Apart {
	cudaStream_t stream;

	Apart();
};

#endif
