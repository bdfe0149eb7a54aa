// SHA-256 of many messages, one for each thread, with its constants in constant memory and its
// state in registers; the known digest of "abc" among them.
// expect: clean
#include "testcases/compute.h"

static const int MESSAGES = 150, LENGTH = 55; // a block of 64 bytes has room for 55

// The fractional parts of the cube roots of the first 64 primes, which main() computes.
__constant__ unsigned device_keys[64];
static unsigned host_keys[64];

__host__ __device__ static unsigned rotate(unsigned a, int by)
{
	return a >> by | a << (32 - by);
}

__host__ __device__ static void digest(const unsigned char *text, int length, const unsigned *keys,
				       unsigned *out)
{
	unsigned words[64] = {0}, s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	for (int i = 0; i < 8; i++)
		out[i] = s[i];
	for (int i = 0; i < length; i++)
		words[i / 4] |= (unsigned)text[i] << (24 - i % 4 * 8);
	words[length / 4] |= 0x80u << (24 - length % 4 * 8);
	words[15] = 8 * length;
	for (int i = 16; i < 64; i++) {
		unsigned a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
			   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
	for (int i = 0; i < 64; i++) {
		unsigned big = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
		unsigned first = s[7] + big + ((s[4] & s[5]) ^ (~s[4] & s[6])) + keys[i] + words[i];
		unsigned second = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) +
				  ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		for (int k = 7; k; k--)
			s[k] = s[k - 1];
		s[4] += first;
		s[0] = first + second;
	}
	for (int i = 0; i < 8; i++)
		out[i] += s[i];
}

__global__ void digests(const unsigned char *texts, const int *lengths, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned mine[8];

	if (i >= MESSAGES)
		return;
	digest(texts + i * LENGTH, lengths[i], device_keys, mine);
	for (int k = 0; k < 8; k++)
		out[i * 8 + k] = mine[k];
}

static bool is_prime(int n)
{
	for (int i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return true;
}

// The cube root of the prime, as a whole number with 32 bits after the point.
static unsigned key_of(int prime)
{
	unsigned __int128 low = 0, high = (unsigned __int128)8 << 32;

	while (high - low > 1) {
		unsigned __int128 middle = (low + high) / 2;

		if (middle * middle * middle <= (unsigned __int128)prime << 96)
			low = middle;
		else
			high = middle;
	}
	return (unsigned)low;
}

int main()
{
	need_kernels();
	unsigned char *texts = host_array<unsigned char>(MESSAGES * LENGTH);
	unsigned *got = host_array<unsigned>(MESSAGES * 8),
		 *want = host_array<unsigned>(MESSAGES * 8);
	int *lengths = host_array<int>(MESSAGES);
	unsigned *d_out = device_array<unsigned>(MESSAGES * 8), state = 113;

	for (int i = 0, prime = 2; i < 64; prime++)
		if (is_prime(prime))
			host_keys[i++] = key_of(prime);
	for (int i = 0; i < MESSAGES; i++) {
		lengths[i] = i ? i % (LENGTH + 1) : 3;
		for (int k = 0; k < lengths[i]; k++)
			texts[i * LENGTH + k] = i ? random_next(&state) : "abc"[k];
		digest(texts + i * LENGTH, lengths[i], host_keys, want + i * 8);
	}
	unsigned char *d_texts = device_copy(texts, MESSAGES * LENGTH);
	int *d_lengths = device_copy(lengths, MESSAGES);

	CHECK(cudaMemcpyToSymbol(device_keys, host_keys, sizeof(host_keys)));
	digests<<<(MESSAGES + 63) / 64, 64>>>(d_texts, d_lengths, d_out);
	read_back(got, d_out, MESSAGES * 8);
	expect_equal("digests", got, want, MESSAGES * 8);
	printf("abc: %08x...%08x\n", got[0], got[7]);
	free_device(d_texts, d_lengths, d_out);
	free_host(texts, got, want, lengths);
	return 0;
}
