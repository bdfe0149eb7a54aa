/* The run as trace events (the JSON of Chrome and Perfetto): lanes, calls, findings, flow arrows.
 *
 * Lanes are host threads, and streams with what was put into them. A call stands where it was made:
 * at its time if the trace has times, else at its position, one microsecond a slot. A stream's lane
 * shows when the device did it, if the trace has device times, else the moment of the enqueue; host
 * lanes also show the program's own ranges. Calls that are not
 * waits have no length of their own; they are drawn one microsecond long, or up to the next one.
 */
#include "reports/report.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/map.h"
#include "base/vector.h"
#include "reports/facts.h"
#include "reports/fingerprint.h"
#include "reports/json_writer.h"
#include "reports/words/words.h"

#define STREAM_PROCESS (1U << 22) /* above every process id: streams are a process of their own */
#define SLICE_NS       1000
/* The counts of a joint report. */
enum count { ARROWS, TIMES };

#define DEPTH 8 /* open slices of a lane; deeper ones are not drawn */

struct lane {
	uint64_t ends_ns; /* the last short slice is open until here at most; 0 = none is open */
	uint64_t now_ns;  /* nothing may begin before */
	uint32_t id;
	unsigned depth;	   /* open waits, callbacks and ranges */
	unsigned left_out; /* open ranges that are not drawn */
	bool is_stream;
};

struct perfetto {
	struct sc_buf *out;
	const struct sc_report *report;
	struct sc_words words;
	SC_VECTOR(struct lane) lanes;
	struct sc_u64_map lane_index; /* (is_stream, id) to index + 1 */
	struct sc_u64_map times;      /* op of a finding to its time */
	struct sc_buf phrase;
	uint64_t start_ns; /* time of the first op that has one; 0 where there are many processes */
	uint64_t process;  /* id in this report */
	uint64_t arrows;   /* drawn so far, in all processes */
	bool is_many;
	bool has_times;
	bool has_events;
};

/* Appends a text as a JSON string. */
static void add_string(struct sc_buf *out, const char *text)
{
	struct sc_json j = {.out = out};

	sc_json_text(&j, NULL, text);
}

/* Begins an event up to its lane; the caller adds members and the closing brace. */
static void begin_event(struct perfetto *p, const char *phase, const struct lane *lane,
			uint64_t time_ns)
{
	uint64_t process = p->process + (lane->is_stream ? STREAM_PROCESS : 0);

	sc_buf_printf(p->out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32,
		      p->has_events ? "," : "", phase, process, lane->id);
	sc_buf_printf(p->out, ",\"ts\":%" PRIu64 ".%03u", time_ns / 1000,
		      (unsigned)(time_ns % 1000));
	p->has_events = 1;
}

static void end_slice(struct perfetto *p, struct lane *lane, uint64_t time_ns)
{
	begin_event(p, "E", lane, time_ns);
	sc_buf_add_char(p->out, '}');
	lane->now_ns = time_ns;
}

/* Closes the short slice of a lane, if one is open, not later than `time_ns`. */
static void end_short(struct perfetto *p, struct lane *lane, uint64_t time_ns)
{
	if (!lane->ends_ns)
		return;
	end_slice(p, lane, lane->ends_ns < time_ns ? lane->ends_ns : time_ns);
	lane->ends_ns = 0;
}

static struct lane *lane_of(struct perfetto *p, uint32_t id, bool is_stream)
{
	uint64_t *index = sc_u64_map_get(&p->lane_index, (uint64_t)is_stream << 32 | id);

	if (!*index) {
		sc_vector_push(&p->lanes, ((struct lane){.id = id, .is_stream = is_stream}));
		*index = p->lanes.count;
	}
	return &p->lanes.items[*index - 1];
}

/* When an op happened, as the trace records it. */
static uint64_t plain_time(const struct perfetto *p, const struct sc_record *record)
{
	if (!p->has_times)
		return record->sequence * 1000;
	return record->op.time_ns > p->start_ns ? record->op.time_ns - p->start_ns : 0;
}

/* The same, but never before what its lane already shows. */
static uint64_t time_of(const struct perfetto *p, const struct lane *lane,
			const struct sc_record *record)
{
	uint64_t time = plain_time(p, record);

	return time < lane->now_ns ? lane->now_ns : time;
}

