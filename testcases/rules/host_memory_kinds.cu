// The host overwrites the source of a copy in flight, in each kind of memory that it can be in.
// expect: SC-102 at=touch proven
// expect[COMBINED]: SC-102 at=touch proven
// expect[SHARED]: SC-102 at=touch proven
// expect[MAPPED_FILE]: SC-102 at=touch proven
// expect[SHM_OPEN]: SC-102 at=touch proven
// expect[UNIFIED]: SC-102 at=touch proven
// expect[HUGE]: SC-102 at=touch proven
// expect[FIXED]: clean
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "testcases/common.h"

#ifdef HUGE
static const size_t bytes = 4 << 20;
#else
static const size_t bytes = 1 << 16;
#endif

#if defined(SHARED) || defined(MAPPED_FILE)
static float *map_file()
{
	char path[] = "/tmp/host_memory_kinds.XXXXXX";
#ifdef SHARED
	int fd = memfd_create("shared", 0);
#else
	int fd = mkstemp(path);
#endif
	float *data = NULL;

	if (fd < 0 || ftruncate(fd, bytes))
		exit(EXIT_WRONG);
	data = (float *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	unlink(path);
	return data;
}
#endif

#ifdef SHM_OPEN
static int requests[2], answers[2]; // to and from a process that shares the memory

static float *map(int fd)
{
	return (float *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void share(int fd)
{
	volatile float *data = map(fd);
	char byte;

	if (read(requests[0], &byte, 1) != 1)
		_exit(EXIT_WRONG);
	data[1] = data[0] == 3 ? 5 : 0;
	_exit(write(answers[1], &byte, 1) != 1);
}

// The other process begins before CUDA does, and has none.
static float *map_shared()
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "/host_memory_kinds.%d", getpid());
	fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || ftruncate(fd, bytes) || pipe(requests) || pipe(answers))
		exit(EXIT_WRONG);
	shm_unlink(name);
	if (!fork())
		share(fd);
	return map(fd);
}

// It works with what our copy reads: its mapping is its own, and nothing of it is seen.
static void let_other_work(float *data)
{
	char byte = 0;

	if (write(requests[1], &byte, 1) != 1 || read(answers[0], &byte, 1) != 1 || data[1] != 5)
		exit(EXIT_WRONG);
}
#endif

static float *begin()
{
	float *data = NULL;

#if defined(COMBINED)
	CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocWriteCombined));
	return data;
#elif defined(UNIFIED)
	CHECK(cudaMallocManaged(&data, bytes));
	return data;
#elif defined(SHARED) || defined(MAPPED_FILE)
	data = map_file();
#elif defined(SHM_OPEN)
	data = map_shared();
#else
	data = (float *)aligned_alloc(2 << 20, bytes < 2 << 20 ? 2 << 20 : bytes);
#ifdef HUGE
	madvise(data, bytes, MADV_HUGEPAGE);
	memset(data, 0, bytes);
#endif
#endif
	if (cudaHostRegister(data, bytes, cudaHostRegisterDefault) != cudaSuccess)
		exit(EXIT_SKIPPED); // not all machines register files
	return data;
}

int main()
{
	float *h_data = begin(), *h_back = pinned(bytes), *d_data = on_device(bytes);
	const int n = bytes / sizeof(float);
	cudaStream_t stream;

	fill(h_data, 3, n);
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#if defined(FIXED)
	CHECK(cudaStreamSynchronize(stream));
#elif defined(SHM_OPEN)
	let_other_work(h_data);
#endif
	fill(h_data, 4, n); // @touch
	CHECK(cudaMemcpyAsync(h_back, d_data, bytes, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
#ifdef FIXED
	verify(h_back, 3, n);
#endif
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_back));
	return 0;
}
