// Collatz sequences in a graph: a WHILE node until the number is 1, in its body an IF node with an
// else for odd and even numbers; after it a SWITCH node by the number of steps. Kernels decide all.
// expect: clean
#include "testcases/compute.h"

static const int NUMBERS = 12, CASES = 4;

struct Handles {
	cudaGraphConditionalHandle loop, is_odd, length;
};

struct State {
	int number, steps, odd, chosen;
};

__global__ void begin(State *s, const int *number, Handles h)
{
	s->number = *number;
	s->steps = s->odd = 0;
	s->chosen = -1;
	cudaGraphSetConditional(h.loop, s->number > 1);
	cudaGraphSetConditional(h.is_odd, s->number % 2);
}

__global__ void triple(State *s)
{
	s->number = 3 * s->number + 1;
	s->odd++;
}

__global__ void halve(State *s)
{
	s->number /= 2;
}

__global__ void count(State *s, Handles h)
{
	s->steps++;
	cudaGraphSetConditional(h.loop, s->number > 1);
	cudaGraphSetConditional(h.is_odd, s->number % 2);
}

// The last case of the switch has no body.
__global__ void classify(State *s, Handles h)
{
	cudaGraphSetConditional(h.length, s->steps / 8);
}

__global__ void choose(State *s, int which)
{
	s->chosen = which;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, cudaGraphNode_t before, void *function,
				  void **arguments)
{
	cudaKernelNodeParams params = {};
	cudaGraphNode_t node;

	params.func = function;
	params.gridDim = params.blockDim = dim3(1);
	params.kernelParams = arguments;
	CHECK(cudaGraphAddKernelNode(&node, graph, &before, before != NULL, &params));
	return node;
}

static cudaGraphNode_t add_choice(cudaGraph_t graph, cudaGraphNode_t before,
				  cudaGraphConditionalHandle handle,
				  cudaGraphConditionalNodeType type, int size, cudaGraph_t **bodies)
{
	cudaGraphNodeParams params = {};
	cudaGraphNode_t node;

	params.type = cudaGraphNodeTypeConditional;
	params.conditional.handle = handle;
	params.conditional.type = type;
	params.conditional.size = size;
	CHECK(cudaGraphAddNode(&node, graph, &before, NULL, before != NULL, &params));
	*bodies = params.conditional.phGraph_out;
	return node;
}

static cudaGraph_t build(State *d_state, int *d_number)
{
	cudaGraph_t graph, *body, *parity, *cases;
	cudaGraphNode_t node;
	Handles h;
	void *starts[] = {&d_state, &d_number, &h}, *both[] = {&d_state, &h};

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphConditionalHandleCreate(&h.loop, graph));
	CHECK(cudaGraphConditionalHandleCreate(&h.is_odd, graph));
	CHECK(cudaGraphConditionalHandleCreate(&h.length, graph));
	node = add_kernel(graph, NULL, (void *)begin, starts);
	node = add_choice(graph, node, h.loop, cudaGraphCondTypeWhile, 1, &body);
	cudaGraphNode_t inner =
		add_choice(body[0], NULL, h.is_odd, cudaGraphCondTypeIf, 2, &parity);
	add_kernel(parity[0], NULL, (void *)triple, both);
	add_kernel(parity[1], NULL, (void *)halve, both);
	add_kernel(body[0], inner, (void *)count, both);
	node = add_kernel(graph, node, (void *)classify, both);
	add_choice(graph, node, h.length, cudaGraphCondTypeSwitch, CASES, &cases);
	for (int i = 0; i < CASES; i++) {
		void *arguments[] = {&d_state, &i};

		add_kernel(cases[i], NULL, (void *)choose, arguments);
	}
	return graph;
}

static State collatz(int number)
{
	State s = {number, 0, 0, -1};

	for (; s.number > 1; s.steps++) {
		s.odd += s.number % 2;
		s.number = s.number % 2 ? 3 * s.number + 1 : s.number / 2;
	}
	if (s.steps / 8 < CASES)
		s.chosen = s.steps / 8;
	return s;
}

int main()
{
	need_kernels();
	int *number = host_array<int>(1), *d_number = device_array<int>(1);
	State *state = host_array<State>(1), *d_state = device_array<State>(1);
	cudaGraph_t graph = build(d_state, d_number);
	cudaGraphExec_t exec;
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaGraphInstantiate(&exec, graph, 0));
	for (int i = 0; i < NUMBERS; i++) {
		*number = 1 + 5 * i;
		CHECK(cudaMemcpyAsync(d_number, number, sizeof(int), cudaMemcpyHostToDevice,
				      stream));
		CHECK(cudaGraphLaunch(exec, stream));
		CHECK(cudaMemcpyAsync(state, d_state, sizeof(State), cudaMemcpyDeviceToHost,
				      stream));
		CHECK(cudaStreamSynchronize(stream));
		expect_value("sequence", *state, collatz(*number));
	}
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	free_device(d_number, d_state);
	free_host(number, state);
	return 0;
}
