// A histogram whose bins are divided among the blocks of a cluster: each block counts into the
// shared memory of that block which has the bin. Clusters have several sizes, among them one that
// the device refuses.
// expect: clean
// nvcc: -arch=sm_90
#include <cooperative_groups.h>
#include "testcases/common.h"

namespace cg = cooperative_groups;

#define BINS	512
#define THREADS 128
#define BLOCKS	48

__global__ void count(const unsigned *values, int n, int bins_each, unsigned *total)
{
	extern __shared__ unsigned bins[];
	cg::cluster_group cluster = cg::this_cluster();
	int threads = gridDim.x * blockDim.x;

	for (int i = threadIdx.x; i < bins_each; i += blockDim.x)
		bins[i] = 0;
	cluster.sync();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
		unsigned bin = values[i] % BINS;
		unsigned *there = cluster.map_shared_rank(bins, bin / bins_each);

		atomicAdd(there + bin % bins_each, 1);
	}
	cluster.sync();
	for (int i = threadIdx.x; i < bins_each; i += blockDim.x)
		atomicAdd(&total[cluster.block_rank() * bins_each + i], bins[i]);
}

static cudaError_t launch(int size, const unsigned *values, int n, unsigned *total)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};
	int bins_each = BINS / size;

	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = size;
	attribute.val.clusterDim.y = 1;
	attribute.val.clusterDim.z = 1;
	config.gridDim = dim3(BLOCKS);
	config.blockDim = dim3(THREADS);
	config.dynamicSmemBytes = bins_each * sizeof(unsigned);
	config.attrs = &attribute;
	config.numAttrs = 1;
	return cudaLaunchKernelEx(&config, count, values, n, bins_each, total);
}

static int wrong_bins(const unsigned *values, int n, const unsigned *total)
{
	static unsigned expected[BINS];
	int wrong = 0;

	memset(expected, 0, sizeof(expected));
	for (int i = 0; i < n; i++)
		expected[values[i] % BINS]++;
	for (int i = 0; i < BINS; i++)
		wrong += total[i] != expected[i];
	return wrong;
}

int main()
{
	const int N = 40000, SIZES[] = {1, 2, 4, 8, 16};
	unsigned *h_values = (unsigned *)pinned(N * sizeof(unsigned));
	unsigned *h_total = (unsigned *)pinned(BINS * sizeof(unsigned));
	unsigned *d_values = (unsigned *)on_device(N * sizeof(unsigned));
	unsigned *d_total = (unsigned *)on_device(BINS * sizeof(unsigned));

	for (int i = 0; i < N; i++)
		h_values[i] = (unsigned)i * 2654435761u >> 7;
	CHECK(cudaMemcpy(d_values, h_values, N * sizeof(unsigned), cudaMemcpyHostToDevice));
	// More than 8 blocks only if the program asks for them, and a grid that clusters divide.
	if (launch(16, d_values, N, d_total) != cudaErrorInvalidClusterSize)
		return EXIT_WRONG;
	cudaGetLastError();
	CHECK(cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	for (int size : SIZES) {
		CHECK(cudaMemset(d_total, 0, BINS * sizeof(unsigned)));
		CHECK(launch(size, d_values, N, d_total));
		CHECK(cudaMemcpy(h_total, d_total, BINS * sizeof(unsigned),
				 cudaMemcpyDeviceToHost));
		if (runs_kernels() && wrong_bins(h_values, N, h_total))
			return EXIT_WRONG;
	}
	CHECK(cudaFree(d_values));
	CHECK(cudaFree(d_total));
	CHECK(cudaFreeHost(h_values));
	CHECK(cudaFreeHost(h_total));
	return 0;
}
