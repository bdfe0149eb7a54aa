/* Slice: one walk over the trace that follows memory and stops at the steps. */
#include "extensions/repair/reproducer/slice.h"

#include <stdlib.h>
#include <string.h>

/* Why findings of a rule cannot be reproduced, or NULL. */
static const char *unfit_of(const struct sc_finding *f)
{
	static const struct {
		unsigned rule;
		const char *takes;
	} rows[] = {
#define SC_UNFIT(rule, takes) {rule, takes},
#include "extensions/repair/reproducer/unfit.def"
#undef SC_UNFIT
	};

	if (f->sides < 2)
		return "the finding is about one operation";
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].rule == f->rule)
			return rows[i].takes;
	return NULL;
}

/* ---- which steps ---- */

static size_t add_step(struct sc_slice *s, const struct sc_reader *r, uint64_t place, unsigned side)
{
	struct sc_slice_step step = {.place = place, .side = side};

	for (size_t i = 0; i < s->steps.count && !side; i++)
		if (s->steps.items[i].place == place)
			return i;
	if (!sc_reader_op(r, place, &step.op)) {
		s->reason = "an operation of the finding is not in the trace";
		return 0;
	}
	sc_vector_push(&s->steps, step);
	return s->steps.count - 1;
}

static void add_side(struct sc_slice *s, const struct sc_reader *r, const struct sc_finding *f,
		     unsigned side)
{
	const struct sc_side *of = &f->side[side - 1];
	size_t at = add_step(s, r, of->op, side);

	if (!of->launch || s->reason)
		return;
	s->steps.items[at].by = add_step(s, r, of->launch - 1, 0) + 1;
}

/* The call that came nearest to ordering the two, if what it does is certain. */
static void add_near(struct sc_slice *s, const struct sc_reader *r, const struct sc_finding *f)
{
	static const bool is_certain[SC_REACHES] = {[SC_REACH_OTHER] = 1,
						    [SC_REACH_EARLIER] = 1,
						    [SC_REACH_NEVER] = 1,
						    [SC_REACH_RECORD] = 1};

	if (!f->reach_op || f->reach >= SC_REACHES || !is_certain[f->reach])
		return;
	add_step(s, r, f->reach_op - 1, 0);
}

static int by_place(const void *x, const void *y)
{
	const struct sc_slice_step *a = x, *b = y;

	return (a->place > b->place) - (a->place < b->place);
}

/* Steps name each other by their places until they are in order. */
static void sort_steps(struct sc_slice *s)
{
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].by)
			s->steps.items[i].by = s->steps.items[s->steps.items[i].by - 1].place + 1;
	qsort(s->steps.items, s->steps.count, sizeof(*s->steps.items), by_place);
	for (size_t i = 0; i < s->steps.count; i++)
		for (size_t k = 0; s->steps.items[i].by && k < s->steps.count; k++)
			if (s->steps.items[k].place + 1 == s->steps.items[i].by) {
				s->steps.items[i].by = k + 1;
				break;
			}
}

/* What makes a step happen does not happen by that step; a damaged trace may say so. */
static void check_chains(struct sc_slice *s)
{
	for (size_t i = 0; i < s->steps.count; i++) {
		size_t at = i + 1, length = 0;

		while (at && length++ <= s->steps.count)
			at = s->steps.items[at - 1].by;
		if (at)
			s->reason = "the trace contradicts itself";
	}
}

/* ---- memory ---- */

static bool has(const struct sc_slice_memory *m, uint64_t address)
{
	return (address >= m->start && address - m->start < m->bytes) ||
	       (m->alias && address >= m->alias && address - m->alias < m->bytes);
}

static struct sc_slice_memory *find(struct sc_slice *s, uint64_t address, bool is_live)
{
	for (size_t i = s->memory.count; i-- > 0;)
		if (s->memory.items[i].is_live == is_live && has(&s->memory.items[i], address))
			return &s->memory.items[i];
	return NULL;
}

/* A variable of a module is known once the program asks for it, which may be after its use. */
static bool is_known_variable(struct sc_slice *s, const struct sc_op *op)
{
	for (size_t i = 0; i < s->memory.count; i++) {
		struct sc_slice_memory *m = &s->memory.items[i];

		if (m->place && m->kind == SC_OP_SYMBOL && m->start == op->dst)
			return 1;
		if (m->place || !m->is_used || m->start < op->dst ||
		    m->start - op->dst >= op->bytes)
			continue;
		m->start = op->dst;
		m->bytes = op->bytes;
		return 1;
	}
	return 0;
}

