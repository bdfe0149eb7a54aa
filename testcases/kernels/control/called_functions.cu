// Functions that kernels call: structures by value, recursion, early returns of some lanes, shared
// variables, a caller's variables by pointer, pointers to functions, virtual functions, lambdas,
// and objects on the device's heap. The host computes the same.
// expect: clean
#include "testcases/common.h"

static const int N = 96;

struct Record {
	int values[5];
	double weight;
	char tag;
};

__host__ __device__ __noinline__ Record changed(Record r, int n)
{
	r.values[n % 5] += n;
	r.weight *= 2;
	r.tag = 'a' + n % 26;
	return r;
}

__host__ __device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__host__ __device__ __noinline__ int steps(unsigned n, int *most)
{
	int count = 0;

	for (; n != 1; count++) {
		if (n > (unsigned)*most)
			*most = n;
		if (count > 100)
			return -1;
		n = n % 2 ? 3 * n + 1 : n / 2;
	}
	return count;
}

__device__ __noinline__ int neighbour(int value)
{
	__shared__ int all[N];

	all[threadIdx.x] = value;
	__syncthreads();
	value = all[(threadIdx.x + 1) % N];
	__syncthreads();
	return value;
}

struct Results {
	Record record;
	int fibonacci, steps, most, neighbour, pointed, shape, lambda;
};

__host__ __device__ static int added(int a, int b)
{
	return a + b;
}

__host__ __device__ static int multiplied(int a, int b)
{
	return a * b;
}

typedef int (*operation)(int, int);
__device__ operation operations[] = {added, multiplied};

struct Shape {
	__host__ __device__ virtual int area() const = 0;
	__host__ __device__ virtual ~Shape()
	{
	}
};

struct Square : Shape {
	int side;
	__host__ __device__ Square(int side) : side(side)
	{
	}
	__host__ __device__ int area() const override
	{
		return side * side;
	}
};

struct Rectangle : Square {
	int height;
	__host__ __device__ Rectangle(int width, int height) : Square(width), height(height)
	{
	}
	__host__ __device__ int area() const override
	{
		return side * height + (height > 50 ? Square::area() : 0);
	}
};

__host__ __device__ static Shape *new_shape(int i)
{
	return i % 3 ? new Square(i) : new Rectangle(i, i + 1);
}

template <typename F> __host__ __device__ __noinline__ int twice(F f, int value)
{
	return f(f(value));
}

__global__ void call_all(Results *results, operation *given)
{
	int i = threadIdx.x;
	Results *r = &results[i];
	Shape *shape = new_shape(i);

	r->record = changed(r->record, i);
	r->fibonacci = fibonacci(i % 12);
	r->most = 0;
	r->steps = i ? steps(i, &r->most) : 0;
	r->neighbour = neighbour(i * 3);
	r->pointed = operations[i % 2](i, 5) + (*given)(i, 7);
	r->shape = shape ? shape->area() : -1;
	r->lambda = twice([=](int v) { return v * 2 + i; }, 10);
	delete shape;
}

__global__ void choose(operation *chosen)
{
	*chosen = multiplied;
}

HOST_LOOP int is_right(const Results *r, int i)
{
	Record record = {{1, 2, 3, 4, 5}, i + 0.5, 0};
	Shape *shape = new_shape(i);
	int most = 0, area = shape->area();

	delete shape;
	record = changed(record, i);
	for (int k = 0; k < 5; k++)
		if (r->record.values[k] != record.values[k])
			return 0;
	return r->record.weight == record.weight && r->record.tag == record.tag &&
	       r->fibonacci == fibonacci(i % 12) && r->steps == (i ? steps(i, &most) : 0) &&
	       r->most == most && r->neighbour == (i + 1) % N * 3 &&
	       r->pointed == (i % 2 ? i * 5 : i + 5) + i * 7 && r->shape == area &&
	       r->lambda == 40 + 3 * i;
}

int main()
{
	Results *h_results, *d_results;
	operation *d_operation;

	CHECK(cudaMallocHost(&h_results, N * sizeof(*h_results)));
	CHECK(cudaMalloc(&d_results, N * sizeof(*d_results)));
	CHECK(cudaMalloc(&d_operation, sizeof(*d_operation)));
	memset(h_results, 0, N * sizeof(*h_results));
	for (int i = 0; i < N; i++)
		h_results[i].record = {{1, 2, 3, 4, 5}, i + 0.5, 0};
	CHECK(cudaMemcpy(d_results, h_results, N * sizeof(*d_results), cudaMemcpyHostToDevice));
	choose<<<1, 1>>>(d_operation);
	call_all<<<1, N>>>(d_results, d_operation);
	CHECK(cudaMemcpy(h_results, d_results, N * sizeof(*d_results), cudaMemcpyDeviceToHost));
	for (int i = 0; runs_kernels() && i < N; i++)
		if (!is_right(&h_results[i], i)) {
			printf("thread %d is wrong\n", i);
			return EXIT_WRONG;
		}
	CHECK(cudaFree(d_results));
	CHECK(cudaFree(d_operation));
	CHECK(cudaFreeHost(h_results));
	return 0;
}
