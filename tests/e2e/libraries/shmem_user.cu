// NVSHMEM beside work of the program: use(WAY) is one use of the library, and what stream b, or
// stream a later, does to its operands is wrong or right by the library's manual alone.
#include "tests/e2e/libraries/shmem.h"
#include "tests/e2e/libraries/two_streams.h"

#define PIECE 1024 // numbers
#define HERE  0	   // this process,
#define THERE 1	   // and the other one

enum piece { SOURCE, BEHIND_SOURCE, TARGET, BEHIND_TARGET, WORDS, STATUS, PIECES };

static float *block;

static float *piece(enum piece number)
{
	return block + number * PIECE;
}

static const size_t BYTES = PIECE * sizeof(float);

// What stream b does meanwhile.
static void refill(float *at, size_t bytes)
{
	CHECK(cudaMemsetAsync(at, 0, bytes, b));
}

static void refill(enum piece number)
{
	refill(piece(number), BYTES);
}

static void must_be(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "%s\n", what);
	exit(EXIT_WRONG);
}

static bool is(const char *way, const char *name)
{
	return !strcmp(way, name);
}

static bool moved(const char *way)
{
	if (is(way, "put") || is(way, "put_beside") || is(way, "put_there")) {
		LIBRARY::nvshmemx_putmem_on_stream(piece(TARGET), piece(SOURCE), BYTES, THERE, a);
		refill(is(way, "put") ? SOURCE : is(way, "put_there") ? TARGET : BEHIND_SOURCE);
	} else if (is(way, "put_here")) {
		LIBRARY::nvshmemx_putmem_on_stream(piece(TARGET), piece(SOURCE), BYTES, HERE, a);
		refill(TARGET);
	} else if (is(way, "signaled") || is(way, "signal_here")) {
		LIBRARY::nvshmemx_float_put_signal_on_stream(piece(TARGET), piece(SOURCE), PIECE,
							     (uint64_t *)piece(WORDS), 1, 0,
							     is(way, "signaled") ? THERE : HERE, a);
		refill(is(way, "signaled") ? SOURCE : WORDS);
	} else if (is(way, "got") || is(way, "got_ordered")) {
		LIBRARY::nvshmemx_get32_on_stream(piece(TARGET), piece(SOURCE), PIECE, THERE, a);
		if (is(way, "got_ordered"))
			order();
		refill(TARGET);
	} else if (is(way, "spread") || is(way, "spread_gap")) {
		LIBRARY::nvshmemx_float_iput_on_stream(piece(TARGET), piece(SOURCE), 1, 4,
						       PIECE / 4, THERE, a);
		refill(piece(SOURCE) + (is(way, "spread") ? 4 : 5), sizeof(float));
	} else {
		return false;
	}
	return true;
}

static bool of_one_number(const char *way)
{
	if (is(way, "number") || is(way, "number_there") || is(way, "number_beside")) {
		LIBRARY::nvshmemx_float_p_on_stream(piece(TARGET), 3.5f,
						    is(way, "number_there") ? THERE : HERE, a);
		must_be(LIBRARY::stand_in_number() == 3.5f, "the number was changed");
		refill(piece(TARGET) + is(way, "number_beside"), sizeof(float));
	} else if (is(way, "number_got")) {
		must_be(LIBRARY::nvshmemx_float_g_on_stream(piece(SOURCE), HERE, a) == 2.5f,
			"the result was changed");
		refill(SOURCE);
	} else if (is(way, "number_got_by_host")) {
		refill(SOURCE);
		must_be(LIBRARY::nvshmem_double_g((double *)piece(SOURCE), HERE) == 1.25,
			"the result was changed");
	} else {
		return false;
	}
	return true;
}

