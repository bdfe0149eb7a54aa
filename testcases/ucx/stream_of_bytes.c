// A stream's receive buffer is used before the request is complete; its callback shows that, too.
// expect: SC-162 at=early proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

static void note(void *request, ucs_status_t status, size_t bytes, void *data)
{
	MUST(status);
	*(size_t *)data = bytes;
	ucp_request_free(request);
}

int main(void)
{
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *sum = on_device(BYTES);
	ucp_request_param_t options = later(), plain = later();
	cudaStream_t s = stream();
	size_t bytes = 0, at_once = 0;
	void *sent;

	options.op_attr_mask |=
		UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS;
	options.flags = UCP_STREAM_RECV_FLAG_WAITALL;
	options.cb.recv_stream = note;
	options.user_data = &bytes;
	ucp_stream_recv_nbx(workers.to_here, halo, BYTES, &at_once, &options);
#ifndef FIXED
	ADD(s, sum, halo, COUNT); // @early
	CHECK(cudaStreamSynchronize(s));
#endif
	sent = ucp_stream_send_nbx(workers.to_there, mine, BYTES, &plain);
	while (bytes != BYTES)
		progress();
	ADD(s, sum, halo, COUNT);
	wait_for(sent);
	finish(s, sum, 0);
	return 0;
}
