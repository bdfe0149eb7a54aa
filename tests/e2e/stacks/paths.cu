// Launches kernels on random paths of calls, and prints the callers of each as backtrace() has
// them.
//
// usage: paths SEED
//
// The paths have what misleads an unwinder that remembers stacks: frames of changing size, large
// ones in which old return addresses lie about, loops, recursion, exceptions, longjmp, own stacks,
// threads.
#include <alloca.h>
#include <csetjmp>
#include <execinfo.h>
#include <functional>
#include <mutex>
#include <thread>
#include <ucontext.h>
#include <vector>
#include "testcases/common.h"

#define NOINLINE __attribute__((noinline))
#define BARRIER	 asm volatile("" ::: "memory") // so that the call above is no jump

static const int rounds = 150, deepest = 6, threads = 3, most_frames = 100;
static const int ids_of_thread = 10000000;
static std::mutex output;
static void *d_any;
static thread_local unsigned long state;
static thread_local cudaStream_t stream;
static thread_local int id;

static __global__ void with_one(int)
{
}

static __global__ void with_three(int, int, void *)
{
}

static unsigned draw(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

// The number of the next launch, with the callers of the function that is about to launch it.
static inline __attribute__((always_inline)) int next_launch()
{
	void *frames[most_frames];
	int count = backtrace(frames, most_frames);
	std::lock_guard<std::mutex> lock(output);

	printf("%d", ++id);
	for (int i = 1; i < count; i++)
		printf(" %p", frames[i]);
	printf("\n");
	return id;
}

// ---- places that launch ----

static NOINLINE void once()
{
	int number = next_launch();

	with_one<<<1, 1, 0, stream>>>(number);
	BARRIER;
}

static NOINLINE void another()
{
	int number = next_launch();

	with_three<<<1, 1, 0, stream>>>(number, 5, d_any);
	BARRIER;
}

static NOINLINE void in_loop(int times)
{
	for (int i = 0; i < times; i++) {
		int number = next_launch();

		with_one<<<1, 1, 0, stream>>>(number);
	}
	BARRIER;
}

static NOINLINE void launch()
{
	switch (draw(3)) {
	case 0: once(); break;
	case 1: another(); break;
	default: in_loop(1 + draw(4));
	}
	BARRIER;
}

// ---- ways to get there ----

static void walk(int depth);

static NOINLINE void plainly(int depth)
{
	walk(depth);
	BARRIER;
}

static NOINLINE void in_variable_frame(int depth)
{
	volatile char *room = (char *)alloca(16 + 16 * draw(200));

	room[0] = 1;
	walk(depth);
	BARRIER;
}

static NOINLINE void in_large_frame(int depth)
{
	volatile char room[20000];

	room[draw(sizeof(room))] = 1;
	walk(depth);
	BARRIER;
}

static NOINLINE void throw_perhaps(int depth)
{
	walk(depth);
	if (draw(2))
		throw depth;
	BARRIER;
}

static NOINLINE void catching(int depth)
{
	try {
		throw_perhaps(depth);
	} catch (int) {
		walk(depth);
	}
	BARRIER;
}

static NOINLINE void by_object(int depth)
{
	std::function<void(int)> way = draw(2) ? plainly : in_variable_frame;

	way(depth);
	BARRIER;
}

static NOINLINE void repeatedly(int depth)
{
	for (int i = 0; i < 3; i++)
		launch();
	walk(depth);
	BARRIER;
}

static NOINLINE void jump_back(int depth, jmp_buf back)
{
	walk(depth);
	longjmp(back, 1);
}

static NOINLINE void jumping(int depth)
{
	jmp_buf back;

	if (!setjmp(back))
		jump_back(depth, back);
	BARRIER;
}

static thread_local ucontext_t caller;
static thread_local int its_depth;
static thread_local bool is_elsewhere;

static void begin()
{
	walk(its_depth);
}

static NOINLINE void on_own_stack(int depth)
{
	std::vector<char> stack(is_elsewhere ? 0 : 256 << 10);
	ucontext_t own;

	if (is_elsewhere) {
		walk(depth);
		BARRIER;
		return;
	}
	is_elsewhere = true;
	its_depth = depth;
	getcontext(&own);
	own.uc_stack.ss_sp = stack.data();
	own.uc_stack.ss_size = stack.size();
	own.uc_link = &caller;
	makecontext(&own, begin, 0);
	swapcontext(&caller, &own);
	is_elsewhere = false;
	BARRIER;
}

static void walk(int depth)
{
	static void (*const ways[])(int) = {
		plainly,  plainly,   in_variable_frame, in_variable_frame, in_large_frame,
		catching, by_object, repeatedly,	jumping,	   on_own_stack};

	if (depth)
		ways[draw(sizeof(ways) / sizeof(*ways))](depth - 1);
	else
		launch();
	BARRIER;
}

static void run(int thread, unsigned seed)
{
	state = seed * 7919ul + thread * 104729ul + 1;
	id = thread * ids_of_thread;
	CHECK(cudaStreamCreate(&stream));
	for (int i = 0; i < rounds; i++)
		walk(1 + draw(deepest));
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
}

int main(int, char **argv)
{
	std::vector<std::thread> others;

	CHECK(cudaMalloc(&d_any, 4096));
	for (int thread = 1; thread < threads; thread++)
		others.emplace_back(run, thread, atoi(argv[1]));
	run(0, atoi(argv[1]));
	for (std::thread &other : others)
		other.join();
	CHECK(cudaFree(d_any));
	return 0;
}
