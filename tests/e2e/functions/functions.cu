// Hands buffers that copies in flight use to the functions of libc that are named as arguments, one
// after the other, or all of them but those that switch the guard off. A function that reads
// gets the destination of a copy, one that writes a source. None may refuse its buffer.
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <mqueue.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "testcases/common.h"

enum { BYTES = 8192, SMALL = 256 };

// ---- what the functions work on ----

static char path[] = "/tmp/functions.XXXXXX";

// A file of BYTES bytes, read and written from its beginning.
static int file(void)
{
	static int fd = -1;
	static char content[BYTES];

	if (fd < 0) {
		fd = mkstemp(path);
		if (pwrite(fd, content, BYTES, 0) != BYTES)
			exit(EXIT_WRONG);
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static FILE *stream(void)
{
	FILE *opened = fdopen(dup(file()), "r+");

	setvbuf(opened, NULL, _IOFBF, 1024);
	return opened;
}

// One end of a connection, at which as much as is wanted has arrived.
static int arrived(size_t bytes)
{
	static char content[BYTES];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) ||
	    write(ends[1], content, bytes) != (ssize_t)bytes)
		exit(EXIT_WRONG);
	return ends[0];
}

static int connection(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		exit(EXIT_WRONG);
	return ends[0];
}

static int pipe_end(int end)
{
	static char content[4096];
	int ends[2];

	if (pipe(ends) || (end == 0 && write(ends[1], content, sizeof(content)) < 0))
		exit(EXIT_WRONG);
	return ends[end];
}

static msghdr *message(iovec *part)
{
	static msghdr made;

	made = {};
	made.msg_iov = part;
	made.msg_iovlen = 1;
	return &made;
}

static mqd_t queue(bool is_full)
{
	static const char content[SMALL] = {};
	mq_attr attributes = {};
	char name[64];
	mqd_t opened;

	attributes.mq_maxmsg = 2;
	attributes.mq_msgsize = SMALL;
	snprintf(name, sizeof(name), "/functions.%d", getpid());
	opened = mq_open(name, O_RDWR | O_CREAT, 0600, &attributes);
	mq_unlink(name);
	if (is_full && opened != (mqd_t)-1)
		mq_send(opened, content, SMALL, 0);
	return opened;
}

static int mailbox(bool is_full)
{
	static struct {
		long type;
		char text[SMALL];
	} content = {1, {}};
	int box = msgget(IPC_PRIVATE, 0600);

	if (is_full && box >= 0)
		msgsnd(box, &content, SMALL, 0);
	return box;
}

static int happening(void)
{
	int all = epoll_create1(0);
	struct epoll_event one = {EPOLLIN, {}};

	epoll_ctl(all, EPOLL_CTL_ADD, pipe_end(0), &one);
	return all;
}

static const struct timespec never = {1L << 40, 0};

extern "C" {
ssize_t __read_chk(int fd, void *b, size_t n, size_t m);
ssize_t __pread_chk(int fd, void *b, size_t n, off_t o, size_t m);
ssize_t __pread64_chk(int fd, void *b, size_t n, off64_t o, size_t m);
ssize_t __recv_chk(int fd, void *b, size_t n, size_t m, int f);
ssize_t __recvfrom_chk(int fd, void *b, size_t n, size_t m, int f, sockaddr *a, socklen_t *l);
size_t __fread_chk(void *b, size_t m, size_t s, size_t n, FILE *f);
size_t __fread_unlocked_chk(void *b, size_t m, size_t s, size_t n, FILE *f);
}

static long several(int fd, iovec *part, bool is_receiving)
{
	mmsghdr one = {};
	int done;

	one.msg_hdr = *message(part);
	done = is_receiving ? recvmmsg(fd, &one, 1, 0, NULL) : sendmmsg(fd, &one, 1, 0);
	return done == 1 ? (long)one.msg_len : -1;
}

static long other_memory(iovec *part, bool is_written)
{
	static char content[BYTES];
	iovec own = {content, BYTES};

	if (is_written)
		return process_vm_writev(getpid(), &own, 1, part, 1, 0);
	return process_vm_readv(getpid(), &own, 1, part, 1, 0);
}

template <typename T> static T request(char *b, int what)
{
	T made = {};

	made.aio_fildes = file();
	made.aio_buf = b;
	made.aio_nbytes = BYTES;
	made.aio_lio_opcode = what;
	return made;
}

