// The callback of a receive may use what was received: it is complete. A kernel before it may not.
// expect: SC-162 at=early proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

struct received {
	cudaStream_t stream;
	float *halo, *sum;
	bool is_there;
};

static void use(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *data)
{
	struct received *r = data;

	MUST(status);
	if (info->length == BYTES)
		ADD(r->stream, r->sum, r->halo, COUNT);
	r->is_there = true;
	ucp_request_free(request);
}

int main(void)
{
	float *mine = on_device(BYTES);
	struct received r = {stream(), on_device(BYTES), on_device(BYTES), false};
	ucp_request_param_t options = later(), plain = later();

	PUT(r.stream, mine, COUNT, 7);
	CHECK(cudaStreamSynchronize(r.stream));
	options.op_attr_mask |= UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
	options.cb.recv = use;
	options.user_data = &r;
	ucp_tag_recv_nbx(workers.there, r.halo, BYTES, 3, UINT64_MAX, &options);
#ifndef FIXED
	ADD(r.stream, r.sum, r.halo, COUNT); // @early
#endif
	wait_for(ucp_tag_send_nbx(workers.to_there, mine, BYTES, 3, &plain));
	while (!r.is_there)
		progress();
	finish(r.stream, r.sum, 7);
	return 0;
}
