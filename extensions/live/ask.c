/* Ask: messages, and the side of who asks. */
#include "extensions/live/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"

#define PATIENCE_MS (SC_ASK_PATIENCE_S * 1000)

/* ---- messages ---- */

long sc_ask_send(int fd, const void *data, size_t bytes, const int *fds, unsigned count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * SC_ASK_FDS)] = {0};
	struct iovec part = {(void *)data, bytes};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
	long sent;

	if (count) {
		struct cmsghdr *head;

		message.msg_control = control;
		message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
		head = CMSG_FIRSTHDR(&message);
		head->cmsg_level = SOL_SOCKET;
		head->cmsg_type = SCM_RIGHTS;
		head->cmsg_len = CMSG_LEN(sizeof(int) * count);
		memcpy(CMSG_DATA(head), fds, sizeof(int) * count);
	}
	do
		sent = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (sent < 0 && errno == EINTR);
	return sent < 0 ? -errno : sent;
}

/* All that came are taken, so that none stays open. */
static void take_fds(struct msghdr *message, int *fds, unsigned most, unsigned *count)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
		size_t bytes = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < bytes / sizeof(int); i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (*count < most)
				fds[(*count)++] = fd;
			else
				close(fd);
		}
	}
}

long sc_ask_receive(int fd, void *data, size_t bytes, int *fds, unsigned most, unsigned *count)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int) * SC_ASK_FDS)] = {0};
	struct iovec part = {data, bytes};
	struct msghdr message = {.msg_iov = &part,
				 .msg_iovlen = 1,
				 .msg_control = control,
				 .msg_controllen = sizeof(control)};
	long got;

	*count = 0;
	do
		got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return -errno;
	take_fds(&message, fds, most, count);
	return got;
}

bool sc_ask_is_own(int fd)
{
	struct ucred other = {0};
	socklen_t bytes = sizeof(other);

	return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &bytes) && bytes == sizeof(other) &&
	       other.uid == geteuid();
}

/* By the descriptor of the folder, since an address has room for a short path only. */
static int with_address(int fd, const char *folder,
			int (*use)(int fd, const struct sockaddr *address, socklen_t bytes))
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (at < 0)
		return -errno;
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/" SC_ASK_NAME, at);
	if (use(fd, (const struct sockaddr *)&address, sizeof(address)))
		err = -errno;
	close(at);
	return err;
}

int sc_ask_bind(int fd, const char *folder)
{
	return with_address(fd, folder, bind);
}

int sc_ask_connect(int fd, const char *folder)
{
	return with_address(fd, folder, connect);
}

/* ---- who asks ---- */

int sc_ask_open(const char *trace)
{
	char folder[PATH_MAX];
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(trace, '/') - trace), trace);
	if (fd < 0 || (!sc_ask_connect(fd, folder) && sc_ask_is_own(fd)))
		return fd;
	close(fd);
	return -1;
}

static struct sc_ask_request *new_request(enum sc_ask_kind kind, const int *processes, size_t count)
{
	struct sc_ask_request *r = sc_heap_xcalloc(1, sizeof(*r));

	memcpy(r->magic, SC_ASK_MAGIC, sizeof(r->magic));
	r->kind = kind;
	r->count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		r->processes[i] = processes[i];
	return r;
}

/* Waits for the next answer. Returns 0, -ETIMEDOUT, -EPIPE if the follower is gone, or -ESRCH if it
 * does not know the process. */
static int await(int fd, int patience_ms, struct sc_ask_answer *a, int *file)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	unsigned files = 0;
	int got;

	*file = -1;
	do
		got = poll(&ready, 1, patience_ms);
	while (got < 0 && errno == EINTR);
	if (!got)
		return -ETIMEDOUT;
	if (sc_ask_receive(fd, a, sizeof(*a), file, 1, &files) != (long)sizeof(*a))
		return -EPIPE;
	return a->state == SC_ASK_UNKNOWN ? -ESRCH : 0;
}

/* Who wrote it left the place at its end. */
bool sc_ask_read(int file, struct sc_buf *out)
{
	return file >= 0 && !lseek(file, 0, SEEK_SET) && !sc_buf_add_file(out, file);
}

int sc_ask_top(int fd, int process, unsigned rows, struct sc_buf *text, bool *has_ended)
{
	struct sc_ask_request *r = new_request(SC_ASK_TOP, &process, 1);
	struct sc_ask_answer a = {.state = SC_ASK_TAKEN};
	int file = -1, err;

	r->rows = rows;
	err = sc_ask_send(fd, r, SC_ASK_REQUEST_BYTES(r), NULL, 0) > 0 ? 0 : -EPIPE;
	free(r);
	while (!err && a.state == SC_ASK_TAKEN)
		err = await(fd, PATIENCE_MS, &a, &file);
	*has_ended = a.code != 0;
	if (!err && !sc_ask_read(file, text))
		err = -EIO;
	if (file >= 0)
		close(file);
	return err;
}

static _Noreturn void die_of(int err, int process)
{
	if (err == -ESRCH)
		sc_die("report: nothing of process %d was read so far; try again", process);
	if (err == -ETIMEDOUT)
		sc_die("report: " SC_ASK_LATE);
	sc_die("report: the process that follows the traces ended meanwhile; try again");
}

int sc_ask_report(int fd, const int *processes, size_t count, const struct sc_options *o)
{
	struct sc_ask_request *r = new_request(SC_ASK_REPORT, processes, count);
	struct sc_ask_answer a = {.state = SC_ASK_TAKEN};
	int fds[SC_ASK_FDS] = {open(".", O_PATH | O_CLOEXEC), STDOUT_FILENO, STDERR_FILENO}, file;
	int err;

	if (fds[SC_ASK_FOLDER] < 0 || sc_options_print(o, r->options, sizeof(r->options)))
		sc_die("report: the options are too long, or the current folder is gone");
	r->options_bytes = (uint32_t)strlen(r->options) + 1;
	err = sc_ask_send(fd, r, SC_ASK_REQUEST_BYTES(r), fds, SC_ASK_FDS) > 0 ? 0 : -EPIPE;
	if (!err)
		err = await(fd, PATIENCE_MS, &a, &file);
	while (!err && a.state == SC_ASK_TAKEN)
		err = await(fd, -1, &a, &file);
	free(r);
	close(fds[SC_ASK_FOLDER]);
	if (err)
		die_of(err, a.code);
	return a.code;
}
