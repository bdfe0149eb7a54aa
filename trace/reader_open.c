/* The trace reader: opens a trace in either form, and says how far it goes. */
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/buf.h"
#include "base/heap.h"
#include "base/vector.h"
#include "trace/definition.h"
#include "trace/given.h"
#include "trace/header.h"
#include "trace/lines.h"
#include "trace/reader_state.h"
#include "trace/remains.h"
#include "trace/slot.h"
#include "trace/text.h"
#include "trace/window.h"

/* Of a closed trace the seal holds: a copy of the header as it was at the end. */
static void take_seal(struct sc_reader *r, const struct sc_trace_header *seal)
{
	if (r->header.closed != 1)
		return;
	r->is_unsealed = seal->check != sc_slot_check_header(seal) || seal->closed != 1 ||
			 seal->version != r->header.version;
	if (!r->is_unsealed)
		r->header = *seal;
}

/* The slots to walk over; the header counts the missing slots too. */
static uint64_t count_slots(struct sc_reader *r, uint64_t bytes)
{
	uint64_t slots = sc_header_slots(&r->header, bytes);

	r->missing = r->header.slots - slots;
	return slots;
}

void sc_reader_reset(struct sc_reader *r)
{
	r->stats = (struct sc_reader_stats){.lost = r->header.lost,
					    .damaged = r->is_unsealed,
					    .closed = r->header.closed == 1,
					    .running = r->is_live};
	memcpy(r->stats.gaps, r->header.gaps, sizeof(r->stats.gaps));
	r->stats.gaps[SC_GAP_given_back] += r->unjudged;
	r->stats.gaps[SC_GAP_definitions] = r->definitions.dropped; /* not the header's */
	r->at = 0;
	r->in_gap = 0;
}

/* Of a trace of which a part was given back. */
static void take_given(struct sc_reader *r, const struct sc_trace_given *given)
{
	r->given = given->slots < r->window.total ? given->slots : r->window.total;
	r->unjudged = r->given && !given->records ? 1 : given->records; /* never unsaid */
	r->stats.gaps[SC_GAP_given_back] += r->unjudged;
}

static struct sc_reader *new_reader(void)
{
	struct sc_reader *r = sc_heap_xcalloc(1, sizeof(*r));

	r->window.fd = -1;
	r->own_rest.fd = -1;
	r->rest = &r->own_rest;
	return r;
}

static int open_binary(struct sc_reader *r, const uint8_t *data, size_t bytes, char *message,
		       size_t message_bytes)
{
	struct sc_trace_header seal;
	struct sc_trace_given given;
	int err;

	memset(&r->header, 0, sizeof(r->header));
	memcpy(&r->header, data, bytes < sizeof(r->header) ? bytes : sizeof(r->header));
	err = sc_header_check(&r->header, bytes, message, message_bytes);
	if (err)
		return err;
	memcpy(&seal, data + SC_TRACE_SEAL, sizeof(seal));
	take_seal(r, &seal);
	sc_window_init_memory(&r->window, data + SC_TRACE_HEADER, count_slots(r, bytes));
	sc_reader_reset(r);
	memcpy(&given, data + SC_TRACE_GIVEN, sizeof(given));
	take_given(r, &given);
	return 0;
}

static int open_data(struct sc_reader *r, const void *data, size_t bytes, char *message,
		     size_t message_bytes)
{
	int err;

	if (sc_header_is_binary(data, bytes))
		return open_binary(r, data, bytes, message, message_bytes);
	if (!bytes) {
		sc_header_say(message, message_bytes, "byte 0: the file is empty");
		return -EINVAL;
	}
	if (!sc_header_is_readable(data, bytes)) {
		sc_header_say(message, message_bytes,
			      "byte 0: this is neither a trace nor the text of one");
		return -EINVAL;
	}
	err = sc_text_parse(&r->script, data, bytes, message, message_bytes);
	if (err)
		return err;
	return open_binary(r, r->script.trace, r->script.bytes, message, message_bytes);
}

int sc_reader_open_memory(struct sc_reader **out, const void *data, size_t bytes, char *message,
			  size_t message_bytes)
{
	struct sc_reader *r = new_reader();
	int err = open_data(r, data, bytes, message, message_bytes);

	if (err) {
		sc_reader_free(r);
		r = NULL;
	}
	*out = r;
	return err;
}

