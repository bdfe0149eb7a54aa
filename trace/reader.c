/* The trace reader: walks a trace file of which every byte may be hostile. */
#include "trace/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/assert.h"
#include "base/buf.h"
#include "base/heap.h"
#include "base/vector.h"
#include "trace/check.h"
#include "trace/definition.h"
#include "trace/given.h"
#include "trace/header.h"
#include "trace/lines.h"
#include "trace/remains.h"
#include "trace/slot.h"
#include "trace/slot_read.h"
#include "trace/splice.h"
#include "trace/text/text.h"
#include "trace/window.h"

struct sc_reader {
	struct sc_trace_header header;
	struct sc_window window;
	uint64_t at;	   /* next slot */
	uint64_t defined;  /* definitions before this slot were taken up */
	uint64_t missing;  /* slots that the header counts and the file lacks */
	bool is_unsealed;  /* it was closed, and what it says of its end is not what was written */
	bool in_gap;	   /* the slot before was reserved but never committed */
	bool is_live;	   /* sc_reader_set_end says how far it goes */
	uint64_t given;	   /* records before this slot were given back (trace/given.h) */
	uint64_t unjudged; /* so many of them, by a reader that is not this one */
	struct sc_remains *rest; /* borrowed, or `own_rest`: those that were kept */
	struct sc_remains own_rest;
	struct sc_reader_stats stats;
	struct sc_digest digest;
	struct sc_definitions definitions;
	struct sc_lines lines;
	struct sc_splice *splice;	/* borrowed; or NULL */
	const struct sc_filter *filter; /* borrowed, or NULL */
	struct sc_text_script script;	/* owned; of a trace in text form */
	char *slurped;			/* owned; that text */
	SC_VECTOR(uint8_t) attachments; /* owned; of the current record */
};

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

static void reset_stats(struct sc_reader *r)
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

/* Of the file's first bytes, of which `got` could be read; it has `bytes`. */
static int take_head(struct sc_reader *r, const uint8_t *head, size_t got, uint64_t bytes,
		     char *message, size_t message_bytes)
{
	struct sc_trace_header seal;
	int err;

	memset(&r->header, 0, sizeof(r->header));
	memcpy(&r->header, head, got < sizeof(r->header) ? got : sizeof(r->header));
	err = sc_header_check(&r->header, bytes, message, message_bytes);
	if (err)
		return err;
	if (got < SC_TRACE_HEADER) {
		sc_header_say(message, message_bytes, "byte %zu: cannot be read", got);
		return -EIO;
	}
	memcpy(&seal, head + SC_TRACE_SEAL, sizeof(seal));
	take_seal(r, &seal);
	return 0;
}

/* There is a window; a part of the trace may have been given back. */
static void begin(struct sc_reader *r, const uint8_t *head)
{
	struct sc_trace_given given;

	memcpy(&given, head + SC_TRACE_GIVEN, sizeof(given));
	reset_stats(r);
	r->given = given.slots < r->window.total ? given.slots : r->window.total;
	if (r->given)
		sc_digest_stop(&r->digest);
	r->unjudged = r->given && !given.records ? 1 : given.records; /* never unsaid */
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
	int err = take_head(r, data, bytes, bytes, message, message_bytes);

	if (err)
		return err;
	sc_window_init_memory(&r->window, data + SC_TRACE_HEADER, count_slots(r, bytes));
	begin(r, data);
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
	uint8_t head[SC_TRACE_HEADER];
	struct stat st;
	size_t got;
	int err;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return open_slurped(r, fd, message, message_bytes);
	got = sc_window_read(fd, head, sizeof(head), 0);
	if (!sc_header_is_binary(head, got))
		return open_slurped(r, fd, message, message_bytes);
	err = take_head(r, head, got, (uint64_t)st.st_size, message, message_bytes);
	if (err) {
		close(fd);
		return err;
	}
	sc_window_init_file(&r->window, fd, count_slots(r, (uint64_t)st.st_size));
	begin(r, head);
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
	sc_digest_fini(&r->digest);
	sc_definitions_fini(&r->definitions);
	sc_lines_fini(&r->lines);
	sc_text_script_fini(&r->script);
	free(r->slurped);
	sc_vector_fini(&r->attachments);
	free(r);
}

