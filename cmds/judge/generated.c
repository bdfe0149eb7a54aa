/* Generated: entries compared without their first line, which people rewrite. */
#include "cmds/judge/generated.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "cmds/files/text_file.h"
#include "reports/output.h"

bool sc_generated_is_asked(const char *option)
{
	return *option && strcmp(option, "no") != 0;
}

/* What stands after the reason. */
static const char *patterns_of(const char *entry)
{
	const char *end = strchr(entry, '\n');

	return end ? end + 1 : entry;
}

/* The patterns with the values of `first` and `then` exchanged, which match the same findings. */
static void add_turned(struct sc_buf *out, const char *patterns)
{
	static const char first[] = "\nfirst = ", then[] = "\nthen = ";
	const char *one = strstr(patterns, first), *two = strstr(patterns, then), *end;
	const char *from = one ? one + strlen(first) : NULL;

	end = two ? strchr(two + 1, '\n') : NULL;
	if (!one || !end || two < one) {
		sc_buf_add(out, patterns);
		return;
	}
	sc_buf_add_bytes(out, patterns, (size_t)(from - patterns));
	two += strlen(then);
	sc_buf_add_bytes(out, two, (size_t)(end - two));
	sc_buf_add(out, then);
	sc_buf_add_bytes(out, from, strcspn(from, "\n"));
	sc_buf_add(out, end);
}

static bool has(const struct sc_buf *all, const char *entry)
{
	const char *patterns = patterns_of(entry);
	struct sc_buf turned = {0};
	bool found;

	add_turned(&turned, patterns);
	found = strstr(sc_buf_text(all), patterns) ||
		strstr(sc_buf_text(all), sc_buf_text(&turned));
	sc_buf_fini(&turned);
	return found;
}

void sc_generated_add(struct sc_buf *all, const char *entry)
{
	if (!has(all, entry))
		sc_buf_add(all, entry);
}

/* The entries of `all` that are not in `there`. */
static void add_new(struct sc_buf *out, const struct sc_buf *there, const struct sc_buf *all)
{
	const char *at = sc_buf_text(all);

	while (*at) {
		const char *end = strstr(at, "\n\n");
		size_t bytes = end ? (size_t)(end - at) + 2 : strlen(at);
		struct sc_buf entry = {0};

		sc_buf_add_bytes(&entry, at, bytes);
		if (!has(there, entry.text))
			sc_buf_add(out, entry.text);
		sc_buf_fini(&entry);
		at += bytes;
	}
}

static int add_to_file(const struct sc_buf *all, int fd, const char *path)
{
	struct sc_buf there = {0}, fresh = {0};
	char *text = NULL;
	size_t bytes = 0;
	int err = sc_text_file_read(path, &text, &bytes);

	if (!err) {
		sc_buf_add(&there, text);
		if (there.bytes && there.text[there.bytes - 1] != '\n')
			sc_buf_add_char(&fresh, '\n');
		add_new(&fresh, &there, all);
		err = sc_output_write_fd(fd, &fresh);
	}
	free(text);
	sc_buf_fini(&there);
	sc_buf_fini(&fresh);
	return err;
}

int sc_generated_write(const struct sc_buf *all, const char *option)
{
	int fd, err = 0;

	if (!all->bytes)
		return 0;
	if (!strcmp(option, "yes") || !strcmp(option, "-"))
		return sc_output_write_fd(STDOUT_FILENO, all);
	fd = sc_output_open_in_place(option, O_APPEND);
	if (fd < 0)
		return fd;
	while (flock(fd, LOCK_EX) && errno == EINTR)
		;
	err = add_to_file(all, fd, option);
	if (close(fd) && !err)
		err = -errno;
	return err;
}
