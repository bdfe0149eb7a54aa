// A list of places: the gap between them may be written meanwhile, they may not.
// expect: SC-163 at=fill proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

#define PART (COUNT / 4)

int main(void)
{
	float *mine = on_device(BYTES), *halo = on_device(BYTES);
	ucp_request_param_t options = later(), plain = later();
	cudaStream_t s = stream();
	ucp_dt_iov_t places[] = {{mine, PART * sizeof(float)},
				 {mine + 2 * PART, PART * sizeof(float)}};
	void *sent, *received;

	PUT(s, mine, COUNT, 2);
	CHECK(cudaStreamSynchronize(s));
	received = ucp_tag_recv_nbx(workers.there, halo, 2 * PART * sizeof(float), 4, UINT64_MAX,
				    &plain);
	options.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
	options.datatype = ucp_dt_make_iov();
	sent = ucp_tag_send_nbx(workers.to_there, places, 2, 4, &options);
	CHECK(cudaMemsetAsync(mine + PART, 0, PART * sizeof(float), s));
#ifndef FIXED
	CHECK(cudaMemsetAsync(mine + 2 * PART, 0, PART * sizeof(float), s)); // @fill
#endif
	wait_for(sent);
	CHECK(cudaMemsetAsync(mine, 0, BYTES, s));
	wait_for(received);
	finish(s, halo, 2);
	return 0;
}
