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

struct pair {
	bool is_decided; /* it holds nothing any more */
	struct side side[2];
	enum base base;
	uint64_t id, offset, bytes;
	uint64_t held_ns;     /* the second has been held since, while nothing ran; 0: not yet */
	uint64_t demanded_ns; /* it has been demanded since */
	uint64_t thread;      /* that submitted the op after which the host's turn comes, or 0 */
	bool has_returned;    /* and from whose call it has returned */
};

static struct pair *pairs; /* the process's; never freed */
static size_t pair_count;

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
		if (!take_word(text, "@")) {
			if (**text != end)
				return false;
			*text += end != '\0';
			return true;
		}
	}
	return take_number(text, '.', &side->stream) && take_number(text, end, &side->number) &&
	       side->number;
}

static bool take_memory(struct pair *pair, const char **text)
{
	bool has_host = pair->side[0].is_host || pair->side[1].is_host;

	if (has_host && take_word(text, "dst+"))
		pair->base = DESTINATION;
	else if (has_host && take_word(text, "src+"))
		pair->base = SOURCE;
	else if (take_number(text, '+', &pair->id))
		pair->base = ALLOCATION;
	return pair->base && take_number(text, '+', &pair->offset) &&
	       take_number(text, '\0', &pair->bytes);
}

static bool is_same(const struct side *a, const struct side *b)
{
	if (a->is_host || b->is_host)
		return a->is_host && b->is_host;
	return a->stream == b->stream && a->number == b->number;
}

static bool read_pair(struct pair *pair, const char *text)
{
	const char *comma = strchr(text, ',');
	bool has_memory = comma && strchr(comma + 1, ',');

	if (!take_side(&text, ',', &pair->side[0]) ||
	    !take_side(&text, has_memory ? ',' : '\0', &pair->side[1]) ||
	    is_same(&pair->side[0], &pair->side[1]))
		return false;
	return !has_memory || take_memory(pair, &text);
}

/* Reads pairs with a ';' between two. */
static bool read_pairs(char *text)
{
	struct pair *grown;
	char *one, *rest = text;

	while ((one = strsep(&rest, ";"))) {
		grown = realloc(pairs, (pair_count + 1) * sizeof(*pairs));
		if (!grown)
			return false;
		pairs = grown;
		pairs[pair_count] = (struct pair){0};
		if (!read_pair(&pairs[pair_count++], one))
			return false;
	}
	return true;
}

void sim_pair_init(void)
{
	const char *value = getenv("STREAMCHECK_SIM_PAIR");
	char *text = value && *value ? strdup(value) : NULL;

	if (!text)
		return;
	sim_notes_stop_names();
	if (!read_pairs(text)) {
		pair_count = 0;
		sim_call_unsupported("this value of STREAMCHECK_SIM_PAIR");
	}
	free(text);
}

