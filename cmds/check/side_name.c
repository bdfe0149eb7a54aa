/* Side names: calls of the trace, looked up among what the device noted of them. */
#include "cmds/check/side_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/buf.h"

/* Numbers of a note of an operation, and of one of memory (base/sim_note.h). */
enum { CALL, STREAM, NUMBER, WORK, DESTINATION, SOURCE, NODE };
enum { MEMORY_ID = 1, MEMORY_ADDRESS, MEMORY_BYTES };

static void take_kernel(struct sc_side_name *s, const struct sc_sim_note *note, const char *data)
{
	size_t bytes =
		note->data_bytes < sizeof(s->kernel) ? note->data_bytes : sizeof(s->kernel) - 1;

	memset(s->kernel, 0, sizeof(s->kernel));
	memcpy(s->kernel, data, bytes);
}

/* The one operation that a call has enqueued, of a graph's launch that of a node, from 1. */
static const char *find_op(struct sc_side_name *s, const struct sc_sim_notes *notes, uint64_t call,
			   uint64_t node, struct sc_sim_note *found)
{
	struct sc_sim_note note;
	const char *data;
	size_t position = 0, count = 0;
	bool is_full = 0;

	while (sc_sim_notes_next(notes, &position, &note, &data)) {
		is_full |= note.kind == SC_NOTE_FULL;
		if (note.kind != SC_NOTE_OP || note.number[CALL] != call ||
		    (node && note.number[NODE] != node))
			continue;
		*found = note;
		take_kernel(s, &note, data);
		count++;
	}
	if (!count && is_full)
		return "the program enqueues more operations than are noted";
	if (count != 1)
		return count ? "one of the two is one of several operations of one call"
			     : "one of the two did not run on the simulated device";
	if (found->number[WORK] & SC_NOTE_SKIPPED)
		return "one of the two is a kernel that the simulated device does not execute";
	s->stream = found->number[STREAM];
	s->number = found->number[NUMBER];
	s->work = found->number[WORK];
	return NULL;
}

static bool is_host_access(const struct sc_op *op)
{
	return op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE;
}

/* The place of a node in its graph, from 1; 0 of one in an inner graph. */
static uint64_t find_node(const struct sc_record *record)
{
	uint32_t bytes = 0;
	const struct sc_node *n = sc_record_attachment(record, SC_ATTACH_NODE, &bytes);

	return n && bytes >= sizeof(*n) && !n->parent ? (uint64_t)n->index + 1 : 0;
}

static const char *find_side(struct sc_side_name *s, const struct sc_sim_notes *notes,
			     const struct sc_named_side *n, struct sc_sim_note *note)
{
	const struct sc_side *side = n->side;

	if (side->mode != SC_SIDE_READ && side->mode != SC_SIDE_WRITE)
		return "one of the two neither reads nor writes: it ends memory";
	s->is_host = n->is_host;
	if (s->is_host)
		return NULL;
	if (side->launch && !n->node)
		return "one of the two is in a graph inside of a graph";
	return find_op(s, notes, sc_side_position(side) + 1, side->launch ? n->node : 0, note);
}

/* The bytes that both use. */
static void find_common(const struct sc_side *a, const struct sc_side *b, uint64_t *address,
			uint64_t *bytes)
{
	uint64_t last = a->address + a->bytes;

	*address = a->address;
	*bytes = a->bytes;
	if (b->address >= last || a->address >= b->address + b->bytes)
		return; /* another view of the same memory */
	*address = a->address > b->address ? a->address : b->address;
	if (b->address + b->bytes < last)
		last = b->address + b->bytes;
	*bytes = last - *address;
}

/* The allocation that held the address when the call was made. */
static bool find_allocation(struct sc_pair_names *p, const struct sc_sim_notes *notes,
			    uint64_t call, uint64_t address)
{
	struct sc_sim_note note;
	const char *data;
	size_t position = 0;
	bool is_found = 0;

	while (sc_sim_notes_next(notes, &position, &note, &data)) {
		if (note.kind == SC_NOTE_OP && note.number[CALL] == call)
			return is_found;
		if (note.kind != SC_NOTE_MEMORY || address < note.number[MEMORY_ADDRESS] ||
		    address - note.number[MEMORY_ADDRESS] >= note.number[MEMORY_BYTES])
			continue;
		p->offset = address - note.number[MEMORY_ADDRESS];
		snprintf(p->base, sizeof(p->base), "%" PRIu64, note.number[MEMORY_ID]);
		is_found = 1;
	}
	return is_found;
}

