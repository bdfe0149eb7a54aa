// A handler of active messages receives the data into a buffer of the program, which is used
// before it is there. What the handler does is the program's.
//
// expect: SC-162 at=early proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

struct message {
	float *halo, *sum;
	cudaStream_t stream;
	void *request;
	bool is_there;
};

static ucs_status_t receive(void *data, const void *header, size_t header_bytes, void *descriptor,
			    size_t bytes, const ucp_am_recv_param_t *about)
{
	struct message *m = data;
	ucp_request_param_t options = later();

	(void)header;
	(void)header_bytes;
	if (!(about->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) || bytes != BYTES)
		give_up(3);
	m->request = ucp_am_recv_data_nbx(workers.there, descriptor, m->halo, bytes, &options);
#ifndef FIXED
	ADD(m->stream, m->sum, m->halo, COUNT); // @early
#endif
	m->is_there = true;
	return UCS_INPROGRESS;
}

int main(void)
{
	struct message m = {on_device(BYTES), on_device(BYTES), stream(), NULL, false};
	ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
							UCP_AM_HANDLER_PARAM_FIELD_CB |
							UCP_AM_HANDLER_PARAM_FIELD_ARG,
					  .id = 7,
					  .cb = receive,
					  .arg = &m};
	ucp_request_param_t options = later();
	float *mine = on_device(BYTES);
	uint64_t header = 1;
	void *sent;

	PUT(m.stream, mine, COUNT, 7);
	CHECK(cudaStreamSynchronize(m.stream));
	MUST(ucp_worker_set_am_recv_handler(workers.there, &handler));
	options.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
	options.flags = UCP_AM_SEND_FLAG_RNDV;
	sent = ucp_am_send_nbx(workers.to_there, 7, &header, sizeof(header), mine, BYTES, &options);
	while (!m.is_there)
		progress();
	wait_for(m.request);
	ADD(m.stream, m.sum, m.halo, COUNT);
	wait_for(sent);
	finish(m.stream, m.sum, 7);
	return 0;
}