static inline void note_definition(struct sc_reader *r, const struct sc_record *record)
{
	sc_definitions_note(&r->definitions, record);
	r->stats.gaps[SC_GAP_definitions] = r->definitions.dropped;
}

/* Makes slots visible; true if that moved the window. What cannot be read is missing. */
static inline bool moved(struct sc_reader *r, uint64_t at, uint32_t n)
{
	uint64_t total = r->window.total;

	if (!sc_window_must_move(&r->window, at, n))
		return 0;
	sc_window_move(&r->window, at, n);
	r->missing += total - r->window.total;
	r->stats.is_cut |= total > r->window.total;
	return 1;
}

/* Appends slots to the attachments of the record at hand; returns the record's sum with them. */
static uint64_t take_slots(struct sc_reader *r, const uint8_t *slot, uint32_t n, uint64_t sum)
{
	size_t bytes = (size_t)n * SC_SLOT_DATA;
	uint8_t *to;

	sc_vector_reserve(&r->attachments, bytes);
	to = r->attachments.items + r->attachments.count;
	r->attachments.count += bytes;
	for (; n; n--, slot += SC_SLOT_SIZE, to += SC_SLOT_DATA) {
		memcpy(to, slot + sizeof(uint32_t), SC_SLOT_DATA);
		sum = sc_slot_join(sum,
				   sc_slot_sum(sc_slot_load_head(slot), slot + sizeof(uint32_t)));
	}
	return sum;
}

/* `n` slots after the first `passed` of the record at hand; NULL if they are not there. */
static const uint8_t *look_on(struct sc_reader *r, uint32_t passed, uint32_t n)
{
	uint64_t at = r->at + passed;

	if (r->at < r->given)
		return sc_remains_look(r->rest, passed, n);
	moved(r, at, SC_RECORD_SLOTS);
	return sc_window_look(&r->window, at, n);
}

/* The later parts of a record of which `*slots` are taken: right after each other. */
static uint64_t take_parts(struct sc_reader *r, uint32_t *slots, uint64_t sum)
{
	while (*slots <= SC_RECORD_MOST - SC_RECORD_SLOTS) {
		const uint8_t *slot = look_on(r, *slots, 1);
		uint32_t n = slot ? sc_slot_promised(sc_slot_load_head(slot), SC_SLOT_MORE) : 1;

		if (n < 2 && !(slot && sc_slot_load_head(slot) == SC_SLOT_MORE))
			return sum;
		if (!look_on(r, *slots, n) || !sc_slot_is_whole(slot, sc_slot_load_head(slot), n))
			return sum;
		sum = take_slots(r, slot, n, sum);
		*slots += n;
	}
	return sum;
}

/* Copies what is in the slots, and in the parts that follow; false if it makes no sense, or is not
 * what was written. */
static inline bool take_record(struct sc_reader *r, const uint8_t *slot, uint32_t *n,
			       struct sc_record *out)
{
	uint64_t check = sc_slot_word(slot + SC_SLOT_CHECK), sum = sc_slot_sum_read(slot);
	bool is_patched = sc_slot_is_patched_well(slot, r->header.closed == 1);
	struct sc_checked checked;