static void begin_memory(struct sc_slice *s, const struct sc_record *record, unsigned memory)
{
	const struct sc_op *op = &record->op;

	if (!op->bytes || op->result > 0 || (op->kind == SC_OP_SYMBOL && is_known_variable(s, op)))
		return;
	*sc_vector_add(&s->memory) = (struct sc_slice_memory){.start = op->dst,
							      .bytes = op->bytes,
							      .alias = op->src,
							      .place = record->sequence + 1,
							      .context = op->context,
							      .stream = op->stream,
							      .stack = op->stack,
							      .kind = op->kind,
							      .memory = (uint8_t)memory,
							      .flags = op->flags,
							      .is_live = 1};
	*sc_u64_map_get(&s->memory_at, op->dst) = s->memory.count;
}

static void end_memory(struct sc_slice *s, uint64_t start)
{
	const uint64_t *index = sc_u64_map_find(&s->memory_at, start);

	if (index && *index)
		s->memory.items[*index - 1].is_live = 0;
}

static bool begins(const struct sc_op *op)
{
	return op->kind == SC_OP_ALLOC || op->kind == SC_OP_ALLOC_ASYNC || op->kind == SC_OP_PIN ||
	       op->kind == SC_OP_VMM_MAP || op->kind == SC_OP_SYMBOL;
}

static void follow(struct sc_slice *s, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	if (op->flags & SC_FLAG_NODE)
		return;
	if (begins(op)) {
		unsigned otherwise = op->kind == SC_OP_PIN ? SC_MEM_REGISTERED : SC_MEM_DEVICE;

		begin_memory(s, record, op->dst_mem ? op->dst_mem : otherwise);
		return;
	}
	switch (op->kind) {
	case SC_OP_EVENT_CREATE: *sc_u64_map_get(&s->event_flags, op->object) = op->flags; return;
	case SC_OP_DEVICE: s->uses_pageable |= op->value & SC_DEVICE_PAGEABLE_ACCESS; return;
	case SC_OP_PIECE: *sc_u64_map_get(&s->pieces, op->dst) = record->sequence + 1; return;
	case SC_OP_FREE:
	case SC_OP_FREE_ASYNC:
	case SC_OP_UNPIN:
	case SC_OP_VMM_UNMAP:
		if (op->result <= 0)
			end_memory(s, op->dst);
		return;
	default: return;
	}
}

/* Bytes of an operand: in memory that is live, else in what was there last, else in memory of its
 * own, of which the trace shows nothing but this. */
static void set_range(struct sc_slice *s, struct sc_slice_range *out, const struct sc_access *bytes,
		      unsigned memory)
{
	struct sc_slice_memory *m;
	uint64_t extent;

	if (!bytes->base || !bytes->rows ||
	    __builtin_mul_overflow(bytes->pitch, bytes->rows - 1, &extent) ||
	    __builtin_add_overflow(extent, bytes->width, &extent) || bytes->base + extent < extent)
		return;
	*out = (struct sc_slice_range){0, bytes->base, bytes->width, bytes->pitch, bytes->rows};
	m = find(s, bytes->base, 1);
	m = m ? m : find(s, bytes->base, 0);
	if (!m) {
		*sc_vector_add(&s->memory) = (struct sc_slice_memory){
			.start = bytes->base,
			.bytes = extent ? extent : 1,
			.memory = (uint8_t)(memory ? memory : SC_MEM_PAGEABLE),
			.is_live = 1};
		m = sc_vector_last(&s->memory);
	}
	if (m->alias && bytes->base >= m->alias && bytes->base - m->alias < m->bytes)
		out->address = m->start + (bytes->base - m->alias);
	if (!m->place && out->address - m->start + extent > m->bytes)
		m->bytes = out->address - m->start + extent;
	m->is_used = 1;
	out->memory = (size_t)(m - s->memory.items) + 1;
}

static void set_line(struct sc_slice *s, struct sc_slice_range *out, uint64_t address,
		     uint64_t bytes, unsigned memory)
{
	struct sc_access line = {
		.base = address, .width = bytes ? bytes : 1, .rows = 1, .slices = 1};

	if (address)
		set_range(s, out, &line, memory);
}

/* The attached bytes of a copy or fill: one list for each side. */
static void set_attached(struct sc_slice *s, struct sc_slice_step *step,
			 const struct sc_record *record)
{
	for (uint32_t i = 0; i < record->access_count; i++) {
		const struct sc_access *a = &record->accesses[i];
		bool writes = sc_mode_writes(a->mode);
		struct sc_slice_range *out = writes ? &step->dst : &step->src;

		if (out->memory || a->slices != 1 || a->order != SC_SOURCE_UNKNOWN) {
			s->reason = "a copy in three dimensions, or several at once";
			return;
		}
		set_range(s, out, a, writes ? step->op.dst_mem : step->op.src_mem);
	}
}

