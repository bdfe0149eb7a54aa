/* Words for findings: which bytes, which launch, how far ordering reached. */
#include "reports/words/words_fill.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include "base/shell.h"
#include "reports/sources/origin.h"
#include "reports/sources/site.h"
#include "reports/utf8.h"
#include "reports/sources/variable.h"

static const struct sc_record *record_of(const struct sc_words *w, uint64_t op_plus)
{
	return op_plus ? sc_analysis_record(w->report->analysis, op_plus - 1) : NULL;
}

/* A fix belongs into the function that both ops came from, not into a helper below it. */
static void set_parts(struct sc_words *w, const struct sc_finding *f,
		      const struct sc_report_site sites[2])
{
	w->parts[0] = w->parts[1] = NULL;
	if (f->sides < 2 || f->side[0].thread != f->side[1].thread ||
	    !sc_site_part(&sites[0], &sites[1], w->parts))
		w->parts[0] = w->parts[1] = NULL;
	w->part_ops[0] = f->side[0].op;
	w->part_ops[1] = f->side[1].op;
}

/* An event that orders others too is recorded after another op (analyzer/model/cause.h). */
static void set_fix_part(struct sc_words *w, const struct sc_finding *f,
			 const struct sc_report_site *second)
{
	const struct sc_record *record = record_of(w, f->fix_after);
	const struct sc_frame *pair[2];
	struct sc_report_site site;

	w->parts[2] = NULL;
	w->part_ops[2] = f->fix_after - 1;
	if (f->fix != SC_FIX_EVENT || !record ||
	    f->fix_after - 1 == sc_side_position(&f->side[0]) ||
	    record->op.thread != f->side[1].thread)
		return;
	sc_site_of(&site, w->report, &record->op);
	if (sc_site_part(&site, second, pair))
		w->parts[2] = pair[0];
}

void sc_words_set_finding(struct sc_words *w, const struct sc_finding *f)
{
	struct sc_report_site sites[2] = {0};

	for (unsigned i = 0; i < f->sides && i < 2; i++) {
		const struct sc_record *record =
			sc_analysis_record(w->report->analysis, f->side[i].op);

		if (record)
			sc_site_of(&sites[i], w->report, &record->op);
	}
	w->dialect = sc_dialect_of(sites);
	set_parts(w, f, sites);
	set_fix_part(w, f, &sites[1]);
}

/* Size of the allocation of a finding, 0 if the size is not known. */
static uint64_t allocated_bytes(const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);

	return record ? record->op.bytes : 0;
}

void sc_words_add_object(struct sc_buf *out, const struct sc_words *w,
			 const struct sc_origin_object *o)
{
	const struct sc_frame *frame;
	struct sc_report_site site;

	sc_site_of_stack(&site, w->report, o->stack);
	frame = sc_site_frame(&site);
	if (!frame)
		return;
	sc_buf_printf(out, "%s%s %" PRIu32, out->bytes ? "; " : "", sc_origin_noun(o->kind), o->id);
	sc_variable_add(out, w->report, o->kind, o->stack);
	sc_buf_printf(out, " was %s at ", sc_origin_verb(o->kind));
	sc_site_add_place(out, frame, w->directory);
	sc_origin_say(out, w->report, &site, o->kind, o->stack, false, w->directory);
}

bool sc_words_objects(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
		      size_t k, const char **label)
{
	static const struct {
		unsigned kind;
		const char *label;
	} kinds[] = {{SC_OP_STREAM_CREATE, "streams"},
		     {SC_OP_EVENT_CREATE, "events"},
		     {SC_OP_INSTANTIATE, "graphs"}};
	struct sc_origin_object objects[SC_ORIGIN_OBJECTS];
	size_t count = sc_origin_objects(objects, w->report, f);

	if (k >= sizeof(kinds) / sizeof(*kinds))
		return 0;
	*label = kinds[k].label;
	for (size_t i = 0; i < count; i++)
		if (objects[i].kind == kinds[k].kind)
			sc_words_add_object(out, w, &objects[i]);
	return 1;
}

void sc_words_add_origin(struct sc_buf *out, const struct sc_words *w, uint32_t stream)
{
	const struct sc_named *s = sc_names_stream(w->report->names, stream);

	if (s && s->stack && !(s->flags & (SC_FLAG_LEGACY | SC_FLAG_PER_THREAD)))
		sc_words_add_object(
			out, w, &(struct sc_origin_object){SC_OP_STREAM_CREATE, stream, s->stack});
}

void sc_words_place_from(struct sc_buf *out, const struct sc_words *w,
			 const struct sc_record *record)
{
	struct sc_report_site site;

	sc_words_place(out, w, record->sequence);
	sc_site_of(&site, w->report, &record->op);
	sc_origin_say(out, w->report, &site, record->op.kind, record->op.stack, true, w->directory);
}