	sc_slot_take_op(slot, r->is_live, &out->op);
	out->sequence = r->at;
	out->attachment_bytes = out->access_count = 0;
	out->accesses = NULL;
	sc_vector_clear(&r->attachments);
	if (*n > 2)
		sum = take_slots(r, slot + 2 * SC_SLOT_SIZE, *n - 2, sum);
	if (*n == SC_RECORD_SLOTS)
		sum = take_parts(r, n, sum);
	out->attachments = r->attachments.items;
	if (sum != check || !is_patched || !sc_check_op(&out->op))
		return 0;
	if (*n == 2)
		return 1;
	if (!sc_check_attachments(r->attachments.items, (uint32_t)r->attachments.count, &checked))
		return 0;
	out->attachment_bytes = checked.used;
	out->access_count = checked.access_count;
	out->accesses = checked.accesses;
	return 1;
}

/* A slot that begins no record. What follows an uncommitted first slot was written by the process
 * that died before the commit; anything else is damage. */
static void skip_slot(struct sc_reader *r, uint32_t head)
{
	uint32_t type = SC_SLOT_TYPE(head);

	sc_assert(r->at < r->window.total);
	if (!head || (r->in_gap && (type == SC_SLOT_NEXT || type == SC_SLOT_MORE))) {
		r->stats.uncommitted++;
		r->in_gap = 1;
	} else {
		r->stats.damaged++;
		r->in_gap = 0;
	}
	r->at++;
}

/* Slots that are missing at the end: the disk was full or the process died while it made room,
 * which `lost` or the missing goodbye explain; else somebody cut the file. */
static void count_missing(struct sc_reader *r)
{
	uint64_t missing = r->missing;

	if (r->at == UINT64_MAX || r->is_live)
		return;
	r->at = UINT64_MAX;
	if (r->stats.closed && !r->stats.lost)
		r->stats.damaged += missing;
	else
		r->stats.uncommitted += missing;
}

/* The next slots that look like those of a record, and how many; NULL at the end. */
static inline __attribute__((always_inline)) const uint8_t *find_record(struct sc_reader *r,
									uint32_t *count)
{
	if (r->at < r->given) {
		const uint8_t *kept = sc_remains_next_record(r->rest, &r->at, r->given, count);

		if (kept)
			return kept;
	}
	while (r->at < r->window.total) {
		uint64_t passed = r->at - r->window.start;
		uint64_t left = passed < r->window.count ? r->window.count - passed : 0;
		const uint8_t *slot = r->window.data + passed * SC_SLOT_SIZE;
		uint32_t head, n;

		if (!left && moved(r, r->at, 1))
			continue;
		head = sc_slot_load_head(slot);
		n = sc_slot_promised(head, SC_SLOT_FIRST);
		if (n > left && moved(r, r->at, n))
			continue;
		if (n < 2 || n > left || !sc_slot_is_whole(slot, head, n)) {
			skip_slot(r, head);
			continue;
		}
		r->in_gap = 0;
		*count = n;
		return slot;
	}
	count_missing(r);
	return NULL;
}

static int next_of_file(struct sc_reader *r, struct sc_record *out)
{
	const uint8_t *slot;
	uint32_t n;

	while ((slot = find_record(r, &n))) {
		bool is_good = take_record(r, slot, &n, out);

		sc_assert(n >= 2 && n <= SC_RECORD_MOST);
		r->at += n;
		if (!is_good) {
			r->stats.damaged += n;
			continue;
		}
		r->stats.records++;
		sc_digest_note(&r->digest, out->sequence, &out->op);
		if (out->sequence >= r->defined) {
			r->defined = r->at;
			note_definition(r, out);
		}
		if (r->filter && !r->filter->is_kept(r->filter->data, out))
			continue;
		return 1;
	}
	return 0;
}

void sc_reader_set_filter(struct sc_reader *r, const struct sc_filter *f)
{
	r->filter = f;
}

int sc_reader_next(struct sc_reader *r, struct sc_record *out)
{
	struct sc_record record;

	if (!r->splice)
		return next_of_file(r, out);
	while (!sc_splice_take(r->splice, out)) {
		if (!next_of_file(r, &record))
			return 0;
		sc_splice_begin(r->splice, &record);
	}
	return 1;
}

