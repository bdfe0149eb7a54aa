/* Top's process: follower, reader, analysis, and a cache of places. */
#include "extensions/live/top_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/heap.h"
#include "base/message.h"
#include "cmds/check/loaded.h"
#include "cmds/check/progress.h"
#include "cmds/process/running.h"
#include "reports/sources/site.h"

#define SECOND	    UINT64_C(1000000000)
#define RATE_NS	    (SECOND / 4) /* over which operations are counted, at least */
#define NAMES_MOST  65536
#define PLACES_MOST 65536

static bool take_record(void *data, struct sc_record *record)
{
	struct sc_top_process *p = data;

	sc_names_take(&p->names, record);
	sc_top_state_note(&p->state, record);
	return true;
}

static bool open_trace(struct sc_top_process *p, const char *path, struct sc_buf *why)
{
	char message[256] = "";
	int err = sc_follow_open(&p->own, path);

	if (err == -EAGAIN) {
		sc_buf_printf(why, "process %d made no CUDA call yet", p->number);
		return false;
	}
	if (!err)
		err = sc_reader_open(&p->reader, path, message, sizeof(message));
	if (err) {
		sc_buf_printf(why, "cannot read %s: %s", path, *message ? message : strerror(-err));
		sc_follow_close(&p->own);
	}
	return !err;
}

void sc_top_process_prepare(struct sc_top_process *p, int number, const char *path,
			    struct sc_reader *r, const struct sc_follow *f)
{
	p->number = number;
	sc_traced_open(&p->traced, number, path);
	p->reader = r;
	p->follow = f;
	sc_top_state_init(&p->state);
	sc_names_begin(&p->names, r);
	p->names.most = NAMES_MOST;
	p->filter = (struct sc_filter){.is_kept = take_record, .data = p};
	sc_reader_set_filter(r, &p->filter);
}

void sc_top_process_attach(struct sc_top_process *p, struct sc_analysis *a)
{
	p->analysis = a;
	p->report = (struct sc_report){.analysis = a, .reader = p->reader, .names = &p->names};
	sc_words_init(&p->words, &p->report, getcwd(p->directory, sizeof(p->directory)));
}

void sc_top_process_detach(struct sc_top_process *p)
{
	sc_traced_close(&p->traced);
	sc_reader_set_filter(p->reader, NULL);
}

bool sc_top_process_init(struct sc_top_process *p, int number, const char *path,
			 const struct sc_options *o, struct sc_buf *why)
{
	struct sc_analysis_settings settings = sc_loaded_settings(o);
	struct sc_analysis *analysis;

	*p = (struct sc_top_process){.number = number};
	if (!open_trace(p, path, why))
		return false;
	sc_reader_set_end(p->reader, 0);
	sc_top_process_prepare(p, number, path, p->reader, &p->own);
	sc_footprints_files_read(&p->files, o);
	settings.is_live = 1;
	settings.advice = 0;
	settings.strict_hosts = 0; /* what any thread waited for is complete */
	settings.watch = &p->state.watch;
	settings.footprints = p->files.texts;
	settings.footprint_count = p->files.count;
	analysis = sc_analysis_begin(p->reader, &settings);
	if (!analysis)
		sc_die("out of memory");
	sc_top_process_attach(p, analysis);
	return true;
}

static void forget_places(struct sc_top_process *p)
{
	for (size_t i = 0; i < p->places.count; i++) {
		free(p->places.items[i].call);
		free(p->places.items[i].place);
	}
	sc_vector_clear(&p->places);
	sc_u64_map_fini(&p->places_by_stack);
	p->places_by_stack = (struct sc_u64_map){0};
}

void sc_top_process_fini(struct sc_top_process *p)
{
	forget_places(p);
	sc_vector_fini(&p->places);
	sc_traced_close(&p->traced);
	/* not sc_analysis_end, which would read the trace again; what it frees ends with the tool
	 */
	sc_analysis_free(p->analysis);
	sc_names_fini(&p->names);
	sc_top_state_fini(&p->state);
	sc_footprints_files_fini(&p->files);
	sc_reader_free(p->reader);
	sc_follow_close(&p->own);
}

/* ---- what was written ---- */

/* Slots hold operations as those that were read do. */
static double operations_of(const struct sc_top_process *p, uint64_t slots)
{
	if (!p->follow->settled)
		return 0;
	return (double)slots * (double)p->operations / (double)p->follow->settled;
}

