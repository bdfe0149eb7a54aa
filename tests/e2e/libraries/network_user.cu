// Networks whose operands another stream uses: use(WAY) is one use of the library, and what stream
// b does beside it is wrong or right by the library's manual alone.
#include <initializer_list>
#include <vector>
#include "tests/e2e/libraries/networks.h"
#include "tests/e2e/libraries/two_streams.h"

#define EDGE	 8
#define IMAGE	 (EDGE * EDGE)
#define CHANNELS 4
#define TENSOR	 (CHANNELS * IMAGE) // floats of one sample
#define TENSORS	 16		    // in one block, as frameworks have it

static float *block;
static cudnnHandle_t handle;

static float *tensor(int number)
{
	return block + number * TENSOR;
}

static bool is(const char *way, const char *name)
{
	return !strcmp(way, name);
}

// What stream b does meanwhile.
static void refill(float *data, size_t count)
{
	CHECK(cudaMemsetAsync(data, 0, count * sizeof(float), b));
}

// ---- calls ----

static void *tensor_is(std::initializer_list<int> sizes, std::initializer_list<int> steps)
{
	void *out;

	must(LIBRARY::cudnnCreateTensorDescriptor(&out));
	must(LIBRARY::cudnnSetTensorNdDescriptor(out, 0, (int)sizes.size(), sizes.begin(),
						 steps.begin()));
	return out;
}

static void *image(void)
{
	return tensor_is({1, CHANNELS, EDGE, EDGE}, {TENSOR, IMAGE, EDGE, 1});
}

// Tensor 2 = tensor 0 * tensor 1, windows of 3 by 3.
static void convolve(float beta)
{
	const int sizes[] = {CHANNELS, CHANNELS, 3, 3}, ones[] = {1, 1};
	const float alpha = 1;
	void *filter, *convolution;

	must(LIBRARY::cudnnCreateFilterDescriptor(&filter));
	must(LIBRARY::cudnnSetFilterNdDescriptor(filter, 0, 0, 4, sizes));
	must(LIBRARY::cudnnCreateConvolutionDescriptor(&convolution));
	must(LIBRARY::cudnnSetConvolutionNdDescriptor(convolution, 2, ones, ones, ones, 1, 0));
	must(LIBRARY::cudnnConvolutionForward(handle, &alpha, image(), tensor(0), filter, tensor(1),
					      convolution, 6, NULL, 0, &beta, image(), tensor(2)));
}

// Tensor 2 from tensor 0 by tensor 1, whose channels are innermost.
static void convolve_back(void)
{
	const int sizes[] = {CHANNELS, CHANNELS, 3, 3}, ones[] = {1, 1};
	const float alpha = 1, beta = 0;
	void *filter, *convolution;

	must(LIBRARY::cudnnCreateFilterDescriptor(&filter));
	must(LIBRARY::cudnnSetFilterNdDescriptor(filter, 0, 1, 4, sizes));
	must(LIBRARY::cudnnCreateConvolutionDescriptor(&convolution));
	must(LIBRARY::cudnnSetConvolutionNdDescriptor(convolution, 2, ones, ones, ones, 1, 0));
	must(LIBRARY::cudnnConvolutionBackwardData(handle, &alpha, filter, tensor(1), image(),
						   tensor(0), convolution, 1, NULL, 0, &beta,
						   image(), tensor(2)));
}

// The largest one of each `window` by `window`, two apart.
static void pool(int window)
{
	const int sizes[] = {window, window}, none[] = {0, 0}, strides[] = {2, 2};
	const int edge = EDGE / 2;
	const float alpha = 1, beta = 0;
	void *pooling;

	must(LIBRARY::cudnnCreatePoolingDescriptor(&pooling));
	must(LIBRARY::cudnnSetPoolingNdDescriptor(pooling, 0, 0, 2, sizes, none, strides));
	must(LIBRARY::cudnnPoolingForward(handle, pooling, &alpha, image(), tensor(0), &beta,
					  tensor_is({1, CHANNELS, edge, edge},
						    {CHANNELS * edge * edge, edge * edge, edge, 1}),
					  tensor(2)));
}

// Tensor 1 is some of tensor 0.
static void drop(void)
{
	static network n = {tensor(6), TENSOR * sizeof(float)};

	must(LIBRARY::cudnnDropoutForward(handle, &n, image(), tensor(0), image(), tensor(1),
					  tensor(5), TENSOR * sizeof(float)));
}

