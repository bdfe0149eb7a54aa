/* The file of notes, one for each process. */
#include "simulator/driver/tool/notes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "simulator/driver/kernel/tally.h"

static char path[PATH_MAX]; /* "": nobody wants notes */
static uint64_t written;
static bool has_names = true;

void sim_notes_init(void)
{
	const char *folder = getenv("STREAMCHECK_SIM_NOTES");
	int length;

	if (!folder || !*folder)
		return;
	length = snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
	if (length < 0 || (size_t)length >= sizeof(path))
		path[0] = '\0';
}

void sim_notes_stop_names(void)
{
	has_names = false;
}

static void append(struct sc_sim_note *note, const void *data, size_t bytes)
{
	struct iovec parts[2] = {{note, sizeof(*note)}, {(void *)data, bytes}};
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || writev(fd, parts, bytes ? 2 : 1) != (ssize_t)(sizeof(*note) + bytes))
		path[0] = '\0'; /* what is there ends with this note */
	if (fd >= 0)
		close(fd);
}

void sim_notes_put(struct sc_sim_note note, const void *data, size_t bytes)
{
	struct sc_sim_note full = {.magic = SC_NOTE_MAGIC, .kind = SC_NOTE_FULL};

	if (!path[0])
		return;
	written += sizeof(note) + bytes;
	if (written + sizeof(full) > SC_NOTE_FILE_MAX) {
		append(&full, NULL, 0);
		path[0] = '\0';
		return;
	}
	note.magic = SC_NOTE_MAGIC;
	note.data_bytes = bytes;
	append(&note, data, bytes);
}

void sim_notes_name(struct sc_sim_note note, const char *text)
{
	note.number[0] = sim_tally_current();
	if (!path[0] || (!has_names && !note.number[0]))
		return;
	sim_notes_put(note, text, strlen(text));
}
