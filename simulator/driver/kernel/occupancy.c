/* Occupancy, from the resources that the image states and the limits of the device. */
#include "simulator/driver/api.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/launch.h"
#include "simulator/driver/module/module.h"

#define WARP		32
#define THREADS_AN_SM	2048
#define BLOCKS_AN_SM	32
#define REGISTERS_AN_SM 65536
#define SHARED_AN_SM	233472
#define RESERVED_SHARED 1024
#define REGISTER_UNIT	256 /* registers of a warp are given out in such steps */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t blocks_by_registers(const struct sim_image_kernel *image, size_t warps)
{
	size_t a_warp = ((size_t)sim_function_registers(image) * WARP + REGISTER_UNIT - 1) /
			REGISTER_UNIT * REGISTER_UNIT;

	return a_warp ? REGISTERS_AN_SM / (a_warp * warps) : BLOCKS_AN_SM;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func,
								  int blockSize,
								  size_t dynamicSMemSize,
								  unsigned int flags)
{
	const struct sim_image_kernel *image = sim_function_image(func);
	size_t warps, blocks = BLOCKS_AN_SM;

	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!numBlocks || blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	*numBlocks = 0;
	if (blockSize > (int)image->max_threads || dynamicSMemSize > SHARED_AN_SM)
		return CUDA_SUCCESS;
	warps = ((size_t)blockSize + WARP - 1) / WARP;
	blocks = smaller(blocks, THREADS_AN_SM / (warps * WARP));
	blocks = smaller(blocks, blocks_by_registers(image, warps));
	blocks = smaller(blocks,
			 SHARED_AN_SM / (image->shared_bytes + dynamicSMemSize + RESERVED_SHARED));
	*numBlocks = (int)blocks;
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func,
							 int blockSize, size_t dynamicSMemSize)
{
	return sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize,
									dynamicSMemSize, 0);
}

CUresult sim_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func,
						     int numBlocks, int blockSize)
{
	const struct sim_image_kernel *image = sim_function_image(func);
	size_t share, taken;

	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	share = SHARED_AN_SM / (size_t)numBlocks;
	taken = image->shared_bytes; /* without what the system takes of each block */
	*dynamicSmemSize =
		share > taken ? smaller(share - taken, sim_function_most_dynamic(func)) : 0;
	return CUDA_SUCCESS;
}

/* The block size with the most resident threads; the largest of several. The function runs on the
 * caller's thread, inside this call: it gets no lock to wait for. */
CUresult
sim_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
					      CUoccupancyB2DSize blockSizeToDynamicSMemSize,
					      size_t dynamicSMemSize, int blockSizeLimit,
					      unsigned int flags)
{
	const struct sim_image_kernel *image = sim_function_image(func);
	int size, blocks, best = 0, limit;

	if (!image)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!minGridSize || !blockSize || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
		return CUDA_ERROR_INVALID_VALUE;
	limit = blockSizeLimit > 0 ? (int)smaller((size_t)blockSizeLimit, image->max_threads)
				   : (int)image->max_threads;
	*blockSize = 0;
	*minGridSize = 0;
	for (size = limit; size > 0; size = (size - 1) / WARP * WARP) {
		if (blockSizeToDynamicSMemSize) {
			sim_unlock();
			dynamicSMemSize = blockSizeToDynamicSMemSize(size);
			sim_lock();
		}
		sim_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, func, size,
									 dynamicSMemSize, flags);
		if (blocks * size <= best)
			continue;
		best = blocks * size;
		*blockSize = size;
		*minGridSize = blocks * SIM_MULTIPROCESSORS;
	}
	return CUDA_SUCCESS;
}

CUresult sim_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
					      CUoccupancyB2DSize blockSizeToDynamicSMemSize,
					      size_t dynamicSMemSize, int blockSizeLimit)
{
	return sim_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func,
							     blockSizeToDynamicSMemSize,
							     dynamicSMemSize, blockSizeLimit, 0);
}