/* The number by which a record of the file is known. */
static uint64_t number_of(const struct sc_reader *r, uint64_t place)
{
	return r->splice ? place * r->splice->room : place;
}

/* Where the walk stands, for what is looked up in between. */
struct aside {
	struct sc_reader_stats stats;
	uint64_t at, total, missing;
	bool in_gap;
};

static struct aside step_aside(const struct sc_reader *r)
{
	return (struct aside){r->stats, r->at, r->window.total, r->missing, r->in_gap};
}

/* What could not be read meanwhile may be read later on; if nobody is to look again it is lost. */
static void step_back(struct sc_reader *r, const struct aside *a)
{
	uint64_t lacks = a->total - r->window.total;

	r->at = a->at;
	r->in_gap = a->in_gap;
	r->stats = a->stats;
	r->missing = a->missing;
	r->window.total = a->total;
	r->stats.is_cut |= lacks > 0;
	if (!r->is_live)
		r->stats.damaged += lacks;
}

void sc_reader_visit(struct sc_reader *r, const struct sc_visit *v)
{
	const struct aside aside = step_aside(r);
	struct sc_digest_walk walk = {v->kinds, v->places, v->place_count, 0,
				      v->kinds && !r->splice ? 0 : UINT64_MAX};
	struct sc_op head = {0};
	struct sc_record record;
	const uint8_t *slot;
	uint32_t n;

	reset_stats(r);
	while (r->at = sc_digest_pass_by(&r->digest, &walk, r->at), (slot = find_record(r, &n))) {
		memcpy(&head, slot + sizeof(uint32_t), SC_SLOT_DATA);
		sc_digest_note(&r->digest, r->at, &head);
		if (v->is_wanted(v->data, &head, number_of(r, r->at)) &&
		    take_record(r, slot, &n, &record)) {
			if (r->splice)
				sc_splice_number(r->splice, &record);
			v->take(v->data, &record);
		}
		r->at += n;
	}
	step_back(r, &aside);
}

void sc_reader_limit(struct sc_reader *r, size_t definitions)
{
	r->definitions.most = definitions;
}

void sc_reader_set_end(struct sc_reader *r, uint64_t slots)
{
	sc_digest_stop(&r->digest);
	r->is_live = r->stats.running = 1;
	r->stats.is_cut = !sc_window_set_total(&r->window, slots);
}

void sc_reader_finish(struct sc_reader *r)
{
	uint8_t head[SC_TRACE_HEADER];
	struct stat st;
	size_t got;

	if (r->window.fd < 0 || fstat(r->window.fd, &st))
		return;
	got = sc_window_read(r->window.fd, head, sizeof(head), 0);
	if (take_head(r, head, got, (uint64_t)st.st_size, NULL, 0))
		return;
	sc_reader_set_end(r, count_slots(r, (uint64_t)st.st_size));
	r->is_live = r->stats.running = 0;
	r->stats.closed = r->header.closed == 1;
	r->stats.lost = r->header.lost;
	r->stats.damaged += r->is_unsealed;
	memcpy(r->stats.gaps, r->header.gaps, sizeof(r->stats.gaps));
	r->stats.gaps[SC_GAP_definitions] = r->definitions.dropped;
}

void sc_reader_give(struct sc_reader *r, struct sc_remains *rest, uint64_t slots)
{
	r->rest = rest;
	r->given = slots;
	sc_digest_stop(&r->digest);
}

bool sc_reader_had_phases(const struct sc_reader *r, const struct sc_kinds *kinds)
{
	return r->digest.is_off || sc_kinds_meet(&r->digest.phased, kinds);
}

bool sc_reader_is_whole(const struct sc_reader *r)
{
	return !r->given;
}

uint64_t sc_reader_given(const struct sc_reader *r)
{
	return r->given;
}

