// A matrix is transposed tile by tile: tiles come and go by copies of tensors (TMA). They begin
// before the matrix: what they have of that is zero. Where they are stored there is a margin, as no
// tile may be stored that begins before its matrix; what lies beyond the other edges is left out.
// One tile goes to both blocks of a cluster; at last tiles are added to the result.
// expect: clean
// nvcc: -arch=sm_90
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/ptx>
#include <type_traits>
#include "testcases/common.h"

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define TILE   32
#define WIDTH  108 // of floats: rows are multiples of 16 bytes
#define HEIGHT 76
#define MARGIN 4 // of the result: above and on the left
#define ROWS   (WIDTH + MARGIN)
#define ROW    (HEIGHT + MARGIN)

static __device__ void wait_for(uint64_t *full, unsigned parity)
{
	while (!ptx::mbarrier_try_wait_parity(full, parity))
		;
}

// Rows of 128 bytes whose 16 bytes change places, so that a column lies in all banks.
static __device__ float from_swizzled(const float *tile, int row, int column)
{
	return tile[row * TILE + (column / 4 ^ row % 8) * 4 + column % 4];
}

__global__ void transpose(const __grid_constant__ CUtensorMap from,
			  const __grid_constant__ CUtensorMap to, float *sums)
{
	__shared__ alignas(1024) float in[TILE * TILE], out[TILE * TILE];
	__shared__ uint64_t full;
	const int x = blockIdx.x * TILE - MARGIN, y = blockIdx.y * TILE - MARGIN;

	if (!threadIdx.x) {
		ptx::mbarrier_init(&full, 1);
		ptx::fence_proxy_async(ptx::space_shared);
	}
	__syncthreads();
	if (!threadIdx.x) {
		const int at[2] = {x, y};

		ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, in, &from, at,
					  &full);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
					       &full, sizeof(in));
	}
	wait_for(&full, 0);
	for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
		out[i] = from_swizzled(in, i % TILE, i / TILE);
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (!threadIdx.x) {
		const int at[2] = {y + MARGIN, x + MARGIN};

		ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, out);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
		float sum = 0;

		for (int i = 0; i < TILE * TILE; i++)
			sum += in[i];
		atomicAdd(sums, sum);
	}
}

// The library has it for architectures with an `a` only.
static __device__ void load_for_both(float *tile, const CUtensorMap *from, int x, int y,
				     uint64_t *full)
{
	asm volatile(
		"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
		".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;"
		:
		: "r"((unsigned)__cvta_generic_to_shared(tile)), "l"(from), "r"(x), "r"(y),
		  "r"((unsigned)__cvta_generic_to_shared(full)), "h"((short)3)
		: "memory");
}

// The first block of each cluster fetches a tile for both, of rows with even numbers (steps of 2);
// each adds it to half as many rows side by side.
__global__ void __cluster_dims__(2, 1, 1)
	add(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
	__shared__ alignas(1024) float tile[TILE * TILE / 2];
	__shared__ uint64_t full;
	cg::cluster_group cluster = cg::this_cluster();
	const int at[2] = {(int)blockIdx.x / 2 * TILE, (int)blockIdx.y * TILE};
	const int to_at[2] = {at[0], at[1] / 2};

	if (!threadIdx.x) {
		ptx::mbarrier_init(&full, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
					       &full, sizeof(tile));
	}
	cluster.sync();
	if (!threadIdx.x && !cluster.block_rank())
		load_for_both(tile, &from, at[0], at[1], &full);
	wait_for(&full, 0);
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (!threadIdx.x) {
		ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add,
						 &to, to_at, tile);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
	}
	cluster.sync();
}

static auto encoder(void)
{
	cudaDriverEntryPointQueryResult found;
	void *function = NULL;

	CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
					       cudaEnableDefault, &found));
	return (decltype(&cuTensorMapEncodeTiled))function;
}

// A matrix of that size, in tiles of 32 columns and so many rows, of which so many-th ones are
// copied.
static CUtensorMap map_of(float *matrix, int width, int height, int rows, int step,
			  CUtensorMapSwizzle swizzle)
{
	alignas(64) CUtensorMap map;
	cuuint64_t dims[2] = {(cuuint64_t)width, (cuuint64_t)height};
	cuuint64_t strides[1] = {width * sizeof(float)};
	cuuint32_t box[2] = {TILE, (cuuint32_t)rows}, steps[2] = {1, (cuuint32_t)step};
	CUresult result =
		encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, dims, strides, box,
			  steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
			  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

	if (result != CUDA_SUCCESS)
		exit(EXIT_WRONG);
	return map;
}

static int wrong_numbers(const float *in, const float *out, float sum)
{
	float total = 0;
	int wrong = 0;

	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++) {
			// columns of `in` are rows of `out`
			const int other = 2 * (x + MARGIN) - MARGIN, at = (x + MARGIN) * ROW;
			float added = other < WIDTH ? 2 * in[y * WIDTH + other] : 0;

			wrong += out[at + MARGIN + y] != in[y * WIDTH + x] + added;
			total += in[y * WIDTH + x];
		}
	return wrong + (total != sum);
}

int main()
{
	const int N = WIDTH * HEIGHT, ALL = ROWS * ROW;
	float *h_in = pinned(N * sizeof(float)), *h_out = pinned(ALL * sizeof(float));
	float *d_in = on_device(N * sizeof(float)), *d_out = on_device(ALL * sizeof(float));
	float *d_copy = on_device(ALL * sizeof(float)), *d_sum = on_device(sizeof(float)), h_sum;

	for (int i = 0; i < N; i++)
		h_in[i] = (float)(i % 613);
	CHECK(cudaMemcpy(d_in, h_in, N * sizeof(float), cudaMemcpyHostToDevice));
	CHECK(cudaMemset(d_sum, 0, sizeof(float)));
	transpose<<<dim3((ROWS + TILE - 1) / TILE, (ROW + TILE - 1) / TILE), 128>>>(
		map_of(d_in, WIDTH, HEIGHT, TILE, 1, CU_TENSOR_MAP_SWIZZLE_128B),
		map_of(d_out, ROW, ROWS, TILE, 1, CU_TENSOR_MAP_SWIZZLE_NONE), d_sum);
	CHECK(cudaMemcpy(d_copy, d_out, ALL * sizeof(float), cudaMemcpyDeviceToDevice));
	add<<<dim3((ROW + TILE - 1) / TILE * 2, (ROWS + TILE - 1) / TILE), 32>>>(
		map_of(d_copy, ROW, ROWS, TILE, 2, CU_TENSOR_MAP_SWIZZLE_NONE),
		map_of(d_out, ROW, ROWS, TILE / 2, 1, CU_TENSOR_MAP_SWIZZLE_NONE));
	CHECK(cudaMemcpy(h_out, d_out, ALL * sizeof(float), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&h_sum, d_sum, sizeof(float), cudaMemcpyDeviceToHost));
	if (runs_kernels() && wrong_numbers(h_in, h_out, h_sum))
		return EXIT_WRONG;
	CHECK(cudaFree(d_in));
	CHECK(cudaFree(d_out));
	CHECK(cudaFree(d_copy));
	CHECK(cudaFree(d_sum));
	CHECK(cudaFreeHost(h_in));
	CHECK(cudaFreeHost(h_out));
	return 0;
}
