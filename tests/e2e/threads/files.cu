// Files by which host functions and threads synchronize, made and closed all the
// time, while signals come and processes are forked: nothing to find, and all calls behave as ever.
//
// Prints what came out, which does not depend on who was faster.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <fcntl.h>
#include <unistd.h>
#include "testcases/common.h"

#define THREADS 6
#define ROUNDS	40
#define WORDS	256
#define BYTES	(WORDS * sizeof(float))

static void must(bool is_true, int line)
{
	if (is_true)
		return;
	fprintf(stderr, "line %d: %s\n", line, strerror(errno));
	_exit(EXIT_WRONG);
}

#define MUST(claim) must((claim), __LINE__)

// ---- host functions that write ----

struct worker {
	pthread_t thread;
	cudaStream_t stream;
	float *h_data, *d_data;
	int ends[2]; // the one that is read, the one that is written to
	double total;
};

static void make_ends(int ends[2], int kind)
{
	switch (kind) {
	case 0: MUST(!pipe(ends)); return;
	case 1: MUST(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends)); return;
	default:
		ends[0] = eventfd(0, 0);
		ends[1] = ends[0];
		MUST(ends[0] >= 0);
	}
}

static void close_ends(const int ends[2])
{
	MUST(!close(ends[0]));
	MUST(ends[0] == ends[1] || !close(ends[1]));
}

static void CUDART_CB notify(void *data)
{
	uint64_t one = 1;

	MUST(write(((struct worker *)data)->ends[1], &one, sizeof(one)) == sizeof(one));
}

static void wait_for_it(struct worker *w)
{
	uint64_t count = 0;
	ssize_t got;

	do
		got = read(w->ends[0], &count, sizeof(count));
	while (got < 0 && errno == EINTR);
	MUST(got == sizeof(count) && count == 1);
}

static void *work(void *data)
{
	struct worker *w = (struct worker *)data;

	for (int round = 0; round < ROUNDS; round++) {
		make_ends(w->ends, round % 3);
		fill(w->h_data, (float)round, WORDS);
		CHECK(cudaMemcpyAsync(w->d_data, w->h_data, BYTES, cudaMemcpyHostToDevice,
				      w->stream));
		CHECK(cudaLaunchHostFunc(w->stream, notify, w));
		wait_for_it(w);
		fill(w->h_data, -1, WORDS);
		CHECK(cudaMemcpyAsync(w->h_data, w->d_data, BYTES, cudaMemcpyDeviceToHost,
				      w->stream));
		CHECK(cudaLaunchHostFunc(w->stream, notify, w));
		wait_for_it(w);
		w->total += w->h_data[0] + w->h_data[WORDS - 1];
		close_ends(w->ends);
	}
	return NULL;
}

// ---- signals whose handler writes and closes ----

static int wakeup[2];
static volatile sig_atomic_t rings;

static void ring(int number)
{
	int saved = errno, copy = dup(wakeup[1]);

	(void)number;
	if (write(copy, "", 1) > 0)
		rings = rings + 1;
	close(copy);
	errno = saved;
}

static void start_ringing(void)
{
	const struct itimerval every = {{0, 300}, {0, 300}};
	struct sigaction action = {};

	action.sa_handler = ring;
	action.sa_flags = SA_RESTART;
	MUST(!pipe2(wakeup, O_NONBLOCK | O_CLOEXEC));
	MUST(!sigaction(SIGALRM, &action, NULL));
	MUST(!setitimer(ITIMER_REAL, &every, NULL));
}

static void stop_ringing(void)
{
	const struct itimerval never = {};
	char drained[512];
	long count = 0;

	MUST(!setitimer(ITIMER_REAL, &never, NULL));
	for (ssize_t got; (got = read(wakeup[0], drained, sizeof(drained))) > 0;)
		count += got;
	MUST(errno == EAGAIN && count > 0 && count <= rings);
}

// ---- what else calls do ----