bool sc_reader_record(struct sc_reader *r, uint64_t sequence, struct sc_record *out)
{
	const struct aside aside = step_aside(r);
	uint64_t place = sc_reader_place(r, sequence);
	bool is_there;
	const uint8_t *slot;
	uint32_t n;

	r->at = place;
	slot = place < r->window.total ? find_record(r, &n) : NULL;
	is_there = slot && r->at == place && take_record(r, slot, &n, out);
	step_back(r, &aside);
	return is_there;
}

bool sc_reader_op(const struct sc_reader *r, uint64_t sequence, struct sc_op *out)
{
	uint64_t place = sc_reader_place(r, sequence);
	uint8_t slots[2 * SC_SLOT_SIZE];
	const uint8_t *kept;

	if (number_of(r, place) != sequence)
		return 0;
	if (place < r->given) {
		kept = sc_remains_next(r->rest, &place, place + 1);
		if (!kept)
			return 0;
		memcpy(slots, kept, sizeof(slots));
	} else if (!sc_window_copy(&r->window, place, 2, slots)) {
		return 0;
	}
	sc_slot_take_op(slots, r->is_live, out);
	return sc_check_op(out);
}

void sc_reader_rewind(struct sc_reader *r)
{
	reset_stats(r);
	sc_vector_clear(&r->lines.sequences);
	if (r->splice)
		sc_splice_rewind(r->splice);
}

void sc_reader_set_splice(struct sc_reader *r, struct sc_splice *s)
{
	r->splice = s;
}

uint64_t sc_reader_place(const struct sc_reader *r, uint64_t sequence)
{
	return r->splice ? sequence / r->splice->room : sequence;
}

const struct sc_trace_header *sc_reader_header(const struct sc_reader *r)
{
	return &r->header;
}

const struct sc_reader_stats *sc_reader_stats(const struct sc_reader *r)
{
	return &r->stats;
}

unsigned sc_reader_percent(const struct sc_reader *r)
{
	uint64_t at = r->at < r->window.total ? r->at : r->window.total;

	return r->window.total ? (unsigned)((double)at / (double)r->window.total * 100) : 100;
}

uint64_t sc_reader_expects(const struct sc_reader *r)
{
	uint64_t total = r->window.total, at = r->at < total ? r->at : total;
	uint64_t most = r->stats.records + (total - at) / 2; /* slots of the smallest record */
	double about = 9. / 8 * (double)r->stats.records * (double)total / (double)(at ? at : 1);

	return at < total / 8 || about > (double)most ? most : (uint64_t)about;
}

struct sc_lines *sc_reader_printed(const struct sc_reader *r)
{
	return (struct sc_lines *)&r->lines;
}

/* Looking up. */

const char *sc_reader_string(const struct sc_reader *r, uint32_t id)
{
	const char *text = sc_definitions_text(&r->definitions.strings, id);

	return text ? text : "";
}

const char *sc_reader_stack_python(const struct sc_reader *r, uint32_t id)
{
	const struct sc_stack_definition *stack = sc_definitions_stack(&r->definitions, id);

	return stack ? stack->python : "";
}

size_t sc_reader_stack(const struct sc_reader *r, uint32_t id, const uint64_t **frames)
{
	const struct sc_stack_definition *stack = sc_definitions_stack(&r->definitions, id);

	*frames = stack ? stack->frames : NULL;
	return stack ? stack->count : 0;
}

const char *sc_reader_function(const struct sc_reader *r, uint32_t id)
{
	const char *text = sc_definitions_text(&r->definitions.functions, id);

	return text ? text : "";
}

const char *sc_reader_name(const struct sc_reader *r, enum sc_naming what, uint32_t id)
{
	return sc_definitions_text(&r->definitions.names, sc_definitions_name_key(what, id));
}

size_t sc_reader_maps(const struct sc_reader *r, const struct sc_map **maps)
{
	*maps = r->definitions.maps.items;
	return r->definitions.maps.count;
}