static bool together(const char *way)
{
	if (is(way, "reduced") || is(way, "reduced_source")) {
		must(LIBRARY::nvshmemx_float_sum_reduce_on_stream(WORLD, piece(TARGET),
								  piece(SOURCE), PIECE, a));
		refill(is(way, "reduced") ? TARGET : SOURCE);
	} else if (is(way, "scattered") || is(way, "scattered_behind")) {
		must(LIBRARY::nvshmemx_int_max_reducescatter_on_stream(WORLD, piece(TARGET),
								       piece(SOURCE), PIECE, a));
		refill(is(way, "scattered") ? BEHIND_SOURCE : BEHIND_TARGET);
	} else if (is(way, "exchanged")) {
		must(LIBRARY::nvshmemx_alltoallmem_on_stream(WORLD, piece(TARGET), piece(SOURCE),
							     BYTES, a));
		refill(BEHIND_TARGET);
	} else if (is(way, "collected") || is(way, "collected_behind")) {
		must(LIBRARY::nvshmemx_fcollectmem_on_stream(WORLD, piece(TARGET), piece(SOURCE),
							     BYTES, a));
		refill(is(way, "collected") ? BEHIND_TARGET : BEHIND_SOURCE);
	} else if (!strncmp(way, "broadcast_", 10)) {
		must(LIBRARY::nvshmemx_broadcastmem_on_stream(
			strstr(way, "_by_other") ? OTHER : WORLD, piece(TARGET), piece(SOURCE),
			BYTES, 0, a));
		refill(strstr(way, "target") ? TARGET : SOURCE);
	} else {
		return false;
	}
	return true;
}

// It stands for one that waits for the put itself.
static __global__ void pack(float *to)
{
	to[blockIdx.z * blockDim.x + threadIdx.x] = 1;
}

static void launch_together(float *to)
{
	void *parameters[] = {&to};

	must(LIBRARY::nvshmemx_collective_launch((const void *)pack, dim3(1, 1, 2), dim3(8),
						 parameters, 0, a));
}

static bool awaited(const char *way)
{
	if (is(way, "awaited")) {
		LIBRARY::nvshmemx_signal_wait_until_on_stream((uint64_t *)piece(WORDS), 0, 1, a);
		refill(WORDS);
	} else if (is(way, "awaited_some") || is(way, "awaited_status") || is(way, "awaited_all")) {
		int *status = is(way, "awaited_all") ? NULL : (int *)piece(STATUS);

		LIBRARY::nvshmemx_int_wait_until_all_on_stream((int *)piece(WORDS), PIECE, status,
							       0, 1, a);
		refill(is(way, "awaited_status") ? STATUS : WORDS);
	} else if (is(way, "launched")) {
		launch_together(piece(WORDS));
		refill(WORDS);
	} else if (is(way, "signal_set")) {
		LIBRARY::nvshmemx_signal_op_on_stream((uint64_t *)piece(WORDS), 1, 0, HERE, a);
		refill(WORDS);
	} else {
		return false;
	}
	return true;
}

// A put that is left open, and what says that it is complete.
static void complete(const char *how)
{
	if (is(how, "quiet"))
		LIBRARY::nvshmemx_quiet_on_stream(a);
	else if (is(how, "quiet_elsewhere"))
		LIBRARY::nvshmemx_quiet_on_stream(b);
	else if (is(how, "quiet_ordered")) {
		order();
		LIBRARY::nvshmemx_quiet_on_stream(b);
	} else if (is(how, "wait"))
		LIBRARY::nvshmemx_signal_wait_until_on_stream((uint64_t *)piece(WORDS), 0, 1, a);
	else if (is(how, "launch"))
		launch_together(piece(SOURCE));
	else if (is(how, "host"))
		LIBRARY::nvshmem_quiet();
	else if (is(how, "synced"))
		CHECK(cudaStreamSynchronize(a));
	else
		must_be(is(how, "never") || is(how, "kernels"), "no such way");
}

