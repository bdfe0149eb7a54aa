/* Clusters: which ones a launch has, and how many fit. */

#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"
#include "simulator/executor/executor.h"

#define PORTABLE 8 /* blocks that a cluster can have on every device */

static uint32_t most_blocks(CUfunction function)
{
	return sim_function_has_any_cluster(function) ? EXEC_CLUSTER_MOST : PORTABLE;
}

static bool is_divided(uint32_t grid, uint32_t cluster)
{
	return cluster && cluster <= EXEC_CLUSTER_MOST && grid % cluster == 0;
}

static CUresult check(const CUDA_KERNEL_NODE_PARAMS *params, const uint32_t *cluster)
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;

	if (!is_divided(params->gridDimX, cluster[0]) ||
	    !is_divided(params->gridDimY, cluster[1]) ||
	    !is_divided(params->gridDimZ, cluster[2]) ||
	    cluster[0] * cluster[1] * cluster[2] > most_blocks(function))
		return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return CUDA_SUCCESS;
}

static const CUlaunchAttributeValue *find(const CUlaunchAttribute *attrs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
			return &attrs[i].value;
	return NULL;
}

CUresult sim_launch_cluster(const CUDA_KERNEL_NODE_PARAMS *params, const CUlaunchAttribute *attrs,
			    size_t attr_count, uint32_t cluster[3])
{
	CUfunction function = params->func ? params->func : (CUfunction)params->kern;
	const uint32_t *demanded = sim_function_image(function)->cluster;
	const CUlaunchAttributeValue *value = find(attrs, attr_count);
	uint32_t asked[3] = {0};

	if (value) {
		asked[0] = value->clusterDim.x;
		asked[1] = value->clusterDim.y;
		asked[2] = value->clusterDim.z;
	}
	for (unsigned d = 0; d < 3; d++) {
		if (value && demanded[0] && asked[d] != demanded[d])
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
		cluster[d] = demanded[0] ? demanded[d] : asked[d];
	}
	return value || demanded[0] ? check(params, cluster) : CUDA_SUCCESS;
}

/* Blocks of the launch that all processors can have at a time. */
static CUresult resident_blocks(CUfunction function, const CUlaunchConfig *config, int *blocks)
{
	uint64_t threads = (uint64_t)config->blockDimX * config->blockDimY * config->blockDimZ;
	CUresult result;

	if (!threads || threads > SIM_MAX_BLOCK_THREADS)
		return CUDA_ERROR_INVALID_VALUE;
	result = sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
		blocks, function, (int)threads, config->sharedMemBytes, 0);
	*blocks *= SIM_MULTIPROCESSORS;
	return result;
}

CUresult sim_cuOccupancyMaxPotentialClusterSize(int *clusterSize, CUfunction func,
						const CUlaunchConfig *config)
{
	CUresult result;
	int blocks = 0;

	if (!sim_function_image(func))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!clusterSize || !config)
		return CUDA_ERROR_INVALID_VALUE;
	result = resident_blocks(func, config, &blocks);
	if (result == CUDA_SUCCESS)
		*clusterSize = blocks ? (int)most_blocks(func) : 0;
	return result;
}

CUresult sim_cuOccupancyMaxActiveClusters(int *numClusters, CUfunction func,
					  const CUlaunchConfig *config)
{
	CUDA_KERNEL_NODE_PARAMS params = {.func = func};
	uint32_t cluster[3];
	CUresult result;
	int blocks = 0;

	if (!sim_function_image(func))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!numClusters || !config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	params.gridDimX = config->gridDimX;
	params.gridDimY = config->gridDimY;
	params.gridDimZ = config->gridDimZ;
	result = sim_launch_cluster(&params, config->attrs, config->numAttrs, cluster);
	if (result == CUDA_SUCCESS)
		result = resident_blocks(func, config, &blocks);
	if (result == CUDA_SUCCESS)
		*numClusters =
			blocks / (cluster[0] ? (int)(cluster[0] * cluster[1] * cluster[2]) : 1);
	return result;
}
