// Memory is freed while a receive into it is pending, which is cancelled only then.
// expect: SC-164 at=free proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *halo = on_device(BYTES);
	ucp_request_param_t options = later();
	void *received = ucp_tag_recv_nbx(workers.there, halo, BYTES, 6, UINT64_MAX, &options);

#ifndef FIXED
	CHECK(cudaFree(halo)); // @free
#endif
	ucp_request_cancel(workers.there, received);
	wait_for(received);
#ifdef FIXED
	CHECK(cudaFree(halo));
#endif
	return 0;
}