static void put_captured(void)
{
	cudaGraphExec_t runs;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	LIBRARY::nvshmemx_putmem_nbi_on_stream(piece(TARGET), piece(SOURCE), BYTES, THERE, a);
	CHECK(cudaStreamEndCapture(a, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&runs, graph, 0));
	CHECK(cudaGraphLaunch(runs, a));
	refill(SOURCE);
	CHECK(cudaStreamSynchronize(a));
	CHECK(cudaGraphExecDestroy(runs));
	CHECK(cudaGraphDestroy(graph));
}

static bool left_open(const char *way)
{
	if (is(way, "open_captured")) {
		put_captured();
	} else if (is(way, "open_get")) {
		LIBRARY::nvshmemx_getmem_nbi_on_stream(piece(TARGET), piece(SOURCE), BYTES, THERE,
						       a);
		CHECK(cudaMemsetAsync(piece(TARGET), 0, BYTES, a));
		LIBRARY::nvshmemx_quiet_on_stream(a);
	} else if (!strncmp(way, "open_", 5)) {
		if (is(way, "open_kernels"))
			must(LIBRARY::nvshmemx_cumodule_init(NULL));
		LIBRARY::nvshmemx_putmem_nbi_on_stream(piece(TARGET), piece(SOURCE), BYTES, THERE,
						       a);
		complete(way + 5);
		CHECK(cudaMemsetAsync(piece(SOURCE), 0, BYTES,
				      is(way, "open_quiet_ordered") ? b : a));
		LIBRARY::nvshmemx_barrier_all_on_stream(a);
		refill(TARGET);
	} else {
		return false;
	}
	return true;
}

static bool by_host(const char *way)
{
	if (is(way, "host_put") || is(way, "host_put_synced")) {
		refill(SOURCE);
		if (is(way, "host_put_synced"))
			CHECK(cudaStreamSynchronize(b));
		LIBRARY::nvshmem_putmem(piece(TARGET), piece(SOURCE), BYTES, THERE);
	} else if (is(way, "host_get")) {
		refill(TARGET);
		LIBRARY::nvshmem_getmem(piece(TARGET), piece(SOURCE), BYTES, THERE);
	} else if (is(way, "host_sum")) {
		refill(SOURCE);
		must(LIBRARY::nvshmem_float_sum_reduce(WORLD, piece(TARGET), piece(SOURCE), PIECE));
	} else if (is(way, "host_left") || is(way, "host_left_quiet")) {
		LIBRARY::nvshmem_putmem_nbi(piece(TARGET), piece(SOURCE), BYTES, THERE);
		if (is(way, "host_left_quiet"))
			LIBRARY::nvshmem_quiet();
		refill(SOURCE);
		CHECK(cudaStreamSynchronize(b));
		LIBRARY::nvshmem_quiet();
	} else {
		return false;
	}
	return true;
}

// Symmetric memory goes back while a stream still fills it.
static bool freed(const char *way)
{
	void *mine;

	if (strncmp(way, "freed", 5) != 0)
		return false;
	mine = LIBRARY::nvshmem_malloc(BYTES);
	LIBRARY::nvshmem_malloc(BYTES);
	CHECK(cudaMemsetAsync(mine, 0, BYTES, a));
	if (is(way, "freed_open")) {
		CHECK(cudaStreamSynchronize(a));
		LIBRARY::nvshmemx_putmem_nbi_on_stream(piece(TARGET), mine, BYTES, THERE, a);
	} else if (is(way, "freed_synced")) {
		CHECK(cudaStreamSynchronize(a));
	}
	LIBRARY::nvshmem_free(mine);
	return true;
}

extern "C" int use(const char *way)
{
	must(LIBRARY::nvshmemx_hostlib_init_attr(0, NULL));
	block = on_device(PIECES * BYTES);
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	must_be(moved(way) || of_one_number(way) || together(way) || awaited(way) ||
			left_open(way) || by_host(way) || freed(way),
		"no such way");
	CHECK(cudaDeviceSynchronize());
	LIBRARY::nvshmem_quiet();
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	CHECK(cudaFree(block));
	return 0;
}
