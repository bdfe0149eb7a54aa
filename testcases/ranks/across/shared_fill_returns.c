// A fill of device memory may not have begun when it returns; a copy to the host is complete.
// expect: SC-175 at=fill cause=SC-109 proven
// expect: SC-175 at=read cause=SC-109 proven
// expect[FIXED]: clean
#include "testcases/ranks/shared.h"

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *data = shared_memory(r, BYTES), *sum = on_device(BYTES);
	cudaStream_t s = stream();

	if (r.rank == 0) {
#ifdef FIXED
		static float zeros[COUNT];

		CHECK(cudaMemcpy(data, zeros, BYTES, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(zeros, data, BYTES, cudaMemcpyDeviceToHost));
#else
		CHECK(cudaMemset(data, 0, BYTES)); // @fill
#endif
		tell(1);
	} else {
		hear_from(0);
		ADD(s, sum, data, COUNT); // @read
	}
	return end_shared(r, data);
}
