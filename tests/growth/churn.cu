// Threads that create and destroy events and streams, as a service does for each request, and
// threads that live for one request, and look at the recorder's memory: what the last four fifths
// of the turns add to what the first fifth took.
//
// Arguments: OBJECTS   about so many are created. Exit code 1: the recorder's memory has grown.
#include <atomic>
#include <thread>
#include <vector>
#include "testcases/common.h"

#define THREADS	   4
#define SHORT	   5000		// threads that serve one request
#define EVENTS	   9		// for each stream that comes and goes
#define ARENA	   (1ull << 32) // what the recorder reserves
#define LEFT_BYTES (4ull << 20) // what threads work with, made when they first need it

static std::atomic<long long> left; // requests

// Some of the events order the request's stream after the thread's own.
static void request(cudaStream_t own)
{
	cudaStream_t stream;
	cudaEvent_t event;

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	for (int i = 0; i < EVENTS; i++) {
		CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
		if (i % 3 == 0) {
			CHECK(cudaEventRecord(event, own));
			CHECK(cudaStreamWaitEvent(stream, event, 0));
		}
		CHECK(cudaEventDestroy(event));
	}
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

static void serve()
{
	cudaStream_t own;

	CHECK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
	while (left-- > 0)
		request(own);
	CHECK(cudaStreamDestroy(own));
}

static void serve_all(long long requests)
{
	std::vector<std::thread> threads;

	left = requests;
	for (int i = 0; i < THREADS; i++)
		threads.emplace_back(serve);
	for (std::thread &thread : threads)
		thread.join();
}

// A thread for each of some requests; every other one is detached.
static void serve_each(int requests)
{
	for (int i = 0; i < requests; i++) {
		left = 1;
		std::thread thread([] { request(0), left = 0; });

		if (i % 2)
			thread.detach();
		else
			thread.join();
		while (left)
			std::this_thread::yield();
	}
}

// Bytes of the recorder's reservation that were ever written to, and of what the kernel joined to
// it; 0: there is no recorder.
static unsigned long long recorder_bytes()
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long long start = 0, end = 0, found = 0, kib;
	char line[512], rights[5];
	bool is_ours = false;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %4s", &start, &end, rights) == 3)
			is_ours = end - start >= ARENA && !strcmp(rights, "rw-p");
		else if (is_ours && sscanf(line, "Rss: %llu kB", &kib) == 1)
			found = kib << 10;
	}
	if (maps)
		fclose(maps);
	return found;
}

int main(int argc, char **argv)
{
	long long requests = (argc > 1 ? strtoll(argv[1], NULL, 10) : 0) / (EVENTS + 1);
	unsigned long long early, late;

	serve_all(requests / 5);
	serve_each(SHORT / 5);
	early = recorder_bytes();
	serve_all(requests - requests / 5);
	serve_each(SHORT - SHORT / 5);
	late = recorder_bytes();
	printf("the recorder has %llu bytes after a fifth of the requests, %llu after all\n", early,
	       late);
	if (!early) {
		printf("no recorder is there\n");
		return EXIT_SKIPPED;
	}
	return late > early + LEFT_BYTES;
}
