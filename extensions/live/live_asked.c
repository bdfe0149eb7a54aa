/* Asked: one child for each answer, and what becomes of it. */
#include "extensions/live/live_asked.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/command.h"
#include "extensions/live/top_view.h"

void sc_live_asked_init(struct sc_live_asked *a, const char *folder,
			const struct sc_live_known *known)
{
	*a = (struct sc_live_asked){.folder = folder, .known = *known};
	for (size_t i = 0; i < SC_LIVE_ASKERS; i++)
		a->askers[i] = (struct sc_live_asker){.fd = -1, .text = -1, .places = -1};
	a->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (a->fd < 0)
		return;
	if (!sc_ask_bind(a->fd, folder) && !listen(a->fd, SC_LIVE_ASKERS))
		return;
	close(a->fd);
	a->fd = -1;
}

/* One who left while the answer was made keeps the place until that child has ended. */
static bool is_free(const struct sc_live_asker *k)
{
	return k->fd < 0 && !k->child;
}

unsigned sc_live_asked_polls(const struct sc_live_asked *a, struct pollfd *out)
{
	unsigned count = 0;
	bool is_full = true;

	for (size_t i = 0; i < SC_LIVE_ASKERS; i++) {
		if (is_free(&a->askers[i]))
			is_full = false;
		else if (!a->askers[i].child)
			out[count++] = (struct pollfd){.fd = a->askers[i].fd, .events = POLLIN};
	}
	if (a->fd >= 0 && !is_full)
		out[count++] = (struct pollfd){.fd = a->fd, .events = POLLIN};
	return count;
}

static void forget_answer(struct sc_live_asker *k)
{
	if (k->text >= 0)
		close(k->text);
	if (k->places >= 0)
		close(k->places);
	k->text = k->places = -1;
	k->child = 0;
}

static void drop(struct sc_live_asker *k)
{
	if (k->fd >= 0)
		close(k->fd);
	k->fd = -1;
}

static void answer(struct sc_live_asker *k, enum sc_ask_state state, int code, int file)
{
	struct sc_ask_answer a = {state, code};

	if (k->fd < 0)
		return;
	if (sc_ask_send(k->fd, &a, sizeof(a), &file, file >= 0) != (long)sizeof(a))
		drop(k); /* it does not read, or is gone */
}

/* ---- in the child ---- */

static bool write_all(int fd, const struct sc_buf *text)
{
	size_t at = 0;

	while (at < text->bytes) {
		ssize_t done = write(fd, text->text + at, text->bytes - at);

		if (done <= 0 && errno != EINTR)
			return false;
		at += done > 0 ? (size_t)done : 0;
	}
	return true;
}

static _Noreturn void make_lines(const struct sc_live_asker *k, struct sc_top_process *p,
				 unsigned rows, uint64_t now_ns)
{
	struct sc_buf text = {0}, places = {0};
	size_t known = p->places.count;

	sc_top_view_add(&text, p, now_ns, rows);
	if (p->places.count > known)
		sc_top_process_print_places(p, known, &places);
	_exit(!write_all(k->text, &text) || !write_all(k->places, &places));
}

/* From here on as if the client had started this process. */
static void take_place(const int fds[SC_ASK_FDS])
{
	if (fchdir(fds[SC_ASK_FOLDER]) || dup2(fds[SC_ASK_OUT], STDOUT_FILENO) < 0 ||
	    dup2(fds[SC_ASK_ERROR], STDERR_FILENO) < 0)
		_exit(SC_EXIT_USAGE);
}

static _Noreturn void make_report(struct sc_live_asked *a, const struct sc_ask_request *r,
				  const int fds[SC_ASK_FDS])
{
	struct sc_options *o = sc_heap_xcalloc(1, sizeof(*o));
	char(*paths)[PATH_MAX] = sc_heap_xcalloc(r->count, sizeof(*paths)), message[512] = "";

	take_place(fds);
	sc_options_init(o);
	if (sc_options_parse(o, r->options, message, sizeof(message)))
		sc_die("%s", message);
	for (uint32_t i = 0; i < r->count; i++)
		a->known.find(a->known.data, r->processes[i], paths[i]);
	exit(a->known.report(a->known.data, o, paths, r->count));
}

/* ---- in the follower ---- */

static void begin_lines(struct sc_live_asked *a, struct sc_live_asker *k,
			const struct sc_ask_request *r, uint64_t now_ns)
{
	char path[PATH_MAX];
	struct sc_top_process *p = a->known.find(a->known.data, r->processes[0], path);

	k->process = r->processes[0];
	k->text = memfd_create("lines", MFD_CLOEXEC);
	k->places = memfd_create("places", MFD_CLOEXEC);
	k->child = fork();
	if (!k->child)
		make_lines(k, p, r->rows, now_ns);
}

