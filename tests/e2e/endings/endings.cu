// Threads that go on calling while one of them ends the process, in one way or another; and how
// many calls of each kind returned to the program, in a file that stays.
//
// Arguments: FILE segv|bus|abort|fpe|exit|_exit|exec CALLS   ended after so many calls
#include <atomic>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include "testcases/common.h"

#define THREADS 4

// In the file: calls that returned.
struct returned {
	std::atomic<unsigned long long> records, allocations;
};

static returned *count;
static long wanted;
static const char *way;

static void *map_file(const char *path, int flags, size_t bytes)
{
	int fd = open(path, O_RDWR | flags, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)bytes))
		exit(EXIT_WRONG);
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void end_process(const char *file)
{
	volatile int zero = 0;

	if (!strcmp(way, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(way, "bus"))
		*(volatile int *)map_file((std::string(file) + ".empty").c_str(), O_CREAT, 0) = 1;
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "fpe"))
		zero = (int)wanted / zero;
	if (!strcmp(way, "exit"))
		exit(0);
	if (!strcmp(way, "_exit"))
		_exit(0);
	if (!strcmp(way, "exec"))
		execl("/bin/true", "true", NULL);
}

// A runtime that exit has ended says so to the threads that go on.
static void go_on(cudaError_t error)
{
	while (error == cudaErrorCudartUnloading)
		pause();
	CHECK(error);
}

// Calls that are written before they begin, and such that are written when they have returned.
static void call(const char *file, bool ends)
{
	cudaStream_t stream;
	cudaEvent_t event;
	void *data;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaEventCreate(&event));
	for (;;) {
		for (int i = 0; i < 8; i++) {
			go_on(cudaEventRecord(event, stream));
			count->records++;
		}
		go_on(cudaMalloc(&data, 256));
		count->allocations++;
		go_on(cudaFree(data));
		if (ends && count->records > (unsigned long long)wanted)
			end_process(file);
	}
}

int main(int argc, char **argv)
{
	std::thread threads[THREADS];

	if (argc != 4)
		return EXIT_WRONG;
	count = (returned *)map_file(argv[1], O_CREAT, 4096);
	way = argv[2];
	wanted = atol(argv[3]);
	CHECK(cudaFree(NULL));
	for (int i = 0; i < THREADS; i++)
		threads[i] = std::thread(call, argv[1], i == 1);
	for (std::thread &thread : threads)
		thread.join();
}
