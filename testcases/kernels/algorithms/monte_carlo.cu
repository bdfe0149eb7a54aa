// Numbers of cuRAND's device functions: XORWOW, Philox and MRG32k3a, which compute with 32 and 64
// bits only, so that all devices have the same numbers; pi by counting; normal numbers.
// expect: clean
#include "testcases/compute.h"

#include <curand_kernel.h>

static const int THREADS = 256, DRAWS = 40;

template <typename State> __global__ void draw(unsigned *out, unsigned *inside, float *mean)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned mine = 0, mixed = 0;
	float sum = 0;
	State state;

	curand_init(1234, i, 0, &state);
	for (int k = 0; k < DRAWS; k++)
		mixed = mixed * 31 + curand(&state);
	out[i] = mixed;
	for (int k = 0; k < DRAWS; k++) {
		float x = curand_uniform(&state), y = curand_uniform(&state);

		mine += x * x + y * y <= 1;
	}
	atomicAdd(inside, mine);
	for (int k = 0; k < DRAWS; k++)
		sum += curand_normal(&state);
	mean[i] = sum / DRAWS;
}

template <typename State> void try_generator(const char *name)
{
	unsigned *got = host_array<unsigned>(THREADS + 1);
	unsigned *d_out = device_zeros<unsigned>(THREADS + 1);
	float *mean = host_array<float>(THREADS), *d_mean = device_array<float>(THREADS);
	double sum = 0;

	draw<State><<<THREADS / 64, 64>>>(d_out, d_out + THREADS, d_mean);
	read_back(got, d_out, THREADS + 1);
	read_back(mean, d_mean, THREADS);
	for (int i = 0; i < THREADS; i++)
		sum += mean[i];
	double pi = 4.0 * got[THREADS] / (THREADS * DRAWS);

	printf("%s: hash %08x, pi %.2f, mean of normal numbers %s\n", name,
	       hash_bytes(got, THREADS * sizeof(*got)), pi,
	       fabs(sum / THREADS) < 0.05 ? "near 0" : "not near 0");
	if (fabs(pi - M_PI) > 0.06 || !(fabs(sum / THREADS) < 0.05))
		exit(EXIT_WRONG);
	free_device(d_out, d_mean);
	free_host(got, mean);
}

int main()
{
	need_kernels();
	try_generator<curandStateXORWOW_t>("XORWOW");
	try_generator<curandStatePhilox4_32_10_t>("Philox");
	try_generator<curandStateMRG32k3a_t>("MRG32k3a");
	return 0;
}
