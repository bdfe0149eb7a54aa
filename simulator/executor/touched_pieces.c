/* Pieces of a set: bytes side by side with the same uses, in one allocation; those of the same
 * width at the same distances are rows of one. */
#include "simulator/executor/touched.h"

#include <stdlib.h>
#include <string.h>

#define OPEN	    8  /* pieces that the next bytes may be a row of: fields of a struct */
#define ROWS_FEW    8  /* fewer are not worth a shape, with which each other piece is compared */
#define ROWS_MANY   64 /* the same where there are many pieces */
#define COARSE_MOST ((size_t)1 << 16) /* pieces while gaps are filled */
#define FIRST_GAP   64
#define WIDEST_GAP  (UINT64_C(1) << 60)

struct pieces {
	const struct exec_touched *set;
	struct exec_piece *items; /* owned */
	size_t count, room;
	size_t most;
	unsigned uses;		     /* those told apart: the first so many */
	size_t open[OPEN], opened;   /* a ring of indices */
	size_t last[1 << EXEC_USES]; /* + 1, of the pieces with these uses; 0: none */
	uint64_t gap; /* 0: exact; else gaps of the same uses that are shorter are filled */
	bool is_lost;
};

static bool are_in_one(const struct pieces *s, uint64_t a, uint64_t b)
{
	return exec_touched_bases_until(s->set, a) == exec_touched_bases_until(s->set, b);
}

static bool is_row_of(const struct pieces *s, const struct exec_piece *p,
		      const struct exec_piece *next)
{
	if (p->width != next->width || p->uses != next->uses)
		return 0;
	return (p->rows == 1 || p->address + p->pitch * p->rows == next->address) &&
	       are_in_one(s, p->address, next->address);
}

/* The last piece of the same uses gets the bytes up to the next one's end. */
static bool fill_gap(struct pieces *s, const struct exec_piece *next)
{
	size_t at = s->last[next->uses];
	struct exec_piece *last = at ? &s->items[at - 1] : NULL;

	if (!last || next->address - (last->address + last->width) >= s->gap ||
	    !are_in_one(s, last->address, next->address))
		return 0;
	last->width = next->address + next->width - last->address;
	last->is_exact = 0;
	return 1;
}

static bool add_row(struct pieces *s, const struct exec_piece *next)
{
	for (size_t i = 0; i < OPEN && i < s->opened; i++) {
		struct exec_piece *p = &s->items[s->open[i]];

		if (!is_row_of(s, p, next))
			continue;
		if (p->rows++ == 1)
			p->pitch = next->address - p->address;
		return 1;
	}
	return 0;
}

/* Puts a piece of one row at the end, for which there is room, or adds it to an earlier one. */
static void put(struct pieces *s, struct exec_piece next)
{
	if (s->gap ? fill_gap(s, &next) : add_row(s, &next))
		return;
	s->open[s->opened++ % OPEN] = s->count;
	s->items[s->count] = next;
	s->last[next.uses] = ++s->count;
}

/* Fills larger gaps than before, until there are no more than so many. */
static void coarsen(struct pieces *s, size_t most)
{
	while (s->count > most && !s->is_lost) {
		size_t count = s->count;

		s->gap *= 4;
		s->is_lost = s->gap > WIDEST_GAP;
		s->count = 0;
		memset(s->last, 0, sizeof(s->last));
		for (size_t i = 0; i < count; i++)
			put(s, s->items[i]);
	}
}

/* False: there is no room. */
static bool make_room(struct pieces *s)
{
	size_t room = s->room ? s->room * 2 : 64;
	struct exec_piece *grown;

	if (s->gap && s->count == COARSE_MOST)
		coarsen(s, COARSE_MOST / 2);
	if (s->count < s->room)
		return !s->is_lost;
	grown = s->count > s->most && !s->gap ? NULL : realloc(s->items, room * sizeof(*grown));
	s->is_lost |= !grown;
	if (!grown)
		return 0;
	s->items = grown;
	s->room = room;
	return 1;
}

/* Bytes side by side, of one allocation or of several ones. */
static void add_bytes(struct pieces *s, uint64_t address, uint64_t end, uint8_t uses)
{
	const struct exec_touched *t = s->set;

	while (uses && address < end && !s->is_lost && make_room(s)) {
		size_t next = exec_touched_bases_until(t, address);
		uint64_t stop = next < t->base_count ? t->bases[next] : end;

		stop = stop < end ? stop : end;
		put(s, (struct exec_piece){.address = address,
					   .width = stop - address,
					   .rows = 1,
					   .uses = uses,
					   .is_exact = 1});
		address = stop;
	}
}

