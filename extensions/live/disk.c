/* Disk: what is held up, what is judged, what is given back. */
#include "extensions/live/disk.h"

#include <errno.h>
#include <string.h>
#include "base/message.h"
#include "base/search.h"
#include "analyzer/parts.h"

#define GRACE_NS   UINT64_C(50000000)  /* for a thread that is about to patch a record */
#define ROUND_NS   UINT64_C(100000000) /* a longer one: this process, or the machine, slept */
#define BYTES_NS   UINT64_C(10000000000)
#define CALL_NS	   UINT64_C(10000000000) /* a call may take so long, */
#define FAILED_NS  UINT64_C(1000000000)	 /* until a trace that cannot be read is given up */
#define PRESSED_NS UINT64_C(2000000000)	 /* or so long if others wait for space */
#define HOLDS_MOST (1 << 17)
#define LOOK_SLOTS (1 << 20) /* that one look takes up: what it notes of them is in memory */
#define MARK_SLOTS (1 << 14) /* a megabyte */
#define REST_PART  16	     /* of the space */
#define REST_MOST  2	     /* the part that what must be kept may take */
#define KEPT_PART  4
#define HELD_PART  4
#define BATCH_PART 16

/* ---- what is held up ---- */

static bool is_captured(const struct sc_op *op)
{
	return op->kind == SC_OP_KERNEL && op->flags & SC_FLAG_CAPTURED;
}

static void forget_passed(struct sc_disk *d)
{
	if (d->first <= d->holds.count / 2)
		return;
	d->holds.count -= d->first;
	memmove(d->holds.items, d->holds.items + d->first,
		d->holds.count * sizeof(*d->holds.items));
	d->first = 0;
}

/* Beyond the most the first is held up no longer. */
static void hold(struct sc_disk *d, uint64_t sequence, uint64_t ns)
{
	if (d->holds.count - d->first >= HOLDS_MOST) {
		d->first++;
		forget_passed(d);
	}
	sc_vector_push(&d->holds, ((struct sc_disk_hold){sequence, d->awake_ns + ns, false}));
}

/* Each record that has settled, in order. Of its op the first slot's part is there. */
static void see(void *data, const struct sc_slot *slot, uint64_t sequence)
{
	struct sc_disk *d = data;
	struct sc_op op = {0};

	memcpy(&op, slot->data, sizeof(slot->data));
	if (!d->marks.count || sequence - *sc_vector_last(&d->marks) >= MARK_SLOTS)
		sc_vector_push(&d->marks, sequence);
	if (op.kind == SC_OP_LAUNCH_BYTES || is_captured(&op)) {
		sc_vector_push(&d->ahead, sequence);
		d->bytes_follow |= op.kind == SC_OP_LAUNCH_BYTES;
	} else if (d->bytes_follow && (op.kind == SC_OP_KERNEL || op.kind == SC_OP_GRAPH_LAUNCH)) {
		hold(d, sequence, BYTES_NS);
	}
}

/* All is known of a launch that will ever be. */
static bool ends_hold(const struct sc_op *op)
{
	return op->link && (!op->object || op->value == SC_BYTES_COMPLETE);
}

static void release(struct sc_disk *d, uint64_t sequence)
{
	size_t at;

	SC_SEARCH(at, d->holds.count, d->holds.items[at].sequence < sequence);
	if (at < d->holds.count && d->holds.items[at].sequence == sequence)
		d->holds.items[at].is_over = true;
}

static void look_ahead(struct sc_disk *d)
{
	struct sc_record record;

	for (size_t i = 0; i < d->ahead.count; i++) {
		if (!sc_reader_record(d->reader, d->ahead.items[i], &record))
			continue;
		if (record.op.kind == SC_OP_KERNEL || record.op.link)
			sc_analysis_foresee(d->analysis, &record);
		if (record.op.kind == SC_OP_LAUNCH_BYTES && ends_hold(&record.op))
			release(d, record.op.link - 1);
	}
	sc_vector_clear(&d->ahead);
}

/* Whether the first of those that are held up is held up no longer. */
static bool may_pass(const struct sc_disk *d, const struct sc_disk_hold *h)
{
	uint64_t held_bytes = (d->follow->settled - h->sequence) * SC_SLOT_SIZE;

	return h->is_over || d->awake_ns >= h->until_ns || held_bytes > d->bound / HELD_PART;
}

/* As far as may be judged. */
static uint64_t open_end(struct sc_disk *d)
{
	while (d->first < d->holds.count && may_pass(d, &d->holds.items[d->first]))
		d->first++;
	forget_passed(d);
	return d->holds.count ? d->holds.items[d->first].sequence : d->follow->settled;
}

/* ---- what is given back ---- */

/* What findings refer to is copied first. */
static void fetch(struct sc_disk *d)
{
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(d->analysis, &count);

	for (; count; count--, f++)
		sc_analysis_fetch(d->analysis, f);
}

static void stop(struct sc_disk *d, const char *why)
{
	d->is_stopped = true;
	sc_giver_stop(&d->giver);
	sc_warn("option live-disk: the space of a trace cannot be given back: %s; what goes beyond "
		"the limit will be lost",
		why);
}

