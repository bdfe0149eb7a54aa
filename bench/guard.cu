// What the page guard costs whole programs: the same work without the library, and with guard=off,
// sparse and full, in one run; and whether the results are the same to the last bit.
//
// Usage: guard [libstreamcheck.so]. Runs itself as a child several times, takes the best time of
// each workload, and prints a table. Needs a GPU. Exits with 1 if any result differs.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <cuda_runtime.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static const int rounds = 3;

static void check(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "guard.cu:%d: %s\n", line, cudaGetErrorName(error));
	exit(2);
}
#define CHECK(call) check(call, __LINE__)

static double now()
{
	timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

static unsigned *pinned(size_t bytes)
{
	unsigned *data = NULL;

	CHECK(cudaMallocHost(&data, bytes));
	return data;
}

static unsigned *on_device(size_t bytes)
{
	unsigned *data = NULL;

	CHECK(cudaMalloc(&data, bytes));
	return data;
}

static unsigned long long sum(const unsigned *data, size_t n)
{
	unsigned long long total = 0;

	for (size_t i = 0; i < n; i++)
		total = total * 31 + data[i];
	return total;
}

// ---- the workloads: each returns a number that depends on all its results ----

static __global__ void mix(unsigned *data, int n, int turns)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	unsigned x = data[i];
	for (int t = 0; t < turns; t++)
		x = x * 1664525u + 1013904223u + (x >> 7);
	data[i] = x;
}

// 64 MiB to the device and back, 40 times: 5 GiB.
static unsigned long long copies(double *seconds)
{
	const size_t bytes = 64 << 20, n = bytes / sizeof(unsigned);
	unsigned *in = pinned(bytes), *out = pinned(bytes), *d = on_device(bytes);
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	for (size_t i = 0; i < n; i++)
		in[i] = (unsigned)i * 2654435761u;
	memset(out, 0, bytes);
	double start = now();
	for (int i = 0; i < 40; i++) {
		CHECK(cudaMemcpyAsync(d, in, bytes, cudaMemcpyHostToDevice, s));
		CHECK(cudaMemcpyAsync(out, d, bytes, cudaMemcpyDeviceToHost, s));
		CHECK(cudaStreamSynchronize(s));
		in[i] ^= out[n - 1 - i];
	}
	*seconds = now() - start;
	return sum(out, n);
}

// 400 kernels of a few hundred microseconds; each tenth result is fetched.
static unsigned long long kernels(double *seconds)
{
	const int n = 1 << 20;
	unsigned *d = on_device(n * sizeof(unsigned)), *out = pinned(4096);
	unsigned long long total = 0;
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMemset(d, 1, n * sizeof(unsigned)));
	mix<<<n / 256, 256, 0, s>>>(d, n, 1);
	CHECK(cudaStreamSynchronize(s));
	double start = now();
	for (int i = 0; i < 400; i++) {
		mix<<<n / 256, 256, 0, s>>>(d, n, 4000);
		if (i % 10)
			continue;
		CHECK(cudaMemcpyAsync(out, d, 4096, cudaMemcpyDeviceToHost, s));
		CHECK(cudaStreamSynchronize(s));
		total = total * 31 + out[i];
	}
	CHECK(cudaStreamSynchronize(s));
	*seconds = now() - start;
	return total;
}

