/* Command line: /proc/self/cmdline, word by word. */
#include "interposer/core/command_line.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "base/shell.h"
#include "base/sys.h"

#define WORDS_MOST 4096 /* bytes that are read: twice what fits */
#define CUT	   "…"

struct line {
	char *out;
	size_t room, bytes;
	bool is_cut;
};

static void put(struct line *l, const char *text, size_t bytes)
{
	l->is_cut |= bytes > l->room - l->bytes;
	if (l->is_cut)
		return;
	memcpy(l->out + l->bytes, text, bytes);
	l->bytes += bytes;
}

static void put_word(struct line *l, const char *word, size_t bytes)
{
	bool is_plain = bytes > 0;

	for (size_t i = 0; i < bytes && is_plain; i++)
		is_plain = !strchr(SC_SHELL_SPECIAL, word[i]);
	if (is_plain) {
		put(l, word, bytes);
		return;
	}
	put(l, "'", 1);
	for (size_t i = 0; i < bytes; i++)
		if (word[i] == '\'')
			put(l, "'\\''", 4);
		else
			put(l, &word[i], 1);
	put(l, "'", 1);
}

size_t sc_command_line_quote(char *out, size_t room, const char *words, size_t count)
{
	struct line l = {.out = out, .room = room - strlen(CUT) - 1};
	size_t whole = 0; /* bytes of the words that fit */

	for (size_t at = 0; at < count && !l.is_cut; at++) {
		const char *end = memchr(words + at, '\0', count - at);
		size_t bytes = end ? (size_t)(end - words) - at : count - at;

		whole = l.bytes;
		if (at)
			put(&l, " ", 1);
		put_word(&l, words + at, bytes);
		at += bytes;
	}
	if (!l.is_cut)
		return l.bytes;
	if (whole)
		out[whole++] = ' ';
	memcpy(out + whole, CUT, strlen(CUT));
	return whole + strlen(CUT);
}

size_t sc_command_line_read(char *out, size_t room)
{
	int fd = sc_sys_open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC, 0);
	char words[WORDS_MOST];
	ssize_t count = fd < 0 ? 0 : sc_sys_read(fd, words, sizeof(words));

	if (fd >= 0)
		sc_sys_close(fd);
	while (count > 0 && !words[count - 1]) /* programs that set their title leave many */
		count--;
	return count > 0 ? sc_command_line_quote(out, room, words, (size_t)count) : 0;
}
