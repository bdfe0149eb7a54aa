// Calls whose structs and strings lie on a page that is protected for an operand beside them: each
// must work as if it were not. Every one has a page of its own, so that none is given up.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <grp.h>
#include <mntent.h>
#include <mqueue.h>
#include <netdb.h>
#include <nl_types.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/timex.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <threads.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <utime.h>
#include "testcases/common.h"

#undef fread_unlocked
#undef fwrite_unlocked
#undef fputs_unlocked

// Without declarations, or only with _FORTIFY_SOURCE.
extern "C" {
ssize_t __read(int, void *, size_t);
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __write(int, const void *, size_t);
int __close(int);
int __dup2(int, int);
ssize_t __pread64(int, void *, size_t, off64_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __pwrite64(int, const void *, size_t, off64_t);
size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
size_t __fread_unlocked_chk(void *, size_t, size_t, size_t, FILE *);
int __printf_chk(int, const char *, ...);
int __fprintf_chk(FILE *, int, const char *, ...);
int __dprintf_chk(int, int, const char *, ...);
int __vprintf_chk(int, const char *, va_list);
int __vfprintf_chk(FILE *, int, const char *, va_list);
int __vdprintf_chk(int, int, const char *, va_list);
int __open(const char *, int, ...);
int __open64(const char *, int, ...);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
int __xstat(int, const char *, struct stat *);
int __xstat64(int, const char *, struct stat64 *);
int __lxstat(int, const char *, struct stat *);
int __lxstat64(int, const char *, struct stat64 *);
int __fxstat(int, int, struct stat *);
int __fxstat64(int, int, struct stat64 *);
int __fxstatat(int, int, const char *, struct stat *, int);
int __fxstatat64(int, int, const char *, struct stat64 *, int);
int __xmknod(int, const char *, mode_t, dev_t *);
int __xmknodat(int, int, const char *, mode_t, dev_t *);
ssize_t __readlink_chk(const char *, char *, size_t, size_t);
ssize_t __readlinkat_chk(int, const char *, char *, size_t, size_t);
char *__getcwd_chk(char *, size_t, size_t);
char *__realpath_chk(const char *, char *, size_t);
int __ttyname_r_chk(int, char *, size_t, size_t);
int __getgroups_chk(int, gid_t *, size_t);
int pivot_root(const char *, const char *);
int init_module(void *, unsigned long, const char *);
int delete_module(const char *, unsigned);
int __pipe(int *);
int __fcntl(int, int, ...);
int __poll(struct pollfd *, nfds_t, int);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const timespec *, const sigset_t *, size_t);
int __select(int, fd_set *, fd_set *, fd_set *, timeval *);
int __connect(int, const sockaddr *, socklen_t);
ssize_t __send(int, const void *, size_t, int);
ssize_t __recv(int, void *, size_t, int);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *, size_t, size_t, int, sockaddr *, socklen_t *);
int __sendmmsg(int, mmsghdr *, unsigned, int);
int arch_prctl(int, unsigned long *);
int __arch_prctl(int, unsigned long *);
int __statfs(const char *, struct statfs *);
int __sched_getparam(pid_t, sched_param *);
int __sched_setscheduler(pid_t, int, const sched_param *);
int modify_ldt(int, void *, unsigned long);
int __getrlimit(__rlimit_resource_t, struct rlimit *);
int capget(void *, void *);
int capset(void *, void *);
int __sigsuspend(const sigset_t *);
int __sigtimedwait(const sigset_t *, siginfo_t *, const timespec *);
}

// ---- files ----

static char path[] = "/tmp/places.XXXXXX";
static char whole_page[4096];
static dev_t no_device;
static dirent **names;
static dirent64 **names64;
static off_t position;
static glob_t found;
static glob64_t found64;

static int open_file(void)
{
	return open(path, O_RDWR);
}

static FILE *unbuffered(void)
{
	FILE *opened = fdopen(open_file(), "r+");

	setvbuf(opened, NULL, _IONBF, 0);
	return opened;
}

static bool closed(FILE *opened)
{
	return opened && !fclose(opened);
}

static int open_folder(void)
{
	return open("/", O_RDONLY | O_DIRECTORY);
}

static int visit(const char *, const struct stat *, int)
{
	return 0;
}

static int visit64(const char *, const struct stat64 *, int)
{
	return 0;
}

static int visit_more(const char *, const struct stat *, int, FTW *)
{
	return 0;
}

static int visit_more64(const char *, const struct stat64 *, int, FTW *)
{
	return 0;
}

static int in_list(int kind, const char *format, ...)
{
	va_list list;
	int done = -1;

	va_start(list, format);
	switch (kind) {
	case 1: done = vprintf(format, list); break;
	case 2: done = __vprintf_chk(1, format, list); break;
	case 3: done = vfprintf(unbuffered(), format, list); break;
	case 4: done = __vfprintf_chk(unbuffered(), 1, format, list); break;
	case 5: done = vdprintf(open_file(), format, list); break;
	case 6: done = __vdprintf_chk(open_file(), 1, format, list); break;
	}
	va_end(list);
	return done;
}