// The host fills one of two buffers of 1 MiB while the other travels. With `shares_page` it counts
// beside the buffer, on a page that the copy in flight uses.
static unsigned long long pipeline(double *seconds, bool shares_page)
{
	const size_t bytes = 1 << 20, n = bytes / sizeof(unsigned), room = bytes + 4096;
	unsigned *h = pinned(2 * room), *d = on_device(bytes * 2), *out = pinned(2 * bytes);
	cudaEvent_t done[2];
	cudaStream_t s;

	memset(h, 0, 2 * room);
	CHECK(cudaStreamCreate(&s));
	for (int i = 0; i < 2; i++)
		CHECK(cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming));
	double start = now();
	for (int i = 0; i < 600; i++) {
		unsigned *base = h + (i & 1) * (room / sizeof(unsigned)), *data = base + 16;

		if (i > 1)
			CHECK(cudaEventSynchronize(done[i & 1]));
		for (size_t k = 0; k < n; k++)
			data[k] = data[k] * 3 + (unsigned)(k ^ i);
		CHECK(cudaMemcpyAsync(d + (i & 1) * n, data, bytes, cudaMemcpyHostToDevice, s));
		CHECK(cudaEventRecord(done[i & 1], s));
		for (int k = 0; shares_page && k < 8; k++)
			((volatile unsigned *)base)[k]++;
	}
	CHECK(cudaMemcpyAsync(out, d, 2 * bytes, cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
	*seconds = now() - start;
	return sum(out, 2 * n) + h[0];
}

// Kernels that work on managed memory, which the host reads after each.
static unsigned long long managed(double *seconds)
{
	const int n = 1 << 18;
	unsigned *data = NULL;
	unsigned long long total = 0;

	CHECK(cudaMallocManaged(&data, n * sizeof(unsigned)));
	memset(data, 1, n * sizeof(unsigned));
	double start = now();
	for (int i = 0; i < 300; i++) {
		mix<<<n / 256, 256>>>(data, n, 100);
		CHECK(cudaDeviceSynchronize());
		total = total * 31 + data[i * 64];
		data[i * 64] = i;
	}
	*seconds = now() - start;
	return total + sum(data, n);
}

static unsigned long long pages_apart(double *seconds)
{
	return pipeline(seconds, false);
}

static unsigned long long pages_shared(double *seconds)
{
	return pipeline(seconds, true);
}

static const struct {
	const char *name;
	unsigned long long (*run)(double *seconds);
} workloads[] = {{"copies of 64 MiB", copies},
		 {"kernels", kernels},
		 {"host fills buffers", pages_apart},
		 {"host beside operands", pages_shared},
		 {"managed memory", managed}};
static const int count = sizeof(workloads) / sizeof(workloads[0]);

static int child()
{
	for (const auto &w : workloads) {
		double seconds;
		unsigned long long result = w.run(&seconds);

		printf("%.6f %llx\n", seconds, result);
	}
	fflush(stdout);
	return 0;
}

// ---- running it ----

struct result {
	double seconds;
	unsigned long long value;
	bool is_known, is_different;
};

static bool run(const char *self, const std::string &prefix, struct result *results)
{
	FILE *pipe = popen((prefix + " '" + self + "' child").c_str(), "r");

	for (int i = 0; pipe && i < count; i++) {
		double seconds;
		unsigned long long value;
		struct result *r = &results[i];

		if (fscanf(pipe, "%lf %llx", &seconds, &value) != 2)
			break;
		r->is_different |= r->is_known && value != r->value;
		if (!r->is_known || seconds < r->seconds)
			r->seconds = seconds;
		r->value = value;
		r->is_known = true;
	}
	return pipe && pclose(pipe) == 0;
}

int main(int argc, char **argv)
{
	static const char *const ways[] = {"without", "off", "sparse", "full"};
	struct result results[4][count] = {};
	bool is_wrong = false;

	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	for (int round = 0; round < rounds; round++) {
		for (int w = 0; w < (argc > 1 ? 4 : 1); w++) {
			std::string prefix;

			if (w)
				prefix = std::string("LD_PRELOAD='") + argv[1] +
					 "' STREAMCHECK_OPTIONS=analyze=no:guard=" + ways[w];
			if (!run(argv[0], prefix, results[w]))
				fprintf(stderr, "a run with guard=%s failed\n", ways[w]);
		}
	}
	printf("%-22s %11s %8s %8s %8s  results\n", "workload", "without, s", "off", "sparse",
	       "full");
	for (int i = 0; i < count; i++) {
		double base = results[0][i].seconds;
		bool is_same = true;

		for (int w = 0; argc > 1 && w < 4; w++)
			is_same &= results[w][i].is_known && !results[w][i].is_different &&
				   results[w][i].value == results[0][i].value;
		printf("%-22s %11.4f %8.3f %8.3f %8.3f  %s\n", workloads[i].name, base,
		       results[1][i].seconds / base, results[2][i].seconds / base,
		       results[3][i].seconds / base, is_same ? "the same" : "DIFFERENT");
		is_wrong |= !is_same;
	}
	return is_wrong;
}
