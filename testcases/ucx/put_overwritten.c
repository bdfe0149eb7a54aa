// What is put is written again before the request, or a flush of the endpoint, shows that it is
// complete.
// expect: SC-163 at=again proven order=none
// expect: SC-163 at=implicit proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	// More than UCX buffers itself, so that the last is not complete at once.
	const size_t bytes = (size_t)4 << 20;
	float *mine = on_device(BYTES), *other = on_device(bytes), *theirs = on_device(bytes);
	ucp_request_param_t options = later(), plain = {.op_attr_mask = 0};
	struct window w = open_window(theirs, bytes);
	cudaStream_t s = stream();
	void *request;

	PUT(s, mine, COUNT, 5);
	PUT(s, other, COUNT, 5);
	CHECK(cudaStreamSynchronize(s));
	request = ucp_put_nbx(workers.to_there, mine, BYTES, address_in(&w), w.key, &options);
#ifndef FIXED
	PUT(s, mine, COUNT, 5); // @again
#endif
	wait_for(request);
	PUT(s, mine, COUNT, 6);
	request = ucp_put_nbx(workers.to_there, other, BYTES, address_in(&w), w.key, &options);
	wait_for(ucp_ep_flush_nbx(workers.to_there, &plain));
	PUT(s, other, COUNT, 5);
	wait_for(request);
	CHECK(cudaStreamSynchronize(s));
	if (ucp_put_nbi(workers.to_there, other, bytes, address_in(&w), w.key) != UCS_INPROGRESS)
		give_up(7);
#ifndef FIXED
	PUT(s, other, COUNT, 5); // @implicit
#endif
	wait_for(ucp_worker_flush_nbx(workers.here, &plain));
	PUT(s, other, COUNT, 6);
	finish(s, theirs, 5);
	close_window(&w);
	return 0;
}
