/* Notes: one file, walked from its start. */
#include "cmds/check/sim_notes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/heap.h"

/* Names of files of notes are numbers of processes. */
static bool is_notes(const char *name)
{
	return *name && !name[strspn(name, "0123456789")];
}

static void read_all(struct sc_sim_notes *n, int fd)
{
	struct stat st;
	size_t size;
	ssize_t got = 1;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= 0)
		return;
	size = st.st_size < (off_t)SC_NOTE_FILE_MAX ? (size_t)st.st_size : SC_NOTE_FILE_MAX;
	n->data = sc_heap_xcalloc(size, 1);
	while (n->bytes < size && got) {
		got = read(fd, n->data + n->bytes, size - n->bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return;
		n->bytes += (size_t)got;
	}
}

static void take_file(struct sc_sim_notes *n, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (!n->files++ && fd >= 0)
		read_all(n, fd);
	if (fd >= 0)
		close(fd);
	unlink(path);
}

void sc_sim_notes_take(struct sc_sim_notes *n, const char *folder)
{
	DIR *entries = opendir(folder);
	const struct dirent *entry;
	char path[PATH_MAX];

	*n = (struct sc_sim_notes){0};
	while (entries && (entry = readdir(entries)))
		if (is_notes(entry->d_name) && snprintf(path, sizeof(path), "%s/%s", folder,
							entry->d_name) < (int)sizeof(path))
			take_file(n, path);
	if (entries)
		closedir(entries);
}

void sc_sim_notes_fini(struct sc_sim_notes *n)
{
	free(n->data);
	*n = (struct sc_sim_notes){0};
}

bool sc_sim_notes_next(const struct sc_sim_notes *n, size_t *position, struct sc_sim_note *note,
		       const char **data)
{
	size_t left = n->bytes - *position;

	if (left < sizeof(*note))
		return 0;
	memcpy(note, n->data + *position, sizeof(*note));
	left -= sizeof(*note);
	if (note->magic != SC_NOTE_MAGIC || note->data_bytes > left)
		return 0;
	*data = n->data + *position + sizeof(*note);
	*position += sizeof(*note) + note->data_bytes;
	return 1;
}

bool sc_sim_notes_find(const struct sc_sim_notes *n, enum sc_sim_note_kind kind, uint64_t which,
		       struct sc_sim_note *note, const char **data)
{
	size_t position = 0;

	while (sc_sim_notes_next(n, &position, note, data))
		if (note->kind == kind && note->number[0] == which)
			return 1;
	return 0;
}

bool sc_sim_notes_find_kind(const struct sc_sim_notes *n, enum sc_sim_note_kind kind,
			    struct sc_sim_note *note, const char **data)
{
	size_t position = 0;

	while (sc_sim_notes_next(n, &position, note, data))
		if (note->kind == kind)
			return 1;
	return 0;
}
