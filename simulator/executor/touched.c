/* Touched bytes: pages of bits, and the pieces that they make up. */
#include "simulator/executor/touched.h"

#include <stdlib.h>
#include <string.h>

#define PAGES_MOST ((size_t)1 << 16) /* 160 MB of bits, for 256 MB of memory */
#define FIRST_ROOM 64

/* ---- the set ---- */

static struct exec_touched_page **place_of(struct exec_touched_page **table, size_t room,
					   uint64_t number)
{
	size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);

	while (table[at] && table[at]->number != number)
		at = (at + 1) & (room - 1);
	return &table[at];
}

static bool grow(struct exec_touched *t)
{
	size_t room = t->room ? t->room * 2 : FIRST_ROOM;
	struct exec_touched_page **table = calloc(room, sizeof(struct exec_touched_page *));

	if (!table)
		return 0;
	for (size_t i = 0; i < t->room; i++)
		if (t->table[i])
			*place_of(table, room, t->table[i]->number) = t->table[i];
	free(t->table);
	t->table = table;
	t->room = room;
	return 1;
}

/* Where the page of that number is, or would be; NULL: the set is lost. */
static struct exec_touched_page **room_for(struct exec_touched *t, uint64_t number)
{
	struct exec_touched_page **place;

	if (!t->is_lost && t->count * 2 >= t->room && !grow(t))
		t->is_lost = 1;
	if (t->is_lost)
		return NULL;
	place = place_of(t->table, t->room, number);
	t->is_lost = !*place && t->count == PAGES_MOST;
	return t->is_lost ? NULL : place;
}

/* NULL: the set is lost. */
static struct exec_touched_page *page_of(struct exec_touched *t, uint64_t number)
{
	struct exec_touched_page **place = room_for(t, number);

	if (!place)
		return NULL;
	if (!*place) {
		*place = calloc(1, sizeof(**place));
		if (!*place) {
			t->is_lost = 1;
			return NULL;
		}
		(*place)->number = number;
		t->count++;
	}
	return t->last = *place;
}

/* Sets the bits of bytes from `first` on, all in one page. */
static void set(uint64_t *words, size_t first, size_t bytes)
{
	for (size_t at = first, end = first + bytes; at < end; at = (at / 64 + 1) * 64) {
		size_t stop = end - at / 64 * 64;
		uint64_t mask = stop >= 64 ? UINT64_MAX : (UINT64_C(1) << stop) - 1;

		words[at / 64] |= mask & UINT64_MAX << at % 64;
	}
}

void exec_touched_add_range(struct exec_touched *t, uint64_t address, size_t bytes,
			    enum exec_use use)
{
	while (bytes) {
		size_t first = address % EXEC_TOUCHED_PAGE, part = EXEC_TOUCHED_PAGE - first;
		struct exec_touched_page *page = t->last;

		if (!page || page->number != address / EXEC_TOUCHED_PAGE)
			page = page_of(t, address / EXEC_TOUCHED_PAGE);
		if (!page)
			return;
		part = part < bytes ? part : bytes;
		set(page->bits[use], first, part);
		address += part;
		bytes -= part;
	}
}