// Waits for it, so that the buffer is the program's again.
static long finished(aiocb *request)
{
	const aiocb *list[] = {request};

	while (aio_error(request) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	errno = aio_error(request);
	return aio_return(request);
}

static long finished(aiocb64 *request)
{
	const aiocb64 *list[] = {request};

	while (aio_error64(request) == EINPROGRESS)
		aio_suspend64(list, 1, NULL);
	errno = aio_error64(request);
	return aio_return64(request);
}

template <typename T> static long alone(char *b, int (*start)(T *), int what)
{
	T made = request<T>(b, what);

	return start(&made) ? -1 : finished(&made);
}

template <typename T>
static long listed(char *b, int (*start)(int, T *const[], int, sigevent *), int what)
{
	T made = request<T>(b, what);
	T *list[] = {&made};

	return start(LIO_WAIT, list, 1, NULL) ? -1 : finished(&made);
}

// By system calls, as libaio does.
static long submitted(char *b)
{
	aio_context_t context = 0;
	iocb made = {}, *list[] = {&made};
	io_event done;

	made.aio_fildes = file();
	made.aio_lio_opcode = IOCB_CMD_PWRITE;
	made.aio_buf = (unsigned long)b;
	made.aio_nbytes = BYTES;
	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, list) != 1 ||
	    syscall(SYS_io_getevents, context, 1, 1, &done, NULL) != 1)
		return -1;
	errno = done.res < 0 ? -done.res : 0;
	return done.res;
}

// Whether the machine has it or not: that a program asks for it is enough.
static long ring(char *b)
{
	char parameters[256] = {};
	long fd = syscall(SYS_io_uring_setup, 4, parameters);

	(void)b;
	return fd < 0 ? 0 : close(fd);
}

// The stream hands the buffer to the kernel when it is full.
static long buffered(char *b)
{
	FILE *opened = fdopen(dup(file()), "r+");
	char text[BYTES + 1] = {};

	return setvbuf(opened, b, _IOFBF, BYTES) || fwrite(text, 1, 10, opened) != 10
		       ? -1
		       : fclose(opened);
}

// ---- the functions ----

enum mode { READS, WRITES, NOTHING };

#define USE(name, mode, taken)                                               \
	static __attribute__((noinline)) long use_##name(char *b, iovec *v)  \
	{                                                                    \
		long done = (long)(taken);                                   \
                                                                             \
		(void)v;                                                     \
		asm volatile("" ::: "memory"); /* its frame is looked for */ \
		return done;                                                 \
	}
#define FUNCTION USE
#define LASTING	 USE
#include "functions.def"
#undef FUNCTION
#undef LASTING

static const struct {
	const char *name;
	enum mode mode;
	long (*use)(char *, iovec *);
	bool is_lasting;
} functions[] = {
#define FUNCTION(name, mode, taken) {#name, mode, use_##name, false},
#define LASTING(name, mode, taken)  {#name, mode, use_##name, true},
#include "functions.def"
};

// ---- handing over ----

static char *h_data, *d_data;
static cudaStream_t copies;

static void hand_over(long (*use)(char *, iovec *), enum mode mode, const char *name)
{
	iovec all = {h_data, BYTES};

	memset(h_data, 1, BYTES);
	if (mode == WRITES)
		CHECK(cudaMemcpyAsync(d_data, h_data, BYTES, cudaMemcpyHostToDevice, copies));
	else
		CHECK(cudaMemcpyAsync(h_data, d_data, BYTES, cudaMemcpyDeviceToHost, copies));
	errno = 0;
	if (use(h_data, &all) < 0 && errno == EFAULT) {
		printf("%s refused its buffer\n", name);
		exit(EXIT_WRONG);
	}
	CHECK(cudaStreamSynchronize(copies));
}

static bool is_wanted(const char *name, bool is_lasting, char **names)
{
	if (!*names)
		return !is_lasting;
	while (*names && strcmp(*names, name))
		names++;
	return *names;
}

int main(int argc, char **argv)
{
	static const char *const modes[] = {"reads", "writes", "nothing"};

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (auto &f : functions)
			printf("%s %s %s\n", f.name, modes[f.mode],
			       f.is_lasting ? "lasting" : "once");
		return 0;
	}
	h_data = (char *)pinned(BYTES);
	d_data = (char *)on_device(BYTES);
	CHECK(cudaStreamCreate(&copies));
	for (auto &f : functions) {
		if (is_wanted(f.name, f.is_lasting, argv + 1))
			hand_over(f.use, f.mode, f.name);
	}
	unlink(path);
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(h_data));
	return 0;
}
