// Files by which threads synchronize: what is written to one end is read from the
// other one.
#ifndef SC_TESTS_E2E_THREADS_FILES_H
#define SC_TESTS_E2E_THREADS_FILES_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "testcases/common.h"

// A pipe's ends are out, in; those of the others are alike.
static int pipe_ends[2], full_ends[2], sockets[2], packets[2], fifo, event;
static uint64_t word = 1, taken;
static struct iovec given_part = {&word, sizeof(word)}, taken_part = {&taken, sizeof(taken)};

static void must_move(ssize_t bytes, int line)
{
	if (bytes == sizeof(word) && word == 1)
		return;
	fprintf(stderr, "line %d: moved %zd bytes\n", line, bytes);
	exit(EXIT_WRONG);
}

#define MOVES(call) [] { must_move((call), __LINE__); }

// As a woken event loop: whoever wakes it once more finds the pipe full, and leaves it at that.
static void make_full()
{
	static char content[1 << 16];

	if (pipe2(full_ends, O_NONBLOCK) || write(full_ends[1], content, sizeof(content)) < 0)
		exit(EXIT_WRONG);
}

static ssize_t write_to_full()
{
	return write(full_ends[1], &word, sizeof(word)) < 0 ? (ssize_t)sizeof(word) : 0;
}

static int make_fifo()
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/tmp/files.%d", getpid());
	fd = mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_CLOEXEC);
	unlink(path);
	return fd;
}

static void make_files()
{
	make_full();
	fifo = make_fifo();
	event = eventfd(0, EFD_CLOEXEC);
	if (fifo < 0 || event < 0 || pipe(pipe_ends) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET, 0, packets))
		exit(EXIT_WRONG);
}

static struct msghdr *message(struct iovec *part)
{
	static thread_local struct msghdr made;

	made = {};
	made.msg_iov = part;
	made.msg_iovlen = 1;
	return &made;
}

static ssize_t send_several()
{
	struct mmsghdr several = {*message(&given_part), 0};

	return sendmmsg(sockets[0], &several, 1, 0) == 1 ? (ssize_t)several.msg_len : -1;
}

static ssize_t receive_several()
{
	struct mmsghdr several = {*message(&taken_part), 0};

	return recvmmsg(sockets[1], &several, 1, 0, NULL) == 1 ? (ssize_t)several.msg_len : -1;
}

#define WORD  &word, sizeof(word)
#define TAKEN &taken, sizeof(taken)
#define FILE_FAMILY(name, give, take)                 \
	{                                             \
#name, MOVES(give), MOVES(take), NULL \
	}
#define FILE_FAMILIES                                                                            \
	FILE_FAMILY(pipe_write, write(pipe_ends[1], WORD), read(pipe_ends[0], TAKEN)),           \
		FILE_FAMILY(pipe_writev, writev(pipe_ends[1], &given_part, 1),                   \
			    readv(pipe_ends[0], &taken_part, 1)),                                \
		FILE_FAMILY(pipe_dprintf, dprintf(pipe_ends[1], "8 bytes."),                     \
			    read(pipe_ends[0], TAKEN)),                                          \
		FILE_FAMILY(pipe_syscall, syscall(SYS_write, pipe_ends[1], WORD),                \
			    syscall(SYS_read, pipe_ends[0], TAKEN)),                             \
		FILE_FAMILY(pipe_duplicate, write(dup(pipe_ends[1]), WORD),                      \
			    read(pipe_ends[0], TAKEN)),                                          \
		FILE_FAMILY(pipe_full, write_to_full(), read(full_ends[0], TAKEN)),              \
		FILE_FAMILY(fifo_write, write(fifo, WORD), read(fifo, TAKEN)),                   \
		FILE_FAMILY(eventfd_write, write(event, WORD), read(event, TAKEN)),              \
		FILE_FAMILY(eventfd_function, eventfd_write(event, 1) ? -1 : 8,                  \
			    eventfd_read(event, &taken) ? -1 : 8),                               \
		FILE_FAMILY(socket_write, write(sockets[0], WORD), read(sockets[1], TAKEN)),     \
		FILE_FAMILY(socket_send, send(sockets[1], WORD, 0), recv(sockets[0], TAKEN, 0)), \
		FILE_FAMILY(socket_sendto, sendto(sockets[0], WORD, 0, NULL, 0),                 \
			    recvfrom(sockets[1], TAKEN, 0, NULL, NULL)),                         \
		FILE_FAMILY(socket_sendmsg, sendmsg(sockets[0], message(&given_part), 0),        \
			    recvmsg(sockets[1], message(&taken_part), 0)),                       \
		FILE_FAMILY(socket_sendmmsg, send_several(), receive_several()),                 \
		FILE_FAMILY(socket_packet, send(packets[0], WORD, 0), read(packets[1], TAKEN)),
#endif