/* The end of the part to give back, where a record begins. */
static uint64_t wanted(struct sc_disk *d)
{
	bool gives_all = d->gives_all || d->giver.rest.bytes > d->bound / KEPT_PART;
	uint64_t stays = gives_all ? 0 : d->bound / KEPT_PART / SC_SLOT_SIZE;
	uint64_t most = d->follow->settled > stays ? d->follow->settled - stays : 0;
	uint64_t end;
	size_t at;

	if (most > d->judged)
		most = d->judged;
	SC_SEARCH(at, d->marks.count, d->marks.items[at] <= most);
	if (!at)
		return 0;
	end = d->marks.items[--at];
	d->marks.count -= at;
	memmove(d->marks.items, d->marks.items + at, d->marks.count * sizeof(*d->marks.items));
	return end;
}

/* What is given back next, once enough has come together. */
static uint64_t choose(struct sc_disk *d)
{
	uint64_t end = wanted(d);

	if (end <= d->giver.taken ||
	    (!d->gives_all && (end - d->giver.taken) * SC_SLOT_SIZE < d->bound / BATCH_PART))
		return 0;
	return end;
}

static void take_back(struct sc_disk *d, uint64_t now_ns)
{
	int err;

	fetch(d);
	err = sc_giver_take(&d->giver, d->leaving);
	d->leaving = 0;
	if (err) {
		stop(d, strerror(-err));
		return;
	}
	sc_reader_give(d->reader, &d->giver.rest, d->giver.taken);
	d->taken_ns = now_ns;
}

static void punch(struct sc_disk *d, uint64_t now_ns)
{
	int err;

	if (!d->taken_ns || now_ns - d->taken_ns < GRACE_NS)
		return;
	d->taken_ns = 0;
	err = sc_giver_punch(&d->giver);
	if (err)
		stop(d, strerror(-err));
	else if (d->giver.rest.bytes > d->bound / REST_MOST) /* more would be waited for for ever */
		stop(d, "names, device code and the like take half of it");
}

/* ---- the whole ---- */

int sc_disk_open(struct sc_disk *d, const char *path, uint64_t bound, struct sc_follow *f,
		 struct sc_reader *r, struct sc_analysis *a)
{
	*d = (struct sc_disk){
		.bound = bound, .follow = f, .reader = r, .analysis = a, .awake_ns = 1};
	f->see = see;
	f->data = d;
	f->passes_holes = f->waits_for_reads = true;
	f->most = LOOK_SLOTS;
	return sc_giver_open(&d->giver, path, bound / REST_PART);
}

void sc_disk_share(struct sc_disk *d, uint64_t bytes, bool gives_all)
{
	d->bound = bytes;
	d->gives_all = gives_all;
	sc_giver_share(&d->giver, bytes, bytes / REST_PART);
}

void sc_disk_close(struct sc_disk *d)
{
	sc_giver_close(&d->giver);
	sc_vector_fini(&d->holds);
	sc_vector_fini(&d->ahead);
	sc_vector_fini(&d->marks);
}

static void judge(struct sc_disk *d, uint64_t end)
{
	if (end <= d->judged)
		return;
	sc_reader_set_end(d->reader, end);
	sc_analysis_read_on(d->analysis);
	if (!sc_reader_stats(d->reader)->is_cut)
		d->judged = end;
}

/* Nothing of what cannot be read is judged, so nothing of it is given back. */
static void note_failure(struct sc_disk *d)
{
	if (!d->follow->has_failed && !sc_reader_stats(d->reader)->is_cut)
		d->failed_ns = 0;
	else if (!d->failed_ns)
		d->failed_ns = d->awake_ns;
	else if (d->awake_ns - d->failed_ns > FAILED_NS && !d->is_stopped)
		stop(d, "it cannot be read");
}

bool sc_disk_look(struct sc_disk *d, uint64_t now_ns)
{
	uint64_t passed = d->looked_ns ? now_ns - d->looked_ns : 0;
	uint64_t before = d->follow->settled;
	bool is_more, is_pressed;

	d->awake_ns += passed < ROUND_NS ? passed : ROUND_NS;
	d->looked_ns = now_ns;
	/* what is judged before its call has returned is judged as one that never did */
	is_pressed = sc_giver_used(&d->giver) > d->bound / 2;
	d->follow->patience_ns = sc_giver_is_awaited(&d->giver) ? PRESSED_NS : CALL_NS;
	if (d->leaving && !d->is_lent && !d->is_stopped)
		take_back(d, now_ns);
	is_more = sc_follow_look(d->follow, d->awake_ns);
	if (d->ahead.count) {
		sc_reader_set_end(d->reader, d->follow->settled);
		look_ahead(d);
	}
	judge(d, open_end(d));
	note_failure(d);
	if (!d->is_stopped)
		punch(d, now_ns);
	if (!d->is_stopped && !d->taken_ns && !d->is_lent)
		d->leaving = choose(d);
	return is_more && (is_pressed || d->follow->settled - before >= LOOK_SLOTS);
}

void sc_disk_settle(struct sc_disk *d)
{
	bool is_more;

	if (d->follow->is_over)
		return;
	d->follow->is_over = true;
	do {
		is_more = sc_follow_look(d->follow, d->awake_ns);
		sc_reader_set_end(d->reader, d->follow->settled);
		look_ahead(d);
	} while (is_more);
	sc_reader_finish(d->reader);
	sc_analysis_read_on(d->analysis);
}

void sc_disk_finish(struct sc_disk *d)
{
	sc_disk_settle(d);
	sc_analysis_end(d->analysis);
}
