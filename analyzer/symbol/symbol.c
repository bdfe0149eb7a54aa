/* Symbols: the pcs of a trace, each looked up once, its frames kept for every stack it is in. */
#include "analyzer/symbol/symbol.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "analyzer/symbol/cache.h"
#include "analyzer/symbol/demangle.h"
#include "analyzer/symbol/path.h"
#include "analyzer/symbol/python.h"
#include "analyzer/symbol/frame_list.h"
#include "analyzer/symbol/worker.h"
#include "base/arena.h"
#include "base/map.h"
#include "base/search.h"
#include "base/vector.h"

/* A recorded address and the frames at it, or those of tail calls beside it. */
struct place {
	uint64_t pc;
	enum sc_asked asked;
	bool is_known;
	struct mapped *mapped;	  /* NULL if no map covers the pc */
	const struct sc_map *map; /* of it, borrowed from the reader */
	uint64_t offset;	  /* of the looked-up address in the file */
	uint64_t callee;	  /* of SC_ASKED_BETWEEN: the same of the callee */
	uint64_t callee_pc;	  /* of tail calls; 0: not on the stack */
	size_t first;		  /* into frames */
	size_t count;
};

/* A map, borrowed from the reader. */
struct mapped {
	const struct sc_map *map;
	uint32_t file;	 /* its number in the cache + 1; 0: not asked for */
	uint8_t may_own; /* it may have the user's functions, + 1; 0: not asked for */
	size_t sources;	 /* place of its source files, + 1; 0: not asked for */
};

/* A stack that was asked for. */
struct finished {
	const struct sc_frame *frames; /* in the arena */
	size_t count;
};

struct sc_symbols {
	const struct sc_reader *reader; /* borrowed */
	struct sc_debug_places debug;	/* of debug files; the root is borrowed */
	struct sc_arena arena;		/* strings and finished stacks */
	SC_VECTOR(struct mapped) maps;	/* by start, then in order of appearance */
	struct sc_u64_map index;	/* pc to index into places + 1 */
	struct sc_u64_map tails;	/* key_of_tail to index into places + 1 */
	SC_VECTOR(struct place) places;
	size_t looked_up;  /* places below are done */
	unsigned given_up; /* files */
	SC_VECTOR(struct sc_frame) frames;
	struct sc_u64_map stack_index; /* id of a stack that was asked for to index + 1 */
	SC_VECTOR(struct finished) stacks;
	const struct sc_option_list *own; /* borrowed; NULL: none */
	char directory[PATH_MAX];	  /* if there are own files; "": not known */
	struct sc_symbol_cache *cache;	  /* borrowed; NULL: none */
};

static int by_start(const void *a, const void *b)
{
	const struct sc_map *x = ((const struct mapped *)a)->map;
	const struct sc_map *y = ((const struct mapped *)b)->map;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x < y ? -1 : x > y;
}

struct sc_symbols *sc_symbols_new(const struct sc_reader *r)
{
	struct sc_symbols *s = calloc(1, sizeof(*s));
	const struct sc_map *maps;
	size_t count;

	if (!s)
		return NULL;
	s->reader = r;
	count = sc_reader_maps(r, &maps);
	for (size_t i = 0; i < count; i++)
		sc_vector_push(&s->maps, ((struct mapped){.map = &maps[i]}));
	if (count)
		qsort(s->maps.items, count, sizeof(*s->maps.items), by_start);
	return s;
}

void sc_symbols_free(struct sc_symbols *s)
{
	if (!s)
		return;
	sc_vector_fini(&s->maps);
	sc_vector_fini(&s->places);
	sc_vector_fini(&s->frames);
	sc_vector_fini(&s->stacks);
	sc_u64_map_fini(&s->stack_index);
	sc_u64_map_fini(&s->index);
	sc_u64_map_fini(&s->tails);
	sc_arena_fini(&s->arena);
	free(s);
}