/* A kernel may do both: where the rule is about a read and a write it reads what the other writes.
 */
static bool reads_only(const struct sc_finding *f, unsigned side)
{
	const struct sc_side *own = &f->side[side - 1], *other = &f->side[2 - side];

	if (f->rule != SC_RULE_106 || other->mode != SC_SIDE_WRITE)
		return 0;
	return own->known > other->known || (own->known == other->known && side == 2);
}

static void set_operands(struct sc_slice *s, struct sc_slice_step *step,
			 const struct sc_record *record, const struct sc_finding *f)
{
	const struct sc_side *side = step->side ? &f->side[step->side - 1] : NULL;
	const struct sc_op *op = &step->op;

	if (op->kind == SC_OP_KERNEL && side) {
		step->writes = side->mode == SC_SIDE_WRITE && !reads_only(f, step->side);
		set_line(s, &step->dst, side->address, side->bytes, SC_MEM_DEVICE);
	} else if (side && side->bytes &&
		   (op->kind == SC_OP_HOST_READ || op->kind == SC_OP_HOST_WRITE)) {
		/* An access is seen by its first byte in a page. */
		set_line(s, op->kind == SC_OP_HOST_READ ? &step->src : &step->dst, side->address,
			 side->bytes, op->kind == SC_OP_HOST_READ ? op->src_mem : op->dst_mem);
	} else if (side && side->address && op->kind == SC_OP_HOST_FREE) {
		set_line(s, &step->dst, side->address, side->bytes, op->dst_mem);
	} else if (record->access_count) {
		set_attached(s, step, record);
	} else {
		set_line(s, &step->dst, op->dst, op->bytes, op->dst_mem);
		set_line(s, &step->src, op->src, op->bytes, op->src_mem);
	}
	if (op->kind == SC_OP_PIECE_FREE || op->kind == SC_OP_PIECE_USE)
		s->piece = *sc_u64_map_get(&s->pieces, op->dst);
	if (op->kind == SC_OP_HOST_FREE && step->dst.memory && op->flags & SC_FLAG_FRAME)
		s->memory.items[step->dst.memory - 1].is_frame = 1;
}

/* ---- other calls ---- */

/* What steps need of the trace that they do not name: which call runs each host function, and which
 * record an event wait takes. */
struct found {
	struct sc_u64_map call;	  /* of each execution: place + 1 of the call, or of the node, */
	struct sc_u64_map launch; /* and place + 1 of the launch that ran the node */
	struct sc_u64_map nodes;  /* by the call that made it: place + 1 of a host node, */
	struct sc_u64_map graphs; /* and its graph */
	struct sc_u64_map last;	  /* of each graph: place + 1 of its last launch */
	const struct sc_op *wait; /* for an event, or NULL, */
	uint64_t waits, record;	  /* its place; that of the record, + 1 */
	bool is_elsewhere;	  /* some record is not a plain one in a stream */
};

/* A record of the event before the wait, perhaps by a graph or for a whole context. */
static bool is_record_of(const struct found *of, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;

	return (op->kind == SC_OP_EVENT_RECORD || op->kind == SC_OP_CONTEXT_RECORD) && of->wait &&
	       op->object == of->wait->object && record->sequence < of->waits;
}

static void note(struct found *of, const struct sc_record *record)
{
	const struct sc_op *op = &record->op;
	const uint64_t *node;

	if (is_record_of(of, record)) {
		of->record = record->sequence + 1;
		of->is_elsewhere |= op->kind != SC_OP_EVENT_RECORD ||
				    op->flags & (SC_FLAG_NODE | SC_FLAG_CAPTURED);
	}
	if (op->kind == SC_OP_GRAPH_LAUNCH) {
		*sc_u64_map_get(&of->last, op->object) = record->sequence + 1;
	} else if (op->kind == SC_OP_HOST_FUNC && op->flags & SC_FLAG_NODE) {
		*sc_u64_map_get(&of->nodes, op->link) = record->sequence + 1;
		*sc_u64_map_get(&of->graphs, op->link) = op->peer;
	} else if (op->kind == SC_OP_CALLBACK_BEGIN) {
		node = sc_u64_map_find(&of->nodes, op->link);
		*sc_u64_map_get(&of->call, op->callback) = node ? *node : op->link;
		if (node)
			*sc_u64_map_get(&of->launch, op->callback) =
				*sc_u64_map_get(&of->last, *sc_u64_map_get(&of->graphs, op->link));
	}
}