// Of 4 samples, the second size.
static void lose(void)
{
	const int lengths[] = {4, 4, 4, 4};
	void *probabilities = tensor_is({4, 4, 16}, {64, 16, 1});

	must(LIBRARY::cudnnCTCLoss(handle, probabilities, tensor(0), lengths, lengths, lengths,
				   tensor(1), probabilities, tensor(2), 0, NULL, NULL, 0));
}

static void normalize(void)
{
	const float alpha = 1, beta = 0;
	void *channels = tensor_is({1, CHANNELS, 1, 1}, {CHANNELS, 1, 1, 1});

	must(LIBRARY::cudnnBatchNormalizationForwardTraining(
		handle, 1, &alpha, &beta, image(), tensor(0), image(), tensor(1), channels,
		tensor(2), tensor(3), 0.5, tensor(4), tensor(5), 0.25, NULL, NULL));
}

// Packed sequences of 3 and 1 steps, of 16 floats each.
static void recur(void)
{
	static network n = {tensor(6), TENSOR * sizeof(float)};
	const int lengths[] = {3, 1};
	void *data, *hidden = tensor_is({1, 2, 16}, {32, 16, 1});

	must(LIBRARY::cudnnCreateRNNDataDescriptor(&data));
	must(LIBRARY::cudnnSetRNNDataDescriptor(data, 0, 1, 3, 2, 16, lengths, NULL));
	must(LIBRARY::cudnnRNNForward(handle, &n, 1, NULL, data, tensor(0), data, tensor(1), hidden,
				      NULL, tensor(2), NULL, NULL, NULL, TENSOR * sizeof(float),
				      tensor(3), 0, NULL, TENSOR * sizeof(float), tensor(5)));
}

static bool convolved(const char *way)
{
	if (is(way, "convolved") || is(way, "convolved_ordered")) {
		convolve(0);
		if (is(way, "convolved_ordered"))
			order();
		refill(tensor(0), TENSOR);
	} else if (is(way, "convolved_weights")) {
		convolve(0);
		refill(tensor(1) + CHANNELS * CHANNELS * 9 - 1, 1);
	} else if (is(way, "convolved_beside")) {
		convolve(0);
		refill(tensor(1) + CHANNELS * CHANNELS * 9, 16);
		refill(tensor(3), TENSOR);
	} else if (is(way, "convolved_onto")) {
		convolve(1);
		refill(tensor(2), 1);
	} else if (is(way, "convolved_back")) {
		convolve_back();
		refill(tensor(2) + TENSOR - 1, 1);
	} else {
		return false;
	}
	return true;
}

static bool called(const char *way)
{
	if (is(way, "pooled") || is(way, "pooled_partly")) {
		pool(is(way, "pooled") ? 2 : 1);
		refill(tensor(0), 1);
	} else if (is(way, "pooled_beside")) {
		pool(2);
		refill(tensor(2) + TENSOR / 4, 1);
	} else if (is(way, "dropped")) {
		drop();
		refill(tensor(1), 1);
	} else if (is(way, "dropped_states")) {
		drop();
		refill(tensor(7) - 1, 1);
	} else if (is(way, "dropped_beside")) {
		drop();
		refill(tensor(7), 1);
	} else if (is(way, "lost")) {
		lose();
		refill(tensor(1), 1);
	} else if (is(way, "lost_beside")) {
		lose();
		refill(tensor(1) + 4, 1);
	} else if (is(way, "normalized")) {
		normalize();
		refill(tensor(4), 1);
	} else if (is(way, "normalized_beside")) {
		normalize();
		refill(tensor(4) + CHANNELS, 1);
	} else if (is(way, "recurred") || is(way, "recurred_beside")) {
		recur();
		refill(tensor(1) + (is(way, "recurred") ? 0 : (3 + 1) * 16), 1);
	} else if (is(way, "recurred_states")) {
		recur();
		refill(tensor(6), 1);
	} else {
		return false;
	}
	return true;
}

// ---- graphs ----

// Numbers of cuDNN.
enum {
	POINTWISE = 0,
	CONVOLUTION = 1,
	ENGINE = 2,
	CONFIG = 3,
	HEURISTICS = 4,
	PLAN = 5,
	CONVOLVES = 10,
	EACH = 13,
	GRAPH = 15,
	PACK = 16,
	TENSOR_TYPE = 17
};

static void *object(int type)
{
	void *out;

	must(LIBRARY::cudnnBackendCreateDescriptor(type, &out));
	return out;
}

static void set(void *object, int attribute, std::initializer_list<int64_t> values)
{
	must(LIBRARY::cudnnBackendSetAttribute(object, attribute, 3, (int64_t)values.size(),
					       values.begin()));
}

