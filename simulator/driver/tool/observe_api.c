/* CUPTI's callback functions, as the simulated driver has them. */
#include <stddef.h>

#include "simulator/driver/driver.h"
#include "simulator/driver/tool/observe_state.h"

typedef CUpti_SubscriberHandle subscriber_t;

CUptiResult simulated_cuptiSubscribe(subscriber_t *subscriber, CUpti_CallbackFunc callback,
				     void *userdata);
CUptiResult simulated_cuptiUnsubscribe(subscriber_t subscriber);
CUptiResult simulated_cuptiEnableDomain(uint32_t enable, subscriber_t subscriber,
					CUpti_CallbackDomain domain);
CUptiResult simulated_cuptiEnableCallback(uint32_t enable, subscriber_t subscriber,
					  CUpti_CallbackDomain domain, CUpti_CallbackId id);
CUptiResult simulated_cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
					   const char **name);
CUptiResult simulated_cuptiGetTimestamp(uint64_t *timestamp);

static const char *const names[SIM_CALLBACKS] = {
#define CALLBACK(symbol) [CUPTI_DRIVER_TRACE_CBID_##symbol] = #symbol,
#include "sim_api_callbacks.def"
#undef CALLBACK
};

static bool is_ours(subscriber_t subscriber)
{
	return subscriber == (subscriber_t)&sim_observer && atomic_load(&sim_observer.is_taken);
}

CUptiResult simulated_cuptiSubscribe(subscriber_t *subscriber, CUpti_CallbackFunc callback,
				     void *userdata)
{
	if (!subscriber || !callback)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (atomic_exchange(&sim_observer.is_taken, true))
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	sim_observer.callback = callback;
	sim_observer.userdata = userdata;
	*subscriber = (subscriber_t)&sim_observer;
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiUnsubscribe(subscriber_t subscriber)
{
	size_t i;

	if (!is_ours(subscriber))
		return CUPTI_ERROR_INVALID_PARAMETER;
	for (i = 0; i < SIM_CALLBACKS; i++)
		atomic_store(&sim_observer.is_enabled[i], false);
	atomic_store(&sim_observer.is_taken, false);
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiEnableCallback(uint32_t enable, subscriber_t subscriber,
					  CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
	if (!is_ours(subscriber) || id >= SIM_CALLBACKS)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (domain != CUPTI_CB_DOMAIN_DRIVER_API)
		return CUPTI_ERROR_NOT_COMPATIBLE;
	atomic_store(&sim_observer.is_enabled[id], enable != 0);
	return CUPTI_SUCCESS;
}

/* The simulated runtime notifies nobody of its calls: a tool that asks for them is refused. */
CUptiResult simulated_cuptiEnableDomain(uint32_t enable, subscriber_t subscriber,
					CUpti_CallbackDomain domain)
{
	CUptiResult result = CUPTI_SUCCESS;
	CUpti_CallbackId id;

	for (id = 1; id < SIM_CALLBACKS && result == CUPTI_SUCCESS; id++)
		result = simulated_cuptiEnableCallback(enable, subscriber, domain, id);
	return result;
}

CUptiResult simulated_cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
					   const char **name)
{
	if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= SIM_CALLBACKS || !names[id] || !name)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*name = names[id];
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiGetTimestamp(uint64_t *timestamp)
{
	if (!timestamp)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*timestamp = sim_now_ns();
	return CUPTI_SUCCESS;
}
