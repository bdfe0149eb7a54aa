// Runs programs of this folder one after the other in one process, with the same two workers.
#include "testcases/ucx/ucx.h"

#define PROGRAMS   "ucx_programs.inc"
#define PARAMETERS (void)
#define ARGUMENTS  ()
#include "testcases/one_by_one.h"

struct workers workers;

static ucp_worker_h new_worker(void)
{
	ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
				      .thread_mode = UCS_THREAD_MODE_SINGLE};
	ucp_worker_h worker;

	MUST(ucp_worker_create(workers.context, &params, &worker));
	return worker;
}

static ucp_ep_h connect_to(ucp_worker_h from, ucp_worker_h to)
{
	ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS};
	ucp_address_t *address;
	size_t bytes;
	ucp_ep_h ep;

	MUST(ucp_worker_get_address(to, &address, &bytes));
	params.address = address;
	MUST(ucp_ep_create(from, &params, &ep));
	ucp_worker_release_address(to, address);
	return ep;
}

static void begin(void)
{
	ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
			       .features = UCP_FEATURE_TAG | UCP_FEATURE_STREAM | UCP_FEATURE_RMA |
					   UCP_FEATURE_AMO64 | UCP_FEATURE_AM};

	MUST(ucp_init(&params, NULL, &workers.context));
	workers.here = new_worker();
	workers.there = new_worker();
	workers.to_there = connect_to(workers.here, workers.there);
	workers.to_here = connect_to(workers.there, workers.here);
}

static void close_endpoint(ucp_ep_h ep)
{
	ucp_request_param_t options = {.op_attr_mask = 0};

	wait_for(ucp_ep_close_nbx(ep, &options));
}

static void end(void)
{
	close_endpoint(workers.to_there);
	close_endpoint(workers.to_here);
	ucp_worker_destroy(workers.here);
	ucp_worker_destroy(workers.there);
	ucp_cleanup(workers.context);
}

int main(int argc, char **argv)
{
	int status;

	begin();
	status = run_one_by_one(argc, argv);
	end();
	return status;
}