void sc_symbols_fetch(struct sc_symbols *s)
{
	s->debug.fetches = 1;
}

void sc_symbols_share(struct sc_symbols *s, struct sc_symbol_cache *cache)
{
	s->cache = cache;
}

void sc_symbols_look_below(struct sc_symbols *s, const char *root)
{
	s->debug.root = root;
}

void sc_symbols_own(struct sc_symbols *s, const struct sc_option_list *patterns)
{
	s->own = patterns;
	if (patterns->count && !getcwd(s->directory, sizeof(s->directory)))
		s->directory[0] = '\0';
}

/* The last map at or below the address, if it reaches that far. */
static struct mapped *find_map(const struct sc_symbols *s, uint64_t address)
{
	struct mapped *mapped;
	size_t after;

	SC_SEARCH(after, s->maps.count, s->maps.items[after].map->start <= address);
	mapped = after ? &s->maps.items[after - 1] : NULL;
	return mapped && address - mapped->map->start < mapped->map->bytes ? mapped : NULL;
}

/* Index + 1 of the place of a pc. */
static size_t add_place(struct sc_symbols *s, uint64_t pc)
{
	uint64_t *index = sc_u64_map_get(&s->index, pc), known = *index;
	struct place place = {.pc = pc};

	if (known)
		return known;
	place.mapped = pc ? find_map(s, pc - 1) : NULL;
	place.map = place.mapped ? place.mapped->map : NULL;
	if (place.map)
		place.offset = pc - 1 - place.map->start + place.map->offset;
	sc_vector_push(&s->places, place);
	return *index = s->places.count;
}

/* ---- tail calls ---- */

static bool may_own(const struct place *place)
{
	if (!place->map)
		return 0;
	if (!place->mapped->may_own)
		place->mapped->may_own = 1 + sc_frame_may_own(place->map->path);
	return place->mapped->may_own - 1;
}

/* Both are numbers as of add_place; a caller of 0 is any. */
static uint64_t key_of_tail(enum sc_asked asked, size_t callee, size_t caller)
{
	return (uint64_t)callee << 34 | (uint64_t)caller << 3 | asked;
}

/* Index + 1 of the place of the tail calls between two that are on the stack. */
static size_t add_tail(struct sc_symbols *s, enum sc_asked asked, size_t callee, size_t caller)
{
	bool is_any = asked == SC_ASKED_OUT || asked == SC_ASKED_OUT_CUDA;
	uint64_t *index =
		sc_u64_map_get(&s->tails, key_of_tail(asked, is_any ? 0 : callee, caller));
	uint64_t known = *index;
	struct place place;

	if (known)
		return known;
	place = s->places.items[(asked == SC_ASKED_INTO ? callee : caller) - 1];
	place.asked = asked;
	place.is_known = 0;
	place.count = 0;
	place.callee = is_any ? 0 : s->places.items[callee - 1].offset;
	place.callee_pc = is_any ? 0 : s->places.items[callee - 1].pc;
	sc_vector_push(&s->places, place);
	return *index = s->places.count;
}

/* The tail calls from a caller to its callee (0: what was recorded) that may have the user's
 * functions, innermost first; returns how many places they are. */
static unsigned tails_of(struct sc_symbols *s, size_t callee, size_t caller, size_t tails[2])
{
	const struct sc_map *map = callee ? s->places.items[callee - 1].map : NULL;
	bool is_caller = may_own(&s->places.items[caller - 1]);
	unsigned count = 0;

	if (callee && map == s->places.items[caller - 1].map) {
		if (is_caller)
			tails[count++] = add_tail(s, SC_ASKED_BETWEEN, callee, caller);
		return count;
	}
	if (callee && may_own(&s->places.items[callee - 1]))
		tails[count++] = add_tail(s, SC_ASKED_INTO, callee, 0);
	if (is_caller)
		tails[count++] = add_tail(
			s, map && sc_frame_is_cuda(map->path) ? SC_ASKED_OUT_CUDA : SC_ASKED_OUT,
			callee, caller);
	return count;
}