static void add_arguments(struct perfetto *p, const struct sc_record *record)
{
	sc_buf_printf(p->out, ",\"args\":{\"sequence\":%" PRIu64, record->sequence);
	if (record->op.bytes)
		sc_buf_printf(p->out, ",\"bytes\":%" PRIu64, record->op.bytes);
	if (record->op.result == SC_RESULT_PENDING)
		sc_buf_add(p->out, ",\"result\":\"never returned\"");
	else if (record->op.result)
		sc_buf_printf(p->out, ",\"result\":%" PRId32, record->op.result);
	sc_buf_add(p->out, "}}");
}

/* What an op is called. Only ops of findings have their stack named: a run has millions of others,
 * which are known by the driver's call. */
static void add_words(struct perfetto *p, const struct sc_record *record)
{
	struct sc_record plain = *record;

	if (!sc_analysis_record(p->report->analysis, record->sequence))
		plain.op.stack = 0;
	sc_words_op(&p->phrase, &p->words, &plain);
}

/* Begins a slice; returns its time. */
static uint64_t begin_slice(struct perfetto *p, struct lane *lane, const struct sc_record *record)
{
	uint64_t time = time_of(p, lane, record);
	const char *kind = sc_op_kind_text(record->op.kind);

	end_short(p, lane, time);
	add_words(p, record);
	begin_event(p, "B", lane, time);
	sc_buf_add(p->out, ",\"name\":");
	add_string(p->out, sc_buf_text(&p->phrase));
	sc_buf_add(p->out, ",\"cat\":");
	add_string(p->out, kind ? kind : "unknown");
	add_arguments(p, record);
	sc_buf_clear(&p->phrase);
	lane->now_ns = time;
	return time;
}

static uint64_t add_short(struct perfetto *p, struct lane *lane, const struct sc_record *record)
{
	uint64_t time = begin_slice(p, lane, record);

	lane->ends_ns = time + SLICE_NS;
	return time;
}

/* Waits and callbacks are as long as they were. */
static uint64_t begin_long(struct perfetto *p, struct lane *lane, const struct sc_record *record)
{
	if (lane->depth >= DEPTH)
		return add_short(p, lane, record);
	lane->depth++;
	return begin_slice(p, lane, record);
}

static void end_long(struct perfetto *p, struct lane *lane, const struct sc_record *record)
{
	uint64_t time = time_of(p, lane, record);

	if (!lane->depth)
		return;
	end_short(p, lane, time);
	end_slice(p, lane, time);
	lane->depth--;
}

static void take_on_host(struct perfetto *p, const struct sc_record *record)
{
	struct lane *lane = lane_of(p, record->op.thread, 0);
	uint64_t time;

	if (record->op.phase == SC_PHASE_END || record->op.kind == SC_OP_CALLBACK_END) {
		end_long(p, lane, record);
		return;
	}
	if (record->op.phase == SC_PHASE_BEGIN || record->op.kind == SC_OP_CALLBACK_BEGIN)
		time = begin_long(p, lane, record);
	else
		time = add_short(p, lane, record);
	if (sc_analysis_record(p->report->analysis, record->sequence))
		*sc_u64_map_get(&p->times, record->sequence) = time;
}

/* The work of a stream, when the device ran it and for how long. */
static void add_span(struct perfetto *p, const struct sc_record *record,
		     const struct sc_device_span *span)
{
	uint64_t start = span->start_ns > p->start_ns ? span->start_ns - p->start_ns : 0;
	uint64_t length = span->end_ns - span->start_ns;

	add_words(p, record);
	begin_event(p, "X", lane_of(p, record->op.stream, 1), start);
	sc_buf_printf(p->out, ",\"dur\":%" PRIu64 ".%03u,\"name\":", length / 1000,
		      (unsigned)(length % 1000));
	add_string(p->out, sc_buf_text(&p->phrase));
	sc_buf_add(p->out, ",\"cat\":\"device\"");
	add_arguments(p, record);
	sc_buf_clear(&p->phrase);
}

static void take_in_stream(struct perfetto *p, const struct sc_record *record)
{
	struct sc_device_span span;

	if (p->has_times &&
	    sc_device_time_of(sc_analysis_times(p->report->analysis), record->sequence, &span))
		add_span(p, record, &span);
	else
		add_short(p, lane_of(p, record->op.stream, 1), record);
}

