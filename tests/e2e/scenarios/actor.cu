// A CUDA program that lives and ends as its argument says; the scenario tests run it.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtMem.h>
#include "testcases/common.h"

enum { N = 1 << 14 };
static const size_t bytes = N * sizeof(float);

struct buffers {
	float *h_data, *h_back, *d_data;
	cudaStream_t stream;
};

static void prepare(struct buffers *b)
{
	b->h_data = pinned(bytes);
	b->h_back = pinned(bytes);
	b->d_data = on_device(bytes);
	fill(b->h_data, 1, N);
	CHECK(cudaStreamCreate(&b->stream));
}

static void enqueue(struct buffers *b)
{
	CHECK(cudaMemcpyAsync(b->d_data, b->h_data, bytes, cudaMemcpyHostToDevice, b->stream));
	CHECK(cudaMemcpyAsync(b->h_back, b->d_data, bytes, cudaMemcpyDeviceToHost, b->stream));
}

// Threads that run together free together: a free in between may wait for the device (H-3), and a
// finding that it hides is only a warning.
static pthread_barrier_t *before_frees;

static void finish(struct buffers *b)
{
	CHECK(cudaStreamSynchronize(b->stream));
	verify(b->h_back, 1, N);
	if (before_frees)
		pthread_barrier_wait(before_frees);
	CHECK(cudaStreamDestroy(b->stream));
	CHECK(cudaFree(b->d_data));
	CHECK(cudaFreeHost(b->h_data));
	CHECK(cudaFreeHost(b->h_back));
}

// One proven error, and nothing else; the work is complete at its end.
static float racy(void)
{
	struct buffers b;
	volatile float early;

	prepare(&b);
	enqueue(&b);
	early = b.h_back[0];
	finish(&b);
	return early;
}

static void clean(void)
{
	struct buffers b;

	prepare(&b);
	enqueue(&b);
	finish(&b);
}

static int run_clean(void)
{
	clean();
	puts("clean");
	return 0;
}

static int run_racy(void)
{
	racy();
	puts("racy");
	return 0;
}

static int run_seven(void)
{
	racy();
	return 7;
}

static int run_output(void)
{
	racy();
	puts("to stdout");
	fputs("to stderr\n", stderr);
	return 0;
}

// Says that it is ready, then waits for the signal that ends it.
static int run_killed(void)
{
	racy();
	puts("ready");
	fflush(stdout);
	for (;;)
		pause();
}

static int run_underscore_exit(void)
{
	racy();
	_exit(0);
}

static int run_quick_exit(void)
{
	racy();
	quick_exit(0);
}

static int run_abort(void)
{
	racy();
	abort();
}

static int run_segv(void)
{
	racy();
	*(volatile int *)16 = 1;
	return 0;
}

static int run_device_store(void)
{
	on_device(bytes)[3] = 1;
	return 0;
}

static int reap(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 1;
	return WEXITSTATUS(status);
}

// The child only ends; it must neither report the parent's work nor hang.
static int run_fork(void)
{
	struct buffers b;
	pid_t child;

	prepare(&b);
	enqueue(&b);
	child = fork();
	if (!child)
		exit(0);
	if (reap(child))
		return 1;
	finish(&b);
	return 0;
}

static int run_fork_first(void)
{
	pid_t child = fork();

	racy();
	return child ? reap(child) : 0;
}

static int run_fork_exec(void)
{
	pid_t child;

	clean();
	child = fork();
	if (!child) {
		execl("/proc/self/exe", "actor", "racy", (char *)NULL);
		_exit(127);
	}
	return reap(child);
}

static int run_exec(void)
{
	racy();
	execl("/proc/self/exe", "actor", "clean", (char *)NULL);
	return 127;
}

// Frees memory in front of pageable memory that a copy reads.
static int run_frees(void)
{
	void *volatile small = malloc(100);
	float *h_data = (float *)malloc(bytes), *d_data = on_device(bytes);
	cudaStream_t stream;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMemcpyAsync(d_data, h_data, bytes, cudaMemcpyHostToDevice, stream));
	free(small);
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(d_data));
	free(h_data);
	return 0;
}

static void on_child(int)
{
	(void)!write(STDOUT_FILENO, "a child\n", 8);
}

