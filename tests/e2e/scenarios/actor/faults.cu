// Faults that are its own business.
#include "tests/e2e/scenarios/actor/actor.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static sigjmp_buf landed;
static void *volatile fault_address;

static void on_fault(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	fault_address = info->si_addr;
	siglongjmp(landed, 1);
}

static int catches(volatile char *address)
{
	fault_address = NULL;
	if (!sigsetjmp(landed, 1))
		*address = 1;
	return fault_address == (void *)address;
}

// The program's own SIGSEGV handler, installed before and after the first CUDA call, gets the
// program's own faults and never those of guarded pages.
int run_handler(void)
{
	struct sigaction action = {};
	struct buffers b;
	char *page = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO;
	if (sigaction(SIGSEGV, &action, NULL) || !catches(page + 7))
		return 1;
	prepare(&b);
	enqueue(&b);
	if (!catches(page + 8) || sigaction(SIGSEGV, &action, NULL) || !catches(page + 9))
		return 2;
	fault_address = NULL;
	if (sum(b.h_back, N) < 0 || fault_address)
		return 3;
	if (!catches(page + 10))
		return 4;
	finish(&b);
	return 0;
}

// A fault in a guarded page and a libc call on guarded memory leave errno as they must.
int run_errno(void)
{
	struct buffers b;
	int null = open("/dev/null", O_WRONLY);
	volatile float early;

	prepare(&b);
	enqueue(&b);
	errno = 1234;
	early = b.h_back[N - 1];
	(void)early;
	if (errno != 1234)
		return 1;
	CHECK(cudaStreamSynchronize(b.stream));
	enqueue(&b);
	if (write(null, b.h_back, bytes) != (ssize_t)bytes || errno != 1234)
		return 2;
	CHECK(cudaStreamSynchronize(b.stream));
	enqueue(&b);
	if (write(-1, b.h_back, bytes) != -1 || errno != EBADF)
		return 3;
	finish(&b);
	return 0;
}

// Gives every page that is missing the content 7, until the pipe is closed.
static void *serve_pages(void *descriptor)
{
	static char page[4096];
	struct uffd_msg message;
	int fd = *(int *)descriptor;

	memset(page, 7, sizeof(page));
	while (read(fd, &message, sizeof(message)) == (ssize_t)sizeof(message)) {
		struct uffdio_copy copy = {};

		copy.dst = message.arg.pagefault.address & ~UINT64_C(4095);
		copy.src = (uintptr_t)page;
		copy.len = sizeof(page);
		if (ioctl(fd, UFFDIO_COPY, &copy) && errno != EEXIST)
			_exit(EXIT_WRONG);
	}
	return NULL;
}

// A thread of the program answers page faults in [start, start + size).
static int serve(char *start, size_t size)
{
	static int fd;
	struct uffdio_api api = {};
	struct uffdio_register range = {};
	pthread_t thread;

	fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);
	api.api = UFFD_API;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api))
		return EXIT_SKIPPED;
	range.range.start = (uintptr_t)start;
	range.range.len = size;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (ioctl(fd, UFFDIO_REGISTER, &range))
		return EXIT_SKIPPED;
	return pthread_create(&thread, NULL, serve_pages, &fd) || pthread_detach(thread);
}

// Registered memory whose pages the program brings in by itself: those in flight are guarded, the
// others come in beside them, and what is read is what was put there.
int run_userfaultfd(void)
{
	const size_t half = 8 * 4096;
	char *d_data, *data = (char *)mmap(NULL, 2 * half, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int wrong = serve(data, 2 * half);
	cudaStream_t stream;

	if (wrong)
		return wrong;
	for (size_t i = 0; i < half; i += 4096)
		wrong |= data[i] != 7;
	CHECK(cudaHostRegister(data, 2 * half, cudaHostRegisterDefault));
	CHECK(cudaMalloc(&d_data, half));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, data, half, cudaMemcpyHostToDevice, stream));
	for (size_t i = 0; i < half; i += 4096)
		wrong |= data[i] != 7 || data[half + i + 5] != 7;
	data[4096] = 8;
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(data));
	CHECK(cudaFree(d_data));
	return wrong || data[4096] != 8 || data[2 * half - 1] != 7 ? EXIT_WRONG : 0;
}