/* What a host function does happens by the call that enqueued it, or by a node of a launch. */
static void set_function(struct sc_slice *s, const struct sc_reader *r, size_t step,
			 const struct found *of)
{
	uint32_t execution = s->steps.items[step].op.callback;
	const uint64_t *call = sc_u64_map_find(&of->call, execution);
	const uint64_t *launch = sc_u64_map_find(&of->launch, execution);
	size_t by;

	if (!call || !*call || (launch && !*launch)) {
		s->reason = "which host function an operation is in is not in the trace";
		return;
	}
	by = add_step(s, r, *call - 1, 0);
	s->steps.items[step].by = by + 1;
	if (s->reason)
		return;
	if (launch)
		s->steps.items[by].by = add_step(s, r, *launch - 1, 0) + 1;
	else if (s->steps.items[by].op.kind != SC_OP_HOST_FUNC)
		s->reason = "a host function of a graph whose launch is not in the trace";
}

/* The wait for an event among the steps, or NULL. */
static const struct sc_slice_step *wait_of(const struct sc_slice *s)
{
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].op.kind == SC_OP_EVENT_WAIT ||
		    s->steps.items[i].op.kind == SC_OP_EVENT_SYNC)
			return &s->steps.items[i];
	return NULL;
}

/* Of what it waits for is not known: as a call that is only near it goes. */
static void drop_wait(struct sc_slice *s)
{
	size_t at = (size_t)(wait_of(s) - s->steps.items);

	if (s->steps.items[at].side) {
		s->reason = "an event that a graph records";
		return;
	}
	s->steps.items[at].op.kind = SC_OP_NONE; /* steps name each other by their number */
}

static void add_found(struct sc_slice *s, const struct sc_reader *r, const struct found *of)
{
	size_t count = s->steps.count;

	for (size_t i = 0; i < count && !s->reason; i++)
		if (s->steps.items[i].op.callback)
			set_function(s, r, i, of);
	if (of->is_elsewhere)
		drop_wait(s);
	else if (of->record && !s->reason)
		add_step(s, r, of->record - 1, 0);
}

static void find_calls(struct sc_slice *s, struct sc_reader *r)
{
	const struct sc_slice_step *step = wait_of(s);
	struct sc_op wait = step ? step->op : (struct sc_op){0};
	struct found of = {.wait = step ? &wait : NULL, .waits = step ? step->place : 0};
	struct sc_record record;
	bool is_asked = step != NULL;

	for (size_t i = 0; i < s->steps.count; i++)
		is_asked |= s->steps.items[i].op.callback != 0;
	if (!is_asked)
		return;
	sc_reader_rewind(r);
	while (sc_reader_next(r, &record))
		note(&of, &record);
	add_found(s, r, &of);
	sc_u64_map_fini(&of.call);
	sc_u64_map_fini(&of.launch);
	sc_u64_map_fini(&of.nodes);
	sc_u64_map_fini(&of.graphs);
	sc_u64_map_fini(&of.last);
}

/* ---- all of it ---- */

/* A pool takes back what it has handed out. */
static void add_piece(struct sc_slice *s, struct sc_reader *r, const struct sc_finding *f)
{
	struct sc_record record;
	size_t at;

	if (!s->piece || s->reason)
		return;
	at = add_step(s, r, s->piece - 1, 0);
	if (!s->reason && sc_reader_record(r, s->piece - 1, &record))
		set_operands(s, &s->steps.items[at], &record, f);
	sort_steps(s);
}

static void walk(struct sc_slice *s, struct sc_reader *r, const struct sc_finding *f)
{
	struct sc_record record;
	size_t at = 0;

	sc_reader_rewind(r);
	while (at < s->steps.count && !s->reason && sc_reader_next(r, &record)) {
		bool is_begin = begins(&record.op);

		if (is_begin)
			follow(s, &record);
		for (; at < s->steps.count && s->steps.items[at].place == record.sequence; at++)
			set_operands(s, &s->steps.items[at], &record, f);
		if (!is_begin)
			follow(s, &record);
	}
}

/* A call that fails for memory which other memory may have taken the place of by then. */
static bool is_refused_for_good(const struct sc_slice *s, const struct sc_op *op)
{
	size_t ended = sc_slice_side(s, 1)->dst.memory;

	return op->kind == SC_OP_KERNEL || (op->kind == SC_OP_COPY && ended &&
					    s->memory.items[ended - 1].memory == SC_MEM_PINNED);
}

