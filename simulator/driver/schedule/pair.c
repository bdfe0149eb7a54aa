/* Holding one op of a pair back, and looking at the bytes on the way. */
#include "simulator/driver/schedule/pair.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulator/driver/call.h"
#include "simulator/driver/driver.h"
#include "simulator/driver/kernel/execute.h"
#include "simulator/driver/memory/hostmem.h"
#include "simulator/driver/tool/notes.h"
#include "simulator/driver/schedule/schedule.h"
#include "simulator/driver/context/thread.h"

#define GRACE_NS 200000000u	      /* for other threads, to enqueue what is to be first */
#define LIMIT_NS UINT64_C(2000000000) /* without anything that runs */
#define LOOK_NS	 5000000u

struct side {
	bool is_host;
	uint64_t stream;
	uint64_t number;
	struct sim_op *op; /* counted; NULL: not submitted yet */
};

/* Whose bytes they are: an allocation's, or those of one side of a copy. */
enum base { NO_MEMORY, ALLOCATION, DESTINATION, SOURCE };

static struct {
	bool is_on;
	bool is_decided; /* nothing is held any more */
	struct side side[2];
	enum base base;
	uint64_t id, offset, bytes;
	uint64_t held_ns;     /* the second has been held since, while nothing ran; 0: not yet */
	uint64_t demanded_ns; /* it has been demanded since */
	uint64_t thread;      /* that submitted the op which the host is concerned with, or 0 */
} pair;

/* Takes digits up to `end`; 0 for none is none. */
static bool take_number(const char **text, char end, uint64_t *value)
{
	char *stop;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*value = strtoull(*text, &stop, 10);
	if (errno || *stop != end)
		return false;
	*text = stop + (end != '\0');
	return true;
}

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool take_side(const char **text, char end, struct side *side)
{
	if (take_word(text, "host")) {
		side->is_host = true;
		if (**text != end)
			return false;
		*text += end != '\0';
		return true;
	}
	return take_number(text, '.', &side->stream) && take_number(text, end, &side->number) &&
	       side->number;
}

static bool take_memory(const char **text)
{
	bool has_host = pair.side[0].is_host || pair.side[1].is_host;

	if (has_host && take_word(text, "dst+"))
		pair.base = DESTINATION;
	else if (has_host && take_word(text, "src+"))
		pair.base = SOURCE;
	else if (take_number(text, '+', &pair.id))
		pair.base = ALLOCATION;
	return pair.base && take_number(text, '+', &pair.offset) &&
	       take_number(text, '\0', &pair.bytes);
}

static bool is_same(const struct side *a, const struct side *b)
{
	return a->is_host == b->is_host && a->stream == b->stream && a->number == b->number;
}

static bool read_pair(const char *text)
{
	const char *comma = strchr(text, ',');
	bool has_memory = comma && strchr(comma + 1, ',');

	if (!take_side(&text, ',', &pair.side[0]) ||
	    !take_side(&text, has_memory ? ',' : '\0', &pair.side[1]) ||
	    is_same(&pair.side[0], &pair.side[1]))
		return false;
	return !has_memory || take_memory(&text);
}

void sim_pair_init(void)
{
	const char *text = getenv("STREAMCHECK_SIM_PAIR");

	if (!text || !*text)
		return;
	sim_notes_stop_names();
	pair.is_on = read_pair(text);
	if (!pair.is_on)
		sim_call_unsupported("this value of STREAMCHECK_SIM_PAIR");
}

static void decide(enum sc_sim_note_order order)
{
	pair.is_decided = true;
	sim_notes_put((struct sc_sim_note){.kind = SC_NOTE_ORDER, .number = {order}}, NULL, 0);
}

/* Does the op come after `before`, directly or not? Each pending op is visited once. */
static bool depends(struct sim_op *op, const struct sim_op *before)
{
	static uint64_t search;
	struct sim_op *visits = op, *next;
	size_t i;

	search++;
	op->next_found = NULL;
	while ((op = visits)) {
		visits = op->next_found;
		if (op == before)
			return true;
		for (i = 0; i < op->before_count; i++) {
			next = op->before[i];
			if (next->search == search || sim_op_is_done(next))
				continue;
			next->search = search;
			next->next_found = visits;
			visits = next;
		}
	}
	return false;
}

static bool is_named(const struct side *side, uint64_t stream_id, uint64_t number)
{
	return !side->is_host && side->stream == stream_id && side->number == number;
}

static int side_of(const struct sim_op *op)
{
	int i;

	for (i = 0; pair.is_on && i < 2; i++)
		if (pair.side[i].op == op)
			return i;
	return -1;
}

static const char *kernel_of(const struct sim_op *op)
{
	return op->work.kind == SIM_WORK_KERNEL ? sim_run_name(op->work.kernel.run) : "";
}