static void begin_report(struct sc_live_asked *a, struct sc_live_asker *k,
			 const struct sc_ask_request *r, const int fds[SC_ASK_FDS])
{
	k->child = fork();
	if (k->child)
		return;
	signal(SIGUSR1, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	make_report(a, r, fds);
}

static bool is_request(const struct sc_ask_request *r, size_t bytes, unsigned fds)
{
	return bytes >= offsetof(struct sc_ask_request, options) &&
	       !memcmp(r->magic, SC_ASK_MAGIC, sizeof(r->magic)) && r->count >= 1 &&
	       r->count <= SC_ASK_PROCESSES && r->options_bytes <= SC_ASK_OPTIONS_BYTES &&
	       bytes == SC_ASK_REQUEST_BYTES(r) &&
	       ((r->kind == SC_ASK_TOP && r->count == 1 && !r->options_bytes && !fds) ||
		(r->kind == SC_ASK_REPORT && r->options_bytes && fds == SC_ASK_FDS &&
		 !r->options[r->options_bytes - 1]));
}

/* The first process that is not followed, or 0. */
static int unknown_of(const struct sc_live_asked *a, const struct sc_ask_request *r)
{
	char path[PATH_MAX];

	for (uint32_t i = 0; i < r->count; i++)
		if (!a->known.find(a->known.data, r->processes[i], path))
			return r->processes[i];
	return 0;
}

static void begin(struct sc_live_asked *a, struct sc_live_asker *k, const struct sc_ask_request *r,
		  const int fds[SC_ASK_FDS], uint64_t now_ns)
{
	int unknown = unknown_of(a, r);

	k->kind = r->kind;
	if (unknown) {
		answer(k, SC_ASK_UNKNOWN, unknown, -1);
		return;
	}
	fflush(NULL); /* nothing is written twice */
	if (r->kind == SC_ASK_TOP)
		begin_lines(a, k, r, now_ns);
	else if (a->known.report)
		begin_report(a, k, r, fds);
	if (k->child > 0) {
		answer(k, SC_ASK_TAKEN, 0, -1);
		return;
	}
	forget_answer(k);
	drop(k);
}

static void take_request(struct sc_live_asked *a, struct sc_live_asker *k, uint64_t now_ns)
{
	struct sc_ask_request *r = sc_heap_xcalloc(1, sizeof(*r));
	int fds[SC_ASK_FDS];
	unsigned count;
	long bytes = sc_ask_receive(k->fd, r, sizeof(*r), fds, SC_ASK_FDS, &count);

	if (bytes > 0 && is_request(r, (size_t)bytes, count))
		begin(a, k, r, fds, now_ns);
	else if (bytes != -EAGAIN)
		drop(k);
	for (unsigned i = 0; i < count; i++)
		close(fds[i]);
	free(r);
}

static void take_places(struct sc_top_process *p, int file)
{
	struct sc_buf places = {0};

	if (sc_ask_read(file, &places) && places.bytes)
		sc_top_process_take_places(p, sc_buf_text(&places), places.bytes);
	sc_buf_fini(&places);
}

/* The child has ended. */
static void take_answer(struct sc_live_asked *a, struct sc_live_asker *k, int status)
{
	bool is_good = WIFEXITED(status) && (k->kind == SC_ASK_REPORT || !WEXITSTATUS(status));
	char path[PATH_MAX];
	struct sc_top_process *p =
		k->kind == SC_ASK_TOP ? a->known.find(a->known.data, k->process, path) : NULL;

	if (!is_good)
		drop(k);
	else if (k->kind == SC_ASK_REPORT)
		answer(k, SC_ASK_DONE, WEXITSTATUS(status), -1);
	else if (p)
		answer(k, SC_ASK_DONE, p->has_ended, k->text);
	if (is_good && p)
		take_places(p, k->places);
	forget_answer(k);
}

/* Who has left is not answered. */
static bool has_left(const struct sc_live_asker *k)
{
	struct pollfd end = {.fd = k->fd, .events = POLLRDHUP};

	if (k->fd < 0)
		return true;
	return poll(&end, 1, 0) > 0 && end.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

static void look_at(struct sc_live_asked *a, struct sc_live_asker *k, int how, uint64_t now_ns)
{
	int status;
	pid_t ended;

	if (!k->child) {
		take_request(a, k, now_ns);
		return;
	}
	if (has_left(k))
		kill(k->child, k->kind == SC_ASK_TOP ? SIGKILL : SIGTERM);
	do
		ended = waitpid(k->child, &status, how);
	while (ended < 0 && errno == EINTR);
	if (ended == k->child)
		take_answer(a, k, status);
}

static void accept_next(struct sc_live_asked *a)
{
	for (size_t i = 0; i < SC_LIVE_ASKERS; i++) {
		struct sc_live_asker *k = &a->askers[i];

		if (!is_free(k))
			continue;
		k->fd = accept4(a->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (k->fd < 0)
			return;
		if (!sc_ask_is_own(k->fd))
			drop(k);
	}
}

void sc_live_asked_step(struct sc_live_asked *a, uint64_t now_ns)
{
	if (a->fd >= 0)
		accept_next(a);
	for (size_t i = 0; i < SC_LIVE_ASKERS; i++)
		if (!is_free(&a->askers[i]))
			look_at(a, &a->askers[i], WNOHANG, now_ns);
}

bool sc_live_asked_lends(const struct sc_live_asked *a)
{
	for (size_t i = 0; i < SC_LIVE_ASKERS; i++)
		if (a->askers[i].child && a->askers[i].kind == SC_ASK_REPORT)
			return true;
	return false;
}

void sc_live_asked_fini(struct sc_live_asked *a)
{
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
	for (size_t i = 0; i < SC_LIVE_ASKERS; i++) {
		struct sc_live_asker *k = &a->askers[i];

		if (k->child)
			look_at(a, k, 0, 0);
		drop(k);
	}
}
