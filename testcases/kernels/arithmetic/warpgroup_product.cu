// A product of matrices by wgmma: one warp brings tiles by bulk copies, a warpgroup multiplies
// them, and one thread of it, which has waited for the product, gives a tile's memory back.
// expect: clean
// nvcc: -gencode=arch=compute_90a,code=compute_90a
#include "testcases/compute.h"

static const int ROWS = 64, COLUMNS = 8, DEPTH = 16, TILES = 12, STAGES = 2, GROUP = 128;
static const unsigned LEFT = ROWS * DEPTH, RIGHT = COLUMNS * DEPTH; // elements of a tile

// Eight rows of 16 bytes lie together; two of these are a tile's depth.
__host__ __device__ static int place(int row, int k)
{
	return row / 8 * 8 * DEPTH + k / 8 * 64 + row % 8 * 8 + k % 8;
}

static __device__ unsigned address(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ unsigned long long descriptor(const void *tile)
{
	return address(tile) >> 4 | 128ULL >> 4 << 16 | 256ULL >> 4 << 32;
}

static __device__ void wait(const unsigned long long *barrier, unsigned parity)
{
	asm volatile("{.reg .pred done; L: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;"
		     "@!done bra L;}" ::"r"(address(barrier)),
		     "r"(parity)
		     : "memory");
}

static __device__ void bring(void *to, const void *from, unsigned bytes,
			     const unsigned long long *full)
{
	asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
		     "[%1], %2, [%3];" ::"r"(address(to)),
		     "l"(from), "r"(bytes), "r"(address(full))
		     : "memory");
}

__global__ void product(float *sums, const unsigned short *left, const unsigned short *right)
{
	__shared__ __align__(128) unsigned short a[STAGES][LEFT], b[STAGES][RIGHT];
	__shared__ unsigned long long full[STAGES], empty[STAGES];

	if (threadIdx.x == 0)
		for (int s = 0; s < STAGES; s++) {
			asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full[s])));
			asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&empty[s])));
		}
	asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
	__syncthreads();
	if (threadIdx.x == GROUP)
		for (int t = 0; t < TILES; t++) {
			int s = t % STAGES;

			if (t >= STAGES)
				wait(&empty[s], (t / STAGES - 1) & 1);
			asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(
					     address(&full[s])),
				     "r"((LEFT + RIGHT) * 2));
			bring(a[s], left + t * LEFT, LEFT * 2, &full[s]);
			bring(b[s], right + t * RIGHT, RIGHT * 2, &full[s]);
		}
	if (threadIdx.x >= GROUP)
		return;
	float d[4] = {};
	for (int t = 0; t < TILES; t++) {
		int s = t % STAGES;

		wait(&full[s], t / STAGES & 1);
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, "
			     "%4, %5, 1, 1, 1, 0, 0;"
			     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
			     : "l"(descriptor(a[s])), "l"(descriptor(b[s])));
		asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
		asm volatile("wgmma.wait_group.sync.aligned 0;"
			     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])::"memory");
		if (threadIdx.x == 0)
			asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&empty[s]))
				     : "memory");
	}
	for (int i = 0; i < 4; i++)
		sums[(threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8) * COLUMNS +
		     threadIdx.x % 4 * 2 + i % 2] = d[i];
}

// 0 to 3 in half precision.
static unsigned short half_of(int value)
{
	static const unsigned short halves[] = {0, 0x3C00, 0x4000, 0x4200};

	return halves[value];
}

int main()
{
	need_kernels();
	unsigned short *left = host_array<unsigned short>(TILES * LEFT);
	unsigned short *right = host_array<unsigned short>(TILES * RIGHT);
	float *got = host_array<float>(ROWS * COLUMNS), *want = host_array<float>(ROWS * COLUMNS);
	float *d_sums = device_zeros<float>(ROWS * COLUMNS);

	for (int i = 0; i < ROWS * COLUMNS; i++)
		want[i] = 0;
	for (int t = 0; t < TILES; t++)
		for (int k = 0; k < DEPTH; k++) {
			for (int row = 0; row < ROWS; row++)
				left[t * LEFT + place(row, k)] = half_of((row + k * 3 + t) % 4);
			for (int c = 0; c < COLUMNS; c++)
				right[t * RIGHT + place(c, k)] = half_of((c * 2 + k + t) % 3);
			for (int i = 0; i < ROWS * COLUMNS; i++)
				want[i] += (float)((i / COLUMNS + k * 3 + t) % 4) *
					   (float)((i % COLUMNS * 2 + k + t) % 3);
		}
	unsigned short *d_left = device_copy(left, TILES * LEFT),
		       *d_right = device_copy(right, TILES * RIGHT);
	product<<<1, GROUP + 32>>>(d_sums, d_left, d_right);
	read_back(got, d_sums, ROWS * COLUMNS);
	expect_equal("product", got, want, ROWS * COLUMNS);
	free_device(d_sums, d_left, d_right);
	free_host(left, right, got, want);
	return 0;
}