void sc_symbols_want(struct sc_symbols *s, uint32_t stack)
{
	const uint64_t *pcs;
	size_t count = sc_reader_stack(s->reader, stack, &pcs), callee = 0, tails[2];

	for (size_t i = 0; i < count; i++) {
		size_t caller = add_place(s, pcs[i]);

		tails_of(s, callee, caller, tails);
		callee = caller;
	}
}

/* Index + 1 of the place that stands for all of a module's source files. */
static size_t add_sources(struct sc_symbols *s, struct mapped *mapped)
{
	if (!mapped->sources) {
		sc_vector_push(&s->places, ((struct place){.asked = SC_ASKED_SOURCES,
							   .mapped = mapped,
							   .map = mapped->map}));
		mapped->sources = s->places.count;
	}
	return mapped->sources;
}

static const char *keep(struct sc_symbols *s, const char *text)
{
	return text ? sc_arena_xtext(&s->arena, text, strlen(text)) : "";
}

static const char *keep_path(struct sc_symbols *s, const char *text)
{
	char *path;

	if (!text)
		return "";
	path = sc_arena_xtext(&s->arena, text, strlen(text));
	sc_path_tidy(path);
	return path;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The name of a frame that has none: where it is. */
static const char *place_name(struct sc_symbols *s, const struct place *place)
{
	char text[512];

	if (place->map)
		snprintf(text, sizeof(text), "%.400s+0x%llx", base_name(place->map->path),
			 (unsigned long long)place->offset);
	else
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)place->pc);
	return keep(s, text);
}

static struct sc_frame bare_frame(struct sc_symbols *s, const struct place *place)
{
	return (struct sc_frame){
		.pc = place->pc,
		.function = place_name(s, place),
		.file = "",
		.module = place->map ? place->map->path : "",
		.offset = place->offset,
	};
}

static void push_frame(struct sc_symbols *s, struct place *place, struct sc_frame frame)
{
	frame.owner = sc_frame_owner_of(&frame);
	if (!place->count)
		place->first = s->frames.count;
	place->count++;
	sc_vector_push(&s->frames, frame);
}

static void add_frame(void *context, size_t key, const struct sc_place *found)
{
	struct sc_symbols *s = context;
	struct place *place = &s->places.items[key];
	struct sc_frame frame = bare_frame(s, place);
	char name[SC_DEMANGLE_MAX];

	if (found->function) {
		sc_demangle(found->function, name, sizeof(name));
		frame.function = keep(s, name);
		frame.is_named = 1;
	}
	frame.file = keep_path(s, found->file);
	frame.line = found->line;
	frame.column = found->column;
	frame.is_inlined = found->is_inlined;
	frame.instead = found->instead ? keep(s, found->instead) : NULL;
	frame.is_at_head = found->is_at_head;
	push_frame(s, place, frame);
}

