// A warp's primitives: a scan by shuffles, a rotation, votes, the smallest value of lanes that are
// left after others have gone, and shuffles in parts of a warp.
// expect: clean
#include "testcases/compute.h"

static const int WARPS = 6, N = WARPS * 32;

__global__ void scan(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, sum = in[i];

	for (int distance = 1; distance < 32; distance *= 2) {
		int other = __shfl_up_sync(0xffffffff, sum, distance);

		if (lane >= distance)
			sum += other;
	}
	out[i] = sum;
}

__global__ void rotate_in_parts(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = __shfl_sync(0xffffffff, in[i], threadIdx.x % 8 + 3, 8);
}

// Bits of: any, all, which, which are equal to the first lane's.
__global__ void vote(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int first = __shfl_sync(0xffffffff, in[i], 0), is_same;
	unsigned odd = __ballot_sync(0xffffffff, in[i] & 1);
	unsigned equal = __match_all_sync(0xffffffff, in[i] / 1000, &is_same);

	out[i] = odd + (__any_sync(0xffffffff, in[i] == first) ? 1 : 0) +
		 (__all_sync(0xffffffff, in[i] >= 0) ? 2 : 0) +
		 (equal == 0xffffffff && is_same ? 4 : 0);
}

// Each turn the lanes with the smallest value leave; *turns counts the different values.
__global__ void leave(const int *in, int *turns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, mine = in[i] % 13, turn = 0;
	unsigned left = 0xffffffff;

	for (;;) {
		turn++;
		int smallest = mine;
		for (int lane = 0; lane < 32; lane++) {
			int other = __shfl_sync(left, mine, lane);

			if (left >> lane & 1)
				smallest = other < smallest ? other : smallest;
		}
		bool goes = mine == smallest;
		unsigned going = __ballot_sync(left, goes);

		if (goes)
			break;
		left &= ~going;
	}
	turns[i] = turn;
}

// The lanes of each quarter of the warp vote, match and exchange among themselves, all at once.
__global__ void vote_in_parts(const int *in, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, is_same;
	unsigned part = 0xffu << threadIdx.x % 32 / 8 * 8;
	unsigned odd = __ballot_sync(part, in[i] & 1),
		 all = __match_all_sync(part, in[i] / 900, &is_same);

	out[i] = (int)odd + (__any_sync(part, in[i] > 950) ? 1000 : 0) +
		 (__all_sync(part, in[i] > 100) ? 2000 : 0) + (is_same ? 4000 : 0) +
		 (all ? 8000 : 0) + __popc(__match_any_sync(part, in[i] % 3)) * 16000;
}

HOST_LOOP int voted_in_part(const int *in, int i)
{
	unsigned odd = 0;
	int any = 0, all = 1, same = 1, equal = 0;

	for (int k = i / 8 * 8; k < i / 8 * 8 + 8; k++) {
		odd |= (unsigned)(in[k] & 1) << k % 32;
		any |= in[k] > 950;
		all &= in[k] > 100;
		same &= in[k] / 900 == in[i] / 900;
		equal += in[k] % 3 == in[i] % 3;
	}
	return (int)odd + any * 1000 + all * 2000 + same * 12000 + equal * 16000;
}

HOST_LOOP void check_host(const int *in, int *scanned, int *rotated, int *voted, int *turns)
{
	for (int i = 0; i < N; i++) {
		unsigned odd = 0, smaller = 0;

		scanned[i] = (i % 32 ? scanned[i - 1] : 0) + in[i];
		rotated[i] = in[i / 8 * 8 + (i + 3) % 8];
		for (int k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
			odd |= (unsigned)(in[k] & 1) << k % 32;
			smaller |= in[k] % 13 <= in[i] % 13 ? 1u << in[k] % 13 : 0;
		}
		voted[i] = (int)(odd + 7);
		turns[i] = __builtin_popcount(smaller);
	}
}

int main()
{
	need_kernels();
	int *in = host_array<int>(N), *got = host_array<int>(4 * N), *want = host_array<int>(4 * N);
	int *d_out = device_array<int>(4 * N);
	unsigned state = 53;

	for (int i = 0; i < N; i++)
		in[i] = random_next(&state) % 1000;
	int *d_in = device_copy(in, N);

	scan<<<WARPS / 2, 64>>>(d_in, d_out);
	rotate_in_parts<<<WARPS / 2, 64>>>(d_in, d_out + N);
	vote<<<WARPS / 2, 64>>>(d_in, d_out + 2 * N);
	leave<<<WARPS / 2, 64>>>(d_in, d_out + 3 * N);
	read_back(got, d_out, 4 * N);
	check_host(in, want, want + N, want + 2 * N, want + 3 * N);
	expect_equal("scan", got, want, N);
	expect_equal("rotation", got + N, want + N, N);
	expect_equal("votes", got + 2 * N, want + 2 * N, N);
	expect_equal("turns", got + 3 * N, want + 3 * N, N);
	vote_in_parts<<<WARPS / 2, 64>>>(d_in, d_out);
	read_back(got, d_out, N);
	for (int i = 0; i < N; i++)
		want[i] = voted_in_part(in, i);
	expect_equal("votes of parts", got, want, N);
	free_device(d_in, d_out);
	free_host(in, got, want);
	return 0;
}
