/* The file of notes, one for each process. */
#include "simulator/driver/notes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "simulator/driver/execute.h"
#include "simulator/driver/tally.h"

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

static void append(struct sc_note *note, const void *data, size_t bytes)
{
	struct iovec parts[2] = {{note, sizeof(*note)}, {(void *)data, bytes}};
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || writev(fd, parts, bytes ? 2 : 1) != (ssize_t)(sizeof(*note) + bytes))
		path[0] = '\0'; /* what is there ends with this note */
	if (fd >= 0)
		close(fd);
}

void sim_notes_put(struct sc_note note, const void *data, size_t bytes)
{
	struct sc_note full = {.magic = SC_NOTE_MAGIC, .kind = SC_NOTE_FULL};

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

uint64_t sim_notes_work(const struct sim_op *op)
{
	bool is_skipped = op->work.kind == SIM_WORK_KERNEL && !op->work.kernel.run;

	return (uint64_t)op->work.kind | (is_skipped ? SC_NOTE_SKIPPED : 0);
}

const char *sim_notes_kernel(const struct sim_op *op)
{
	return op->work.kind == SIM_WORK_KERNEL ? sim_run_name(op->work.kernel.run) : "";
}

void sim_notes_op(const struct sim_op *op)
{
	const char *name = sim_notes_kernel(op);
	struct sc_note note = {
		.kind = SC_NOTE_OP,
		.number = {sim_tally_current(), op->stream_id, op->number, sim_notes_work(op)}};

	if (!path[0] || !has_names)
		return;
	note.number[6] = op->place;
	if (op->work.kind == SIM_WORK_COPY) {
		note.number[4] = op->work.copy.dst.address;
		note.number[5] = op->work.copy.src.address;
	}
	sim_notes_put(note, name, strlen(name));
}

void sim_notes_memory(const struct sim_alloc *alloc)
{
	struct sc_note note = {
		.kind = SC_NOTE_MEMORY,
		.number = {sim_tally_current(), alloc->id, alloc->base, alloc->size_bytes}};

	if (path[0] && has_names)
		sim_notes_put(note, NULL, 0);
}
