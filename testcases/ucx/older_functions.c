// The older functions have a callback without user data, or memory of the program for a request.
// expect: SC-163 at=again proven order=none
// expect: SC-162 at=early proven order=none
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static bool is_sent;

static void note(void *request, ucs_status_t status)
{
	MUST(status);
	is_sent = true;
	ucp_request_free(request);
}

// Room for a request, which ends where UCX gets the pointer.
static void *new_request(void)
{
	ucp_context_attr_t about = {.field_mask = UCP_ATTR_FIELD_REQUEST_SIZE};
	char *room;

	MUST(ucp_context_query(workers.context, &about));
	room = calloc(1, about.request_size + 64);
	return room ? room + about.request_size : NULL;
}

int main(void)
{
	// More than UCX buffers itself, so that the send is not complete at once.
	const size_t bytes = (size_t)4 << 20;
	float *mine = on_device(bytes), *halo = on_device(bytes), *sum = on_device(BYTES);
	cudaStream_t s = stream();
	void *request = new_request();
	ucs_status_ptr_t sent;

	if (ucp_tag_recv_nbr(workers.there, halo, bytes, ucp_dt_make_contig(1), 8, UINT64_MAX,
			     request) < 0)
		give_up(4);
#ifndef FIXED
	ADD(s, sum, halo, COUNT); // @early
	CHECK(cudaStreamSynchronize(s));
#endif
	sent = ucp_tag_send_nb(workers.to_there, mine, bytes, ucp_dt_make_contig(1), 8, note);
	if (!UCS_PTR_IS_PTR(sent))
		give_up(5);
#ifndef FIXED
	PUT(s, mine, COUNT, 0); // @again
#endif
	while (!is_sent)
		progress();
	PUT(s, mine, COUNT, 0);
	while (ucp_request_check_status(request) == UCS_INPROGRESS)
		progress();
	ADD(s, sum, halo, COUNT);
	finish(s, sum, 0);
	return 0;
}
