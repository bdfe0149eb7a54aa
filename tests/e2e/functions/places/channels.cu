// What calls about pipes, connections, terminals and queues need, and what they find on the page.
#include "tests/e2e/functions/places/place.h"
#include <mqueue.h>
#include <poll.h>
#include <pty.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>

// Without declarations, or only with _FORTIFY_SOURCE.
extern "C" {
int __close(int);
int __dup2(int, int);
int __ttyname_r_chk(int, char *, size_t, size_t);
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
}

static int ends[2];

int pipe_end(int end)
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

void remove_queues(void)
{
	msgctl(mailbox(), IPC_RMID, NULL);
	semctl(semaphores(), 0, IPC_RMID);
	shmctl(segment(), IPC_RMID, NULL);
}

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

static bool forked(pid_t made)
{
	if (!made)
		_exit(0);
	return made > 0 ? waitpid(made, NULL, 0) == made : errno != EFAULT;
}

#define ROWS  "tests/e2e/functions/places/channels.def"
#define TABLE of_channels
#include "tests/e2e/functions/places/table.h"