/* How an op that begins memory begins it. */
static const char *beginning(unsigned kind)
{
	switch (kind) {
	case SC_OP_PIN: return "registered";
	case SC_OP_PIECE: return "handed out by a pool";
	default: return "allocated";
	}
}

/* The memory of a variable is a part of its module, at an address that nobody may have seen. */
static bool is_of_module(const struct sc_record *record)
{
	return record->op.kind == SC_OP_MODULE_LOAD || record->op.kind == SC_OP_MODULE_CHOICE;
}

bool sc_words_allocation(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *record = record_of(w, f->allocation);
	const char *memory, *name;

	if (!record)
		return 0;
	memory = sc_memory_text(record->op.dst_mem);
	name = sc_names_memory(w->report->names, f->side[f->sides - 1].address, record->sequence);
	if (record->op.kind == SC_OP_MODULE_CHOICE) { /* nobody saw where that was loaded */
		sc_buf_add(out, "a variable of the program's device code");
		return 1;
	}
	if (record->op.kind == SC_OP_MODULE_LOAD) {
		sc_buf_add(out, "a variable of the module loaded at ");
		sc_words_place_from(out, w, record);
		return 1;
	}
	sc_words_count(out, record->op.bytes, "byte");
	sc_buf_add(out, " of ");
	if (memory && record->op.dst_mem != SC_MEM_NONE && record->op.kind != SC_OP_PIN)
		sc_buf_printf(out, "%s ", memory);
	if (name) {
		sc_buf_add(out, "memory \"");
		sc_utf8_add_clean(out, name);
		sc_buf_add(out, "\", ");
	} else {
		sc_buf_add(out, "memory");
		sc_variable_add(out, w->report, record->op.kind, record->op.stack);
		sc_buf_add_char(out, ' ');
	}
	sc_buf_printf(out, "%s at ", beginning(record->op.kind));
	sc_words_place_from(out, w, record);
	return 1;
}

bool sc_words_bytes(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_side *side = &f->side[f->sides ? f->sides - 1 : 0];
	const struct sc_record *record = record_of(w, f->allocation);
	bool is_variable = record && is_of_module(record);
	uint64_t start = record && !is_variable ? side->address - record->op.dst : 0;

	if (!side->address || !side->bytes)
		return 0;
	if (is_variable) {
		sc_words_count(out, side->bytes, "byte");
		sc_buf_add(out, " of ");
		return sc_words_allocation(out, w, f);
	}
	if (!record || start >= allocated_bytes(w, f)) {
		sc_words_count(out, side->bytes, "byte");
		sc_buf_printf(out, " at 0x%" PRIx64, side->address);
		return 1;
	}
	if (side->bytes == allocated_bytes(w, f))
		sc_buf_add(out, "all");
	else if (side->bytes == 1)
		sc_buf_printf(out, "byte %" PRIu64, start);
	else
		sc_buf_printf(out, "%" PRIu64 "–%" PRIu64, start, start + side->bytes - 1);
	sc_buf_add(out, " of ");
	return sc_words_allocation(out, w, f);
}

/* Where the address lies beside the memory that is nearest to it. */
static void add_nearest(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f,
			uint64_t address)
{
	const struct sc_record *record = record_of(w, f->allocation);
	uint64_t start, end;

	if (!record || is_of_module(record))
		return;
	start = record->op.dst;
	end = start + allocated_bytes(w, f);
	if (address >= start && address < end) {
		sc_buf_printf(out, ", byte %" PRIu64 " of ", address - start);
	} else if (address == end) {
		sc_buf_add(out, ", the first byte after ");
	} else {
		sc_buf_add(out, ", ");
		sc_words_count(out, address < start ? start - address : address - end, "byte");
		sc_buf_add(out, address < start ? " before " : " after the end of ");
	}
	sc_words_allocation(out, w, f);
}

/* A sentence of the device, its files named as all of the report's: below the run's directory
 * relative to it. */
static void add_sentence(struct sc_buf *out, const struct sc_words *w, const char *text,
			 size_t bytes)
{
	struct sc_buf folder = {0};
	const char *found;
	size_t before;

	sc_buf_printf(&folder, " %s/", w->directory ? w->directory : "");
	while (folder.bytes > 2 && (found = memmem(text, bytes, folder.text, folder.bytes))) {
		before = (size_t)(found - text) + 1;
		sc_words_clean(out, text, before);
		text += before - 1 + folder.bytes;
		bytes -= before - 1 + folder.bytes;
	}
	sc_words_clean(out, text, bytes);
	sc_buf_fini(&folder);
}

