// Conjugate gradients for Poisson's equation in a graph: a WHILE node whose body is one step, and a
// kernel in it that ends the loop when the residual is small. Launched for several right sides.
// expect: clean
// nvcc: --fmad=false
#include "testcases/compute.h"
#include "testcases/conditional.h"

static const int N = 256, MOST_ROUNDS = 2 * N, SIDES = 3;

struct State {
	double rr, pap, next;
	int rounds;
};

// y = A x, where A has 2 on its diagonal and -1 beside it.
__global__ void multiply(const double *x, double *y)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	y[i] = 2 * x[i] - (i ? x[i - 1] : 0) - (i + 1 < N ? x[i + 1] : 0);
}

__global__ void dot(const double *a, const double *b, double *sum)
{
	__shared__ double part[N];

	part[threadIdx.x] = a[threadIdx.x] * b[threadIdx.x];
	for (int half = N / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (threadIdx.x == 0)
		*sum = part[0];
}

// to = a + sign * (*top / *bottom) * b
__global__ void add_scaled(double *to, const double *a, const double *b, const double *top,
			   const double *bottom, double sign)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	to[i] = a[i] + sign * (*top / *bottom) * b[i];
}

__global__ void begin(State *s, double *x, double *r, double *p, const double *b)
{
	x[threadIdx.x] = 0;
	r[threadIdx.x] = p[threadIdx.x] = b[threadIdx.x];
	if (threadIdx.x == 0)
		s->rounds = 0;
}

__global__ void judge(State *s, cudaGraphConditionalHandle loop)
{
	s->rr = s->next;
	cudaGraphSetConditional(loop, s->rr > 1e-20 && ++s->rounds < MOST_ROUNDS);
}

static void capture_step(cudaGraph_t body, State *s, double *x, double *r, double *p, double *ap,
			 cudaGraphConditionalHandle loop)
{
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCaptureToGraph(stream, body, NULL, NULL, 0,
					    cudaStreamCaptureModeGlobal));
	multiply<<<N / 64, 64, 0, stream>>>(p, ap);
	dot<<<1, N, 0, stream>>>(p, ap, &s->pap);
	add_scaled<<<N / 64, 64, 0, stream>>>(x, x, p, &s->rr, &s->pap, 1);
	add_scaled<<<N / 64, 64, 0, stream>>>(r, r, ap, &s->rr, &s->pap, -1);
	dot<<<1, N, 0, stream>>>(r, r, &s->next);
	add_scaled<<<N / 64, 64, 0, stream>>>(p, r, p, &s->next, &s->rr, 1);
	judge<<<1, 1, 0, stream>>>(s, loop);
	CHECK(cudaStreamEndCapture(stream, NULL));
	CHECK(cudaStreamDestroy(stream));
}

int main()
{
	need_kernels();
	double *want = host_array<double>(N), *b = host_array<double>(N),
	       *x = host_array<double>(N);
	double *d_x = device_array<double>(N), *d_r = device_array<double>(N),
	       *d_p = device_array<double>(N), *d_ap = device_array<double>(N),
	       *d_b = device_array<double>(N);
	State *d_state = device_array<State>(1), *state = host_array<State>(1);
	cudaGraphConditionalHandle loop;
	cudaGraphExec_t exec;
	cudaGraph_t graph, body;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(d_b, b, N * sizeof(double), cudaMemcpyHostToDevice, stream));
	begin<<<1, N, 0, stream>>>(d_state, d_x, d_r, d_p, d_b);
	dot<<<1, N, 0, stream>>>(d_r, d_r, &d_state->rr);
	body = add_conditional(stream, cudaGraphCondTypeWhile, 1, &loop);
	capture_step(body, d_state, d_x, d_r, d_p, d_ap, loop);
	CHECK(cudaMemcpyAsync(x, d_x, N * sizeof(double), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaMemcpyAsync(state, d_state, sizeof(State), cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int side = 0; side < SIDES; side++) {
		for (int i = 0; i < N; i++)
			want[i] = (double)(i % (17 + side)) / 16 - (double)(i % 5);
		for (int i = 0; i < N; i++)
			b[i] = 2 * want[i] - (i ? want[i - 1] : 0) - (i + 1 < N ? want[i + 1] : 0);
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaStreamSynchronize(stream));
		expect_near("solution", x, want, N, 1e-9);
		expect_value("a residual below the limit, after many rounds",
			     state->rr <= 1e-20 && state->rounds > 32 &&
				     state->rounds < MOST_ROUNDS,
			     true);
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	free_device(d_x, d_r, d_p, d_ap, d_b, d_state);
	free_host(want, b, x, state);
	return 0;
}
