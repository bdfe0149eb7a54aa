// A kernel reads what is received before the request is seen to be complete. Elements of a datatype
// have a size of their own, so what lies after them may be used.
// expect: SC-162 at=use proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *mine = on_device(BYTES), *halo = on_device(2 * BYTES), *sum = on_device(BYTES);
	ucp_request_param_t options = later();
	cudaStream_t s = stream();
	void *sent, *received;

	options.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
	options.datatype = ucp_dt_make_contig(sizeof(float));
	received = ucp_tag_recv_nbx(workers.there, halo, COUNT, 2, UINT64_MAX, &options);
	ADD(s, sum, halo + COUNT, COUNT);
#ifndef FIXED
	ADD(s, sum, halo, COUNT); // @use
#endif
	CHECK(cudaStreamSynchronize(s));
	sent = ucp_tag_send_nbx(workers.to_there, mine, COUNT, 2, &options);
	wait_for(received);
	ADD(s, sum, halo, COUNT);
	wait_for(sent);
	finish(s, sum, 0);
	return 0;
}
