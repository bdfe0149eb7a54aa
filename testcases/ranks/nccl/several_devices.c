// One process with a communicator for each device: the second one reduces first.
// ranks: 1
// expect: SC-170 at=reduce proven
// expect: SC-170 at=gather proven
// expect[FIXED]: clean
#include "testcases/ranks/nccl/collectives.h"

#define DEVICES 2

static void gather(ncclComm_t comm, const float *from, float *to, cudaStream_t s)
{
	TRY(ncclAllGather(from, to, COUNT / 4, ncclFloat32, comm, s)); // @gather
}

static void reduce(ncclComm_t comm, const float *from, float *to, cudaStream_t s)
{
	TRY(ncclAllReduce(from, to, COUNT, ncclFloat32, ncclSum, comm, s)); // @reduce
}

int main(int argc, char **argv)
{
	float *from[DEVICES], *to[DEVICES];
	cudaStream_t streams[DEVICES];
	ncclComm_t comms[DEVICES];

	(void)argc, (void)argv;
	for (int i = 0; i < DEVICES; i++) {
		CHECK(cudaSetDevice(i));
		from[i] = on_device(BYTES);
		to[i] = on_device(BYTES);
		streams[i] = stream();
	}
	TRY(ncclCommInitAll(comms, DEVICES, NULL));
	TRY(ncclGroupStart());
	for (int i = 0; i < DEVICES; i++) {
#ifdef FIXED
		gather(comms[i], from[i], to[i], streams[i]);
		reduce(comms[i], from[i], to[i], streams[i]);
#else
		(i ? reduce : gather)(comms[i], from[i], to[i], streams[i]);
		(i ? gather : reduce)(comms[i], from[i], to[i], streams[i]);
#endif
	}
	TRY(ncclGroupEnd());
	for (int i = 0; i < DEVICES; i++) {
		CHECK(cudaSetDevice(i));
		CHECK(cudaStreamSynchronize(streams[i]));
		CHECK(cudaStreamDestroy(streams[i]));
		CHECK(cudaFree(from[i]));
		CHECK(cudaFree(to[i]));
		TRY(ncclCommDestroy(comms[i]));
	}
	CHECK(cudaSetDevice(0));
	return 0;
}
