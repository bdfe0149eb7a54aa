// K-means: points take the nearest center, centers become the means of their points (counted in
// whole numbers with atomics, so that the order does not matter), until no point changes.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"

static const int POINTS = 3000, CENTERS = 7, MOST_ROUNDS = 100;

__host__ __device__ static int nearest(int2 point, const int2 *centers)
{
	long long least = 1LL << 62;
	int best = 0;

	for (int i = 0; i < CENTERS; i++) {
		long long x = point.x - centers[i].x, y = point.y - centers[i].y;

		if (x * x + y * y < least) {
			least = x * x + y * y;
			best = i;
		}
	}
	return best;
}

struct sums {
	long long x[CENTERS], y[CENTERS];
	int count[CENTERS], changed;
};

__global__ void assign(const int2 *points, const int2 *centers, int *labels, sums *out)
{
	__shared__ int2 mine[CENTERS];
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (threadIdx.x < CENTERS)
		mine[threadIdx.x] = centers[threadIdx.x];
	__syncthreads();
	if (i >= POINTS)
		return;
	int label = nearest(points[i], mine);

	atomicAdd((unsigned long long *)&out->x[label], (unsigned long long)points[i].x);
	atomicAdd((unsigned long long *)&out->y[label], (unsigned long long)points[i].y);
	atomicAdd(&out->count[label], 1);
	if (labels[i] != label)
		atomicAdd(&out->changed, 1);
	labels[i] = label;
}

__global__ void move(int2 *centers, const sums *in)
{
	int i = threadIdx.x;

	if (in->count[i])
		centers[i] =
			make_int2((int)(in->x[i] / in->count[i]), (int)(in->y[i] / in->count[i]));
}

HOST_LOOP int cluster_on_host(const int2 *points, int2 *centers, int *labels)
{
	int rounds = 0, changed;

	do {
		sums s = {};

		for (int i = 0; i < POINTS; i++) {
			int label = nearest(points[i], centers);

			s.x[label] += points[i].x;
			s.y[label] += points[i].y;
			s.count[label]++;
			s.changed += labels[i] != label;
			labels[i] = label;
		}
		for (int i = 0; i < CENTERS; i++)
			if (s.count[i])
				centers[i] = {(int)(s.x[i] / s.count[i]),
					      (int)(s.y[i] / s.count[i])};
		changed = s.changed;
	} while (changed && ++rounds < MOST_ROUNDS);
	return rounds;
}

int main()
{
	need_kernels();
	int2 *points = host_array<int2>(POINTS), *centers = host_array<int2>(CENTERS);
	int2 *got = host_array<int2>(CENTERS), *d_points;
	int *labels = host_array<int>(POINTS), *got_labels = host_array<int>(POINTS), rounds = 0;
	sums *s = host_array<sums>(1), *d_sums = device_array<sums>(1);
	unsigned state = 103;

	for (int i = 0; i < POINTS; i++)
		points[i] = {(int)(random_next(&state) % 2000 + i % CENTERS * 900),
			     (int)(random_next(&state) % 2000 - i % 3 * 1500)};
	for (int i = 0; i < CENTERS; i++)
		centers[i] = points[i * i];
	d_points = device_copy(points, POINTS);
	int2 *d_centers = device_copy(centers, CENTERS);
	int *d_labels = device_zeros<int>(POINTS);

	do {
		CHECK(cudaMemset(d_sums, 0, sizeof(*s)));
		assign<<<(POINTS + 127) / 128, 128>>>(d_points, d_centers, d_labels, d_sums);
		move<<<1, CENTERS>>>(d_centers, d_sums);
		read_back(s, d_sums, 1);
	} while (s->changed && ++rounds < MOST_ROUNDS);
	read_back(got, d_centers, CENTERS);
	read_back(got_labels, d_labels, POINTS);
	expect_value("rounds", rounds, cluster_on_host(points, centers, labels));
	expect_equal("centers", got, centers, CENTERS);
	expect_equal("labels", got_labels, labels, POINTS);
	free_device(d_points, d_centers, d_labels, d_sums);
	free_host(points, centers, got, labels, got_labels, s);
	return 0;
}