/* Memory that is no allocation: by the copy that uses it. */
static void find_operand(struct sc_pair_names *p, const struct sc_sim_note *note, uint64_t address)
{
	uint64_t dst = note->number[DESTINATION], src = note->number[SOURCE];
	bool is_dst = dst && dst <= address && (src < dst || src > address);

	if (!is_dst && (!src || src > address))
		return;
	snprintf(p->base, sizeof(p->base), "%s", is_dst ? "dst" : "src");
	p->offset = address - (is_dst ? dst : src);
}

static void find_range(struct sc_pair_names *p, const struct sc_sim_notes *notes,
		       const struct sc_named_side sides[2], const struct sc_sim_note *op)
{
	unsigned device = p->side[0].is_host;
	uint64_t address;

	find_common(sides[0].side, sides[1].side, &address, &p->bytes);
	if (!address || !p->bytes)
		return;
	if (!find_allocation(p, notes, sc_side_position(sides[device].side) + 1, address) &&
	    p->side[1].is_host)
		find_operand(p, op, address);
}

const char *sc_pair_names_of(struct sc_pair_names *p, const struct sc_sim_notes *notes,
			     const struct sc_named_side sides[2])
{
	struct sc_sim_note note[2] = {0};
	const char *reason = NULL;

	*p = (struct sc_pair_names){0};
	for (unsigned i = 0; i < 2 && !reason; i++)
		reason = find_side(&p->side[i], notes, &sides[i], &note[i]);
	if (reason)
		return reason;
	if (p->side[0].is_host)
		return "the host's access comes before the operation is enqueued";
	find_range(p, notes, sides, &note[0]);
	return NULL;
}

const char *sc_pair_names_find(struct sc_pair_names *p, const struct sc_sim_notes *notes,
			       const struct sc_analysis *a, const struct sc_finding *f)
{
	struct sc_named_side sides[2];

	for (unsigned i = 0; i < 2; i++) {
		const struct sc_record *record = sc_analysis_record(a, f->side[i].op);

		if (!record)
			return "the trace does not have one of the two";
		sides[i] = (struct sc_named_side){&f->side[i], is_host_access(&record->op),
						  find_node(record)};
	}
	return sc_pair_names_of(p, notes, sides);
}

struct sc_pair_names sc_pair_names_turn(const struct sc_pair_names *p, unsigned first)
{
	struct sc_pair_names turned = *p;

	turned.side[0] = p->side[first];
	turned.side[1] = p->side[!first];
	return turned;
}

static void print_side(struct sc_buf *out, const struct sc_side_name *s)
{
	if (s->is_host)
		sc_buf_add(out, s->number ? "host@" : "host");
	if (!s->is_host || s->number)
		sc_buf_printf(out, "%" PRIu64 ".%" PRIu64, s->stream, s->number);
}

void sc_pair_names_print(const struct sc_pair_names *p, char out[SC_PAIR_TEXT])
{
	struct sc_buf text = {0};

	print_side(&text, &p->side[0]);
	sc_buf_add_char(&text, ',');
	print_side(&text, &p->side[1]);
	if (*p->base)
		sc_buf_printf(&text, ",%s+%" PRIu64 "+%" PRIu64, p->base, p->offset, p->bytes);
	snprintf(out, SC_PAIR_TEXT, "%s", sc_buf_text(&text));
	sc_buf_fini(&text);
}

bool sc_pair_names_are_met(const struct sc_pair_names *p, const struct sc_sim_notes *notes)
{
	struct sc_side_name met;
	struct sc_sim_note note;
	const char *data;

	for (unsigned i = 0; i < 2; i++) {
		const struct sc_side_name *s = &p->side[i];

		if (s->is_host)
			continue;
		if (!sc_sim_notes_find(notes, SC_NOTE_MET, i, &note, &data))
			return 0;
		take_kernel(&met, &note, data);
		if (note.number[1] != s->work || strcmp(met.kernel, s->kernel) != 0)
			return 0;
	}
	return 1;
}
