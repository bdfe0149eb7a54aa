/* The program's own ranges (NVTX) as data of the HTML report's time line. */
#include <inttypes.h>
#include <stdbool.h>
#include "reports/html/html.h"
#include "reports/html/html_number.h"
#include "reports/utf8.h"

#define LEVELS	     8 /* ranges in one another that are shown */
#define NAME_COLUMNS 120

/* A range; those of the process have no thread. */
struct range {
	uint32_t name; /* of the pool */
	uint32_t thread;
	unsigned level;
	uint64_t begin, end; /* sequence numbers; end 0: it never ended */
	uint64_t begin_ns, end_ns;
};

/* The ranges that are open, of a thread or of the process; each on a level of its own. */
struct open {
	uint64_t objects[LEVELS];
	size_t ranges[LEVELS]; /* index + 1; 0: free */
	uint64_t deeper;       /* of a thread, above these: not shown */
};

struct ranges {
	struct sc_html *h;
	SC_VECTOR(struct range) list;
	SC_VECTOR(struct open) threads;
	struct sc_u64_map by_thread; /* index + 1 */
	uint64_t left_out;
};

/* Thread 0 stands for the process. */
static struct open *open_of(struct ranges *r, uint32_t thread)
{
	uint64_t *index = sc_u64_map_get(&r->by_thread, thread);

	if (!*index) {
		sc_vector_push(&r->threads, (struct open){0});
		*index = r->threads.count;
	}
	return &r->threads.items[*index - 1];
}

static uint32_t name_of(struct ranges *r, const struct sc_record *record)
{
	uint32_t bytes = 0, index;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);
	struct sc_buf plain = {0};

	sc_buf_add_bytes(&plain, text ? text : "", text ? bytes : 0);
	sc_utf8_add_cut(&r->h->phrase, sc_buf_text(&plain), NAME_COLUMNS);
	sc_buf_fini(&plain);
	index = sc_json_pool_text(&r->h->ranges, sc_buf_text(&r->h->phrase));
	sc_buf_clear(&r->h->phrase);
	return index;
}

/* False if there is no room for it. */
static bool begin(struct ranges *r, struct open *open, unsigned level, uint32_t thread,
		  const struct sc_record *record)
{
	if (level == LEVELS || r->list.count >= r->h->ranges_most) {
		r->left_out++;
		return 0;
	}
	sc_vector_push(&r->list, ((struct range){.name = name_of(r, record),
						 .thread = thread,
						 .level = level,
						 .begin = record->sequence,
						 .begin_ns = record->op.time_ns}));
	open->objects[level] = record->op.object;
	open->ranges[level] = r->list.count;
	return 1;
}

static void end(struct ranges *r, struct open *open, unsigned level, const struct sc_record *record)
{
	struct range *range = &r->list.items[open->ranges[level] - 1];

	range->end = record->sequence;
	range->end_ns = record->op.time_ns;
	open->ranges[level] = 0;
}

/* A thread's ranges nest: the next one is above all that are open. */
static void push(struct ranges *r, const struct sc_record *record)
{
	struct open *open = open_of(r, record->op.thread);
	unsigned level = LEVELS;

	while (level && !open->ranges[level - 1])
		level--;
	open->deeper += !begin(r, open, level, record->op.thread, record);
}

/* The last one of that domain ends. */
static void pop(struct ranges *r, const struct sc_record *record)
{
	struct open *open = open_of(r, record->op.thread);
	unsigned level = LEVELS;

	if (open->deeper) {
		open->deeper--; /* which one is not known */
		return;
	}
	while (level && !(open->ranges[level - 1] && open->objects[level - 1] == record->op.object))
		level--;
	if (level)
		end(r, open, level - 1, record);
}

/* Those of the process begin and end as they like. */
static void start(struct ranges *r, const struct sc_record *record)
{
	struct open *open = open_of(r, 0);
	unsigned level = 0;

	while (level < LEVELS && open->ranges[level])
		level++;
	begin(r, open, level, 0, record);
}

static void stop(struct ranges *r, const struct sc_record *record)
{
	struct open *open = open_of(r, 0);

	for (unsigned level = 0; level < LEVELS; level++)
		if (open->ranges[level] && open->objects[level] == record->op.object) {
			end(r, open, level, record);
			return;
		}
}

static void take(struct ranges *r, const struct sc_record *record)
{
	switch (record->op.kind) {
	case SC_OP_RANGE_PUSH: push(r, record); break;
	case SC_OP_RANGE_POP: pop(r, record); break;
	case SC_OP_RANGE_START: start(r, record); break;
	case SC_OP_RANGE_END: stop(r, record); break;
	default: break;
	}
}

/* Seven numbers a range: name, thread, level, how far its beginning is after that of the range
 * before, how far its end is after its beginning (0: never), the time of its beginning, counted
 * from the first call, and how long it took. */
static void add_range(struct sc_buf *data, const struct range *range, uint64_t last,
		      uint64_t start_ns)
{
	sc_html_add_number(data, range->name);
	sc_html_add_number(data, range->thread);
	sc_html_add_number(data, range->level);
	sc_html_add_number(data, range->begin - last);
	sc_html_add_number(data, range->end ? range->end - range->begin : 0);
	sc_html_add_signed(data, (int64_t)(range->begin_ns - start_ns));
	sc_html_add_number(data,
			   range->end_ns > range->begin_ns ? range->end_ns - range->begin_ns : 0);
}

void sc_html_put_ranges(struct sc_html *h)
{
	struct ranges r = {.h = h};
	struct sc_buf data = {0};
	struct sc_record record;

	sc_reader_rewind(h->report.reader);
	while (h->walk.has_ranges && sc_reader_next(h->report.reader, &record) > 0)
		take(&r, &record);
	for (size_t i = 0; i < r.list.count; i++)
		add_range(&data, &r.list.items[i], i ? r.list.items[i - 1].begin : 0,
			  h->walk.start_ns);
	sc_html_put_numbers(&h->w, "ranges", &data);
	sc_html_put_pool(h, "rangeNames", &h->ranges);
	sc_json_number(&h->w, "rangesLeft", r.left_out);
	sc_buf_fini(&data);
	sc_vector_fini(&r.list);
	sc_vector_fini(&r.threads);
	sc_u64_map_fini(&r.by_thread);
}
