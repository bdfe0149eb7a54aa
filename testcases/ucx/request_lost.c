// A send whose request nobody asks about again. One that is freed is given up.
// expect: SC-406 at=lost proven
// expect[FIXED]: clean
#include "testcases/ucx/ucx.h"

int main(void)
{
	float *mine = on_device(BYTES), *halo = on_device(BYTES);
	ucp_request_param_t options = later();
	void *received, *sent;

	received = ucp_tag_recv_nbx(workers.there, halo, BYTES, 5, UINT64_MAX, &options);
	sent = ucp_tag_send_nbx(workers.to_there, mine, BYTES, 5, &options); // @lost
	wait_for(received);
#ifdef FIXED
	ucp_request_free(sent);
#else
	(void)sent;
#endif
	return 0;
}
