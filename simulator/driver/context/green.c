/* Green contexts: parts of a device's multiprocessors with streams of their own (S-9, E-9).
 *
 * Work is not slower for having fewer multiprocessors here. A green context's streams belong to the
 * primary context of its device, which it keeps alive. The context made from it has streams of its
 * own, default ones too, and shares everything else with the primary one.
 */
#include <stdlib.h>

#include "simulator/driver/api.h"
#include "simulator/driver/context/context.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/stream/event.h"
#include "simulator/driver/handle.h"
#include "simulator/driver/memory/memory.h"
#include "simulator/driver/stream/stream.h"

#define PARTITION     8	 /* multiprocessors at least, and their alignment */
#define MOST_TOGETHER 32 /* of a group that are scheduled together */

struct CUgreenCtx_st {
	uint64_t id;
	CUdevice device;
	CUcontext primary;   /* retained */
	CUcontext converted; /* owned; NULL before anybody asked for it */
	unsigned int multiprocessors;
};

struct CUdevResourceDesc_st { /* never freed: the API has no call for it */
	unsigned int multiprocessors;
};

static CUdevResource resource_of(unsigned int multiprocessors)
{
	CUdevResource r = {.type = CU_DEV_RESOURCE_TYPE_SM};

	r.sm.smCount = multiprocessors;
	r.sm.minSmPartitionSize = r.sm.smCoscheduledAlignment = PARTITION;
	return r;
}

CUresult sim_cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
				    CUdevResourceType type)
{
	if (!sim_device_get(device))
		return CUDA_ERROR_INVALID_DEVICE;
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*resource = resource_of(SIM_MULTIPROCESSORS);
	return CUDA_SUCCESS;
}

/* Without a result it only says how many groups there would be. */
CUresult sim_cuDevSmResourceSplitByCount(CUdevResource *result, unsigned int *nbGroups,
					 const CUdevResource *input, CUdevResource *remaining,
					 unsigned int useFlags, unsigned int minCount)
{
	unsigned int size, most, i;

	if (!nbGroups || !input || useFlags)
		return CUDA_ERROR_INVALID_VALUE;
	if (input->type != CU_DEV_RESOURCE_TYPE_SM || minCount > input->sm.smCount)
		return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
	size = (minCount + PARTITION - 1) / PARTITION * PARTITION;
	size = size ? size : PARTITION;
	most = input->sm.smCount / size;
	if (!result || *nbGroups > most)
		*nbGroups = most;
	for (i = 0; result && i < *nbGroups; i++)
		result[i] = resource_of(size);
	if (remaining)
		*remaining = resource_of(input->sm.smCount - *nbGroups * size);
	return CUDA_SUCCESS;
}

/* How many multiprocessors the group gets of those that are left: 0, too few are left for a group
 * that asks for any number. False if the parameters do not fit. Any of them can be together here.
 */
static bool find_count(const CU_DEV_SM_RESOURCE_GROUP_PARAMS *group, unsigned int left,
		       unsigned int *count)
{
	unsigned int together = group->coscheduledSmCount ? group->coscheduledSmCount : PARTITION;
	bool may_fill = group->flags & CU_DEV_SM_RESOURCE_GROUP_BACKFILL;
	unsigned int unit = may_fill ? 2 : together;

	if (together % 2 || together > MOST_TOGETHER ||
	    group->flags & ~(unsigned int)CU_DEV_SM_RESOURCE_GROUP_BACKFILL)
		return false;
	*count = group->smCount ? group->smCount : left / unit * unit;
	if (!group->smCount && *count < together)
		*count = 0;
	else if (*count > left || *count < together || *count % unit)
		return false;
	return true;
}

static CUdevResource part_of(const CU_DEV_SM_RESOURCE_GROUP_PARAMS *group, unsigned int count)
{
	CUdevResource part = resource_of(count);

	if (group->coscheduledSmCount)
		part.sm.minSmPartitionSize = part.sm.smCoscheduledAlignment =
			group->coscheduledSmCount;
	part.sm.flags = group->flags;
	return part;
}

/* Without a result it only says how large the groups would be that ask for any number; such a
 * group may be empty then. */
CUresult sim_cuDevSmResourceSplit(CUdevResource *result, unsigned int nbGroups,
				  const CUdevResource *input, CUdevResource *remainder,
				  unsigned int flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS *groupParams)
{
	unsigned int left, count, i;

	if (!nbGroups || !input || flags || !groupParams)
		return CUDA_ERROR_INVALID_VALUE;
	if (input->type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	left = input->sm.smCount;
	for (i = 0; i < nbGroups; i++) {
		if (!find_count(&groupParams[i], left, &count) || (result && !count))
			return CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
		if (result)
			result[i] = part_of(&groupParams[i], count);
		groupParams[i].smCount = count;
		left -= count;
	}
	if (remainder)
		*remainder = left ? resource_of(left)
				  : (CUdevResource){.type = CU_DEV_RESOURCE_TYPE_INVALID};
	return CUDA_SUCCESS;
}

CUresult sim_cuDevResourceGenerateDesc(CUdevResourceDesc *phDesc, CUdevResource *resources,
				       unsigned int nbResources)
{
	unsigned int i, multiprocessors = 0;

	if (!phDesc || !resources || !nbResources)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i < nbResources; i++) {
		if (resources[i].type != CU_DEV_RESOURCE_TYPE_SM)
			return CUDA_ERROR_INVALID_RESOURCE_TYPE;
		multiprocessors += resources[i].sm.smCount;
	}
	*phDesc = sim_handle_new(SIM_KIND_RESOURCES, sizeof(**phDesc));
	if (!*phDesc)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*phDesc)->multiprocessors = multiprocessors;
	return CUDA_SUCCESS;
}