static void decide(struct pair *pair, enum sc_sim_note_order order)
{
	pair->is_decided = true;
	sim_notes_put((struct sc_sim_note){.kind = SC_NOTE_ORDER,
					   .number = {order, (uint64_t)(pair - pairs)}},
		      NULL, 0);
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

/* Which operation of which pair a note is about. */
static uint64_t which(const struct pair *pair, int i)
{
	return (uint64_t)(pair - pairs) * 2 + (uint64_t)i;
}

static void meet(struct pair *pair, struct sim_op *op, int i)
{
	const char *name = kernel_of(op);
	struct sc_sim_note note = {.kind = SC_NOTE_MET, .number = {which(pair, i), work_of(op)}};

	sim_op_set(&pair->side[i].op, op);
	sim_notes_put(note, name, strlen(name));
	if (pair->side[!i].is_host && !pair->side[!i].number)
		pair->thread = sim_thread_self()->id;
	if (pair->side[0].op && pair->side[1].op && depends(pair->side[0].op, pair->side[1].op))
		decide(pair, SC_ORDER_DEPENDS);
	else if (!i && pair->side[1].op && pair->side[1].op->is_demanded)
		sim_schedule_demand(op);
}

bool sim_pair_is_on(void)
{
	return pair_count > 0;
}

/* The host's turn comes when the call that submits this op returns. */
static bool is_host_after(const struct side *side, const struct sim_op *op)
{
	return side->is_host && side->number && side->stream == op->stream_id &&
	       side->number == op->number;
}

void sim_pair_submit(struct sim_op *op)
{
	struct pair *pair;
	int i;

	note_name(op);
	for (pair = pairs; pair < pairs + pair_count; pair++)
		for (i = 0; i < 2; i++) {
			if (!pair->side[i].op &&
			    is_named(&pair->side[i], op->stream_id, op->number))
				meet(pair, op, i);
			if (is_host_after(&pair->side[i], op))
				pair->thread = sim_thread_self()->id;
		}
}

struct sim_op *sim_pair_needs(const struct sim_op *op, size_t *position)
{
	struct pair *pair;

	while (op->is_demanded && *position < pair_count) {
		pair = &pairs[(*position)++];
		if (pair->is_decided || op != pair->side[1].op)
			continue;
		pair->demanded_ns = sim_now_ns();
		if (pair->side[0].op)
			return pair->side[0].op;
	}
	return NULL;
}

static bool is_in_pair(uint64_t stream_id, uint64_t number, int first)
{
	const struct pair *pair;
	int i;

	for (pair = pairs; pair < pairs + pair_count; pair++)
		for (i = first; i < 2; i++)
			if (is_named(&pair->side[i], stream_id, number))
				return true;
	return false;
}

bool sim_pair_defers(uint64_t stream_id, uint64_t number)
{
	return is_in_pair(stream_id, number, 1);
}

bool sim_pair_begins_early(uint64_t stream_id, uint64_t number)
{
	return is_in_pair(stream_id, number, 0);
}

/* Has the first of them had its turn, or can it not be waited for any longer? */
static bool is_over(struct pair *pair, const struct sim_op *op, uint64_t now, bool is_busy)
{
	const struct side *first = &pair->side[0];
	bool is_demanded = op->is_demanded;

	if (first->is_host && is_demanded)
		decide(pair, pair->has_returned ? SC_ORDER_MADE : SC_ORDER_DEMANDED);
	else if (first->op && sim_op_is_done(first->op))
		decide(pair, SC_ORDER_MADE);
	else if (!first->is_host && !first->op && is_demanded &&
		 now >= pair->demanded_ns + GRACE_NS)
		decide(pair, SC_ORDER_DEMANDED);
	else if (is_busy || !pair->held_ns)
		pair->held_ns = now;
	else if (now >= pair->held_ns + LIMIT_NS)
		decide(pair, SC_ORDER_TIME);
	return pair->is_decided;
}

bool sim_pair_holds(const struct sim_op *op, uint64_t now, bool is_busy, uint64_t *wake_ns)
{
	struct pair *pair;
	bool is_held = false;

	for (pair = pairs; pair < pairs + pair_count; pair++)
		is_held |= op == pair->side[1].op && !pair->is_decided &&
			   !is_over(pair, op, now, is_busy);
	if (is_held && now + LOOK_NS < *wake_ns)
		*wake_ns = now + LOOK_NS;
	return is_held;
}

/* The operand of a copy or fill, and how many bytes it spans. */
static const struct sim_operand *operand_of(const struct pair *pair, const struct sim_op *op,
					    uint64_t *span)
{
	const struct sim_copy *copy = &op->work.copy;
	const struct sim_operand *operand = pair->base == SOURCE ? &copy->src : &copy->dst;

	if (op->work.kind != SIM_WORK_COPY || !copy->depth || !copy->height)
		return NULL;
	*span = (copy->depth - 1) * operand->slice_bytes +
		(copy->height - 1) * operand->pitch_bytes + copy->width_bytes;
	return operand;
}

/* Where the range is; false if it is nowhere (any more). *bytes NULL: through hostmem. */
static bool find_range(const struct pair *pair, const struct sim_op *op, const char **bytes,
		       uintptr_t *address)
{
	const struct sim_alloc *alloc;
	const struct sim_operand *operand;
	uint64_t span = 0;

	if (pair->base == ALLOCATION) {
		alloc = sim_memory_find_id(pair->id);
		if (!alloc || pair->offset > alloc->size_bytes ||
		    pair->bytes > alloc->size_bytes - pair->offset)
			return false;
		*address = alloc->base + pair->offset;
		*bytes = sim_memory_bytes(alloc, *address);
		return true;
	}
	operand = operand_of(pair, op, &span);
	if (!operand || pair->offset > span || pair->bytes > span - pair->offset)
		return false;
	*address = operand->address + pair->offset;
	*bytes = operand->bytes ? operand->bytes + pair->offset : NULL;
	return true;
}

#define DIGEST_OF_NOTHING UINT64_C(0xCBF29CE484222325)

/* FNV-1a. */
static uint64_t digest(uint64_t hash, const char *bytes, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001B3);
	return hash;
}

/* Of a range, its digest and what one pair's is compared by: its bytes; of one of many, the first.
 */
