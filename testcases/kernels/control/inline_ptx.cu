// PTX as programs spell it and ptxas takes it: no white space before an operand, parts of an opcode
// in another order, immediates among the registers of a vector.
// expect: clean
#include "testcases/compute.h"

static const int LANES = 32, KINDS = 5;

__global__ void spelled(unsigned *out)
{
	__shared__ __align__(16) unsigned short rows[8 * 8];
	unsigned lane, tile, turned, pair, address;
	unsigned short bytes;

	asm("mov.u32%0,%%laneid;" : "=r"(lane));
	for (int i = lane; i < 64; i += LANES)
		rows[i] = (unsigned short)(7 * i);
	__syncwarp();
	address = (unsigned)__cvta_generic_to_shared(rows + lane % 8 * 8);
	asm volatile("ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%0}, [%1];"
		     : "=r"(tile)
		     : "r"(address));
	asm volatile("shfl.bfly.b32.sync %0, %1, 3, 31, -1;" : "=r"(turned) : "r"(lane * lane));
	asm("{.reg .b8 low; cvt.u8.u32 low, %1; mov.b16 %0, {low, 2};}" : "=h"(bytes) : "r"(lane));
	asm("mov.b32 %0, {-1, %1};" : "=r"(pair) : "h"(bytes));
	out += lane * KINDS;
	out[0] = lane;
	out[1] = tile;
	out[2] = turned;
	out[3] = bytes;
	out[4] = pair;
}

int main()
{
	need_kernels();
	unsigned *got = host_array<unsigned>(LANES * KINDS);
	unsigned *want = host_array<unsigned>(LANES * KINDS);
	unsigned *d_out = device_zeros<unsigned>(LANES * KINDS);

	spelled<<<1, LANES>>>(d_out);
	read_back(got, d_out, LANES * KINDS);
	for (unsigned i = 0; i < LANES; i++) {
		unsigned *w = want + i * KINDS, element = i / 4 * 8 + i % 4 * 2;

		w[0] = i;
		w[1] = 7 * element | 7 * (element + 1) << 16;
		w[2] = (i ^ 3) * (i ^ 3);
		w[3] = i | 2 << 8;
		w[4] = 0xffff | w[3] << 16;
	}
	expect_equal("spelled", got, want, LANES * KINDS);
	free_device(d_out);
	free_host(got, want);
	return 0;
}