/* What is done, with SC_NOTE_SKIPPED. */
static uint64_t work_of(const struct sim_op *op)
{
	bool is_skipped = op->work.kind == SIM_WORK_KERNEL && !op->work.kernel.run;

	return (uint64_t)op->work.kind | (is_skipped ? SC_NOTE_SKIPPED : 0);
}

/* For the next run, which can name the op in a pair. */
static void note_name(const struct sim_op *op)
{
	const struct sim_copy *copy = op->work.kind == SIM_WORK_COPY ? &op->work.copy : NULL;

	sim_notes_name((struct sc_sim_note){.kind = SC_NOTE_OP,
					    .number = {0, op->stream_id, op->number, work_of(op),
						       copy ? copy->dst.address : 0,
						       copy ? copy->src.address : 0, op->place}},
		       kernel_of(op));
}

static void meet(struct sim_op *op, int i)
{
	const char *name = kernel_of(op);
	struct sc_sim_note note = {.kind = SC_NOTE_MET, .number = {(uint64_t)i, work_of(op)}};

	sim_op_set(&pair.side[i].op, op);
	sim_notes_put(note, name, strlen(name));
	if (pair.side[!i].is_host)
		pair.thread = sim_thread_self()->id;
	if (pair.side[0].op && pair.side[1].op && depends(pair.side[0].op, pair.side[1].op))
		decide(SC_ORDER_DEPENDS);
	else if (!i && pair.side[1].op && pair.side[1].op->is_demanded)
		sim_schedule_demand(op);
}

bool sim_pair_is_on(void)
{
	return pair.is_on;
}

void sim_pair_submit(struct sim_op *op)
{
	int i;

	note_name(op);
	for (i = 0; pair.is_on && i < 2; i++)
		if (!pair.side[i].op && is_named(&pair.side[i], op->stream_id, op->number))
			meet(op, i);
}

struct sim_op *sim_pair_needs(const struct sim_op *op)
{
	if (!pair.is_on || pair.is_decided || op != pair.side[1].op)
		return NULL;
	if (!op->is_demanded)
		return NULL;
	pair.demanded_ns = sim_now_ns();
	return pair.side[0].op;
}

bool sim_pair_defers(uint64_t stream_id, uint64_t number)
{
	return pair.is_on && is_named(&pair.side[1], stream_id, number);
}

bool sim_pair_begins_early(uint64_t stream_id, uint64_t number)
{
	return pair.is_on && (is_named(&pair.side[0], stream_id, number) ||
			      is_named(&pair.side[1], stream_id, number));
}

/* Has the first of them had its turn, or can it not be waited for any longer? */
static bool is_over(const struct sim_op *op, uint64_t now, bool is_busy)
{
	const struct side *first = &pair.side[0];
	bool is_demanded = op->is_demanded;

	if (first->is_host && is_demanded)
		decide(pair.thread ? SC_ORDER_DEMANDED : SC_ORDER_MADE);
	else if (first->op && sim_op_is_done(first->op))
		decide(SC_ORDER_MADE);
	else if (!first->is_host && !first->op && is_demanded && now >= pair.demanded_ns + GRACE_NS)
		decide(SC_ORDER_DEMANDED);
	else if (is_busy || !pair.held_ns)
		pair.held_ns = now;
	else if (now >= pair.held_ns + LIMIT_NS)
		decide(SC_ORDER_TIME);
	return pair.is_decided;
}

bool sim_pair_holds(const struct sim_op *op, uint64_t now, bool is_busy, uint64_t *wake_ns)
{
	if (!pair.is_on || pair.is_decided || op != pair.side[1].op || is_over(op, now, is_busy))
		return false;
	if (now + LOOK_NS < *wake_ns)
		*wake_ns = now + LOOK_NS;
	return true;
}

/* The operand of a copy or fill, and how many bytes it spans. */
static const struct sim_operand *operand_of(const struct sim_op *op, uint64_t *span)
{
	const struct sim_copy *copy = &op->work.copy;
	const struct sim_operand *operand = pair.base == SOURCE ? &copy->src : &copy->dst;

	if (op->work.kind != SIM_WORK_COPY || !copy->depth || !copy->height)
		return NULL;
	*span = (copy->depth - 1) * operand->slice_bytes +
		(copy->height - 1) * operand->pitch_bytes + copy->width_bytes;
	return operand;
}