// ---- open files, connections, queues ----

static int ends[2];
static pid_t pid;
static timer_t timer;
static int number;
static utsname host;

static int pipe_end(int end)
{
	if (pipe(ends) || write(ends[1], "12345678", 8) != 8)
		exit(EXIT_WRONG);
	return ends[end];
}

static int connection(void)
{
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends))
		exit(EXIT_WRONG);
	return ends[0];
}

static int arrived(void)
{
	int end = connection();

	return write(ends[1], "12345678", 8) == 8 ? end : -1;
}

// A connection that somebody has called: an address that the kernel chose.
static int called(void)
{
	int server = socket(AF_UNIX, SOCK_STREAM, 0), caller = socket(AF_UNIX, SOCK_STREAM, 0);
	sockaddr_un address = {AF_UNIX, ""};
	socklen_t length = sizeof(address);

	if (bind(server, (sockaddr *)&address, sizeof(sa_family_t)) || listen(server, 1) ||
	    getsockname(server, (sockaddr *)&address, &length) ||
	    connect(caller, (sockaddr *)&address, length))
		exit(EXIT_WRONG);
	return server;
}

static int events(void)
{
	int all = epoll_create1(0);
	epoll_event one = {EPOLLIN, {}};

	epoll_ctl(all, EPOLL_CTL_ADD, pipe_end(0), &one);
	return all;
}

static int alarm_clock(void)
{
	return timerfd_create(CLOCK_MONOTONIC, 0);
}

// A terminal, or no file at all: then the function is not asked for its name.
static int terminal(void)
{
	int opened = open("/dev/ptmx", O_RDWR | O_NOCTTY);

	return opened;
}

static mqd_t queue(void)
{
	mq_attr attributes = {};
	char name[64];
	mqd_t opened;

	attributes.mq_maxmsg = 2;
	attributes.mq_msgsize = 64;
	snprintf(name, sizeof(name), "/places.%d", getpid());
	opened = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &attributes);
	mq_unlink(name);
	mq_send(opened, "12345678", 8, 0);
	return opened;
}

static int mailbox(void)
{
	static int box = msgget(IPC_PRIVATE, 0600);
	static const struct {
		long type;
		char text[8];
	} letter = {1, ""};

	msgsnd(box, &letter, 8, 0);
	return box;
}

static int semaphores(void)
{
	static int set = semget(IPC_PRIVATE, 1, 0600);

	return set;
}

static int segment(void)
{
	static int made = shmget(IPC_PRIVATE, 4096, 0600);

	return made;
}

static void remove_all(void)
{
	unlink(path);
	msgctl(mailbox(), IPC_RMID, NULL);
	semctl(semaphores(), 0, IPC_RMID);
	shmctl(segment(), IPC_RMID, NULL);
}

// ---- what is put into the page ----

static sockaddr *put_address(char *at)
{
	((sockaddr_un *)at)->sun_family = AF_UNIX;
	strcpy(((sockaddr_un *)at)->sun_path, "/nobody/is/here");
	return (sockaddr *)at;
}

static socklen_t *put_length(char *at)
{
	*(socklen_t *)at = 128;
	return (socklen_t *)at;
}

static msghdr *put_message(char *at, iovec *parts)
{
	((msghdr *)at)->msg_iov = parts;
	((msghdr *)at)->msg_iovlen = 1;
	return (msghdr *)at;
}

static char *put_lock(char *at)
{
	((struct flock *)at)->l_type = F_RDLCK;
	return at;
}

static char *put_letter(char *at)
{
	*(long *)at = 1;
	return at;
}

static timespec *put_no_time(char *at)
{
	((timespec *)at)->tv_nsec = -1;
	return (timespec *)at;
}

static sigevent *put_no_event(char *at)
{
	((sigevent *)at)->sigev_notify = SIGEV_NONE;
	return (sigevent *)at;
}

static char *put_version(char *at)
{
	*(unsigned *)at = 0x20080522;
	return at;
}

static char *put_host(char *at)
{
	uname(&host);
	return strcpy(at, host.nodename);
}

static char *put_domain(char *at)
{
	uname(&host);
	return strcpy(at, host.domainname);
}

static sigset_t *put_pending(char *at)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
	return (sigset_t *)memcpy(at, &set, sizeof(set));
}

// ---- processes, signals, contexts ----

static bool child(void)
{
	pid_t made = fork();

	if (!made)
		_exit(3);
	return made > 0;
}

static bool forked(pid_t made)
{
	if (!made)
		_exit(0);
	return made > 0 ? waitpid(made, NULL, 0) == made : errno != EFAULT;
}

static int left(pid_t one)
{
	int status = -1;

	waitpid(one, &status, 0);
	return WEXITSTATUS(status);
}

// In a child that shares the memory: its strings must not be refused.
static int beside(void (*run)(char *), char *p)
{
	pid_t made = vfork();

	if (!made) {
		run(p);
		_exit(errno == EFAULT ? 100 : 101);
	}
	return left(made);
}