/* How many allocations begin at the address or below. */
static size_t bases_until(const struct exec_touched *t, uint64_t address)
{
	size_t low = 0, high = t->base_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->bases[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void exec_touched_add_base(struct exec_touched *t, uint64_t base)
{
	size_t at = bases_until(t, base), room = t->base_room ? t->base_room * 2 : 16;
	uint64_t *grown;

	if (t->is_lost || (at && t->bases[at - 1] == base))
		return;
	if (t->base_count == t->base_room) {
		grown = realloc(t->bases, room * sizeof(*grown));
		if (!grown) {
			t->is_lost = 1;
			return;
		}
		t->bases = grown;
		t->base_room = room;
	}
	memmove(&t->bases[at + 1], &t->bases[at], (t->base_count - at) * sizeof(*t->bases));
	t->bases[at] = base;
	t->base_count++;
}

void exec_touched_fini(struct exec_touched *t)
{
	for (size_t i = 0; i < t->room; i++)
		free(t->table[i]);
	free(t->table);
	free(t->bases);
	*t = (struct exec_touched){0};
}

void exec_touched_join(struct exec_touched *t, struct exec_touched *from)
{
	t->is_lost |= from->is_lost;
	for (size_t i = 0; i < from->base_count; i++)
		exec_touched_add_base(t, from->bases[i]);
	for (size_t i = 0; i < from->room && !t->is_lost; i++) {
		struct exec_touched_page *other = from->table[i], **place;

		place = other ? room_for(t, other->number) : NULL;
		if (!place)
			continue;
		if (!*place) {
			*place = other;
			from->table[i] = NULL;
			t->count++;
			continue;
		}
		for (unsigned use = 0; use < EXEC_USES; use++)
			for (unsigned k = 0; k < EXEC_TOUCHED_WORDS; k++)
				(*place)->bits[use][k] |= other->bits[use][k];
	}
	exec_touched_fini(from);
}

/* ---- stretches: bytes side by side with the same uses, in one allocation ---- */

#define STRETCHES_MOST ((size_t)1 << 16)
#define WIDEST_GAP     (UINT64_C(1) << 60)

struct stretches {
	const struct exec_touched *set;
	struct exec_piece *items; /* owned, of one row each */
	size_t count, room;
	size_t last[1 << EXEC_USES]; /* + 1, of the stretches with these uses; 0: none */
	uint64_t gap; /* between stretches of the same uses; shorter ones are filled */
	bool is_lost;
};

static bool are_in_one(const struct stretches *s, uint64_t a, uint64_t b)
{
	return bases_until(s->set, a) == bases_until(s->set, b);
}

/* Puts a stretch at the end, for which there is room, or adds it to the last one of the same uses
 * with the bytes between them. */
static void put(struct stretches *s, struct exec_piece next)
{
	size_t *at = &s->last[next.uses];
	struct exec_piece *last = *at ? &s->items[*at - 1] : NULL;

	if (last && next.address - (last->address + last->width) < s->gap &&
	    are_in_one(s, last->address, next.address)) {
		last->width = next.address + next.width - last->address;
		last->is_exact = 0;
		return;
	}
	s->items[s->count] = next;
	*at = ++s->count;
}

/* Fills larger gaps than before, until there are no more than so many. */
static void coarsen(struct stretches *s, size_t most)
{
	while (s->count > most && !s->is_lost) {
		size_t count = s->count;

		s->gap = s->gap ? s->gap * 4 : 64;
		s->is_lost = s->gap > WIDEST_GAP;
		s->count = 0;
		memset(s->last, 0, sizeof(s->last));
		for (size_t i = 0; i < count; i++)
			put(s, s->items[i]);
	}
}

/* All of it is in one allocation. */
static void add_stretch(struct stretches *s, uint64_t address, uint64_t end, uint8_t uses)
{
	struct exec_piece *grown;

	if (s->is_lost)
		return;
	if (s->count == s->room) {
		grown = realloc(s->items, (s->room ? s->room * 2 : 64) * sizeof(*grown));
		if (!grown) {
			s->is_lost = 1;
			return;
		}
		s->items = grown;
		s->room = s->room ? s->room * 2 : 64;
	}
	put(s, (struct exec_piece){.address = address,
				   .width = end - address,
				   .rows = 1,
				   .uses = uses,
				   .is_exact = 1});
	if (s->count == STRETCHES_MOST)
		coarsen(s, STRETCHES_MOST / 2);
}

/* Bytes side by side, of one allocation or of several ones. */
static void add_stretches(struct stretches *s, uint64_t address, uint64_t end, uint8_t uses)
{
	const struct exec_touched *t = s->set;

	while (uses && address < end) {
		size_t next = bases_until(t, address);
		uint64_t stop = next < t->base_count ? t->bases[next] : end;

		stop = stop < end ? stop : end;
		add_stretch(s, address, stop, uses);
		address = stop;
	}
}

static uint8_t uses_at(const struct exec_touched_page *page, unsigned byte)
{
	uint8_t uses = 0;

	for (unsigned use = 0; use < EXEC_USES; use++)
		uses |= (uint8_t)((page->bits[use][byte / 64] >> byte % 64 & 1) << use);
	return uses;
}

/* The first byte after `byte`, in the same word, that is used otherwise; 64 if none is. */
static unsigned next_change(const struct exec_touched_page *page, unsigned word, unsigned bit)
{
	uint64_t changes = 0;

	for (unsigned use = 0; use < EXEC_USES; use++) {
		uint64_t bits = page->bits[use][word];

		changes |= bits >> bit & 1 ? ~bits : bits;
	}
	changes &= bit == 63 ? 0 : UINT64_MAX << (bit + 1);
	return changes ? (unsigned)__builtin_ctzll(changes) : 64;
}

/* The stretch that is being passed. */
struct stretch {
	uint64_t first, end;
	uint8_t uses;
};

static void pass_page(const struct exec_touched_page *page, struct stretches *s,
		      struct stretch *now)
{
	uint64_t base = page->number * EXEC_TOUCHED_PAGE;

	for (unsigned at = 0; at < EXEC_TOUCHED_PAGE;) {
		unsigned end = at / 64 * 64 + next_change(page, at / 64, at % 64);
		uint8_t uses = uses_at(page, at);

		if (uses != now->uses || base + at != now->end) {
			add_stretches(s, now->first, now->end, now->uses);
			*now = (struct stretch){.first = base + at, .uses = uses};
		}
		now->end = base + end;
		at = end;
	}
}

static int by_number(const void *x, const void *y)
{
	const struct exec_touched_page *a = *(struct exec_touched_page *const *)x;
	const struct exec_touched_page *b = *(struct exec_touched_page *const *)y;

	return (a->number > b->number) - (a->number < b->number);
}

/* False: no memory. */
static bool find_stretches(const struct exec_touched *t, struct stretches *s)
{
	struct exec_touched_page **pages = malloc(t->count * sizeof(struct exec_touched_page *));
	struct stretch now = {0};
	size_t count = 0;

	if (!pages)
		return 0;
	for (size_t i = 0; i < t->room; i++)
		if (t->table[i])
			pages[count++] = t->table[i];
	qsort(pages, count, sizeof(struct exec_touched_page *), by_number);
	for (size_t i = 0; i < count; i++)
		pass_page(pages[i], s, &now);
	add_stretches(s, now.first, now.end, now.uses);
	free(pages);
	return !s->is_lost;
}

/* ---- pieces: stretches of the same width at the same distances are rows of one ---- */

#define OPEN	 8 /* pieces that the next stretch may belong to: fields of a struct */
#define ROWS_FEW 8 /* fewer are not worth a shape */

static bool is_row_of(const struct stretches *all, const struct exec_piece *p,
		      const struct exec_piece *s)
{
	if (p->width != s->width || p->uses != s->uses || p->is_exact != s->is_exact)
		return 0;
	return (p->rows == 1 || p->address + p->pitch * p->rows == s->address) &&
	       are_in_one(all, p->address, s->address);
}

/* The piece of each stretch, by its first stretch: `of` gets the index. */
static void find_rows(const struct stretches *s, struct exec_piece *shapes, uint32_t *of)
{
	uint32_t open[OPEN], next = 0, count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		uint32_t k = 0;

		while (k < count && !is_row_of(s, &shapes[open[k]], &s->items[i]))
			k++;
		shapes[i] = s->items[i];
		of[i] = i;
		if (k == count) {
			count += count < OPEN;
			open[next++ % OPEN] = i;
			continue;
		}
		of[i] = open[k];
		shapes[open[k]].pitch = shapes[open[k]].rows == 1
						? s->items[i].address - shapes[open[k]].address
						: shapes[open[k]].pitch;
		shapes[open[k]].rows++;
	}
}

/* Returns how many pieces there are; writes them to `to` as far as there is room. */
static size_t choose(const struct stretches *s, const struct exec_piece *shapes, const uint32_t *of,
		     struct exec_piece *to)
{
	size_t count = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		bool has_rows = shapes[of[i]].rows >= ROWS_FEW;

		if (has_rows && of[i] != i)
			continue;
		if (count < EXEC_PIECES_MOST)
			to[count] = has_rows ? shapes[i] : s->items[i];
		count++;
	}
	return count;
}

static size_t make_pieces(struct stretches *s, struct exec_piece *to)
{
	struct exec_piece *shapes = malloc(s->count * sizeof(*shapes));
	uint32_t *of = malloc(s->count * sizeof(*of));
	size_t count = 0;

	if (shapes && of) {
		for (;;) {
			find_rows(s, shapes, of);
			count = choose(s, shapes, of, to);
			if (count <= EXEC_PIECES_MOST || s->is_lost)
				break;
			coarsen(s, s->count - 1);
		}
	}
	free(shapes);
	free(of);
	return s->is_lost ? 0 : count;
}

size_t exec_touched_pieces(const struct exec_touched *t, struct exec_piece **pieces, bool *is_lost)
{
	struct stretches s = {.set = t};
	size_t count = 0;

	*pieces = NULL;
	*is_lost = t->is_lost;
	if (t->is_lost || !t->count)
		return 0;
	*pieces = malloc(EXEC_PIECES_MOST * sizeof(**pieces));
	if (*pieces && find_stretches(t, &s))
		count = make_pieces(&s, *pieces);
	free(s.items);
	*is_lost = !count;
	return count;
}