static CUresult make(CUgreenCtx *green, CUdevResourceDesc desc, CUdevice device)
{
	CUcontext primary;
	CUresult result = sim_cuDevicePrimaryCtxRetain(&primary, device);

	if (result != CUDA_SUCCESS)
		return result;
	*green = sim_handle_new(SIM_KIND_GREEN, sizeof(**green));
	if (!*green) {
		sim_cuDevicePrimaryCtxRelease_v2(device);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	(*green)->id = sim_next_id();
	(*green)->device = device;
	(*green)->primary = primary;
	(*green)->multiprocessors = desc->multiprocessors;
	return CUDA_SUCCESS;
}

/* The flag asks for a default stream. */
CUresult sim_cuGreenCtxCreate(CUgreenCtx *phCtx, CUdevResourceDesc desc, CUdevice dev,
			      unsigned int flags)
{
	if (!phCtx || flags & ~(unsigned int)CU_GREEN_CTX_DEFAULT_STREAM ||
	    !sim_handle_is(desc, SIM_KIND_RESOURCES))
		return CUDA_ERROR_INVALID_VALUE;
	return make(phCtx, desc, dev);
}

static CUresult check(CUgreenCtx green)
{
	return sim_handle_is(green, SIM_KIND_GREEN) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuGreenCtxDestroy(CUgreenCtx hCtx)
{
	CUresult result = check(hCtx);

	if (result != CUDA_SUCCESS)
		return result;
	sim_handle_remove(hCtx);
	if (hCtx->converted) {
		sim_memory_move_context(hCtx->converted, hCtx->primary);
		sim_context_free(hCtx->converted);
	}
	result = sim_cuDevicePrimaryCtxRelease_v2(hCtx->device);
	free(hCtx);
	return result;
}

static CUresult convert(CUgreenCtx green)
{
	CUresult result =
		sim_context_new(green->primary->device, green->primary->flags, &green->converted);

	if (result != CUDA_SUCCESS)
		return result;
	green->converted->base = green->primary;
	green->converted->green = green->converted->legacy->green = green->id;
	green->converted->peers = green->primary->peers;
	return CUDA_SUCCESS;
}

/* The same one each time. */
CUresult sim_cuCtxFromGreenCtx(CUcontext *pContext, CUgreenCtx hCtx)
{
	CUresult result = check(hCtx);

	if (result == CUDA_SUCCESS && !pContext)
		result = CUDA_ERROR_INVALID_VALUE;
	if (result == CUDA_SUCCESS && !hCtx->converted)
		result = convert(hCtx);
	if (result == CUDA_SUCCESS)
		*pContext = hCtx->converted;
	return result;
}

CUresult sim_cuGreenCtxGetId(CUgreenCtx greenCtx, unsigned long long *greenCtxId)
{
	CUresult result = check(greenCtx);

	if (result != CUDA_SUCCESS)
		return result;
	if (!greenCtxId)
		return CUDA_ERROR_INVALID_VALUE;
	*greenCtxId = greenCtx->id;
	return CUDA_SUCCESS;
}

static CUresult give_resource(CUdevResource *resource, CUdevResourceType type,
			      unsigned int multiprocessors)
{
	if (!resource)
		return CUDA_ERROR_INVALID_VALUE;
	if (type != CU_DEV_RESOURCE_TYPE_SM)
		return CUDA_ERROR_INVALID_RESOURCE_TYPE;
	*resource = resource_of(multiprocessors);
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxGetDevResource(CUgreenCtx hCtx, CUdevResource *resource,
				      CUdevResourceType type)
{
	CUresult result = check(hCtx);

	return result == CUDA_SUCCESS ? give_resource(resource, type, hCtx->multiprocessors)
				      : result;
}

CUresult sim_cuGreenCtxStreamCreate(CUstream *phStream, CUgreenCtx greenCtx, unsigned int flags,
				    int priority)
{
	CUresult result = check(greenCtx);

	if (result == CUDA_SUCCESS)
		result = sim_context_check(greenCtx->primary);
	if (result != CUDA_SUCCESS)
		return result;
	if (!phStream || flags != CU_STREAM_NON_BLOCKING)
		return CUDA_ERROR_INVALID_VALUE;
	*phStream = sim_stream_new(greenCtx->primary, flags, priority);
	if (!*phStream)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*phStream)->green = greenCtx->id;
	(*phStream)->multiprocessors = greenCtx->multiprocessors;
	return CUDA_SUCCESS;
}

CUresult sim_cuGreenCtxRecordEvent(CUgreenCtx hCtx, CUevent hEvent)
{
	CUresult result = check(hCtx);

	return result == CUDA_SUCCESS ? sim_event_record_all(hCtx->primary, hCtx->id, hEvent)
				      : result;
}

CUresult sim_cuGreenCtxWaitEvent(CUgreenCtx hCtx, CUevent hEvent)
{
	CUresult result = check(hCtx);

	return result == CUDA_SUCCESS ? sim_event_hold_all(hCtx->primary, hCtx->id, hEvent)
				      : result;
}

/* Of a stream of a green context its part, of any other the whole device. */
CUresult sim_cuStreamGetDevResource(CUstream hStream, CUdevResource *resource,
				    CUdevResourceType type)
{
	CUstream stream;
	CUresult result = sim_stream_get(hStream, &stream);

	return result == CUDA_SUCCESS ? give_resource(resource, type,
						      stream->green ? stream->multiprocessors
								    : SIM_MULTIPROCESSORS)
				      : result;
}
