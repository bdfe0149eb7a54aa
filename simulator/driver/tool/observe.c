/* The subscriber, and how it is notified of each call. */
#include "simulator/driver/tool/observe.h"

#include <stdatomic.h>

#include "simulator/driver/tool/observe_state.h"
#include "simulator/driver/context/thread.h"

struct sim_observer sim_observer;

static bool is_wanted(const struct sim_call *call)
{
	return call->callback && call->callback < SIM_CALLBACKS &&
	       atomic_load_explicit(&sim_observer.is_enabled[call->callback], memory_order_relaxed);
}

static void notify(struct sim_call *call, CUpti_ApiCallbackSite site, CUresult *result)
{
	CUpti_CallbackData data = {.callbackSite = site,
				   .functionName = call->symbol,
				   .functionParams = call->params,
				   .functionReturnValue = result,
				   .correlationData = &call->tool_data,
				   .correlationId = call->correlation};

	sim_observer.callback(sim_observer.userdata, CUPTI_CB_DOMAIN_DRIVER_API, call->callback,
			      &data);
}

void sim_observe_enter(struct sim_call *call, struct sim_thread *thread)
{
	if (!call->callback)
		return;
	call->correlation = 1 + atomic_fetch_add_explicit(&sim_observer.last_correlation, 1,
							  memory_order_relaxed);
	/* inside a stream callback a subscriber is not notified, as by CUPTI with driver 580 */
	if (is_wanted(call) && !thread->is_untold) {
		call->is_told = true;
		notify(call, CUPTI_API_ENTER, NULL);
	}
	thread->correlation = call->correlation; /* the callback may have made calls of its own */
}

void sim_observe_leave(struct sim_call *call, CUresult result)
{
	if (call->is_told && is_wanted(call))
		notify(call, CUPTI_API_EXIT, &result);
}