static void set_objects(void *object, int attribute, std::initializer_list<void *> values)
{
	must(LIBRARY::cudnnBackendSetAttribute(object, attribute, 15, (int64_t)values.size(),
					       values.begin()));
}

static void set_enum(void *object, int attribute, int type, int value)
{
	must(LIBRARY::cudnnBackendSetAttribute(object, attribute, type, 1, &value));
}

static void set_float(void *object, int attribute, float value)
{
	must(LIBRARY::cudnnBackendSetAttribute(object, attribute, 4, 1, &value));
}

static void * final(void *object)
{
	must(LIBRARY::cudnnBackendFinalize(object));
	return object;
}

// What a way of using graphs is made of.
struct graph {
	int64_t window = 3, stride = 1, padding = 1;
	int64_t gap = 0;	// floats behind each row of x
	bool is_fused = false;	// with a bias
	int function = 0;	// by which that is added
	bool is_ragged = false; // x has its rows elsewhere
	bool is_text = false;	// the plan comes from a file
	bool is_suggested = false;
	bool is_filled = false, is_updated = false; // a graph of CUDA's
};

static void *graph_tensor(int64_t id, std::initializer_list<int64_t> sizes,
			  std::initializer_list<int64_t> steps, bool is_virtual)
{
	void *out = object(TENSOR_TYPE);

	set(out, 906, {id});
	set_enum(out, 901, 1, 0);
	set(out, 902, sizes);
	set(out, 903, steps);
	set(out, 900, {16});
	must(LIBRARY::cudnnBackendSetAttribute(out, 907, 2, 1, &is_virtual));
	return out;
}

static void *graph_image(int64_t id, int64_t edge, int64_t row, bool is_virtual)
{
	return graph_tensor(id, {1, CHANNELS, edge, edge},
			    {CHANNELS * edge * row, edge * row, row, 1}, is_virtual);
}

static void *convolution_of(const graph &g, int64_t edge)
{
	void *window = object(CONVOLUTION), *operation = object(CONVOLVES);
	void *x = graph_image(1, EDGE, EDGE + g.gap, false);

	if (g.is_ragged)
		set_objects(x, 913, {final(graph_image(9, 1, 1, false))});
	set_enum(window, 100, 1, 0);
	set(window, 106, {2});
	set(window, 102, {1, 1});
	set(window, 103, {g.stride, g.stride});
	set(window, 104, {g.padding, g.padding});
	set(window, 105, {g.padding, g.padding});
	set_objects(operation, 702, {final(window)});
	set_objects(operation, 704, {final(x)});
	set_objects(operation, 703,
		    {final(graph_tensor(
			    2, {CHANNELS, CHANNELS, g.window, g.window},
			    {CHANNELS * g.window * g.window, g.window * g.window, g.window, 1},
			    false))});
	set_objects(operation, 705, {final(graph_image(3, edge, edge, g.is_fused))});
	set_float(operation, 700, 1);
	set_float(operation, 701, 0);
	return final(operation);
}

// The result, which is nowhere, with a number for each channel: tensor 5.
static void *function_of(const graph &g, int64_t edge)
{
	void *function = object(POINTWISE), *operation = object(EACH);

	set_enum(function, 0, 14, g.function);
	set_objects(operation, 750, {final(function)});
	set_objects(operation, 751, {final(graph_image(3, edge, edge, true))});
	set_objects(operation, 752,
		    {final(graph_tensor(4, {1, CHANNELS, 1, 1}, {CHANNELS, 1, 1, 1}, false))});
	set_float(operation, 754, 1);
	set_float(operation, 755, 1);
	set_objects(operation, 753, {final(graph_image(5, edge, edge, false))});
	return final(operation);
}

static void *configuration_of(const graph &g, void *operations)
{
	void *configuration = object(CONFIG), *engine = object(ENGINE), *asked = object(HEURISTICS);
	int64_t count;

	if (g.is_suggested) {
		set_objects(asked, 201, {operations});
		set_enum(asked, 200, 8, 0);
		must(LIBRARY::cudnnBackendGetAttribute(final(asked), 202, 15, 1, &count,
						       &configuration));
		return configuration;
	}
	set_objects(engine, 1300, {operations});
	set(engine, 1301, {0});
	set_objects(configuration, 300, {final(engine)});
	return final(configuration);
}

static void *plan_of(const graph &g)
{
	int64_t edge = (EDGE + 2 * g.padding - g.window) / g.stride + 1;
	void *operations = object(GRAPH), *plan = object(PLAN);
	void *convolution = convolution_of(g, edge);

	if (g.is_text) {
		must(LIBRARY::cudnnBackendSetAttribute(plan, 405, 24, 3, "{ }"));
		return final(plan);
	}
	if (g.is_fused)
		set_objects(operations, 801, {convolution, function_of(g, edge)});
	else
		set_objects(operations, 801, {convolution});
	set_objects(plan, 401, {configuration_of(g, final(operations))});
	return final(plan);
}

