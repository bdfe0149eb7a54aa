// Memory is refilled in another stream while NVSHMEM may read it for a put, or write it for a sum
// (-DSUM): what the library touches is known by the call. With an event (-DFIXED), or where other
// bytes are filled (-DAPART), that is right. A put without a wait of its own still reads its source
// when the stream goes on (-DOPEN), until a quiet (-DOPEN_FIXED). One process, which is its own
// peer. Also looks that NVSHMEM writes what its manual says, and nothing behind it.
//
// nvcc: -ldl
// expect: SC-106 at=refill proven order=no_event
// expect[FIXED]: clean
// expect[APART]: clean
// expect[SUM]: SC-105 at=refill proven order=no_event
// expect[OPEN]: SC-163 at=refill proven order=none
// expect[OPEN_FIXED]: clean
#include <dlfcn.h>
#include <stdint.h>
#include "testcases/common.h"

#if defined(OPEN) || defined(OPEN_FIXED)
#define IS_OPEN 1
#else
#define IS_OPEN 0
#endif

static const int N = 1 << 16, HERE = 0, WITH_UNIQUE_ID = 1 << 3;
static const size_t BYTES = N * sizeof(float);
static const float SENT = 3, UNTOUCHED = 7;

static cudaStream_t a, b;
static void *library;

// The toolkit need not have its headers: nvshmemx_uniqueid_t and nvshmemx_init_attr_t, as
// versions 3.0 to 3.8 have them.
struct unique_id {
	int version;
	char content[124];
};
static_assert(sizeof(unique_id) == 128, "as in the header");

struct settings {
	int version;
	void *communicator;
	struct {
		int version;
		struct {
			int version;
			unique_id *id;
			int rank, ranks;
		} id;
		char content[96];
	} arguments;
};
static_assert(sizeof(settings) == 144, "as in the header");

static void must(int status)
{
	if (!status)
		return;
	fprintf(stderr, "NVSHMEM answered %d\n", status);
	exit(1);
}

template <class... P> static int call(const char *name, P... parameters)
{
	int (*function)(P...);

	*(void **)&function = dlsym(library, name);
	if (function)
		return function(parameters...);
	fprintf(stderr, "NVSHMEM has no function %s\n", name);
	exit(1);
}

// By its name, or where Python has it.
static void *open_library(void)
{
	void *found = dlopen("libnvshmem_host.so.3", RTLD_NOW);
	char path[4096] = "";
	FILE *python =
		found ? NULL
		      : popen("LD_PRELOAD= exec python3 -c 'import nvidia.nvshmem as n; "
			      "print(list(n.__path__)[0], end=\"/lib/libnvshmem_host.so.3\")' "
			      "2>/dev/null",
			      "r");

	if (!python)
		return found;
	path[fread(path, 1, sizeof(path) - 1, python)] = 0;
	pclose(python);
	return path[0] ? dlopen(path, RTLD_NOW) : NULL;
}

// One process of one, on this machine alone.
static void begin(void)
{
	unique_id id = {(1 << 16) + (int)sizeof(unique_id), {}};
	settings s = {};

	library = open_library();
	if (!library)
		exit(EXIT_SKIPPED);
	setenv("NVSHMEM_REMOTE_TRANSPORT", "none", 0);
	setenv("NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME", "lo", 0);
	setenv("NVSHMEM_SYMMETRIC_SIZE", "64M", 0);
	CHECK(cudaFree(NULL));
	s.version = (1 << 16) + (int)sizeof(settings);
	s.arguments.version = (1 << 16) + (int)sizeof(s.arguments);
	s.arguments.id.version = (1 << 16) + (int)sizeof(s.arguments.id);
	must(call("nvshmemx_get_uniqueid", &id));
	must(call("nvshmemx_set_attr_uniqueid_args", HERE, 1, (const unique_id *)&id, &s));
	must(call("nvshmemx_hostlib_init_attr", (unsigned)WITH_UNIQUE_ID, &s));
}

static float *symmetric(size_t bytes)
{
	void *(*get)(size_t);
	void *memory;

	*(void **)&get = dlsym(library, "nvshmem_malloc");
	memory = get ? get(bytes) : NULL;
	if (!memory) {
		fprintf(stderr, "NVSHMEM has no memory\n");
		exit(1);
	}
	return (float *)memory;
}

static void work(float *to, const float *from)
{
#ifdef SUM
	const int world = 0; // the team of all

	must(call("nvshmemx_float_sum_reduce_on_stream", world, to, from, (size_t)N, a));
#else
	void (*put)(void *, const void *, size_t, int, cudaStream_t);

	*(void **)&put = dlsym(library, IS_OPEN ? "nvshmemx_putmem_nbi_on_stream"
						: "nvshmemx_putmem_on_stream");
	put(to, from, BYTES, HERE, a);
#endif
}

static void quiet(void)
{
	void (*quiet)(cudaStream_t);

	*(void **)&quiet = dlsym(library, "nvshmemx_quiet_on_stream");
	quiet(a);
}

// What was put, but for the element that was refilled and those after it, and what lies behind.
static void verify_target(float *host, const float *target)
{
	CHECK(cudaMemcpy(host, target, 2 * BYTES, cudaMemcpyDeviceToHost));
	verify(host, SENT, N / 2);
	verify(host + N, UNTOUCHED, N);
}

static void end(void *block)
{
	void (*give)(void *), (*finish)(void);

	*(void **)&give = dlsym(library, "nvshmem_free");
	*(void **)&finish = dlsym(library, "nvshmemx_hostlib_finalize");
	give(block);
	finish();
}

int main()
{
	float *block, *source, *target, *refilled, *host;
	cudaEvent_t done;

	begin();
	host = pinned(2 * BYTES);
	block = symmetric(5 * BYTES);
	source = block;
	target = block + 2 * N; // and as much behind each
	CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
	fill(host, SENT, N);
	fill(host + N, UNTOUCHED, N);
	CHECK(cudaMemcpy(source, host, 2 * BYTES, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(target, host, 2 * BYTES, cudaMemcpyHostToDevice));
	work(target, source); // the first one loads code, which waits for the device
	quiet();
	CHECK(cudaDeviceSynchronize());

	refilled = source;
#ifdef SUM
	refilled = target;
#endif
#ifdef APART
	refilled = source + N;
#endif
	work(target, source);
#ifdef OPEN_FIXED
	quiet();
#endif
#ifdef FIXED
	CHECK(cudaEventRecord(done, a));
	CHECK(cudaStreamWaitEvent(b, done, 0));
#endif
	CHECK(cudaMemsetAsync(refilled + N / 2, 0, sizeof(float), IS_OPEN ? a : b)); // @refill
	quiet();
	CHECK(cudaDeviceSynchronize());
	verify_target(host, target);

	end(block);
	CHECK(cudaEventDestroy(done));
	CHECK(cudaFreeHost(host));
	CHECK(cudaStreamDestroy(a));
	CHECK(cudaStreamDestroy(b));
	return 0;
}
