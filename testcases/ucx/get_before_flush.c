// What is got is used before it is there.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *mine = on_device(BYTES), *theirs = on_device(BYTES), *sum = on_device(BYTES);
	ucp_request_param_t options = later(), plain = {.op_attr_mask = 0};
	struct window w = open_window(theirs, BYTES);
	cudaStream_t s = stream();
	void *request;

	PUT(s, theirs, COUNT, 5);
	CHECK(cudaStreamSynchronize(s));
	request = ucp_get_nbx(workers.to_there, mine, BYTES, address_in(&w), w.key, &options);
#ifndef FIXED
	ADD(s, sum, mine, COUNT); // @use
#endif
	wait_for(ucp_worker_flush_nbx(workers.here, &plain));
	ADD(s, sum, mine, COUNT);
	wait_for(request);
	finish(s, sum, 5);
	close_window(&w);
	return 0;
}
