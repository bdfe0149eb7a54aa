/* In a process of ptxas: its text is left in the run's folder for the process that loads the code.
 *
 * Compilers (XLA, Triton, nvcc behind CuPy) run ptxas on files that they remove, and load what it
 * made. It is a child like any other, so this library is in it, and sees at its end what it was
 * given and what came of it. Only under `streamcheck run`, whose folder all its processes know.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "interposer/core/arena.h"
#include "interposer/core/module.h"
#include "interposer/core/raw.h"
#include "interposer/core/scratch.h"
#include "interposer/core/session.h"
#include "interposer/object/image.h"
#include "interposer/object/text_cache.h"

#define LINE_BYTES (64u << 10) /* of a command line that is read */

/* What the command line says; NULL: nothing, or more than one thing. */
struct command {
	const char *text, *code;
};

static int open_file(const char *path)
{
	return (int)sc_raw(SYS_openat, (uint64_t)AT_FDCWD, (uint64_t)path,
			   O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, 0, 0, 0);
}

static long read_some(int file, void *to, size_t bytes)
{
	return sc_raw(SYS_read, (uint64_t)file, (uint64_t)to, bytes, 0, 0, 0);
}

static void close_file(int file)
{
	sc_raw(SYS_close, (uint64_t)file, 0, 0, 0, 0, 0);
}

/* The arguments, one after the other, each with its zero; 0 bytes if they are too long. */
static size_t read_arguments(char *line)
{
	int file = open_file("/proc/self/cmdline");
	size_t used = 0;
	long got = 0;

	while (file >= 0 && used < LINE_BYTES &&
	       (got = read_some(file, line + used, LINE_BYTES - used)) > 0)
		used += (size_t)got;
	if (file >= 0)
		close_file(file);
	return used < LINE_BYTES && used && !line[used - 1] ? used : 0;
}

/* Some write the file first, with any name; others after options, whose values look alike. */
static bool is_text(const char *argument, bool is_first)
{
	size_t length = strlen(argument);

	return argument[0] != '-' &&
	       (is_first || (length > 4 && !strcmp(argument + length - 4, ".ptx")));
}

static struct command parse(const char *line, size_t bytes)
{
	struct command c = {NULL, NULL};
	const char *first = line + strlen(line) + 1;
	bool is_code_next = false;

	for (const char *a = first; a < line + bytes; a += strlen(a) + 1) {
		if (is_code_next)
			c.code = a;
		else if (!strncmp(a, "--output-file=", 14))
			c.code = a + 14;
		else if (is_text(a, a == first) && c.text)
			return (struct command){NULL, NULL};
		else if (is_text(a, a == first))
			c.text = a;
		is_code_next = !is_code_next && (!strcmp(a, "-o") || !strcmp(a, "--output-file"));
	}
	return c;
}

/* Whether all of a file went into another. */
static bool copy_bytes(int from, int to, uint8_t *room)
{
	long got;

	while ((got = read_some(from, room, SC_SCRATCH_BYTES)) > 0)
		for (long done = 0, put; done < got; done += put) {
			put = sc_raw(SYS_write, (uint64_t)to, (uint64_t)(room + done),
				     (uint64_t)(got - done), 0, 0, 0);
			if (put <= 0)
				return false;
		}
	return got == 0;
}

static void leave(const char *text, struct sc_image_identity code)
{
	uint8_t *room = sc_thread_scratch();
	int from = room ? open_file(text) : -1;
	struct sc_new_text new;

	if (from < 0)
		return;
	if (sc_text_cache_begin(&new, SC_VARIABLE_COLLECT, code))
		sc_text_cache_end(&new, copy_bytes(from, new.file, room));
	close_file(from);
}

static void leave_text(int status)
{
	struct sc_image_identity code;
	struct command command;
	char *line;

	if (status || strcmp(program_invocation_short_name, "ptxas") != 0)
		return;
	line = sc_arena_get(LINE_BYTES);
	if (!line)
		return;
	command = parse(line, read_arguments(line));
	if (!command.text || !command.code)
		return;
	sc_session.process = (int)sc_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	sc_options_init(&sc_session.options);
	code = sc_image_identify_file(command.code);
	if (code.hash)
		leave(command.text, code);
}

/* ---- the module ---- */

const struct sc_module sc_module_assembler = {.unused = leave_text};
