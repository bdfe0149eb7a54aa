/* The child process that reads debug information: lookups in by fork, frames out by a pipe. */
#include "analyzer/symbol/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "analyzer/symbol/module.h"
#include "base/buf.h"

#define MODULE_SECONDS 60		   /* that one file may take */
#define ANSWER_MAX     ((size_t)256 << 20) /* bytes of a child; another one goes on */
#define PIECE_BYTES    4096		   /* of an answer that are sent at a time */
#define STRING_MAX     (64 << 10)

/* What the child sends: for each place this head and three strings; a head with `is_end` after the
 * last place of a lookup. */
struct head {
	uint32_t is_end;
	uint32_t line;
	uint32_t column;
	uint32_t is_inlined;
	uint32_t is_at_head;
	uint32_t function_bytes; /* 0 for none, else with the terminator */
	uint32_t file_bytes;
	uint32_t instead_bytes;
};

struct answer {
	struct sc_buf buf;
	size_t at; /* parsed so far */
};

static uint32_t string_bytes(const char *text)
{
	size_t bytes = text ? strnlen(text, STRING_MAX) : 0;

	return text && bytes < STRING_MAX ? (uint32_t)bytes + 1 : 0;
}

/* What the child sends, or has sent. */
struct sender {
	int fd;
	struct sc_buf buf;
};

/* What is lost in the middle would change the meaning of all that follows: the child ends. */
static void flush(struct sender *s)
{
	const char *at = s->buf.text;

	while (s->buf.bytes) {
		ssize_t done = write(s->fd, at, s->buf.bytes);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			_exit(1);
		at += done;
		s->buf.bytes -= (size_t)done;
	}
}

static void send(struct sender *s, const void *data, size_t bytes)
{
	if (bytes)
		sc_buf_add_bytes(&s->buf, data, bytes);
	if (s->buf.bytes >= PIECE_BYTES)
		flush(s);
}

static void send_place(void *context, const struct sc_place *place)
{
	struct head head = {
		.line = place->line,
		.column = place->column,
		.is_inlined = place->is_inlined,
		.is_at_head = place->is_at_head,
		.function_bytes = string_bytes(place->function),
		.file_bytes = string_bytes(place->file),
		.instead_bytes = string_bytes(place->instead),
	};

	send(context, &head, sizeof(head));
	send(context, place->function, head.function_bytes);
	send(context, place->file, head.file_bytes);
	send(context, place->instead, head.instead_bytes);
}

/* Want of something may leave out names without a word (libdw), so that the child is no better than
 * one that dies. */
static void check_want(void)
{
	if (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EIO)
		_exit(1);
}

static void answer_all(struct sender *out, const struct sc_lookup *lookups, size_t count,
		       const struct sc_debug_places *places)
{
	static const struct head end = {.is_end = 1};
	const struct sc_map *current = NULL;
	struct sc_symbol_module *module = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct sc_map *map = lookups[i].module;

		if (map != current) {
			flush(out);
			alarm(MODULE_SECONDS);
			sc_module_close(module);
			module = sc_module_open(map->path, map->build_id, map->build_id_bytes,
						places);
			current = map;
		}
		if (module)
			sc_symbol_module_look_up(module, &lookups[i].question, send_place, out);
		check_want();
		send(out, &end, sizeof(end));
	}
}

static _Noreturn void run_child(int fd, const struct sc_lookup *lookups, size_t count,
				const struct sc_debug_places *places)
{
	struct rlimit no_core = {0, 0};
	struct sender out = {.fd = fd};

	setrlimit(RLIMIT_CORE, &no_core);
	answer_all(&out, lookups, count, places);
	flush(&out);
	_exit(0);
}

/* Reads all that the child sends. */
static void read_answer(struct sc_buf *answer, int fd)
{
	char piece[65536];

	while (answer->bytes < ANSWER_MAX) {
		ssize_t got = read(fd, piece, sizeof(piece));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return;
		sc_buf_add_bytes(answer, piece, (size_t)got);
	}
}

/* Takes a string, NULL for none; false if it does not end where it says. */
static bool take_string(struct answer *a, uint32_t bytes, const char **out)
{
	const char *text = a->buf.text + a->at;

	if (bytes > STRING_MAX || bytes > a->buf.bytes - a->at)
		return 0;
	a->at += bytes;
	*out = bytes ? text : NULL;
	return !bytes || !text[bytes - 1];
}

/* Takes the next head and its strings; false at the end or where the answer makes no sense. */
static bool take_head(struct answer *a, struct head *head, struct sc_place *place)
{
	if (a->buf.bytes - a->at < sizeof(*head))
		return 0;
	memcpy(head, a->buf.text + a->at, sizeof(*head));
	a->at += sizeof(*head);
	*place = (struct sc_place){.line = head->line,
				   .column = head->column,
				   .is_inlined = head->is_inlined != 0,
				   .is_at_head = head->is_at_head != 0};
	return take_string(a, head->function_bytes, &place->function) &&
	       take_string(a, head->file_bytes, &place->file) &&
	       take_string(a, head->instead_bytes, &place->instead);
}

/* Hands over all frames; returns how many lookups were answered to their end. */
static size_t take_answer(struct answer *a, const struct sc_lookup *lookups, size_t count,
			  sc_found_fn *found, void *context)
{
	struct sc_place place;
	struct head head;
	size_t done = 0;

	while (done < count && take_head(a, &head, &place))
		if (head.is_end)
			done++;
		else
			found(context, lookups[done].key, &place);
	return done;
}

/* Runs one child over the lookups; returns how many it answered. It was stopped if it sent too
 * much. */
static size_t run_once(const struct sc_lookup *lookups, size_t count,
		       const struct sc_debug_places *places, sc_found_fn *found, void *context,
		       bool *is_stopped)
{
	struct answer answer = {0};
	size_t done;
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return 0;
	child = fork();
	if (!child)
		run_child(ends[1], lookups, count, places);
	close(ends[1]);
	if (child > 0)
		read_answer(&answer.buf, ends[0]);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	done = take_answer(&answer, lookups, count, found, context);
	*is_stopped = answer.buf.bytes >= ANSWER_MAX;
	sc_buf_fini(&answer.buf);
	return done;
}

unsigned sc_worker_run(const struct sc_lookup *lookups, size_t count,
		       const struct sc_debug_places *places, sc_found_fn *found, void *context)
{
	unsigned given_up = 0;
	size_t at = 0;

	while (at < count) {
		const struct sc_map *bad;
		bool is_stopped;
		size_t done =
			run_once(lookups + at, count - at, places, found, context, &is_stopped);

		at += done;
		if (at == count)
			break;
		if (is_stopped && done)
			continue;
		bad = lookups[at].module;
		while (at < count && lookups[at].module == bad)
			at++;
		given_up++;
	}
	return given_up;
}