// The plan becomes a node of a graph, which is launched.
static void fill_graph(void *plan, void *pack, bool is_updated)
{
	cudaGraph_t graph;
	cudaGraphExec_t executable;

	CHECK(cudaGraphCreate(&graph, 0));
	must(LIBRARY::cudnnBackendPopulateCudaGraph(handle, plan, pack, graph));
	if (is_updated)
		must(LIBRARY::cudnnBackendUpdateCudaGraph(handle, plan, pack, graph));
	CHECK(cudaGraphInstantiate(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, a));
}

static void execute(const graph &g)
{
	std::vector<int64_t> ids = {1, 2, g.is_fused ? 5 : 3};
	std::vector<float *> places = {tensor(0), tensor(3), tensor(4)};
	void *plan = plan_of(g), *pack = object(PACK), *workspace = tensor(8);

	if (g.is_fused) {
		ids.push_back(4);
		places.push_back(tensor(6));
	}
	must(LIBRARY::cudnnBackendSetAttribute(pack, 1000, 3, (int64_t)ids.size(), ids.data()));
	must(LIBRARY::cudnnBackendSetAttribute(pack, 1001, 6, (int64_t)places.size(),
					       places.data()));
	must(LIBRARY::cudnnBackendSetAttribute(pack, 1003, 6, 1, &workspace));
	if (g.is_filled)
		fill_graph(plan, final(pack), g.is_updated);
	else
		must(LIBRARY::cudnnBackendExecute(handle, plan, final(pack)));
	must(LIBRARY::cudnnBackendDestroyDescriptor(pack));
	must(LIBRARY::cudnnBackendDestroyDescriptor(plan));
}

static const struct {
	const char *way;
	graph g;
	int refilled; // first float and count of what stream b fills
	int count;
} graphs[] = {
	{"graph_input", {}, 0, 1},
	{"graph_ordered", {}, 0, 1},
	{"graph_weights", {}, 3 * TENSOR + 143, 1},
	{"graph_result", {}, 4 * TENSOR, 1},
	{"graph_beside", {}, 3 * TENSOR + 144, 16},
	{"graph_workspace", {}, 8 * TENSOR, 1},
	{"graph_workspace_end", {}, 12 * TENSOR, 1},
	{"graph_with_steps", {1, 2, 0}, 0, 1},
	{"graph_with_gaps", {3, 1, 1, EDGE}, EDGE, EDGE},
	{"graph_with_gaps_row", {3, 1, 1, EDGE}, 2 * EDGE, EDGE},
	{"graph_fused", {3, 1, 1, 0, true, 0}, 6 * TENSOR, 1},
	{"graph_fused_beside", {3, 1, 1, 0, true, 0}, 6 * TENSOR + CHANNELS, 1},
	{"graph_masked", {3, 1, 1, 0, true, 601}, 6 * TENSOR, 1},
	{"graph_ragged", {3, 1, 1, 0, false, 0, true}, 0, 1},
	{"graph_from_text", {3, 1, 1, 0, false, 0, false, true}, 0, 1},
	{"graph_suggested", {3, 1, 1, 0, false, 0, false, false, true}, 0, 1},
	{"graph_filled", {3, 1, 1, 0, false, 0, false, false, false, true}, 0, 1},
	{"graph_filled_ordered", {3, 1, 1, 0, false, 0, false, false, false, true}, 0, 1},
	{"graph_updated", {3, 1, 1, 0, false, 0, false, false, false, true, true}, 0, 1},
};

static bool executed(const char *way)
{
	for (const auto &row : graphs) {
		if (!is(way, row.way))
			continue;
		execute(row.g);
		if (is(way, "graph_ordered") || is(way, "graph_filled_ordered"))
			order();
		refill(block + row.refilled, (size_t)row.count);
		return true;
	}
	return false;
}

extern "C" int use(const char *way)
{
	block = on_device(TENSORS * TENSOR * sizeof(float));
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	must(LIBRARY::cudnnCreate(&handle));
	must(LIBRARY::cudnnSetStream(handle, a));
	if (!convolved(way) && !called(way) && !executed(way)) {
		fprintf(stderr, "no such way\n");
		exit(EXIT_WRONG);
	}
	CHECK(cudaDeviceSynchronize());
	must(LIBRARY::cudnnDestroy(handle));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