// Hears of each child that ends; there is none.
static int run_parent(void)
{
	signal(SIGCHLD, on_child);
	racy();
	return 0;
}

// Does not want to hear of children.
static int run_childless(void)
{
	signal(SIGCHLD, SIG_IGN);
	racy();
	return 0;
}

static volatile bool has_ended;

// Uses what is gone, a moment after the program has ended.
static void *use_late(void *)
{
	while (!has_ended)
		sched_yield();
	usleep(20000);
	*(volatile int *)16 = 1;
	return NULL;
}

static void end()
{
	has_ended = true;
}

// Its threads run on when it ends; nothing comes of that, because it ends at once.
static int run_left_running(void)
{
	pthread_t thread;

	racy();
	pthread_create(&thread, NULL, use_late, NULL);
	atexit(end);
	return 0;
}

// Two threads end it at a time.
static void *end_too(void *)
{
	while (!has_ended)
		sched_yield();
	_exit(0);
}

static int run_ended_twice(void)
{
	pthread_t thread;

	racy();
	pthread_create(&thread, NULL, end_too, NULL);
	atexit(end);
	return 0;
}

// A breakpoint that no debugger is there for, as in assertions: the instruction is over when it is
// told.
static int run_breakpoint(void)
{
	racy();
	asm volatile("int3");
	puts("gone on");
	return 0;
}

// Takes one line of its input, and leaves the rest to whoever comes behind it.
static int run_reader(void)
{
	char line[16];

	if (!fgets(line, sizeof(line), stdin))
		return EXIT_WRONG;
	racy();
	return 0;
}

// Asks for another process's memory, as ranks do that read each other's; whether it may does not
// matter.
static int run_peeks(void)
{
	char byte;
	struct iovec own = {&byte, 1}, others = {&byte, 1};

	clean();
	process_vm_readv(getppid(), &own, 1, &others, 1, 0);
	racy();
	return 0;
}

static int run_exec_by_call(void)
{
	const char *actor[] = {"actor", "clean", NULL};

	racy();
	syscall(SYS_execve, "/proc/self/exe", actor, environ);
	return 127;
}

// Looks for another program to become, and finds none.
static int run_exec_fails(void)
{
	const char *nobody[] = {"nobody", NULL};

	clean();
	if (execvp("no-such-program", (char **)nobody) != -1 || errno != ENOENT)
		return EXIT_WRONG;
	if (execv("/dev/null", (char **)nobody) != -1 || errno != EACCES)
		return EXIT_WRONG;
	racy();
	return 0;
}

// Trusts nothing that it was given.
static int run_cleared(void)
{
	clearenv();
	racy();
	return 0;
}

// A daemon: the racy work is done by a grandchild that outlives everybody. A pipe tells its end.
static int run_daemon(void)
{
	if (fork())
		return 0;
	setsid();
	if (fork())
		_exit(0);
	racy();
	return 0;
}

static void *thread_clean(void *unused)
{
	clean();
	return unused;
}

static void *thread_racy(void *unused)
{
	racy();
	return unused;
}

static int run_threads(void)
{
	pthread_t threads[4];
	pthread_barrier_t together;

	pthread_barrier_init(&together, NULL, 4);
	before_frees = &together;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, i ? thread_clean : thread_racy, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	before_frees = NULL;
	return 0;
}

