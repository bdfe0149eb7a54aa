// Pageable memory of the host is written by a copy while it is put.
// expect: SC-163 at=copy proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *device = on_device(BYTES), *theirs = on_device(BYTES), *mine = calloc(1, BYTES);
	struct window w = open_window(theirs, BYTES);
	ucp_request_param_t options = later();
	cudaStream_t s = stream();
	void *sent;

	sent = ucp_put_nbx(workers.to_there, mine, BYTES, address_in(&w), w.key, &options);
#ifndef FIXED
	CHECK(cudaMemcpyAsync(mine, device, BYTES, cudaMemcpyDeviceToHost, s)); // @copy
#endif
	wait_for(sent);
	CHECK(cudaMemcpyAsync(mine, device, BYTES, cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
	free(mine);
	close_window(&w);
	return 0;
}
