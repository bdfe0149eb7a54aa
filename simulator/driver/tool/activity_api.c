/* CUPTI's activity functions, as the simulated driver has them. */
#include "simulator/driver/tool/activity_state.h"

CUptiResult simulated_cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult simulated_cuptiActivityDisable(CUpti_ActivityKind kind);
CUptiResult simulated_cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
						     CUpti_BuffersCallbackCompleteFunc complete);
CUptiResult simulated_cuptiActivityFlushAll(uint32_t flag);
CUptiResult simulated_cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes,
						 CUpti_Activity **record);
CUptiResult simulated_cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
							size_t *dropped);

static CUptiResult set_enabled(CUpti_ActivityKind kind, bool enabled)
{
	if (!sim_activity_bytes(kind))
		return CUPTI_ERROR_INVALID_KIND;
	atomic_store(&sim_activity.is_enabled[kind], enabled);
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiActivityEnable(CUpti_ActivityKind kind)
{
	return set_enabled(kind, true);
}

CUptiResult simulated_cuptiActivityDisable(CUpti_ActivityKind kind)
{
	return set_enabled(kind, false);
}

CUptiResult simulated_cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
						     CUpti_BuffersCallbackCompleteFunc complete)
{
	if (!request || !complete)
		return CUPTI_ERROR_INVALID_PARAMETER;
	pthread_mutex_lock(&sim_activity.lock);
	sim_activity.request = request;
	sim_activity.complete = complete;
	pthread_mutex_unlock(&sim_activity.lock);
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiActivityFlushAll(uint32_t flag)
{
	(void)flag;
	pthread_mutex_lock(&sim_activity.lock);
	sim_activity_deliver();
	pthread_mutex_unlock(&sim_activity.lock);
	return CUPTI_SUCCESS;
}

/* Records stand one after the other; *record is the last one that was given, NULL at first. */
CUptiResult simulated_cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes,
						 CUpti_Activity **record)
{
	uint8_t *next = buffer;
	size_t needed;

	if (!buffer || !record)
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (*record)
		next = (uint8_t *)*record + sim_activity_bytes((*record)->kind);
	if ((size_t)(next - buffer) + sizeof(CUpti_Activity) > bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	needed = sim_activity_bytes(((CUpti_Activity *)next)->kind);
	if (!needed || (size_t)(next - buffer) + needed > bytes)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)next;
	return CUPTI_SUCCESS;
}

CUptiResult simulated_cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
							size_t *dropped)
{
	(void)context;
	(void)stream;
	if (!dropped)
		return CUPTI_ERROR_INVALID_PARAMETER;
	*dropped = atomic_exchange(&sim_activity.dropped, 0);
	return CUPTI_SUCCESS;
}