static void note_range(const struct pair *pair, enum sc_sim_note_kind kind, int i,
		       const struct sim_op *op)
{
	struct sc_sim_note note = {.kind = kind, .number = {which(pair, i), pair->bytes}};
	uint64_t size = pair->bytes < SC_NOTE_RANGE_MAX ? pair->bytes : SC_NOTE_RANGE_MAX;
	const char *bytes = NULL;
	uintptr_t address = 0;
	char *copy = NULL;

	if (pair->base != NO_MEMORY && find_range(pair, op, &bytes, &address))
		copy = malloc(size + 1);
	if (!copy)
		return;
	if (bytes)
		memcpy(copy, bytes, size);
	if (bytes || sim_hostmem_read(copy, address, size)) {
		note.number[2] = digest(DIGEST_OF_NOTHING, copy, size);
		if (pair_count > 1 && size > SC_NOTE_DELIVERED_MAX)
			size = SC_NOTE_DELIVERED_MAX;
		sim_notes_put(note, copy, size);
	}
	free(copy);
}

void sim_pair_leave(const struct sim_alloc *alloc)
{
	const struct pair *pair;

	for (pair = pairs; pair < pairs + pair_count; pair++) {
		struct sc_sim_note note = {.kind = SC_NOTE_LEFT,
					   .number = {(uint64_t)(pair - pairs), pair->bytes}};
		uint64_t size = pair->bytes < SC_NOTE_RANGE_MAX ? pair->bytes : SC_NOTE_RANGE_MAX;
		const char *bytes;

		if (pair->base != ALLOCATION || pair->id != alloc->id ||
		    pair->offset > alloc->size_bytes || size > alloc->size_bytes - pair->offset)
			continue;
		bytes = sim_memory_bytes(alloc, alloc->base + pair->offset);
		if (!bytes)
			continue;
		note.number[2] = digest(DIGEST_OF_NOTHING, bytes, size);
		sim_notes_put(note, bytes,
			      size < SC_NOTE_DELIVERED_MAX ? size : SC_NOTE_DELIVERED_MAX);
	}
}

/* Does an earlier pair have memory of the same allocation? */
static bool has_left(const struct pair *pair)
{
	const struct pair *other;

	for (other = pairs; other < pair; other++)
		if (other->base == ALLOCATION && other->id == pair->id)
			return true;
	return false;
}

void sim_pair_exit(void)
{
	const struct sim_alloc *alloc;
	const struct pair *pair;
	struct timespec at;

	if (!pair_count || clock_gettime(CLOCK_REALTIME, &at))
		return;
	at.tv_sec++; /* who ends the process may have the lock */
	if (pthread_mutex_timedlock(&sim_driver.lock, &at))
		return;
	for (pair = pairs; pair < pairs + pair_count; pair++) {
		alloc = pair->base == ALLOCATION && !has_left(pair) ? sim_memory_find_id(pair->id)
								    : NULL;
		if (alloc)
			sim_pair_leave(alloc);
	}
	pthread_mutex_unlock(&sim_driver.lock);
}

static void note_ranges(enum sc_sim_note_kind kind, const struct sim_op *op)
{
	const struct pair *pair;
	int i;

	for (pair = pairs; pair < pairs + pair_count; pair++)
		for (i = 0; i < 2; i++)
			if (pair->side[i].op == op)
				note_range(pair, kind, i, op);
}

void sim_pair_begin(const struct sim_op *op)
{
	note_ranges(SC_NOTE_BEFORE, op);
}

static bool read_row(char *to, const struct sim_operand *from, uint64_t offset, size_t size)
{
	if (!from->bytes)
		return sim_hostmem_read(to, from->address + offset, size);
	memcpy(to, from->bytes + offset, size);
	return true;
}

/* What a copy has brought to the host, as far as memory is there. */
static void note_delivered(const struct sim_op *op, const struct sim_copy *copy)
{
	struct sc_sim_note note = {.kind = SC_NOTE_DELIVERED,
				   .number = {op->stream_id, op->number, 0, DIGEST_OF_NOTHING}};
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
	const struct sim_copy *copy = &op->work.copy;

	note_ranges(SC_NOTE_AFTER, op);
	if (!pair_count || op->work.kind != SIM_WORK_COPY)
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
	struct pair *pair;

	for (pair = pairs; pair < pairs + pair_count; pair++)
		if (!pair->is_decided && pair->side[0].op &&
		    is_named(&pair->side[1], stream_id, number) && !wait_for(pair->side[0].op))
			decide(pair, SC_ORDER_TIME);
}

/* The host's access comes next. An op that is not there yet cannot come before it. */
static enum sc_sim_note_order settle_pair(const struct pair *pair)
{
	if (!pair->side[0].op)
		return SC_ORDER_DEMANDED;
	return wait_for(pair->side[0].op) ? SC_ORDER_MADE : SC_ORDER_TIME;
}

void sim_pair_settle(void)
{
	struct pair *pair;

	for (pair = pairs; pair < pairs + pair_count; pair++) {
		if (!pair->thread || pair->thread != sim_thread_self()->id)
			continue;
		pair->thread = 0;
		pair->has_returned = true;
		if (pair->side[1].is_host && !pair->is_decided)
			decide(pair, settle_pair(pair));
	}
}
