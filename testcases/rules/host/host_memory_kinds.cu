// The host overwrites the source of a copy in flight, in each kind of memory that it can be in, or
// reads the destination of a copy or a fill; to read a source is no mistake.
// expect: SC-102 at=touch proven order=none
// expect[COMBINED]: SC-102 at=touch proven order=none
// expect[SHARED]: SC-102 at=touch proven order=none
// expect[MAPPED_FILE]: SC-102 at=touch proven order=none
// expect[SHM_OPEN]: SC-102 at=touch proven order=none
// expect[UNIFIED]: SC-102 at=touch proven order=none
// expect[HUGE]: SC-102 at=touch proven order=none
// expect[MAPPED]: SC-102 at=touch proven order=none
// expect[STACK]: SC-102 at=receive proven order=none
// expect[RESULT]: SC-101 at=read proven order=none
// expect[UNIFIED_RESULT]: SC-101 at=read proven order=none
// expect[FILLED]: SC-101 at=read proven order=none
// expect[READS]: clean
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

static float *begin(float *on_stack)
{
	float *data = NULL;

	(void)on_stack;
#if defined(COMBINED)
	CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocWriteCombined));
	return data;
#elif defined(MAPPED)
	CHECK(cudaHostAlloc(&data, bytes, cudaHostAllocMapped));
	return data;
#elif defined(UNIFIED) || defined(UNIFIED_RESULT)
	CHECK(cudaMallocManaged(&data, bytes));
	return data;
#elif defined(SHARED) || defined(MAPPED_FILE)
	data = map_file();
#elif defined(SHM_OPEN)
	data = map_shared();
#elif defined(STACK)
	data = on_stack;
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

static void enqueue(float *h_data, float *d_data, cudaStream_t stream)
{
#if defined(RESULT) || defined(UNIFIED_RESULT)
	CHECK(cudaMemcpyAsync(h_data, d_data, bytes, cudaMemcpyDeviceToHost, stream));
#elif defined(FILLED)
	CHECK(cudaMemsetAsync(h_data, 0, bytes, stream));
#else
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
#endif
}

// A stack is not protected: functions of the C library are seen, and its end.
HOST_LOOP void receive(float *data)
{
	static const float content[1024] = {};
	int ends[2];

	if (pipe(ends) || write(ends[1], content, sizeof(content)) != sizeof(content) ||
	    read(ends[0], data, sizeof(content)) != sizeof(content)) // @receive
		exit(EXIT_WRONG);
}

static void touch(float *data, int n)
{
#if defined(RESULT) || defined(UNIFIED_RESULT) || defined(FILLED)
	printf("%g\n", sum(data, n)); // @read
#elif defined(READS)
	printf("%g\n", sum(data, n));
#elif defined(STACK)
	(void)n;
	receive(data);
#else
	fill(data, 4, n); // @touch
#endif
}

int main()
{
	float room[bytes < (1 << 20) ? bytes / sizeof(float) : 1];
	float *h_data = begin(room), *h_back = pinned(bytes), *d_data = on_device(bytes);
	const int n = bytes / sizeof(float);
	cudaStream_t stream;

	fill(h_data, 3, n);
	CHECK(cudaStreamCreate(&stream));
	enqueue(h_data, d_data, stream);
#if defined(FIXED)
	CHECK(cudaStreamSynchronize(stream));
#elif defined(SHM_OPEN)
	let_other_work(h_data);
#endif
	touch(h_data, n);
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