static bool alarmed(void)
{
	struct itimerval soon = {{0, 0}, {0, 1000}};
	sigset_t set;

	signal(SIGALRM, [](int) {});
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return !setitimer(ITIMER_REAL, &soon, NULL);
}

static pthread_cond_t no_signal = PTHREAD_COND_INITIALIZER;

static sem_t *no_post(void)
{
	static sem_t made;

	sem_init(&made, 0, 0);
	return &made;
}

static pthread_mutex_t *locked(void)
{
	static pthread_mutex_t made = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_trylock(&made);
	return &made;
}

static void *wait_for_ever(void *)
{
	for (;;)
		pause();
	return NULL;
}

static pthread_t thread_that_waits(void)
{
	pthread_t made;

	if (pthread_create(&made, NULL, wait_for_ever, NULL))
		exit(EXIT_WRONG);
	return made;
}

static bool came_back(ucontext_t *here)
{
	static volatile int times;

	times = 0;
	getcontext(here);
	if (!times++)
		setcontext(here);
	return times == 2;
}

static char other_stack[65536];
static ucontext_t *switched_from, *switched_to;
static volatile int switches;

static void on_other_stack(void)
{
	switches++;
	swapcontext(switched_to, switched_from);
}

static bool switched(ucontext_t *from, ucontext_t *to)
{
	switches = 0;
	switched_from = from;
	switched_to = to;
	if (getcontext(to))
		return false;
	to->uc_stack.ss_sp = other_stack;
	to->uc_stack.ss_size = sizeof(other_stack);
	makecontext(to, on_other_stack, 0);
	return !swapcontext(from, to) && switches == 1;
}

enum { PAGE = 4096, OPERAND = 3072 };

// Where things are on a page.
#define FILE_	       (p)
#define ABSENT	       (p + 64)
#define FOLDER	       (p + 128)
#define LINK	       (p + 192)
#define TEMPLATE       (p + 256)
#define COMMAND	       (p + 320)
#define ATTRIBUTE      (p + 384)
#define SHELL	       (p + 448)
#define TIME_	       ((timespec *)(p + 512))
#define SET	       ((sigset_t *)(p + 544))
#define PARTS	       ((iovec *)(p + 688))
#define ARGUMENTS      ((char **)(p + 720))
#define ROOM	       (p + 1024)
#define ACCEPTED(call) (errno = 0, (call), errno != EFAULT)

static void furnish(char *p)
{
	strcpy(FILE_, path);
	strcpy(ABSENT, "/tmp/places.absent");
	snprintf(ABSENT + 18, 32, ".%d", getpid());
	strcpy(FOLDER, "/proc/sys/vm");
	strcpy(LINK, "/proc/self/exe");
	strcpy(TEMPLATE, "/tmp/places.XXXXXX");
	strcpy(COMMAND, "exit 3");
	strcpy(ATTRIBUTE, "user.a");
	strcpy(SHELL, "/bin/sh");
	TIME_->tv_nsec = 1000;
	sigemptyset(SET);
	*PARTS = {ROOM, 8};
	ARGUMENTS[0] = SHELL;
	ARGUMENTS[1] = strcpy(p + 800, "-c");
	ARGUMENTS[2] = COMMAND;
}

#define PLACE(name, condition)          \
	static bool use_##name(char *p) \
	{                               \
		return condition;       \
	}
#include "places.def"
#undef PLACE

static const struct place {
	const char *name;
	bool (*use)(char *);
} places[] = {
#define PLACE(name, condition) {#name, use_##name},
#include "places.def"
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

// The kernel is asked past every wrapper.
static bool is_refused(const char *at)
{
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(SYS_access), "D"(at), "S"(F_OK)
		     : "rcx", "r11", "memory");
	return result == -EFAULT;
}

int main(int argc, char **argv)
{
	char *pages = (char *)pinned(PLACES * PAGE), *d_data = (char *)on_device(PAGE);
	int refused = 0, wrong = 0;
	cudaStream_t copies;

	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (auto &place : places)
			printf("%s\n", place.name);
		return 0;
	}
	close(mkstemp(path));
	if (truncate(path, 8192))
		return EXIT_WRONG;
	CHECK(cudaStreamCreate(&copies));
	for (int i = 0; i < PLACES; i++) {
		char *p = pages + i * PAGE;

		memset(p, 0, PAGE);
		furnish(p);
		CHECK(cudaMemcpyAsync(p + OPERAND, d_data, PAGE - OPERAND, cudaMemcpyDeviceToHost,
				      copies));
		if (is_refused(p))
			refused++;
		else
			fprintf(stderr, "%s: the page is open\n", places[i].name);
		errno = 0;
		if (!places[i].use(p)) {
			fprintf(stderr, "%s does not work: %s\n", places[i].name, strerror(errno));
			wrong++;
		}
		CHECK(cudaStreamSynchronize(copies));
	}
	remove_all();
	fprintf(stderr, "\n%d places, %d protected, %d wrong\n", PLACES, refused, wrong);
	CHECK(cudaStreamDestroy(copies));
	CHECK(cudaFree(d_data));
	CHECK(cudaFreeHost(pages));
	return wrong ? EXIT_WRONG : 0;
}
