// printf in kernels: what they print is on stdout when the host has synchronized, in order with
// what the host prints; and what printf returns.
// expect: clean
#include "testcases/common.h"

#include <unistd.h>

__global__ void print_numbers(int *returned)
{
	if (threadIdx.x == 0)
		returned[0] = printf("%d %5u|%-5d|%+d %x %#o %c %%\n", -7, 42u, 42, 3, 255, 8, 'z');
	if (threadIdx.x == 1)
		returned[1] = printf("%lld %llx %hd %p\n", -1ll, 1ull << 40, 65537, (void *)0x1234);
	if (threadIdx.x == 2)
		returned[2] = printf("%f %.3e %g %9.2f\n", 1.5f, 12345.678, 0.1, 3.14159);
	if (threadIdx.x == 3)
		returned[3] = printf("%s and %.3s\n", "some words", "cut off");
	if (threadIdx.x == 4)
		returned[4] = printf("no argument\n");
}

__global__ void print_place()
{
	printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

static const char expected[] = "-7    42|42   |+3 ff 010 z %\n"
			       "-1 10000000000 1 0x1234\n"
			       "1.500000 1.235e+04 0.1      3.14\n"
			       "some words and cut\n"
			       "no argument\n"
			       "host\n"
			       "block 0 thread 0\n"
			       "block 0 thread 1\n";

// Whether the program has printed that; it goes to where stdout was.
HOST_LOOP bool has_printed(FILE *file, int to, const char *text)
{
	char all[1024] = "";

	fflush(stdout);
	dup2(to, STDOUT_FILENO);
	rewind(file);
	all[fread(all, 1, sizeof(all) - 1, file)] = 0;
	printf("%s", all);
	return strcmp(all, text) == 0;
}

int main()
{
	const int returns[] = {7, 4, 4, 2, 0};
	int *h_returned, *d_returned, saved = dup(STDOUT_FILENO);
	FILE *file = tmpfile();
	size_t limit = 0;

	if (!file || saved < 0)
		return EXIT_SKIPPED;
	CHECK(cudaMallocHost(&h_returned, sizeof(returns)));
	CHECK(cudaMalloc(&d_returned, sizeof(returns)));
	CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20));
	CHECK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	print_numbers<<<1, 32>>>(d_returned);
	CHECK(cudaMemcpy(h_returned, d_returned, sizeof(returns), cudaMemcpyDeviceToHost));
	printf("host\n");
	print_place<<<1, 2>>>();
	CHECK(cudaDeviceSynchronize());
	if (!has_printed(file, saved, runs_kernels() ? expected : "host\n"))
		return EXIT_WRONG;
	for (int i = 0; runs_kernels() && i < 5; i++)
		if (h_returned[i] != returns[i])
			return EXIT_WRONG;
	CHECK(cudaFree(d_returned));
	CHECK(cudaFreeHost(h_returned));
	fclose(file);
	return limit < 1 << 20 ? EXIT_WRONG : 0;
}
