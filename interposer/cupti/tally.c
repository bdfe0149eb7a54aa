/* Stretches of launches: opened and closed by anchors, filled with records, joined. */
#include "interposer/cupti/tally.h"

#include <errno.h>
#include "interposer/core/arena.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"

/* Launches of a stretch that any anchor closes; at SC_STRETCH an anchor is made. */
#define WORTH_CLOSING (SC_STRETCH / 2)
#define BATCH	      32 /* ops that are written at once */
#define LINK_MASK     ((UINT64_C(1) << SC_LINK_BITS) - 1)

/* Numbers go around after 32 bits; what is compared is never that far apart. */
static bool is_behind(uint32_t number, uint32_t other)
{
	return (int32_t)(number - other) > 0;
}

static struct sc_tally_stretch *at(const struct sc_launch_tally *t, uint64_t index)
{
	return &t->stretch[index % SC_STRETCHES];
}

bool sc_tally_init(struct sc_launch_tally *t, struct sc_tally_calls calls)
{
	t->stretch = sc_arena_get(SC_STRETCHES * sizeof(*t->stretch));
	t->now = t->stretch;
	t->calls = calls;
	atomic_store(&t->thread, SC_TALLY_NOBODY);
	atomic_store(&t->has_news, true);
	if (t->stretch)
		t->now->state = SC_STRETCH_SETTLED; /* until the first anchor */
	return t->stretch;
}

static void doubt(struct sc_launch_tally *t)
{
	atomic_store_explicit(&t->has_news, true, memory_order_relaxed);
}

/* ---- the launching thread ---- */

static void give_up(struct sc_launch_tally *t)
{
	if (!atomic_load_explicit(&t->is_over, memory_order_relaxed) &&
	    !atomic_exchange(&t->is_over, true))
		t->calls.tell(t->calls.data, true);
}

/* CUPTI reported the thread's first launch, which is the first anchor: before that launch there can
 * be no anchor, since the runtime call that makes the launch has its number already. */
static void begin_counting(struct sc_launch_tally *t)
{
	if (t->now->state != SC_STRETCH_GROWS) {
		give_up(t);
		return;
	}
	t->is_counting = true;
	t->calls.tell(t->calls.data, false);
	if (atomic_load(&t->is_over)) /* another thread gave up meanwhile */
		t->calls.tell(t->calls.data, true);
}

/* Which thread launches; the first one becomes it. False if it just did. */
static bool find_thread(struct sc_launch_tally *t, uint32_t *thread)
{
	*thread = atomic_load_explicit(&t->thread, memory_order_relaxed);
	return *thread != SC_TALLY_NOBODY ||
	       !atomic_compare_exchange_strong(&t->thread, thread, sc_thread_id());
}

/* The first thread is the one; any other, or a doubt, ends the counting before it launches. */
void sc_tally_begin_launch(struct sc_launch_tally *t)
{
	uint32_t thread;
	int saved = errno;

	if (!find_thread(t, &thread))
		return;
	if (thread == sc_thread_id() && !t->is_counting && !atomic_load(&t->is_over))
		begin_counting(t);
	else
		give_up(t);
	if (thread == sc_self.id)
		atomic_store_explicit(&t->has_news, false, memory_order_relaxed);
	errno = saved;
}

/* The stretch is full. */
void sc_tally_close(struct sc_launch_tally *t)
{
	const struct sc_tally_stretch *full = t->now;
	int saved = errno;

	if (!atomic_load(&t->is_over)) {
		t->calls.anchor(t->calls.data);
		if (t->now == full)
			give_up(t);
	}
	errno = saved;
}

/* The next stretch, after the anchor; while too many are not settled this one goes on. */
static void open_next(struct sc_launch_tally *t, uint32_t number)
{
	struct sc_tally_stretch *s = t->now;

	if (t->last + 1 - t->first >= SC_STRETCHES)
		return;
	if (s->state == SC_STRETCH_GROWS) {
		s->before = number;
		s->state = SC_STRETCH_CLOSED;
	}
	s = at(t, ++t->last);
	s->after = number;
	s->launches = s->records = 0;
	s->state = SC_STRETCH_GROWS;
	s->is_open_ended = false;
	t->now = s;
}

void sc_tally_anchor(struct sc_launch_tally *t, uint32_t number)
{
	struct sc_tally_stretch *s = t->now;

	if (atomic_load_explicit(&t->thread, memory_order_relaxed) != sc_self.id)
		return;
	sc_lock_get(&t->lock);
	if (s->state != SC_STRETCH_GROWS || s->launches >= WORTH_CLOSING)
		open_next(t, number);
	else if (!s->launches && !s->records)
		s->after = number;
	sc_lock_put(&t->lock);
}

/* ---- records ---- */

