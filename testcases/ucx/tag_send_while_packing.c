// A buffer is packed by a kernel and sent at once: UCX may read it before the kernel has run.
// expect: SC-160 at=send proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *packed = on_device(BYTES), *halo = on_device(BYTES);
	ucp_request_param_t options = later();
	cudaStream_t s = stream();
	void *sent, *received;

	received = ucp_tag_recv_nbx(workers.there, halo, BYTES, 1, UINT64_MAX, &options);
	PUT(s, packed, COUNT, 3);
#ifdef FIXED
	CHECK(cudaStreamSynchronize(s));
#endif
	sent = ucp_tag_send_nbx(workers.to_there, packed, BYTES, 1, &options); // @send
	wait_for(sent);
	wait_for(received);
	finish(s, halo, 3);
	return 0;
}