// The driver found by hand: dlopen and dlsym, no runtime.
static int run_dlopen(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	CUcontext context;
	CUdeviceptr d_data;
	volatile char *h_data;
	CUstream stream;

	if (!driver)
		return 1;
#define CALL(name, type, ...)                                                     \
	if (((CUresult(*) type)dlsym(driver, name)) == NULL ||                    \
	    ((CUresult(*) type)dlsym(driver, name))(__VA_ARGS__) != CUDA_SUCCESS) \
	return 1
	CALL("cuInit", (unsigned), 0);
	CALL("cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice), &context, 0);
	CALL("cuCtxSetCurrent", (CUcontext), context);
	CALL("cuMemAlloc_v2", (CUdeviceptr *, size_t), &d_data, bytes);
	CALL("cuMemAllocHost_v2", (void **, size_t), (void **)&h_data, bytes);
	CALL("cuStreamCreate", (CUstream *, unsigned), &stream, 0);
	CALL("cuMemcpyDtoHAsync_v2", (void *, CUdeviceptr, size_t, CUstream), (void *)h_data,
	     d_data, bytes, stream);
	(void)h_data[5];
	CALL("cuStreamSynchronize", (CUstream), stream);
	CALL("cuMemFree_v2", (CUdeviceptr), d_data);
	CALL("cuMemFreeHost", (void *), (void *)h_data);
#undef CALL
	return 0;
}

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
static int run_handler(void)
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
static int run_errno(void)
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

// The same error as in racy, with everything that takes part in it named by NVTX.
static int run_named(void)
{
	nvtxMemVirtualRangeDesc_t range = {};
	nvtxMemRegionHandle_t handle = NULL;
	nvtxMemRegionsRegisterBatch_t regions = {};
	nvtxMemRegionNameDesc_t name = {};
	nvtxMemRegionsNameBatch_t names = {};
	struct buffers b;

	prepare(&b);
	nvtxNameCudaStreamA(b.stream, "uploads");
	nvtxNameOsThreadA((uint32_t)gettid(), "leader");
	range.ptr = b.h_back;
	range.size = bytes;
	regions.extCompatID = NVTX_EXT_COMPATID_MEM;
	regions.structSize = sizeof(regions);
	regions.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
	regions.regionCount = 1;
	regions.regionDescElementSize = sizeof(range);
	regions.regionDescElements = &range;
	regions.regionHandleElementsOut = &handle;
	nvtxMemRegionsRegister(NULL, &regions);
	name.regionRefType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
	name.region.handle = handle;
	name.nameType = NVTX_MESSAGE_TYPE_ASCII;
	name.name.ascii = "weights";
	names.extCompatID = NVTX_EXT_COMPATID_MEM;
	names.structSize = sizeof(names);
	names.regionCount = 1;
	names.regionElementSize = sizeof(name);
	names.regionElements = &name;
	nvtxMemRegionsName(NULL, &names);
	nvtxRangePushA("epoch 3");
	enqueue(&b);
	(void)*(volatile float *)b.h_back;
	nvtxRangePop();
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
static int run_userfaultfd(void)
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

// A graph that the device may launch itself; the host launches it.
static int run_launchable(void)
{
	struct buffers b;
	cudaGraph_t graph;
	cudaGraphExec_t exec;

	prepare(&b);
	CHECK(cudaStreamBeginCapture(b.stream, cudaStreamCaptureModeRelaxed));
	enqueue(&b);
	CHECK(cudaStreamEndCapture(b.stream, &graph));
	CHECK(cudaGraphInstantiate(&exec, graph, cudaGraphInstantiateFlagDeviceLaunch));
	CHECK(cudaGraphUpload(exec, b.stream));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(exec, b.stream));
	finish(&b);
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
	return 0;
}

struct way {
	const char *name;
	int (*run)(void);
};

static const struct way ways[] = {
	{"clean", run_clean},
	{"racy", run_racy},
	{"seven", run_seven},
	{"output", run_output},
	{"killed", run_killed},
	{"_exit", run_underscore_exit},
	{"quick_exit", run_quick_exit},
	{"abort", run_abort},
	{"segv", run_segv},
	{"device_store", run_device_store},
	{"fork", run_fork},
	{"fork_first", run_fork_first},
	{"fork_exec", run_fork_exec},
	{"exec", run_exec},
	{"frees", run_frees},
	{"parent", run_parent},
	{"childless", run_childless},
	{"reader", run_reader},
	{"breakpoint", run_breakpoint},
	{"left_running", run_left_running},
	{"ended_twice", run_ended_twice},
	{"peeks", run_peeks},
	{"exec_by_call", run_exec_by_call},
	{"exec_fails", run_exec_fails},
	{"cleared", run_cleared},
	{"daemon", run_daemon},
	{"threads", run_threads},
	{"dlopen", run_dlopen},
	{"handler", run_handler},
	{"errno", run_errno},
	{"named", run_named},
	{"userfaultfd", run_userfaultfd},
	{"launchable", run_launchable},
};

int main(int argc, char **argv)
{
	for (const struct way &way : ways)
		if (argc == 2 && !strcmp(way.name, argv[1]))
			return way.run();
	fprintf(stderr, "usage: actor WAY\n");
	return 99;
}