/* The last stretch that begins before the number; NULL if none does. */
static struct sc_tally_stretch *find(const struct sc_launch_tally *t, uint32_t number)
{
	uint64_t low = t->first, high = t->last + 1;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (is_behind(number, at(t, middle)->after))
			low = middle + 1;
		else
			high = middle;
	}
	return low > t->first ? at(t, low - 1) : NULL;
}

static bool has_room(const struct sc_tally_stretch *s, uint32_t number)
{
	if (s->state == SC_STRETCH_CLOSED)
		return !s->is_open_ended && !is_behind(number, s->before) &&
		       s->records < s->launches;
	return s->state == SC_STRETCH_GROWS && s->records < SC_STRETCH;
}

bool sc_tally_take(struct sc_launch_tally *t, const struct sc_tally_record *record)
{
	struct sc_tally_stretch *s;
	bool has_place;

	sc_lock_get(&t->lock);
	s = find(t, record->number);
	has_place = s && has_room(s, record->number);
	if (has_place)
		s->record[s->records++] = *record;
	else
		doubt(t); /* launches happen unseen */
	sc_lock_put(&t->lock);
	return has_place;
}

/* ---- settling ---- */

/* Records come nearly in the order of their numbers. */
static void sort(struct sc_tally_stretch *s)
{
	for (uint32_t i = 1; i < s->records; i++) {
		struct sc_tally_record moved = s->record[i];
		uint32_t place = i;

		for (; place && is_behind(s->record[place - 1].number, moved.number); place--)
			s->record[place] = s->record[place - 1];
		s->record[place] = moved;
	}
}

static bool adds_up(const struct sc_tally_stretch *s)
{
	if (s->records != s->launches)
		return false;
	for (uint32_t i = 0; i < s->records; i++) {
		if (s->record[i].shape != s->launch[i] >> SC_LINK_BITS)
			return false;
	}
	return true;
}

/* Which launch each record belongs to. Returns whether they are known. */
static bool join(struct sc_tally_stretch *s)
{
	sort(s);
	/* a launch that never returned has the last number */
	if (s->is_open_ended && s->records == s->launches + 1)
		s->records--;
	return adds_up(s);
}

static struct sc_op make_op(const struct sc_tally_record *record, uint64_t link)
{
	return (struct sc_op){.kind = SC_OP_DEVICE_TIME,
			      .engine = SC_ENGINE_KERNEL,
			      .device = record->device,
			      .time_ns = record->start_ns,
			      .value = record->length_ns,
			      .link = link};
}

/* Returns how many have no op to belong to. */
static uint64_t write_times(const struct sc_tally_stretch *s, bool is_joined)
{
	struct sc_op ops[BATCH];
	uint64_t unlinked = 0;
	unsigned n = 0;

	for (uint32_t i = 0; i < s->records; i++) {
		uint64_t link = is_joined ? s->launch[i] & LINK_MASK : 0;

		unlinked += !link;
		if (s->record[i].has_ended)
			ops[n++] = make_op(&s->record[i], link);
		if (n == BATCH || (n && i + 1 == s->records)) {
			sc_session_put_all(ops, n);
			n = 0;
		}
	}
	return unlinked;
}

/* A stretch to be settled by the caller; NULL: none is left. */
static struct sc_tally_stretch *choose(struct sc_launch_tally *t, bool is_last)
{
	struct sc_tally_stretch *chosen = NULL;

	sc_lock_get(&t->lock);
	for (uint64_t i = t->first; i <= t->last && !chosen; i++) {
		struct sc_tally_stretch *s = at(t, i);

		if (s->state == SC_STRETCH_CLOSED && (is_last || s->records == s->launches))
			chosen = s;
	}
	if (chosen)
		chosen->state = SC_STRETCH_SETTLES;
	sc_lock_put(&t->lock);
	return chosen;
}

/* No anchor will come any more. */
static void close_last(struct sc_launch_tally *t)
{
	sc_lock_get(&t->lock);
	if (t->now->state == SC_STRETCH_GROWS) {
		t->now->state = SC_STRETCH_CLOSED;
		t->now->is_open_ended = true;
		doubt(t); /* should it launch once more */
	}
	sc_lock_put(&t->lock);
}

/* The stretch's place is used again once all stretches before it are settled, too. */
static void forget(struct sc_launch_tally *t, struct sc_tally_stretch *s)
{
	sc_lock_get(&t->lock);
	s->state = SC_STRETCH_SETTLED;
	while (t->first < t->last && at(t, t->first)->state == SC_STRETCH_SETTLED)
		t->first++;
	sc_lock_put(&t->lock);
}

uint64_t sc_tally_settle(struct sc_launch_tally *t, bool is_last)
{
	uint64_t unlinked = 0, more;
	struct sc_tally_stretch *s;

	if (is_last)
		close_last(t);
	while ((s = choose(t, is_last))) {
		more = write_times(s, join(s));
		forget(t, s);
		if (more)
			doubt(t);
		unlinked += more;
	}
	return unlinked;
}
