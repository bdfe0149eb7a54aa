/* Touched bytes: pages of bits. */
#include "simulator/executor/touched.h"

#include <stdlib.h>
#include <string.h>

#define USES_MOST  ((size_t)1 << 16) /* of pages: 256 MB of bits, for up to 2 GB of memory */
#define FIRST_ROOM 64

uint64_t exec_touched_none[EXEC_TOUCHED_WORDS];

static struct exec_touched_place *place_of(const struct exec_touched *t, uint64_t number)
{
	size_t at = exec_touched_hash(t, number);

	while (t->table[at].page && t->table[at].number != number)
		at = (at + 1) & (t->room - 1);
	return &t->table[at];
}

static bool grow(struct exec_touched *t)
{
	struct exec_touched grown = *t;

	grown.room = t->room ? t->room * 2 : FIRST_ROOM;
	grown.table = calloc(grown.room, sizeof(*grown.table));
	if (!grown.table)
		return 0;
	for (size_t i = 0; i < t->room; i++)
		if (t->table[i].page)
			*place_of(&grown, t->table[i].number) = t->table[i];
	free(t->table);
	*t = grown;
	return 1;
}

/* Where the page of that number is, or would be; NULL: the set is lost. */
static struct exec_touched_place *room_for(struct exec_touched *t, uint64_t number)
{
	if (!t->is_lost && t->count * 3 >= t->room && !grow(t))
		t->is_lost = 1;
	return t->is_lost ? NULL : place_of(t, number);
}

/* NULL: the set is lost. */
static struct exec_touched_page *page_of(struct exec_touched *t, uint64_t number)
{
	struct exec_touched_place *place = room_for(t, number);
	struct exec_touched_page *page;

	if (!place)
		return NULL;
	if (!place->page) {
		page = calloc(1, sizeof(*page));
		if (!page) {
			t->is_lost = 1;
			return NULL;
		}
		page->number = number;
		for (unsigned use = 0; use < EXEC_USES; use++)
			page->bits[use] = exec_touched_none;
		*place = (struct exec_touched_place){number, page};
		t->count++;
	}
	return place->page;
}

static void free_page(struct exec_touched_page *page)
{
	for (unsigned use = 0; page && use < EXEC_USES; use++)
		if (page->bits[use] != exec_touched_none)
			exec_bits_give(page->bits[use]);
	free(page);
}

/* Bits of that use to be written; NULL: the set is lost. */
static uint64_t *bits_to_set(struct exec_touched *t, struct exec_touched_page *page,
			     enum exec_use use)
{
	uint64_t *bits = page->bits[use];

	if (bits != exec_touched_none)
		return bits;
	bits = t->uses < USES_MOST ? exec_bits_take() : NULL;
	if (!bits) {
		t->is_lost = 1;
		return NULL;
	}
	t->uses++;
	return page->bits[use] = bits;
}

/* Notes what is written first, having been read. */
static void set_first(struct exec_touched *t, struct exec_touched_page *page, size_t word,
		      uint64_t mask)
{
	uint64_t first = exec_touched_first(page, word, mask);
	uint64_t *bits = first ? bits_to_set(t, page, EXEC_READ_FIRST) : NULL;

	if (bits)
		bits[word] |= first;
}

static bool is_read(const struct exec_touched_page *page)
{
	return page->bits[EXEC_READ] != exec_touched_none ||
	       page->bits[EXEC_ATOMIC] != exec_touched_none ||
	       page->bits[EXEC_ATOMIC_READ] != exec_touched_none ||
	       page->bits[EXEC_SWAP] != exec_touched_none;
}

/* Sets the bits of bytes from `first` on, all in one page, that are in the pattern of each word. */
static void set(struct exec_touched *t, struct exec_touched_page *page, size_t first, size_t bytes,
		uint64_t pattern, enum exec_use use)
{
	uint64_t *bits = bits_to_set(t, page, use);
	bool was_read = exec_touched_writes(use) && is_read(page);
	size_t end = first + bytes - 1, last = end / 64;
	uint64_t mask = pattern & UINT64_MAX << first % 64;

	for (size_t word = first / 64; bits && word <= last; word++, mask = pattern) {
		if (word == last)
			mask &= UINT64_MAX >> (63 - end % 64);
		if (was_read && mask & ~bits[word])
			set_first(t, page, word, mask);
		bits[word] |= mask;
	}
	page->parts |= (2U << last / EXEC_TOUCHED_PART) - (1U << first / 64 / EXEC_TOUCHED_PART);
}

static void add_pattern(struct exec_touched *t, uint64_t address, size_t bytes, uint64_t pattern,
			enum exec_use use)
{
	while (bytes) {
		size_t first = address % EXEC_TOUCHED_PAGE, part = EXEC_TOUCHED_PAGE - first;
		uint64_t number = address / EXEC_TOUCHED_PAGE;
		struct exec_touched_page *page = exec_touched_first_place(t, number);

		if (!page)
			page = page_of(t, number);
		if (!page)
			return;
		part = part < bytes ? part : bytes;
		set(t, page, first, part, pattern, use);
		address += part;
		bytes -= part;
	}
}

void exec_touched_add_range(struct exec_touched *t, uint64_t address, size_t bytes,
			    enum exec_use use)
{
	struct exec_touched_page *page = exec_touched_first_place(t, address / EXEC_TOUCHED_PAGE);
	size_t first = address % EXEC_TOUCHED_PAGE;