static int by_module(const void *a, const void *b)
{
	const struct sc_lookup *x = a, *y = b;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	if (x->question.offset != y->question.offset)
		return x->question.offset < y->question.offset ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static struct sc_question question_of(const struct place *place)
{
	return (struct sc_question){place->asked, place->offset, place->callee};
}

/* Number of the file in the cache, which is asked for it once. */
static uint32_t cached_file(struct sc_symbols *s, struct mapped *mapped)
{
	if (!mapped->file)
		mapped->file = sc_symbol_cache_file(s->cache, mapped->map) + 1;
	return mapped->file - 1;
}

/* Takes the frames of a place from the cache; false if it was not looked up before. */
static bool take_cached(struct sc_symbols *s, struct place *place)
{
	const struct sc_cached_frame *cached;
	struct sc_question question = question_of(place);
	int count =
		sc_symbol_cache_find(s->cache, cached_file(s, place->mapped), &question, &cached);

	for (int i = 0; i < count; i++) {
		struct sc_frame frame = bare_frame(s, place);

		if (cached[i].function)
			frame.function = cached[i].function;
		frame.is_named = cached[i].function != NULL;
		frame.file = cached[i].file;
		frame.line = cached[i].line;
		frame.column = cached[i].column;
		frame.is_inlined = cached[i].is_inlined;
		frame.instead = cached[i].instead;
		frame.is_at_head = cached[i].is_at_head;
		push_frame(s, place, frame);
	}
	return count >= 0;
}

/* Gives the cache the frames of a place that was looked up: none is an answer, too. */
static void give_cached(struct sc_symbols *s, const struct place *place)
{
	SC_VECTOR(struct sc_cached_frame) frames = {0};
	struct sc_question question = question_of(place);

	for (size_t i = 0; i < place->count; i++) {
		const struct sc_frame *frame = &s->frames.items[place->first + i];

		sc_vector_push(&frames,
			       ((struct sc_cached_frame){
				       .function = frame->is_named ? frame->function : NULL,
				       .file = frame->file,
				       .line = frame->line,
				       .column = frame->column,
				       .is_inlined = frame->is_inlined,
				       .instead = frame->instead,
				       .is_at_head = frame->is_at_head,
			       }));
	}
	sc_symbol_cache_add(s->cache, cached_file(s, place->mapped), &question, frames.items,
			    (unsigned)frames.count);
	sc_vector_fini(&frames);
}

static void look_up_new(struct sc_symbols *s)
{
	SC_VECTOR(struct sc_lookup) lookups = {0};

	for (size_t i = s->looked_up; i < s->places.count; i++) {
		struct place *place = &s->places.items[i];

		if (!place->map || place->is_known || (s->cache && take_cached(s, place)))
			continue;
		sc_vector_push(&lookups, ((struct sc_lookup){place->map, question_of(place), i}));
	}
	if (lookups.count) {
		qsort(lookups.items, lookups.count, sizeof(*lookups.items), by_module);
		s->given_up += sc_worker_run(lookups.items, lookups.count, &s->debug, add_frame, s);
	}
	for (size_t i = 0; s->cache && i < lookups.count; i++)
		give_cached(s, &s->places.items[lookups.items[i].key]);
	sc_vector_fini(&lookups);
	for (; s->looked_up < s->places.count; s->looked_up++) {
		struct place *place = &s->places.items[s->looked_up];

		if (!place->count && place->asked == SC_ASKED_PLACE)
			push_frame(s, place, bare_frame(s, place));
	}
}

/* Frames of tail calls count to the address that their caller returns to. */
static void push_place(struct sc_symbols *s, struct sc_frame_list *stack, size_t *callee,
		       uint64_t pc)
{
	size_t places[3], caller = *sc_u64_map_get(&s->index, pc);
	unsigned tails = tails_of(s, *callee, caller, places);

	places[tails] = *callee = caller;
	for (unsigned i = 0; i <= tails; i++) {
		const struct place *place = &s->places.items[places[i] - 1];

		for (size_t f = 0; f < place->count; f++) {
			struct sc_frame frame = s->frames.items[place->first + f];

			frame.pc = pc;
			frame.is_tail = i < tails;
			sc_frame_list_push(stack, frame);
		}
	}
}

static struct finished make_stack(struct sc_symbols *s, uint32_t id)
{
	struct sc_frame_list stack;
	struct finished out = {0};
	const uint64_t *pcs;
	size_t count = sc_reader_stack(s->reader, id, &pcs), callee = 0;

	sc_frame_list_begin(&stack, sc_reader_stack_python(s->reader, id), &s->arena);
	sc_symbols_want(s, id);
	if (s->looked_up < s->places.count)
		look_up_new(s);
	for (size_t i = 0; i < count; i++)
		push_place(s, &stack, &callee, pcs[i]);
	sc_frame_list_end(&stack);
	count = stack.frames.count;
	if (stack.has_python)
		sc_python_own_tests(stack.frames.items, count);
	if (s->own && s->own->count)
		sc_frames_own(stack.frames.items, count, s->own, s->directory);
	sc_frames_judge(stack.frames.items, count);
	if (count)
		out.frames = sc_arena_xcopy(&s->arena, stack.frames.items,
					    count * sizeof(*stack.frames.items));
	out.count = count;
	sc_vector_fini(&stack.frames);
	return out;
}

size_t sc_symbols_stack(struct sc_symbols *s, uint32_t id, const struct sc_frame **frames)
{
	uint64_t index = *sc_u64_map_get(&s->stack_index, id);

	if (!index) {
		sc_vector_push(&s->stacks, make_stack(s, id));
		index = s->stacks.count;
		*sc_u64_map_get(&s->stack_index, id) = index;
	}
	*frames = s->stacks.items[index - 1].frames;
	return s->stacks.items[index - 1].count;
}

/* Lines of Python have their files; in C those that were loaded do, and of the others the module's
 * line tables. */
struct sources {
	struct sc_symbols *symbols;
	struct sc_u64_map seen;	  /* pcs */
	SC_VECTOR(size_t) places; /* + 1 */
	sc_source_fn *source;
	void *context;
};

static void want_sources(struct sources *x, uint64_t pc)
{
	struct sc_symbols *s = x->symbols;
	uint64_t *seen = sc_u64_map_get(&x->seen, pc), *known = sc_u64_map_find(&s->index, pc);
	struct place at = {.mapped = pc && !*seen ? find_map(s, pc - 1) : NULL};

	at.map = at.mapped ? at.mapped->map : NULL;
	if (*seen)
		return;
	*seen = 1;
	if (known && s->places.items[*known - 1].is_known)
		sc_vector_push(&x->places, *known);
	else if (may_own(&at))
		sc_vector_push(&x->places, add_sources(s, at.mapped));
}

/* Files of packages may be tests that a run is for (sc_python_own_tests). */
static void report_python(struct sources *x, const char *lines)
{
	struct sc_arena arena = {0};
	struct sc_frame frame;

	while (sc_python_take(&lines, &arena, &frame))
		if (frame.owner <= SC_OWNER_PACKAGE)
			x->source(x->context, frame.file);
	sc_arena_fini(&arena);
}

static void report_sources(struct sources *x, const struct place *place)
{
	struct sc_symbols *s = x->symbols;

	for (size_t i = 0; i < place->count; i++) {
		struct sc_frame frame = s->frames.items[place->first + i];

		frame.line = 1;
		if (s->own && s->own->count)
			sc_frames_own(&frame, 1, s->own, s->directory);
		if (*frame.file && frame.owner <= SC_OWNER_NAMED)
			x->source(x->context, frame.file);
	}
}

void sc_symbols_sources(struct sc_symbols *s, const uint32_t *stacks, size_t count,
			sc_source_fn *source, void *context)
{
	struct sources x = {.symbols = s, .source = source, .context = context};

	for (size_t i = 0; i < count; i++) {
		const uint64_t *pcs;
		size_t depth = sc_reader_stack(s->reader, stacks[i], &pcs);

		while (depth)
			want_sources(&x, pcs[--depth]);
		report_python(&x, sc_reader_stack_python(s->reader, stacks[i]));
	}
	if (s->looked_up < s->places.count)
		look_up_new(s);
	for (size_t i = 0; i < x.places.count; i++)
		report_sources(&x, &s->places.items[x.places.items[i] - 1]);
	sc_vector_fini(&x.places);
	sc_u64_map_fini(&x.seen);
}

unsigned sc_symbols_given_up(const struct sc_symbols *s)
{
	return s->given_up;
}

/* Names that are saved: "PC <tab> line <tab> column <tab> flags <tab> function <tab> file"; of
 * tail calls also "<tab> what was asked <tab> PC of the callee", and a line without a function if
 * there are none. */

static void add_word(struct sc_buf *out, const char *word)
{
	sc_buf_add_char(out, '\t');
	for (; *word; word++)
		sc_buf_add_char(out, (unsigned char)*word < ' ' ? '?' : *word);
}

static void save_frame(const struct place *place, const struct sc_frame *frame, struct sc_buf *out)
{
	sc_buf_printf(out, "%" PRIx64 "\t%u\t%u\t%d", place->pc, frame->line, frame->column,
		      frame->is_inlined | frame->is_at_head << 1);
	add_word(out, frame->function);
	add_word(out, frame->file);
	if (place->asked != SC_ASKED_PLACE)
		sc_buf_printf(out, "\t%u\t%" PRIx64, place->asked, place->callee_pc);
	sc_buf_add_char(out, '\n');
}

void sc_symbols_save(const struct sc_symbols *s, struct sc_buf *out)
{
	static const struct sc_frame none = {.function = "", .file = ""};

	for (size_t i = 0; i < s->looked_up; i++) {
		const struct place *place = &s->places.items[i];

		for (size_t f = 0; f < place->count; f++)
			if (s->frames.items[place->first + f].is_named)
				save_frame(place, &s->frames.items[place->first + f], out);
		if (!place->count && place->asked != SC_ASKED_PLACE &&
		    place->asked != SC_ASKED_SOURCES)
			save_frame(place, &none, out);
	}
}

/* The next word of a line, without the tab after it; "" after the last. */
static char *next_word(char **rest)
{
	char *word = *rest;

	*rest += strcspn(word, "\t");
	if (**rest)
		*(*rest)++ = '\0';
	return word;
}

/* The place that a line is about; NULL if there is none. */
static struct place *loaded_place(struct sc_symbols *s, uint64_t pc, char *rest)
{
	unsigned long asked = strtoul(next_word(&rest), NULL, 10);
	uint64_t callee_pc = strtoull(next_word(&rest), NULL, 16);
	size_t caller, callee;

	if (asked > SC_ASKED_INTO)
		return NULL;
	caller = add_place(s, pc);
	if (!asked)
		return &s->places.items[caller - 1];
	callee = callee_pc ? add_place(s, callee_pc) : 0;
	if (asked == SC_ASKED_INTO || asked == SC_ASKED_BETWEEN ? !callee : callee)
		return NULL;
	caller = asked == SC_ASKED_INTO ? 0 : caller;
	caller = add_tail(s, (enum sc_asked)asked, callee, caller); /* may move the places */
	return &s->places.items[caller - 1];
}

static void load_line(struct sc_symbols *s, char *line)
{
	struct place *place;
	struct sc_frame frame;
	uint64_t pc = strtoull(next_word(&line), NULL, 16);
	unsigned number = (unsigned)strtoul(next_word(&line), NULL, 10);
	unsigned column = (unsigned)strtoul(next_word(&line), NULL, 10);
	unsigned flags = (unsigned)strtoul(next_word(&line), NULL, 10);
	const char *function = next_word(&line), *file = next_word(&line);

	place = pc ? loaded_place(s, pc, line) : NULL;
	if (!place || (!*function && place->asked == SC_ASKED_PLACE))
		return;
	place->is_known = 1;
	if (!*function)
		return;
	frame = bare_frame(s, place);
	frame.function = keep(s, function);
	frame.file = keep_path(s, file);
	frame.line = number;
	frame.column = column;
	frame.is_named = 1;
	frame.is_inlined = flags & 1;
	frame.is_at_head = flags >> 1 & 1;
	push_frame(s, place, frame);
}

void sc_symbols_load(struct sc_symbols *s, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);

		load_line(s, sc_arena_xtext(&s->arena, text, length));
		text += length + 1;
	}
}