/* A range of the program's own; ranges deeper than the lane has room for are left out. */
static void push_range(struct perfetto *p, const struct sc_record *record)
{
	struct lane *lane = lane_of(p, record->op.thread, 0);
	uint64_t time = time_of(p, lane, record);
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(record, SC_ATTACH_TEXT, &bytes);

	if (lane->depth >= DEPTH) {
		lane->left_out++;
		return;
	}
	lane->depth++;
	end_short(p, lane, time);
	sc_buf_add_bytes(&p->phrase, text ? text : "", text ? bytes : 0);
	begin_event(p, "B", lane, time);
	sc_buf_add(p->out, ",\"cat\":\"range\",\"name\":");
	add_string(p->out, sc_buf_text(&p->phrase));
	sc_buf_add_char(p->out, '}');
	sc_buf_clear(&p->phrase);
	lane->now_ns = time;
}

static void pop_range(struct perfetto *p, const struct sc_record *record)
{
	struct lane *lane = lane_of(p, record->op.thread, 0);

	if (lane->left_out)
		lane->left_out--;
	else
		end_long(p, lane, record);
}

static void take(struct perfetto *p, const struct sc_record *record)
{
	enum sc_op_class class = sc_op_kind_class(record->op.kind);

	if (record->op.kind == SC_OP_RANGE_PUSH)
		push_range(p, record);
	else if (record->op.kind == SC_OP_RANGE_POP)
		pop_range(p, record);
	if (class == SC_CLASS_DEFINE)
		return;
	take_on_host(p, record);
	if (class == SC_CLASS_ENQUEUE && record->op.stream)
		take_in_stream(p, record);
}

/* Whether the trace has times, and the first of them. */
static void find_start(struct perfetto *p)
{
	struct sc_record record;

	sc_reader_rewind(p->report->reader);
	while (!p->has_times && sc_reader_next(p->report->reader, &record) > 0) {
		p->has_times = sc_op_kind_class(record.op.kind) != SC_CLASS_DEFINE &&
			       record.op.time_ns != 0;
		p->start_ns = record.op.time_ns;
	}
	/* Processes of one machine share its clock: their lanes belong side by side. */
	if (p->is_many)
		p->start_ns = 0;
}

static void take_all(struct perfetto *p)
{
	struct sc_record record;

	sc_reader_rewind(p->report->reader);
	while (sc_reader_next(p->report->reader, &record) > 0)
		take(p, &record);
}

static void close_lanes(struct perfetto *p)
{
	for (size_t i = 0; i < p->lanes.count; i++) {
		struct lane *lane = &p->lanes.items[i];

		end_short(p, lane, UINT64_MAX);
		for (; lane->depth; lane->depth--)
			end_slice(p, lane, lane->now_ns + SLICE_NS);
	}
}

/* Whether a side has a slice: a definition, like the creation of a stream, has none. */
static bool has_slice(const struct perfetto *p, const struct sc_side *side)
{
	return sc_analysis_record(p->report->analysis, side->op) &&
	       sc_u64_map_find(&p->times, sc_side_position(side));
}

/* One end of the arrow between the two ops of a finding; it binds to the slice of the op. */
static void add_arrow_end(struct perfetto *p, const char *phase, const struct sc_side *side)
{
	const struct sc_record *record = sc_analysis_record(p->report->analysis, side->op);
	const uint64_t *time = sc_u64_map_find(&p->times, sc_side_position(side));

	begin_event(p, phase, lane_of(p, record->op.thread, 0), *time);
	sc_buf_printf(p->out, ",\"name\":\"finding\",\"cat\":\"finding\",\"id\":%" PRIu64,
		      p->arrows);
	sc_buf_add(p->out, *phase == 'f' ? ",\"bp\":\"e\"}" : "}");
}

/* The arrow from the first side to the second; none unless both have a slice to bind to. */
static void add_arrow(struct perfetto *p, const struct sc_finding *f)
{
	if (f->sides < 2 || !has_slice(p, &f->side[0]) || !has_slice(p, &f->side[1]))
		return;
	p->arrows++;
	add_arrow_end(p, "s", &f->side[0]);
	add_arrow_end(p, "f", &f->side[1]);
}

