// Sums by clusters of 2 x 2 blocks that the kernel demands (__cluster_dims__): each block sums its
// part, the first one reads the sums of the others from their shared memory. A ring of blocks
// passes values by barriers in each other's memory.
// expect: clean
// nvcc: -arch=sm_90
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include "testcases/common.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define THREADS 96
#define WIDTH	6
#define HEIGHT	4
#define TURNS	9

struct place {
	unsigned rank, size, x, y, clusters;
};

__global__ void __cluster_dims__(2, 2, 1) reduce(const int *in, int *out, place *places)
{
	__shared__ int sum;
	cg::cluster_group cluster = cg::this_cluster();
	int block = blockIdx.y * gridDim.x + blockIdx.x;

	if (!threadIdx.x)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, in[block * THREADS + threadIdx.x]);
	cluster.sync();
	if (!cluster.block_rank() && threadIdx.x == 0) {
		int total = 0, first = blockIdx.y / 2 * (gridDim.x / 2) + blockIdx.x / 2;

		for (unsigned i = 0; i < cluster.num_blocks(); i++)
			total += *cluster.map_shared_rank(&sum, i);
		out[first] = total;
	}
	if (!threadIdx.x)
		places[block] = {cluster.block_rank(), cluster.num_blocks(),
				 cluster.block_index().x, cluster.block_index().y,
				 cluster.query_shared_rank(cluster.map_shared_rank(&sum, 3))};
	cluster.sync(); // nobody reads the memory of a block that has ended
}

// Each block sends a number to the next one's shared memory, which waits for the bytes (st.async).
__global__ void __cluster_dims__(4, 1, 1) ring(int *out)
{
	__shared__ int box[TURNS];
	__shared__ uint64_t full[TURNS]; // a block may be several turns ahead of another one
	cg::cluster_group cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
	int value = (int)(rank + 1);

	if (!threadIdx.x) {
		for (int turn = 0; turn < TURNS; turn++)
			ptx::mbarrier_init(&full[turn], 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	cluster.sync();
	if (threadIdx.x == 0)
		for (int turn = 0; turn < TURNS; turn++) {
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta,
						       ptx::space_shared, &full[turn], sizeof(int));
			ptx::st_async(cluster.map_shared_rank(&box[turn], next), value,
				      cluster.map_shared_rank(&full[turn], next));
			while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster,
							      &full[turn], 0))
				;
			value = box[turn] * 3 + 1;
		}
	cluster.sync();
	if (threadIdx.x == 0)
		out[blockIdx.x] = value;
}

static int wrong_ring(const int *out, int blocks)
{
	int value[4] = {1, 2, 3, 4}, wrong = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		int before[4];

		memcpy(before, value, sizeof(before));
		for (int i = 0; i < 4; i++)
			value[i] = before[(i + 3) % 4] * 3 + 1;
	}
	for (int i = 0; i < blocks; i++)
		wrong += out[i] != value[i % 4];
	return wrong;
}

static int wrong_sums(const int *in, const int *out, const place *places)
{
	int expected[WIDTH * HEIGHT / 4] = {0}, wrong = 0;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			int block = y * WIDTH + x;
			const place *p = &places[block];

			for (int i = 0; i < THREADS; i++)
				expected[y / 2 * (WIDTH / 2) + x / 2] += in[block * THREADS + i];
			wrong += p->rank != (unsigned)(y % 2 * 2 + x % 2) || p->size != 4 ||
				 p->x != (unsigned)(x % 2) || p->y != (unsigned)(y % 2) ||
				 p->clusters != 3;
		}
	for (int i = 0; i < WIDTH * HEIGHT / 4; i++)
		wrong += out[i] != expected[i];
	return wrong;
}

int main()
{
	const int BLOCKS = WIDTH * HEIGHT, N = BLOCKS * THREADS;
	int *h_in = (int *)pinned(N * sizeof(int)), *h_out = (int *)pinned(BLOCKS * sizeof(int));
	int *d_in = (int *)on_device(N * sizeof(int)),
	    *d_out = (int *)on_device(BLOCKS * sizeof(int));
	place *h_places = (place *)pinned(BLOCKS * sizeof(place));
	place *d_places = (place *)on_device(BLOCKS * sizeof(place));

	for (int i = 0; i < N; i++)
		h_in[i] = i * 7 % 1000 - 400;
	CHECK(cudaMemcpy(d_in, h_in, N * sizeof(int), cudaMemcpyHostToDevice));
	reduce<<<dim3(WIDTH, HEIGHT), THREADS>>>(d_in, d_out, d_places);
	CHECK(cudaMemcpy(h_out, d_out, BLOCKS * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(h_places, d_places, BLOCKS * sizeof(place), cudaMemcpyDeviceToHost));
	if (runs_kernels() && wrong_sums(h_in, h_out, h_places))
		return EXIT_WRONG;
	ring<<<8, 32>>>(d_out);
	CHECK(cudaMemcpy(h_out, d_out, BLOCKS * sizeof(int), cudaMemcpyDeviceToHost));
	if (runs_kernels() && wrong_ring(h_out, 8))
		return EXIT_WRONG;
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_out));
	CHECK(cudaFree(d_places));
	CHECK(cudaFreeHost(h_in));
	CHECK(cudaFreeHost(h_out));
	CHECK(cudaFreeHost(h_places));
	return 0;
}