/* The bits that pieces have. */
static uint64_t bits_of(const struct exec_touched_page *page, unsigned use, unsigned word)
{
	uint64_t bits = page->bits[use][word];
	uint64_t waits = page->bits[EXEC_ATOMIC_READ][word] | page->bits[EXEC_SWAP][word];

	if (use == EXEC_READ)
		return bits | page->bits[EXEC_READ_MOVED][word];
	if (use == EXEC_ATOMIC)
		return bits | page->bits[EXEC_EXCHANGED][word];
	if (use == EXEC_EXCHANGED) /* not a lock, nor a flag that others wait for */
		return bits & ~waits;
	if (use != EXEC_READ_MOVED)
		return bits;
	return bits & ~(page->bits[EXEC_READ][word] | page->bits[EXEC_ATOMIC][word] | waits);
}

static uint8_t uses_at(const struct exec_touched_page *page, unsigned count, unsigned byte)
{
	uint8_t uses = 0;

	for (unsigned use = 0; use < count; use++)
		uses |= (uint8_t)((bits_of(page, use, byte / 64) >> byte % 64 & 1) << use);
	return uses;
}

/* The first byte after `byte`, in the same word, that is used otherwise; 64 if none is. */
static unsigned next_change(const struct exec_touched_page *page, unsigned count, unsigned word,
			    unsigned bit)
{
	uint64_t changes = 0;

	for (unsigned use = 0; use < count; use++) {
		uint64_t bits = bits_of(page, use, word);

		changes |= bits >> bit & 1 ? ~bits : bits;
	}
	changes &= bit == 63 ? 0 : UINT64_MAX << (bit + 1);
	return changes ? (unsigned)__builtin_ctzll(changes) : 64;
}

/* The bytes that are being passed. */
struct run {
	uint64_t first, end;
	uint8_t uses;
};

/* The only use of a page, whose bits are those of its pieces; EXEC_USES: there are several. */
static unsigned only_use(const struct exec_touched_page *page)
{
	unsigned found = EXEC_USES;

	for (unsigned use = 0; use < EXEC_USES; use++) {
		if (page->bits[use] == exec_touched_none)
			continue;
		if (found != EXEC_USES)
			return EXEC_USES;
		found = use;
	}
	return found == EXEC_READ || found == EXEC_WRITE || found == EXEC_ATOMIC ? found
										 : EXEC_USES;
}

static void pass_bytes(const struct exec_touched_page *page, struct pieces *s, struct run *now,
		       unsigned first, unsigned stop)
{
	uint64_t base = page->number * EXEC_TOUCHED_PAGE;
	unsigned only = only_use(page);

	for (unsigned at = first; at < stop;) {
		bool is_whole =
			only < s->uses && at % 64 == 0 && page->bits[only][at / 64] == UINT64_MAX;
		unsigned end =
			is_whole ? at + 64
				 : at / 64 * 64 + next_change(page, s->uses, at / 64, at % 64);
		uint8_t uses = is_whole ? (uint8_t)(1U << only) : uses_at(page, s->uses, at);

		if (uses != now->uses || base + at != now->end) {
			add_bytes(s, now->first, now->end, now->uses);
			*now = (struct run){.first = base + at, .uses = uses};
		}
		now->end = base + end;
		at = end;
	}
}

static void pass_page(const struct exec_touched_page *page, struct pieces *s, struct run *now)
{
	unsigned bytes = EXEC_TOUCHED_PART * 64;

	for (unsigned part = 0; part < EXEC_TOUCHED_PAGE / bytes; part++)
		if (page->parts >> part & 1)
			pass_bytes(page, s, now, part * bytes, (part + 1) * bytes);
}

static int by_number(const void *x, const void *y)
{
	const struct exec_touched_page *a = *(struct exec_touched_page *const *)x;
	const struct exec_touched_page *b = *(struct exec_touched_page *const *)y;

	return (a->number > b->number) - (a->number < b->number);
}

/* False: no memory. */
static bool find_pieces(const struct exec_touched *t, struct pieces *s)
{
	struct exec_touched_page **pages = malloc(t->count * sizeof(struct exec_touched_page *));
	struct run now = {0};
	size_t count = 0;

	if (!pages)
		return 0;
	for (size_t i = 0; i < t->room; i++)
		if (t->table[i].page)
			pages[count++] = t->table[i].page;
	qsort(pages, count, sizeof(struct exec_touched_page *), by_number);
	for (size_t i = 0; i < count; i++)
		pass_page(pages[i], s, &now);
	add_bytes(s, now.first, now.end, now.uses);
	free(pages);
	return !s->is_lost;
}