/* Where the range is; false if it is nowhere (any more). *bytes NULL: through hostmem. */
static bool find_range(const struct sim_op *op, const char **bytes, uintptr_t *address)
{
	const struct sim_alloc *alloc;
	const struct sim_operand *operand;
	uint64_t span = 0;

	if (pair.base == ALLOCATION) {
		alloc = sim_memory_find_id(pair.id);
		if (!alloc || pair.offset > alloc->size_bytes ||
		    pair.bytes > alloc->size_bytes - pair.offset)
			return false;
		*address = alloc->base + pair.offset;
		*bytes = sim_memory_bytes(alloc, *address);
		return true;
	}
	operand = operand_of(op, &span);
	if (!operand || pair.offset > span || pair.bytes > span - pair.offset)
		return false;
	*address = operand->address + pair.offset;
	*bytes = operand->bytes ? operand->bytes + pair.offset : NULL;
	return true;
}

static void note_range(enum sc_sim_note_kind kind, int which, const struct sim_op *op)
{
	struct sc_sim_note note = {.kind = kind, .number = {(uint64_t)which}};
	uint64_t size = pair.bytes < SC_NOTE_RANGE_MAX ? pair.bytes : SC_NOTE_RANGE_MAX;
	const char *bytes = NULL;
	uintptr_t address = 0;
	char *copy = NULL;

	if (pair.base != NO_MEMORY && find_range(op, &bytes, &address))
		copy = malloc(size + 1);
	if (!copy)
		return;
	if (bytes)
		memcpy(copy, bytes, size);
	if (bytes || sim_hostmem_read(copy, address, size))
		sim_notes_put(note, copy, size);
	free(copy);
}

void sim_pair_begin(const struct sim_op *op)
{
	int which = side_of(op);

	if (which >= 0)
		note_range(SC_NOTE_BEFORE, which, op);
}

static bool read_row(char *to, const struct sim_operand *from, uint64_t offset, size_t size)
{
	if (!from->bytes)
		return sim_hostmem_read(to, from->address + offset, size);
	memcpy(to, from->bytes + offset, size);
	return true;
}

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
	return hash;
}

/* What a copy has brought to the host, as far as memory is there. */
static void note_delivered(const struct sim_op *op, const struct sim_copy *copy)
{
	struct sc_sim_note note = {
		.kind = SC_NOTE_DELIVERED,
		.number = {op->stream_id, op->number, 0, UINT64_C(0xCBF29CE484222325)}};
	char *row = malloc(copy->width_bytes + 1), first[SC_NOTE_DELIVERED_MAX];
	size_t slice, line, kept = 0, part;

	for (slice = 0; row && slice < copy->depth; slice++)
		for (line = 0; line < copy->height; line++) {
			if (!read_row(row, &copy->dst,
				      slice * copy->dst.slice_bytes + line * copy->dst.pitch_bytes,
				      copy->width_bytes))
				break;
			part = sizeof(first) - kept;
			part = part < copy->width_bytes ? part : copy->width_bytes;
			memcpy(first + kept, row, part);
			kept += part;
			note.number[2] += copy->width_bytes;
			note.number[3] = digest(note.number[3], row, copy->width_bytes);
		}
	free(row);
	sim_notes_put(note, first, kept);
}

static bool is_host(enum sim_place place)
{
	return place == SIM_PLACE_PAGEABLE || place == SIM_PLACE_PINNED ||
	       place == SIM_PLACE_REGISTERED;
}

void sim_pair_end(const struct sim_op *op)
{
	int which = side_of(op);
	const struct sim_copy *copy = &op->work.copy;

	if (which >= 0)
		note_range(SC_NOTE_AFTER, which, op);
	if (!pair.is_on || op->work.kind != SIM_WORK_COPY)
		return;
	for (; copy; copy = copy->next)
		if (is_host(copy->dst.place) && copy->width_bytes)
			note_delivered(op, copy);
}

static void wait_a_while(void)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / 1000000000;
	at.tv_nsec %= 1000000000;
	sim_driver.waiters++;
	pthread_cond_timedwait(&sim_driver.changed, &sim_driver.lock, &at);
	sim_driver.waiters--;
}

/* Is the op done, after it was demanded and had its time? */
static bool wait_for(struct sim_op *op)
{
	uint64_t since = sim_now_ns();

	sim_schedule_demand(op);
	while (!sim_op_is_done(op) &&
	       (op->state == SIM_OP_RUNNING || sim_now_ns() < since + LIMIT_NS))
		wait_a_while();
	return sim_op_is_done(op);
}

void sim_pair_await(uint64_t stream_id, uint64_t number)
{
	if (pair.is_on && !pair.is_decided && pair.side[0].op &&
	    is_named(&pair.side[1], stream_id, number) && !wait_for(pair.side[0].op))
		decide(SC_ORDER_TIME);
}

void sim_pair_settle(void)
{
	if (!pair.thread || pair.thread != sim_thread_self()->id)
		return;
	pair.thread = 0;
	if (pair.side[1].is_host && !pair.is_decided)
		decide(wait_for(pair.side[0].op) ? SC_ORDER_MADE : SC_ORDER_TIME);
}