/* What no step can say of a call. */
static void check_steps(struct sc_slice *s, const struct sc_finding *f)
{
	bool has_node = 0, has_piece = 0;

	for (size_t i = 0; i < s->steps.count; i++) {
		const struct sc_slice_step *step = &s->steps.items[i];

		has_node |= (step->op.flags & SC_FLAG_NODE) != 0;
		has_piece |= step->op.kind == SC_OP_PIECE || step->op.kind == SC_OP_PIECE_FREE;
		if (step->op.result > 0 &&
		    (sc_finding_lacks_order(f) || is_refused_for_good(s, &step->op)))
			s->reason = "a call that failed";
		if (step->side && step->op.kind == SC_OP_KERNEL && !step->dst.memory &&
		    sc_finding_lacks_order(f))
			s->reason = "a kernel whose bytes are not known";
		if (f->rule == SC_RULE_145 && step->op.phase == SC_PHASE_BEGIN)
			s->reason = "a wait that has not ended";
		if (step->op.kind == SC_OP_COPY && step->op.value)
			s->reason = "a batch of copies";
		if (step->side && step->op.kind == SC_OP_GRAPH_LAUNCH)
			s->reason = "a launch of a graph as a whole";
		if (step->op.kind == SC_OP_PIECE_FREE && (step->op.bytes || step->op.value))
			s->reason = "a pool that gives back memory otherwise than piece by piece";
	}
	if (has_node && has_piece)
		s->reason = "a piece of a pool in a graph";
}

/* Both sides use the bytes of one memory, or the finding would not be one of the program. */
static void check_memory(struct sc_slice *s, const struct sc_finding *f)
{
	const struct sc_slice_step *a = sc_slice_side(s, 1), *b = sc_slice_side(s, 2);
	const size_t of[] = {a->dst.memory, a->src.memory, b->dst.memory, b->src.memory};

	for (size_t i = 0; i < s->memory.count; i++) {
		if (!s->memory.items[i].is_used)
			continue;
		if (s->uses_pageable && s->memory.items[i].memory == SC_MEM_PAGEABLE)
			s->reason = "a device that uses pageable memory";
		if (f->rule == SC_RULE_124 && s->memory.items[i].memory == SC_MEM_PAGEABLE)
			s->reason = "pageable memory that only the host uses";
		if (s->memory.items[i].bytes > SC_SLICE_BYTES_MOST)
			s->reason = "memory of more than 16 GiB";
		if (s->memory.items[i].flags & SC_FLAG_INTERPROCESS)
			s->reason = "imported memory";
		if (s->memory.items[i].kind == SC_OP_ALLOC_ASYNC &&
		    s->memory.items[i].memory != SC_MEM_DEVICE)
			s->reason = "a pool of memory that the host may use";
		if (s->memory.items[i].is_frame && (a->op.flags | b->op.flags) & SC_FLAG_NODE)
			s->reason = "memory of a function in a graph";
	}
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 2; k < 4; k++)
			if (of[i] && of[i] == of[k])
				return;
	if ((of[0] || of[1]) && (of[2] || of[3]))
		s->reason = "between the two the memory was freed and allocated again";
}

void sc_slice_make(struct sc_slice *s, struct sc_reader *r, const struct sc_finding *f)
{
	*s = (struct sc_slice){0};
	s->reason = unfit_of(f);
	if (s->reason)
		return;
	add_side(s, r, f, 1);
	add_side(s, r, f, 2);
	if (!s->reason)
		add_near(s, r, f);
	if (!s->reason)
		find_calls(s, r);
	if (s->reason)
		return;
	sort_steps(s);
	check_chains(s);
	if (s->reason)
		return;
	walk(s, r, f);
	add_piece(s, r, f);
	if (!s->reason)
		check_steps(s, f);
	if (!s->reason)
		check_memory(s, f);
}

void sc_slice_fini(struct sc_slice *s)
{
	sc_vector_fini(&s->steps);
	sc_vector_fini(&s->memory);
	sc_u64_map_fini(&s->memory_at);
	sc_u64_map_fini(&s->event_flags);
	sc_u64_map_fini(&s->pieces);
}

const struct sc_slice_step *sc_slice_side(const struct sc_slice *s, unsigned side)
{
	for (size_t i = 0; i < s->steps.count; i++)
		if (s->steps.items[i].side == side)
			return &s->steps.items[i];
	return NULL;
}

const struct sc_slice_step *sc_slice_call(const struct sc_slice *s, unsigned side)
{
	const struct sc_slice_step *step = sc_slice_side(s, side);

	while (step && step->by)
		step = &s->steps.items[step->by - 1];
	return step;
}