static int by_address(const void *x, const void *y)
{
	const struct exec_piece *a = x, *b = y;

	return (a->address > b->address) - (a->address < b->address);
}

/* Puts the rows but the first at the end, for which there is room. */
static void take_apart(struct pieces *s, size_t at)
{
	struct exec_piece row = s->items[at];
	uint64_t rows = row.rows, pitch = row.pitch;

	row.rows = 1;
	row.pitch = 0;
	s->items[at] = row;
	for (uint64_t i = 1; i < rows; i++) {
		row.address += pitch;
		s->items[s->count++] = row;
	}
}

/* Takes pieces of few rows apart; false if there are too many pieces then. */
static bool split(struct pieces *s)
{
	size_t count = s->count, more = 0;
	uint64_t few = count > EXEC_PIECES_FEW ? ROWS_MANY : ROWS_FEW;
	struct exec_piece *grown;

	for (size_t i = 0; i < count; i++)
		more += s->items[i].rows < few ? (size_t)s->items[i].rows - 1 : 0;
	if (!more || count + more > s->most)
		return !more && count <= s->most;
	grown = realloc(s->items, (count + more) * sizeof(*grown));
	if (!grown)
		return 0;
	s->items = grown;
	for (size_t i = 0; i < count; i++)
		if (grown[i].rows < few)
			take_apart(s, i);
	qsort(grown, s->count, sizeof(*grown), by_address);
	return 1;
}

/* False: there are more pieces. */
static bool make_exact(struct pieces *s, unsigned uses)
{
	*s = (struct pieces){
		.set = s->set, .items = s->items, .room = s->room, .most = s->most, .uses = uses};
	return find_pieces(s->set, s) && split(s);
}

static bool make_coarse(struct pieces *s)
{
	*s = (struct pieces){.set = s->set,
			     .items = s->items,
			     .room = s->room,
			     .uses = EXEC_READ_FIRST,
			     .gap = FIRST_GAP};
	if (!find_pieces(s->set, s))
		return 0;
	coarsen(s, EXEC_PIECES_FEW);
	return !s->is_lost;
}

/* Tells so many uses apart, or, where there are too many pieces, those before EXEC_READ_FIRST. */
static size_t find_with(const struct exec_touched *t, unsigned uses, size_t most,
			struct exec_piece **pieces, bool *is_lost)
{
	struct pieces s = {.set = t, .most = most};

	*pieces = NULL;
	*is_lost = t->is_lost;
	if (t->is_lost || !t->count)
		return 0;
	*is_lost = !make_exact(&s, uses) && !make_exact(&s, EXEC_READ_FIRST) && !make_coarse(&s);
	if (*is_lost) {
		free(s.items);
		return 0;
	}
	*pieces = s.items;
	return s.count;
}

size_t exec_touched_pieces(const struct exec_touched *t, size_t most, struct exec_piece **pieces,
			   bool *is_lost)
{
	return find_with(t, EXEC_USES, most, pieces, is_lost);
}

/* Appends the pieces of a set; false: they are not known. */
static bool append(const struct exec_touched *t, uint8_t phase, unsigned uses, size_t most,
		   struct exec_piece **pieces, size_t *count)
{
	struct exec_piece *more, *grown;
	bool is_lost;
	size_t n = find_with(t, uses, most, &more, &is_lost);

	for (size_t i = 0; i < n; i++)
		more[i].phase = phase;
	if (!n || !*count) {
		*pieces = n ? more : *pieces;
		*count += n;
		return !is_lost;
	}
	grown = realloc(*pieces, (*count + n) * sizeof(*grown));
	if (grown) {
		memcpy(grown + *count, more, n * sizeof(*grown));
		*pieces = grown;
		*count += n;
	}
	free(more);
	return grown != NULL;
}

size_t exec_touched_phases(const struct exec_touched *sets, size_t most, struct exec_piece **pieces,
			   bool *is_lost)
{
	/* A set does not know what those of other phases wrote. */
	bool is_alone = !sets[EXEC_MAYBE_WAITED].count && !sets[EXEC_NOT_WAITED].count;
	unsigned uses = is_alone ? EXEC_USES : EXEC_READ_FIRST;
	size_t count = 0;

	*pieces = NULL;
	*is_lost = 0;
	for (uint8_t phase = 0; phase < EXEC_PHASES && !*is_lost; phase++)
		*is_lost = !append(&sets[phase], phase, uses, most, pieces, &count);
	return *is_lost ? 0 : count;
}