static void add_mark(struct perfetto *p, const struct sc_finding *f, uint64_t fingerprint)
{
	const struct sc_side *side = &f->side[f->sides > 1];
	const struct sc_record *record = sc_analysis_record(p->report->analysis, side->op);
	const uint64_t *time = sc_u64_map_find(&p->times, sc_side_position(side));
	char text[SC_FINGERPRINT_SIZE];
	const struct lane *lane;

	if (!record)
		return;
	lane = lane_of(p, record->op.thread, 0);
	sc_fingerprint_text(text, fingerprint);
	/* A definition, like that of an event, has no slice. */
	begin_event(p, "i", lane, time ? *time : plain_time(p, record));
	sc_buf_printf(p->out, ",\"s\":\"t\",\"cat\":\"finding\",\"name\":\"%s SC-%u (%s)\"",
		      sc_severity_text(f->severity), f->rule, sc_words_confidence(f->confidence));
	sc_words_set_finding(&p->words, f);
	sc_facts_message(&p->phrase, &p->words, f);
	sc_buf_add(p->out, ",\"args\":{\"message\":");
	add_string(p->out, p->phrase.text);
	sc_buf_clear(&p->phrase);
	sc_words_fix(&p->phrase, &p->words, f);
	sc_buf_add(p->out, ",\"fix\":");
	add_string(p->out, sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
	sc_buf_printf(p->out, ",\"number\":%u,\"fingerprint\":\"%s\"}}", f->number, text);
}

static void add_findings(struct perfetto *p)
{
	struct sc_fingerprints fingerprints;
	size_t count;
	const struct sc_finding *f = sc_analysis_findings(p->report->analysis, &count);

	sc_fingerprints_init(&fingerprints, p->report);
	for (size_t i = 0; i < count; i++) {
		add_mark(p, &f[i], fingerprints.items[i]);
		add_arrow(p, &f[i]);
	}
	sc_fingerprints_fini(&fingerprints);
}

static void add_name(struct perfetto *p, const struct lane *lane, const char *what,
		     const char *name)
{
	begin_event(p, "M", lane, 0);
	sc_buf_printf(p->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	add_string(p->out, name);
	sc_buf_add(p->out, "}}");
}

static void name_lane(struct perfetto *p, const struct lane *lane)
{
	if (lane->is_stream)
		sc_words_stream(&p->phrase, &p->words, lane->id);
	else if (lane->id)
		sc_buf_printf(&p->phrase, "host thread %" PRIu32, lane->id);
	else
		sc_buf_add(&p->phrase, "unknown thread");
	if (!lane->is_stream)
		sc_words_name(&p->phrase,
			      sc_reader_name(p->report->reader, SC_NAMES_THREAD, lane->id));
	add_name(p, lane, "thread_name", sc_buf_text(&p->phrase));
	sc_buf_clear(&p->phrase);
}

/* A process in Perfetto's sense: the host threads of one of ours, or its streams. */
static void name_process(struct perfetto *p, bool is_stream, const char *name)
{
	const struct lane lane = {.is_stream = is_stream};
	const struct sc_names *names = p->report->names;

	if (p->is_many) {
		sc_joint_add_name(&p->phrase, names);
		sc_buf_add(&p->phrase, ": ");
	}
	sc_buf_add(&p->phrase, name);
	add_name(p, &lane, "process_name", p->phrase.text);
	sc_buf_clear(&p->phrase);
	if (!p->is_many)
		return;
	begin_event(p, "M", &lane, 0);
	sc_buf_printf(p->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}",
		      2 * (names->rank + 1) + is_stream);
}

static void name_lanes(struct perfetto *p)
{
	const char *command = p->report->names->command;

	name_process(p, 0, *command ? command : "host threads");
	name_process(p, 1, "streams (at the time of the call)");
	for (size_t i = 0; i < p->lanes.count; i++)
		name_lane(p, &p->lanes.items[i]);
}

void sc_report_perfetto(struct sc_joint *joint, const struct sc_report *r,
			const struct sc_report_style *style)
{
	struct perfetto p = {
		.out = &joint->parts,
		.report = r,
		.process = sc_joint_id(joint, r->names->process),
		.arrows = joint->counts[ARROWS],
		.is_many = sc_joint_is_many(joint),
		.has_events = joint->processes > 0,
	};

	sc_words_init(&p.words, r, style->directory);
	find_start(&p);
	joint->counts[TIMES] += p.has_times;
	take_all(&p);
	close_lanes(&p);
	add_findings(&p);
	name_lanes(&p);
	joint->counts[ARROWS] = p.arrows;
	sc_vector_fini(&p.lanes);
	sc_u64_map_fini(&p.lane_index);
	sc_u64_map_fini(&p.times);
	sc_buf_fini(&p.phrase);
}

void sc_report_finish_perfetto(struct sc_buf *out, const struct sc_joint *joint)
{
	sc_buf_printf(out, "{\"otherData\":{\"streamcheck\":\"%s\",\"time\":\"%s\"},", SC_VERSION,
		      joint->counts[TIMES] ? "of the calls" : "program order");
	sc_buf_add(out, "\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	sc_joint_copy(out, joint);
	sc_buf_add(out, "\n]}\n");
}