	if (page && bytes && first + bytes <= EXEC_TOUCHED_PAGE)
		set(t, page, first, bytes, UINT64_MAX, use);
	else
		add_pattern(t, address, bytes, UINT64_MAX, use);
}

/* Elements that lie in one word each: those of a word at once. */
static void add_words(struct exec_touched *t, uint64_t address, unsigned bytes, uint64_t apart,
		      unsigned count, enum exec_use use)
{
	uint64_t end = address + (count - 1) * apart + bytes, every = (UINT64_C(1) << bytes) - 1;

	for (uint64_t shift = apart; shift < 64; shift *= 2)
		every |= every << shift;
	while (address < end) {
		uint64_t word = address / 64 * 64, left = word + 64 - address;
		uint64_t mask = every << (64 - left);

		if (end < word + 64)
			mask &= UINT64_MAX >> (word + 64 - end);
		add_pattern(t, word, 64, mask, use);
		address += (left + apart - 1) / apart * apart;
	}
}

/* Distances that divide a word, in which each element lies: each word has the same pattern. */
void exec_touched_add_apart(struct exec_touched *t, uint64_t address, unsigned bytes,
			    uint64_t apart, unsigned count, enum exec_use use)
{
	bool is_aligned = !((address | apart | bytes) & (bytes - 1));
	uint64_t pattern = 0;

	if (apart < 32 && bytes < 32 && is_aligned && apart & (apart - 1)) {
		add_words(t, address, bytes, apart, count, use);
		return;
	}
	if (apart > 32 || apart & (apart - 1) || address % apart + bytes > apart) {
		for (unsigned i = 0; i < count; i++)
			exec_touched_add(t, address + i * apart, bytes, use);
		return;
	}
	for (unsigned at = 0; at < 64; at += (unsigned)apart)
		pattern |= ((UINT64_C(1) << bytes) - 1) << at;
	add_pattern(t, address, (count - 1) * apart + bytes, pattern << address % apart, use);
}

size_t exec_touched_bases_until(const struct exec_touched *t, uint64_t address)
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
	size_t at = exec_touched_bases_until(t, base), room = t->base_room ? t->base_room * 2 : 16;
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
		free_page(t->table[i].page);
	free(t->table);
	free(t->bases);
	*t = (struct exec_touched){0};
}

/* The page gets the bits of another one, or their owner. */
static void join_bits(struct exec_touched *t, struct exec_touched_page *page,
		      struct exec_touched_page *other, enum exec_use use)
{
	uint64_t *bits = page->bits[use], *more = other->bits[use];

	if (more == exec_touched_none)
		return;
	if (bits == exec_touched_none) {
		page->bits[use] = more;
		other->bits[use] = exec_touched_none;
		t->uses++;
		return;
	}
	for (unsigned k = 0; k < EXEC_TOUCHED_WORDS; k++)
		bits[k] |= more[k];
}

/* What one thread read first, and another one wrote, may have been written before. */
static void join_page(struct exec_touched *t, struct exec_touched_page *page,
		      struct exec_touched_page *other)
{
	uint64_t *first = page->bits[EXEC_READ_FIRST], *more = other->bits[EXEC_READ_FIRST];

	for (unsigned k = 0; first != exec_touched_none && k < EXEC_TOUCHED_WORDS; k++)
		first[k] &= ~(other->bits[EXEC_WRITE][k] | other->bits[EXEC_EXCHANGED][k]);
	for (unsigned k = 0; more != exec_touched_none && k < EXEC_TOUCHED_WORDS; k++)
		more[k] &= ~(page->bits[EXEC_WRITE][k] | page->bits[EXEC_EXCHANGED][k]);
	for (unsigned use = 0; use < EXEC_USES; use++)
		join_bits(t, page, other, (enum exec_use)use);
	page->parts |= other->parts;
}

static size_t uses_of(const struct exec_touched_page *page)
{
	size_t uses = 0;

	for (unsigned use = 0; use < EXEC_USES; use++)
		uses += page->bits[use] != exec_touched_none;
	return uses;
}

void exec_touched_join(struct exec_touched *t, struct exec_touched *from)
{
	t->is_lost |= from->is_lost;
	for (size_t i = 0; i < from->base_count; i++)
		exec_touched_add_base(t, from->bases[i]);
	for (size_t i = 0; i < from->room && !t->is_lost; i++) {
		struct exec_touched_page *other = from->table[i].page;
		struct exec_touched_place *place = other ? room_for(t, other->number) : NULL;

		if (!place)
			continue;
		if (!place->page) {
			*place = from->table[i];
			from->table[i].page = NULL;
			t->count++;
			t->uses += uses_of(other);
			continue;
		}
		join_page(t, place->page, other);
	}
	t->is_lost |= t->uses > USES_MOST;
	exec_touched_fini(from);
}

void exec_touched_join_phases(struct exec_touched *sets, struct exec_touched *from)
{
	for (unsigned phase = 0; phase < EXEC_PHASES; phase++)
		exec_touched_join(&sets[phase], &from[phase]);
}

void exec_touched_fini_phases(struct exec_touched *sets)
{
	for (unsigned phase = 0; phase < EXEC_PHASES; phase++)
		exec_touched_fini(&sets[phase]);
}