bool sc_words_fault(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_record *fault = record_of(w, f->fault);
	uint32_t bytes = 0;
	const char *text, *blank;

	if (!fault)
		return 0;
	text = sc_record_attachment(fault, SC_ATTACH_TEXT, &bytes);
	blank = text ? memchr(text, ' ', bytes) : NULL;
	if (blank) { /* after the mangled name of the kernel */
		sc_words_mangled(out, text, (size_t)(blank - text));
		add_sentence(out, w, blank, bytes - (size_t)(blank - text));
	} else {
		sc_buf_add(out, "it failed");
	}
	if (!fault->op.value) /* it did not fail: the text says all */
		return 1;
	sc_buf_printf(out, ": error %" PRIu64, fault->op.value);
	if (!fault->op.dst)
		return 1;
	sc_buf_printf(out, ", address 0x%" PRIx64, fault->op.dst);
	add_nearest(out, w, f, fault->op.dst);
	return 1;
}

bool sc_words_ranks(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const char *text = sc_analysis_remark(w->report->analysis, f);

	if (!text)
		return 0;
	sc_utf8_add_clean(out, text);
	return 1;
}

bool sc_words_launch(struct sc_buf *out, const struct sc_words *w, const struct sc_side *side)
{
	if (!side->launch)
		return 0;
	sc_words_call_at(out, w, side->launch - 1);
	if (!side->stream) /* an instantiation that was refused */
		return 1;
	sc_buf_add(out, ", in ");
	sc_words_stream(out, w, side->stream);
	return 1;
}

const char *sc_words_order_id(const struct sc_finding *f)
{
	return sc_finding_lacks_order(f) ? sc_reach_rows[sc_finding_order(f)].id : NULL;
}

bool sc_words_reach(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	if (!sc_finding_lacks_order(f))
		return 0;
	sc_words_fill(out, w, f, sc_reach_rows[sc_finding_order(f)].sentence);
	if (f->severity == SC_WARNING && f->confidence == SC_PROVEN &&
	    sc_finding_has_cause(f, SC_RULE_204))
		sc_buf_add(out,
			   "; the race is real, but a call between the two that allocates or "
			   "frees memory may have made the device wait in this run, which CUDA "
			   "does not promise: a warning, and no error");
	return 1;
}

/* A name as the shell takes it. */
static void add_quoted(struct sc_buf *out, const char *name)
{
	bool is_plain = !strpbrk(name, SC_SHELL_SPECIAL);

	if (is_plain && *name != '-') {
		sc_utf8_add_clean(out, name);
		return;
	}
	sc_buf_add(out, *name == '-' ? "'./" : "'");
	for (; *name; name++)
		if (*name == '\'')
			sc_buf_add(out, "'\\''");
		else
			sc_words_clean(out, name, 1);
	sc_buf_add_char(out, '\'');
}

void sc_words_trace(struct sc_buf *out, const struct sc_words *w)
{
	const char *path = w->report->trace ?: "FILE";
	size_t folder = w->directory ? strlen(w->directory) : 0;

	if (folder && !strncmp(path, w->directory, folder) && path[folder] == '/')
		path += folder + 1;
	add_quoted(out, path);
}

void sc_words_explain(struct sc_buf *out, const struct sc_words *w, const struct sc_finding *f)
{
	const struct sc_report *r = w->report;

	if (!r->trace || f->remark) { /* the trace alone does not have it */
		sc_buf_printf(out, "streamcheck rules SC-%u", f->rule);
		return;
	}
	sc_buf_printf(out, "streamcheck explain %s%u ", r->trace_options ? r->trace_options : "",
		      f->number);
	add_quoted(out, r->trace);
}

bool sc_words_leader(struct sc_buf *out, const struct sc_finding *f)
{
	if (!f->leader)
		return 0;
	sc_buf_printf(out,
		      "for the same reason as finding %" PRIu32 ", whose fix ends this one too",
		      f->leader);
	return 1;
}

void sc_words_repair_command(struct sc_buf *out, const struct sc_words *w)
{
	const struct sc_report *r = w->report;

	sc_buf_printf(out, "streamcheck repair %s",
		      r->trace && r->trace_options ? r->trace_options : "");
	sc_words_trace(out, w);
}

bool sc_words_repair(struct sc_buf *out, const struct sc_words *w)
{
	const struct sc_repair_note *n = w->report->repair;

	if (!n)
		return 0;
	if (!n->edits) {
		sc_words_repair_command(out, w);
		sc_buf_add(out, " looks for the fewest edits that end these ");
		sc_words_count(out, n->findings, "finding");
		return 1;
	}
	sc_words_count(out, n->edits, "edit");
	sc_buf_printf(out, " %s %s", n->edits == 1 ? "ends" : "end",
		      n->ended == n->findings ? "these " : "");
	sc_words_count(out, n->ended, "finding");
	if (n->ended < n->findings)
		sc_buf_printf(out, " of these %zu", n->findings);
	sc_buf_add(out, ": ");
	sc_words_repair_command(out, w);
	return 1;
}