/* A text form, or a pipe: all of it comes into memory, unless its beginning is of neither form. */
static int open_slurped(struct sc_reader *r, int fd, char *message, size_t message_bytes)
{
	struct sc_buf text = {0};
	size_t bytes;
	int err = sc_header_add_head(&text, fd);

	if (!err && sc_header_is_readable(sc_buf_text(&text), text.bytes))
		err = sc_buf_add_file(&text, fd);
	close(fd);
	bytes = text.bytes;
	r->slurped = sc_buf_take(&text);
	if (err) {
		sc_header_say(message, message_bytes, "byte %zu: cannot be read: %s", bytes,
			      strerror(-err));
		return err;
	}
	return open_data(r, r->slurped, bytes, message, message_bytes);
}

/* Takes over the descriptor. */
static int open_descriptor(struct sc_reader *r, int fd, char *message, size_t message_bytes)
{
	struct sc_trace_header seal;
	struct sc_trace_given given;
	struct stat st;
	size_t got;
	int err;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return open_slurped(r, fd, message, message_bytes);
	got = sc_window_read(fd, &r->header, sizeof(r->header), 0);
	if (!sc_header_is_binary(&r->header, got))
		return open_slurped(r, fd, message, message_bytes);
	err = sc_header_check(&r->header, (uint64_t)st.st_size, message, message_bytes);
	if (err) {
		close(fd);
		return err;
	}
	if (sc_window_read(fd, &seal, sizeof(seal), SC_TRACE_SEAL) != sizeof(seal) ||
	    sc_window_read(fd, &given, sizeof(given), SC_TRACE_GIVEN) != sizeof(given)) {
		sc_header_say(message, message_bytes, "byte %d: the header cannot be read",
			      SC_TRACE_SEAL);
		close(fd);
		return -EIO;
	}
	take_seal(r, &seal);
	sc_window_init_file(&r->window, fd, count_slots(r, (uint64_t)st.st_size));
	sc_reader_reset(r);
	take_given(r, &given);
	return 0;
}

int sc_reader_open(struct sc_reader **out, const char *path, char *message, size_t message_bytes)
{
	struct sc_reader *r;
	int err, fd = open(path, O_RDONLY | O_CLOEXEC);

	*out = NULL;
	if (fd < 0) {
		err = -errno;
		sc_header_say(message, message_bytes, "cannot be opened: %s", strerror(-err));
		return err;
	}
	r = new_reader();
	err = open_descriptor(r, fd, message, message_bytes);
	if (!err && r->given)
		sc_remains_open(&r->own_rest, path);
	if (err)
		sc_reader_free(r);
	else
		*out = r;
	return err;
}

void sc_reader_free(struct sc_reader *r)
{
	if (!r)
		return;
	sc_window_fini(&r->window);
	sc_remains_fini(&r->own_rest);
	sc_definitions_fini(&r->definitions);
	sc_lines_fini(&r->lines);
	sc_text_script_fini(&r->script);
	free(r->slurped);
	sc_vector_fini(&r->attachments);
	free(r);
}

void sc_reader_set_end(struct sc_reader *r, uint64_t slots)
{
	r->is_live = r->stats.running = 1;
	r->stats.is_cut = !sc_window_set_total(&r->window, slots);
}

void sc_reader_finish(struct sc_reader *r)
{
	struct sc_trace_header head[2] = {0};
	struct stat st;

	if (r->window.fd < 0 || fstat(r->window.fd, &st) || st.st_size < SC_TRACE_HEADER ||
	    sc_window_read(r->window.fd, &head[0], sizeof(*head), 0) != sizeof(*head) ||
	    sc_window_read(r->window.fd, &head[1], sizeof(*head), SC_TRACE_SEAL) != sizeof(*head))
		return;
	r->header = head[0];
	take_seal(r, &head[1]);
	sc_reader_set_end(r, count_slots(r, (uint64_t)st.st_size));
	r->is_live = r->stats.running = 0;
	r->stats.closed = r->header.closed == 1;
	r->stats.lost = r->header.lost;
	r->stats.damaged += r->is_unsealed;
	memcpy(r->stats.gaps, r->header.gaps, sizeof(r->stats.gaps));
	r->stats.gaps[SC_GAP_definitions] = r->definitions.dropped;
}