static void by_fork(void)
{
	int ends[2], status;
	char got;
	pid_t child;

	MUST(!pipe(ends));
	child = fork();
	MUST(child >= 0);
	if (!child) {
		MUST(dup2(ends[1], 1) == 1);
		MUST(write(1, "x", 1) == 1);
		_exit(0);
	}
	MUST(read(ends[0], &got, 1) == 1 && got == 'x');
	MUST(waitpid(child, &status, 0) == child && status == 0);
	close_ends(ends);
	MUST(system("exec 5>/dev/null; echo >&5; exit 3") == 3 << 8);
}

// The child has the parent's memory, but descriptors of its own.
static void by_vfork(void)
{
	int ends[2], others[2], status;
	char got[2];
	pid_t child;

	MUST(!pipe(ends) && !pipe(others));
	MUST(write(others[1], "p", 1) == 1);
	child = vfork();
	if (!child) {
		if (dup2(ends[1], others[1]) == others[1] && !close(ends[1]) &&
		    write(others[1], "c", 1) == 1)
			_exit(7);
		_exit(EXIT_WRONG);
	}
	MUST(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
	MUST(write(others[1], "p", 1) == 1 && write(ends[1], "p", 1) == 1);
	MUST(read(others[0], got, 2) == 2 && got[0] == 'p' && got[1] == 'p');
	MUST(read(ends[0], got, 2) == 2 && got[0] == 'c' && got[1] == 'p');
	close_ends(ends);
	close_ends(others);
}

static void *read_for_ever(void *ends)
{
	char got;

	while (read(((int *)ends)[0], &got, 1) < 0)
		MUST(errno == EINTR);
	return NULL;
}

static void by_cancellation(void)
{
	pthread_t thread;
	void *result;
	int ends[2];

	MUST(!pipe(ends));
	MUST(!pthread_create(&thread, NULL, read_for_ever, ends));
	MUST(!pthread_cancel(thread));
	MUST(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	close_ends(ends);
}

static bool refuses(ssize_t result, int error)
{
	return result == -1 && errno == error;
}

static void by_error(void)
{
	char byte = 'x';
	int ends[2];

	MUST(!pipe2(ends, O_NONBLOCK));
	MUST(refuses(read(ends[0], &byte, 1), EAGAIN));
	MUST(refuses(write(ends[0], &byte, 1), EBADF));
	MUST(refuses(write(ends[1], NULL, 1), EFAULT));
	MUST(write(ends[1], &byte, 0) == 0 && write(ends[1], "ab", 2) == 2);
	MUST(read(ends[0], NULL, 0) == 0 && refuses(read(ends[0], NULL, 1), EFAULT));
	MUST(syscall(SYS_read, ends[0], &byte, 1L) == 1 && byte == 'a');
	MUST(!close(ends[0]) && refuses(write(ends[1], &byte, 1), EPIPE));
	MUST(!close(ends[1]) && refuses(close(ends[1]), EBADF) && refuses(dup(ends[1]), EBADF));
	MUST(refuses(socketpair(AF_INET, SOCK_STREAM, 0, ends), EOPNOTSUPP));
	MUST(refuses(socketpair(AF_UNIX, SOCK_STREAM, 0, NULL), EFAULT));
	MUST(refuses(eventfd(0, -1), EINVAL) && refuses(pipe2(ends, -1), EINVAL));
}

int main()
{
	static struct worker workers[THREADS];
	double total = 0;

	signal(SIGPIPE, SIG_IGN);
	for (struct worker &w : workers) {
		CHECK(cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking));
		w.h_data = pinned(BYTES);
		w.d_data = on_device(BYTES);
	}
	by_error(); // closes a descriptor twice, so nobody else may be there
	for (struct worker &w : workers)
		MUST(!pthread_create(&w.thread, NULL, work, &w));
	start_ringing();
	for (int i = 0; i < 8; i++)
		by_cancellation();
	for (struct worker &w : workers)
		MUST(!pthread_join(w.thread, NULL));
	stop_ringing();
	for (int i = 0; i < 4; i++)
		by_fork();
	by_vfork();
	by_error();
	for (struct worker &w : workers)
		total += w.total;
	printf("%g\n", total);
	CHECK(cudaDeviceSynchronize());
	return 0;
}
