/* Runs of bytes as accesses: the recorder's own sort and rows, without heap or recursion. */
#include "interposer/sanitizer/runs.h"

#define WIDEST_GAP  (UINT64_C(1) << 60)
#define ROWS_FEW    4u	/* fewer are not worth a shape */
#define COPY_POINTS 64u /* certain bytes of a copy's run, at most */
#define COPY_WINDOW 16u /* of these aligned bytes the first is read */

static uint32_t use_of(const struct sc_run *r)
{
	return (uint32_t)(r->end_use >> 1 & 3);
}

static uint64_t end_of(const struct sc_run *r)
{
	return r->end_use >> 8;
}

static bool has_gaps(const struct sc_run *r)
{
	return r->end_use & 1;
}

static void set_end(struct sc_run *r, uint64_t end, bool gaps)
{
	r->end_use = end << 8 | (uint64_t)use_of(r) << 1 | gaps;
}

/* ---- the order: by use, then by address ---- */

static bool is_less(const struct sc_run *a, const struct sc_run *b)
{
	return use_of(a) != use_of(b) ? use_of(a) < use_of(b) : a->first < b->first;
}

/* The end of the ascending stretch that begins at `at`. */
static uint32_t stretch(const struct sc_run *runs, uint32_t at, uint32_t count)
{
	for (at++; at < count && !is_less(&runs[at], &runs[at - 1]); at++)
		;
	return at < count ? at : count;
}

/* Merges two neighbouring stretches, [at, middle) and [middle, end). */
static void merge(const struct sc_run *from, uint32_t at, uint32_t middle, uint32_t end,
		  struct sc_run *to)
{
	uint32_t a = at, b = middle;

	for (; at < end; at++) {
		bool is_first = a < middle && (b >= end || !is_less(&from[b], &from[a]));

		to[at] = is_first ? from[a++] : from[b++];
	}
}

/* Sorts by merging what is in order already: the runs of a page are. `runs` and `room` change
 * places until one of them has all in order; returns that one. */
static struct sc_run *sort(struct sc_run *runs, uint32_t count, struct sc_run *room)
{
	while (count && stretch(runs, 0, count) < count) {
		struct sc_run *swap = runs;

		for (uint32_t at = 0, middle, end; at < count; at = end) {
			middle = stretch(runs, at, count);
			end = middle < count ? stretch(runs, middle, count) : count;
			merge(runs, at, middle, end, room);
		}
		runs = room;
		room = swap;
	}
	return runs;
}

/* Joins what meets, or is less than `gap` bytes apart in one allocation. Returns how many are left.
 */
static uint32_t join(struct sc_run *runs, uint32_t count, uint64_t gap,
		     sc_runs_in_one_fn *are_in_one)
{
	uint32_t kept = 0;

	for (uint32_t i = 1; i < count; i++) {
		struct sc_run *last = &runs[kept];
		const struct sc_run *next = &runs[i];
		bool is_apart = next->first > end_of(last);

		if (use_of(last) != use_of(next) ||
		    (is_apart && (next->first - end_of(last) >= gap ||
				  !are_in_one(end_of(last) - 1, next->first)))) {
			runs[++kept] = *next;
			continue;
		}
		set_end(last, end_of(next) > end_of(last) ? end_of(next) : end_of(last),
			is_apart || has_gaps(last) || has_gaps(next));
	}
	return count ? kept + 1 : 0;
}

/* ---- accesses ---- */

static const uint8_t modes[] = {[SC_RECORD_READ] = SC_READ,
				[SC_RECORD_WRITE] = SC_WRITE,
				[SC_RECORD_ATOMIC] = SC_ATOMIC,
				[SC_RECORD_COPY] = SC_READ};

/* Of runs from the first on, how many are alike and at the same distance from one another. */
static uint32_t rows_at(const struct sc_run *runs, uint32_t count)
{
	uint64_t width = end_of(runs) - runs->first;
	uint32_t n = 1;

	while (n < count && use_of(&runs[n]) == use_of(runs) &&
	       has_gaps(&runs[n]) == has_gaps(runs) && end_of(&runs[n]) - runs[n].first == width &&
	       runs[n].first - runs[n - 1].first == runs[1].first - runs->first)
		n++;
	return n < ROWS_FEW ? 1 : n;
}

static struct sc_access shape(const struct sc_run *run, uint64_t pitch, uint32_t rows)
{
	bool is_bound = has_gaps(run) || use_of(run) == SC_RECORD_COPY;

	return (struct sc_access){.base = run->first,
				  .width = end_of(run) - run->first,
				  .pitch = rows > 1 ? pitch : 0,
				  .rows = rows,
				  .slices = 1,
				  .mode = modes[use_of(run)],
				  .known = is_bound ? SC_KNOWN_OVER : SC_KNOWN_EXACT,
				  .how = SC_HOW_RECORDED};
}

/* Bytes that a copy read for certain: the first ones of rows; of a single run, some of its windows'
 * first ones. False if there are none. */
static bool certain(const struct sc_run *run, struct sc_access *to)
{
	uint64_t first = (run->first + COPY_WINDOW - 1) / COPY_WINDOW * COPY_WINDOW;
	uint64_t windows = first < end_of(run) ? (end_of(run) - first - 1) / COPY_WINDOW + 1 : 0;
	uint64_t step = (windows + COPY_POINTS - 1) / COPY_POINTS;

	if (use_of(run) != SC_RECORD_COPY || has_gaps(run) || (to->rows == 1 && !windows))
		return false;
	to->width = 1;
	to->known = SC_KNOWN_EXACT;
	if (to->rows > 1)
		return true;
	to->base = first;
	to->rows = (windows + step - 1) / step;
	to->pitch = to->rows > 1 ? step * COPY_WINDOW : 0;
	return true;
}

/* Returns how many there are; writes them as far as there is room. */
static uint32_t write_all(const struct sc_run *runs, uint32_t count, struct sc_access *to)
{
	uint32_t n = 0, rows;

	for (uint32_t i = 0; i < count; i += rows) {
		uint64_t pitch = i + 1 < count ? runs[i + 1].first - runs[i].first : 0;
		struct sc_access access;

		rows = i + 1 < count ? rows_at(&runs[i], count - i) : 1;
		access = shape(&runs[i], pitch, rows);
		if (n < SC_RUN_ACCESSES)
			to[n] = access;
		n++;
		if (certain(&runs[i], &access) && n++ < SC_RUN_ACCESSES)
			to[n - 1] = access;
	}
	return n;
}

uint32_t sc_runs_accesses(struct sc_run *runs, uint32_t count, struct sc_run *room,
			  sc_runs_in_one_fn *are_in_one, struct sc_access *to)
{
	uint64_t gap = 64;
	uint32_t n;

	runs = sort(runs, count, room);
	count = join(runs, count, 0, are_in_one);
	for (;;) {
		n = write_all(runs, count, to);
		if (n <= SC_RUN_ACCESSES || gap > WIDEST_GAP)
			return n;
		count = join(runs, count, gap, are_in_one);
		gap *= 4;
	}
}
