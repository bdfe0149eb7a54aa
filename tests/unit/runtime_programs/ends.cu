/* How processes end: static destructors that use CUDA, pending work, forked children, late threads.
 */
#include "check.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void nothing()
{
}

static struct late_user {
	int *memory = nullptr;

	/* Runs after main, when the runtime may already be shutting down: any answer will do. */
	~late_user()
	{
		cudaError_t error = cudaFree(memory);

		if (error != cudaSuccess && error != cudaErrorCudartUnloading)
			_exit(3);
		nothing<<<1, 1>>>();
		cudaGetLastError();
		cudaDeviceSynchronize();
	}
} late_user;

static int status_of(pid_t child)
{
	int status = 0;

	CHECK(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* A child that is forked before the parent uses CUDA has CUDA of its own. */
static void fork_before_use()
{
	pid_t child = fork();

	if (!child) {
		int *memory = nullptr;

		_exit(cudaMalloc(&memory, 4) == cudaSuccess ? 0 : 1);
	}
	CHECK(status_of(child) == 0);
}

/* A child that is forked afterwards is refused, and does not hang. */
static void fork_after_use()
{
	pid_t child = fork();

	if (!child) {
		int *memory = nullptr;

		_exit(cudaMalloc(&memory, 4) == cudaErrorInitializationError ? 0 : 1);
	}
	CHECK(status_of(child) == 0);
}

/* Other threads hold what locks they like when the process is forked; no child may wait for them.
 */
static void fork_among_threads()
{
	std::atomic<bool> is_over(false);
	std::vector<std::thread> users;

	for (int i = 0; i < 3; i++) {
		users.emplace_back([&is_over] {
			while (!is_over) {
				void *memory = nullptr;

				CHECK_CUDA(cudaMalloc(&memory, 64));
				nothing<<<1, 1>>>();
				CHECK_CUDA(cudaGetLastError());
				CHECK_CUDA(cudaFree(memory));
			}
		});
	}
	for (int i = 0; i < 20; i++)
		fork_after_use();
	is_over = true;
	for (std::thread &user : users)
		user.join();
}

static void threads_keep_their_device()
{
	int device = -1;

	CHECK_CUDA(cudaSetDevice(1));
	std::thread([] {
		int mine = -1;
		void *memory = nullptr;

		CHECK_CUDA(cudaGetDevice(&mine));
		CHECK(mine == 0);
		CHECK_ERROR(cudaSetDevice(99), cudaErrorInvalidDevice);
		CHECK_CUDA(cudaMalloc(&memory, 4));
	}).join();
	CHECK_CUDA(cudaPeekAtLastError());
	CHECK_CUDA(cudaGetDevice(&device));
	CHECK(device == 1);
	CHECK_CUDA(cudaSetDevice(0));
}

static void reset_and_go_on()
{
	int *memory = nullptr;

	CHECK_CUDA(cudaMalloc(&memory, 4));
	nothing<<<1, 1>>>();
	CHECK_CUDA(cudaDeviceSynchronize());
	CHECK_CUDA(cudaDeviceReset());
	CHECK_CUDA(cudaMalloc(&memory, 4));
	nothing<<<1, 1>>>();
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaDeviceSynchronize());
}

int main()
{
	cudaStream_t stream = nullptr;

	fork_before_use();
	reset_and_go_on();
	threads_keep_their_device();
	fork_after_use();
	fork_among_threads();
	CHECK_CUDA(cudaMalloc(&late_user.memory, 4));
	CHECK_CUDA(cudaStreamCreate(&stream));
	/* Left undone on purpose: the process must end all the same. */
	nothing<<<1, 1, 0, stream>>>();
	CHECK_CUDA(cudaMemsetAsync(late_user.memory, 0, 4, stream));
	return 0;
}