void sc_top_process_measure(struct sc_top_process *p, uint64_t now_ns)
{
	uint64_t since = p->rate_ns ? p->rate_ns : sc_reader_header(p->reader)->start_ns;
	bool is_gone = !sc_traced_may_live(&p->traced);

	sc_top_state_settle(&p->state);
	p->has_ended = p->follow->is_closed || is_gone;
	p->operations = sc_analysis_coverage(p->analysis)->ops;
	p->behind = (uint64_t)operations_of(p, p->follow->written - p->follow->settled);
	if (now_ns < since + RATE_NS || p->has_ended)
		return;
	p->rate = operations_of(p, p->follow->written - p->rate_slots) /
		  ((double)(now_ns - since) / (double)SECOND);
	p->rate_ns = now_ns;
	p->rate_slots = p->follow->written;
}

/* Asked when it was read, since another process may begin to give space back meanwhile. */
static bool is_given(const struct sc_top_process *p)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", p->own.fd);
	return sc_running_gives(path, true);
}

void sc_top_process_look(struct sc_top_process *p, uint64_t now_ns)
{
	if (sc_follow_look(&p->own, now_ns)) {
		sc_reader_set_end(p->reader, p->own.settled);
		sc_analysis_read_on(p->analysis);
	}
	p->is_given = is_given(p);
	sc_top_process_measure(p, now_ns);
}

/* ---- places ---- */

static uint64_t key_of(const struct sc_op *op)
{
	/* of a launch, the generated wrappers are passed over */
	return op->stack | (op->kind == SC_OP_KERNEL ? (uint64_t)op->object << 32 : 0);
}

static char *copy_of(const char *text)
{
	return text && *text ? sc_heap_xcopy(text, strlen(text)) : NULL;
}

static void add_place(struct sc_top_process *p, uint64_t key, const char *call, const char *place)
{
	if (p->places.count == PLACES_MOST)
		forget_places(p); /* they are found again */
	sc_vector_push(&p->places, (struct sc_top_place){.key = key});
	sc_vector_last(&p->places)->call = copy_of(call);
	sc_vector_last(&p->places)->place = copy_of(place);
	*sc_u64_map_get(&p->places_by_stack, key) = p->places.count;
}

static void find_place(struct sc_top_process *p, const struct sc_op *op)
{
	struct sc_report_site site;
	const struct sc_frame *frame;
	struct sc_buf place = {0};

	sc_site_of(&site, &p->report, op);
	frame = sc_site_frame(&site);
	if (frame)
		sc_site_add_place(&place, frame, p->words.directory);
	add_place(p, key_of(op), site.api, sc_buf_text(&place));
	sc_buf_fini(&place);
}

static bool is_new(const struct sc_top_process *p, const struct sc_op *op)
{
	return op->stack && !sc_u64_map_find(&p->places_by_stack, key_of(op));
}

void sc_top_process_find_places(struct sc_top_process *p, const struct sc_op *ops, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_new(p, &ops[i]))
			continue;
		if (!p->report.symbols)
			p->report.symbols = sc_symbols_new(p->reader);
		if (!p->report.symbols)
			sc_die("out of memory");
		sc_symbols_want(p->report.symbols, ops[i].stack);
	}
	if (!p->report.symbols)
		return;
	for (size_t i = 0; i < count; i++)
		if (is_new(p, &ops[i]))
			find_place(p, &ops[i]);
	sc_symbols_free(p->report.symbols);
	p->report.symbols = NULL;
}

const struct sc_top_place *sc_top_process_place(const struct sc_top_process *p,
						const struct sc_op *op)
{
	static const struct sc_top_place nothing = {0};
	const uint64_t *index = sc_u64_map_find(&p->places_by_stack, key_of(op));

	return index ? &p->places.items[*index - 1] : &nothing;
}

/* Of each: its key, its call and its place, each text with a 0 at its end. */
void sc_top_process_print_places(const struct sc_top_process *p, size_t first, struct sc_buf *out)
{
	for (size_t i = first; i < p->places.count; i++) {
		const struct sc_top_place *at = &p->places.items[i];
		const char *texts[] = {at->call, at->place};

		sc_buf_add_bytes(out, (const char *)&at->key, sizeof(at->key));
		for (size_t k = 0; k < 2; k++)
			sc_buf_add_bytes(out, texts[k] ? texts[k] : "",
					 texts[k] ? strlen(texts[k]) + 1 : 1);
	}
}

void sc_top_process_take_places(struct sc_top_process *p, const char *text, size_t bytes)
{
	const char *end = text + bytes;

	while ((size_t)(end - text) > sizeof(uint64_t)) {
		const char *call = text + sizeof(uint64_t), *place;
		uint64_t key;

		memcpy(&key, text, sizeof(key));
		place = memchr(call, '\0', (size_t)(end - call));
		text = place ? memchr(place + 1, '\0', (size_t)(end - place - 1)) : NULL;
		if (!text)
			return;
		if (!sc_u64_map_find(&p->places_by_stack, key))
			add_place(p, key, call, place + 1);
		text++;
	}
}
