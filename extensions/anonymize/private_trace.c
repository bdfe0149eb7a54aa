/* Private traces: what becomes of each record. */
#include "extensions/anonymize/private_trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/arena.h"
#include "base/heap.h"
#include "base/search.h"
#include "extensions/anonymize/code.h"
#include "extensions/anonymize/stack.h"
#include "extensions/anonymize/text.h"
#include "trace/slot.h"

#define PIECE	      (1 << 20) /* bytes of an image in one record */
#define FRAME	      UINT64_C(0x1800)
#define PARTS	      5 /* attachments that a record may keep */
#define ANY_PROCESS   1
#define LOWEST_MAPPED UINT64_C(0x550000000000) /* of the host (analyzer/access/launch.c) */

struct work {
	const struct sc_report *report;
	FILE *file;
	uint64_t slots; /* written */
	sc_private_places *places;
	struct sc_private_names names;
	struct sc_private_words words;
	struct sc_code code;
	struct sc_callsites sites;
	struct sc_arena arena;
	sc_private_kernels kernels;
	struct sc_u64_map launches;   /* stack → 1 + a kernel that was launched there */
	uint64_t start_ns, device_ns; /* earliest times of the two clocks, less 1 */
	bool has_declarations, has_device_clock;
	struct sc_buf text, other;
};

/* ---- the first walk ---- */

static void least(uint64_t *of, uint64_t value)
{
	if (value && (!*of || value < *of))
		*of = value;
}

static void learn_times(struct work *w, const struct sc_op *op)
{
	w->has_device_clock |= op->kind == SC_OP_DEVICE_CLOCK;
	least(op->kind == SC_OP_DEVICE_TIME ? &w->device_ns : &w->start_ns, op->time_ns);
	if (op->kind == SC_OP_DEVICE_CLOCK)
		least(&w->device_ns, op->value);
}

static void learn_kernel(struct work *w, const struct sc_record *r)
{
	uint32_t bytes = 0;
	const char *text = sc_record_attachment(r, SC_ATTACH_TEXT, &bytes);
	const char *name = sc_arena_xtext(&w->arena, text ? text : "", bytes);
	char unused[SC_PRIVATE_NAME];

	sc_private_kernel(&w->names, name, bytes, unused);
	sc_vector_push(&w->kernels, name);
}

/* Records of memory: their addresses are those that parameters may be. */
static bool has_address(unsigned kind)
{
	return kind == SC_OP_SYMBOL ||
	       (sc_op_kind_class(kind) != SC_CLASS_DEFINE && kind != SC_OP_SHARE);
}

static void learn(struct work *w, const struct sc_record *r)
{
	const struct sc_op *op = &r->op;

	sc_code_note(&w->code, r);
	learn_times(w, op);
	if (has_address(op->kind)) {
		least(&w->words.lowest, op->dst);
		least(&w->words.lowest, op->src);
	}
	switch (op->kind) {
	case SC_OP_FUNCTION: learn_kernel(w, r); break;
	case SC_OP_STACK: sc_symbols_want(w->report->symbols, op->object); break;
	case SC_OP_DECLARE: w->has_declarations = 1; break;
	case SC_OP_TEXTURE: *sc_u64_map_get(&w->words.handles, op->value) = 1; break;
	case SC_OP_KERNEL:
		*sc_u64_map_get(&w->launches, op->stack) = (uint64_t)op->object + 1;
		break;
	}
}

/* ---- the second walk ---- */

/* An attachment in pieces, or none. */
struct record {
	struct sc_op op;
	struct sc_attachment parts[PARTS];
	unsigned count;
};

static void attach(struct record *out, uint32_t type, const void *data, size_t bytes)
{
	out->parts[out->count++] = (struct sc_attachment){type, (uint32_t)bytes, data};
}

static int put(struct work *w, const struct record *out)
{
	uint32_t n = sc_slot_count(out->parts, out->count);
	struct sc_slot few[8] = {{0}}, *slots = few;
	size_t done;

	if (!n)
		return -EFBIG; /* no record is as long */
	if (n > 8)
		slots = sc_heap_xcalloc(n, sizeof(*slots));
	sc_slot_fill(slots, n, &out->op, out->parts, out->count);
	done = fwrite(slots, sizeof(*slots), n, w->file);
	if (slots != few)
		free(slots);
	w->slots += n;
	return done == n ? 0 : errno ? -errno : -EIO;
}

static uint64_t since(uint64_t time, uint64_t start)
{
	return time > start ? time - start : 0;
}

static uint64_t device_start(const struct work *w)
{
	return w->has_device_clock ? w->device_ns - 1 : w->start_ns;
}

/* Numbers that are the program's data, or the machine's. */
static void clear_op(struct work *w, struct sc_op *op)
{
	bool is_device = op->kind == SC_OP_DEVICE_TIME;
	uint64_t link = op->link ? sc_private_place(w->places, op->link - 1) : SC_NOT_WRITTEN;

	op->link = link == SC_NOT_WRITTEN ? 0 : link + 1;
	op->time_ns = since(op->time_ns, is_device ? device_start(w) : w->start_ns);
	op->reserved[0] = op->reserved[1] = 0;
	switch (op->kind) {
	case SC_OP_DEVICE_CLOCK: op->value = since(op->value, device_start(w)); break;
	case SC_OP_PROCESS: op->value = ANY_PROCESS; break;
	case SC_OP_SET: op->value = op->value != 0; break; /* a zero counts (model/memory_word.c) */
	}
}

static void add_stack(struct work *w, struct record *out)
{
	static const uint64_t frame = FRAME;
	const uint64_t *kernel = sc_u64_map_find(&w->launches, out->op.object), *frames;
	struct sc_op launch = {.kind = SC_OP_KERNEL, .stack = out->op.object};

	launch.object = kernel ? (uint32_t)(*kernel - 1) : 0;
	sc_private_stack(&w->names, &w->sites, w->report, out->op.object, kernel ? &launch : NULL,
			 &w->text);
	out->op.peer = 0;
	if (sc_reader_stack(w->report->reader, out->op.object, &frames))
		attach(out, SC_ATTACH_FRAMES, &frame, sizeof(frame));
	attach(out, SC_ATTACH_PYTHON, sc_buf_text(&w->text), w->text.bytes);
}

/* Where the frames of all stacks are: in code that no report shows. */
static int put_map(struct work *w)
{
	struct record map = {
		.op = {.kind = SC_OP_MAP, .dst = FRAME & ~UINT64_C(0xFFF), .bytes = 0x1000}};

	attach(&map, SC_ATTACH_TEXT, "libstreamcheck", strlen("libstreamcheck"));
	return put(w, &map);
}

/* All of an image where its first piece was. */
static int put_image(struct work *w, const struct sc_record *r)
{
	int err = 0;

	if (r->op.value)
		return 0;
	sc_private_image(&w->names, &w->code, r->op.object, &w->text);
	for (size_t at = 0; !err && at < w->text.bytes; at += PIECE) {
		struct record piece = {.op = r->op};
		size_t left = w->text.bytes - at;

		piece.op.value = at;
		piece.op.bytes = w->text.bytes;
		attach(&piece, SC_ATTACH_IMAGE, w->text.text + at, left < PIECE ? left : PIECE);
		err = put(w, &piece);
	}
	return err;
}

/* The driver's layout of parameters, or that of the machine code, which leaves. */
static void add_layout(struct work *w, const struct sc_record *r, struct record *out)
{
	const struct sc_code_kernel *k = sc_code_kernel(&w->code, r->op.object);

	if (k && k->params)
		attach(out, SC_ATTACH_LAYOUT, k->params, k->param_count * sizeof(*k->params));
}

static void keep(const struct sc_record *r, uint32_t type, struct record *out)
{
	uint32_t bytes = 0;
	const void *data = sc_record_attachment(r, type, &bytes);

	if (data)
		attach(out, type, data, bytes);
}

static void add_launch(struct work *w, const struct sc_record *r, struct record *out)
{
	uint32_t bytes = 0;
	const uint8_t *data = sc_record_attachment(r, SC_ATTACH_LAUNCH, &bytes);

	if (!data)
		return;
	sc_buf_clear(&w->other);
	sc_buf_add_bytes(&w->other, data, bytes);
	if (!w->has_declarations) /* they may use any parameter */
		sc_private_params(&w->words, &w->code, r->op.object, (uint8_t *)w->other.text,
				  bytes);
	attach(out, SC_ATTACH_LAUNCH, w->other.text, bytes);
}

static int rewrite(struct work *w, const struct sc_record *r)
{
	struct record out = {.op = r->op};

	sc_buf_clear(&w->text);
	clear_op(w, &out.op);
	if (r->op.kind == SC_OP_MAP)
		return 0;
	if (r->op.kind == SC_OP_IMAGE)
		return put_image(w, r);
	sc_vector_push(w->places, ((struct sc_private_place){r->sequence, w->slots}));
	if (r->op.kind == SC_OP_STACK)
		add_stack(w, &out);
	else if (sc_private_text(&w->names, &w->kernels, r, &w->text))
		attach(&out, SC_ATTACH_TEXT, sc_buf_text(&w->text), w->text.bytes);
	if (r->op.kind == SC_OP_FUNCTION)
		add_layout(w, r, &out);
	if (r->op.kind == SC_OP_KERNEL)
		add_launch(w, r, &out);
	keep(r, SC_ATTACH_ACCESSES, &out);
	keep(r, SC_ATTACH_NODE, &out);
	return put(w, &out);
}

uint64_t sc_private_place(const sc_private_places *places, uint64_t sequence)
{
	size_t i;

	SC_SEARCH(i, places->count, places->items[i].from < sequence);
	return i < places->count && places->items[i].from == sequence ? places->items[i].to
								      : SC_NOT_WRITTEN;
}

/* What was damaged, or never written, is lost now. */
static int put_header(struct work *w)
{
	const struct sc_trace_header *was = sc_reader_header(w->report->reader);
	const struct sc_reader_stats *s = sc_reader_stats(w->report->reader);
	uint8_t page[SC_TRACE_HEADER] = {0};
	struct sc_trace_header head = {.magic = SC_TRACE_MAGIC,
				       .version = SC_TRACE_VERSION,
				       .op_bytes = sizeof(struct sc_op),
				       .process = ANY_PROCESS,
				       .start_ns = since(was->start_ns, w->start_ns),
				       .slots = w->slots,
				       .lost = s->lost + s->damaged + s->uncommitted,
				       .closed = s->closed,
				       .marks = was->marks};

	memcpy(head.gaps, was->gaps, sizeof(head.gaps));
	memcpy(page, &head, sizeof(head));
	if (head.closed) {
		head.check = sc_slot_check_header(&head);
		memcpy(page + SC_TRACE_SEAL, &head, sizeof(head));
	}
	if (fseek(w->file, 0, SEEK_SET) || fwrite(page, sizeof(page), 1, w->file) != 1 ||
	    fflush(w->file))
		return errno ? -errno : -EIO;
	return 0;
}

/* Where slots were passed over, a record says that something is missing there. */
static int put_gap(struct work *w, uint64_t *passed)
{
	const struct sc_reader_stats *s = sc_reader_stats(w->report->reader);
	const struct record gap = {.op = {.kind = SC_OP_LOST, .object = 1}};
	uint64_t before = *passed;

	*passed = s->damaged + s->uncommitted;
	return *passed > before ? put(w, &gap) : 0;
}

static int write_all(struct work *w)
{
	struct sc_reader *reader = w->report->reader;
	struct sc_record record;
	uint64_t passed = 0;
	int err;

	if (fseek(w->file, SC_TRACE_HEADER, SEEK_SET))
		return -errno;
	err = put_map(w);
	sc_reader_rewind(reader);
	while (!err && sc_reader_next(reader, &record) > 0) {
		err = put_gap(w, &passed);
		if (!err)
			err = rewrite(w, &record);
	}
	return err ? err : put_header(w);
}

int sc_private_trace_write(const struct sc_report *r, FILE *file, sc_private_places *places)
{
	struct work w = {
		.report = r, .file = file, .places = places, .words.lowest = LOWEST_MAPPED};
	const struct sc_frame *unused;
	struct sc_record record;
	int err;

	sc_reader_rewind(r->reader);
	while (sc_reader_next(r->reader, &record) > 0)
		learn(&w, &record);
	w.start_ns -= w.start_ns > 0;
	/* All look-ups now: they are made in a child process, which must have none of the file. */
	sc_symbols_stack(r->symbols, 0, &unused);
	err = write_all(&w);
	sc_buf_fini(&w.text);
	sc_buf_fini(&w.other);
	sc_vector_fini(&w.kernels);
	sc_arena_fini(&w.arena);
	sc_u64_map_fini(&w.launches);
	sc_callsites_fini(&w.sites);
	sc_code_fini(&w.code);
	sc_private_words_fini(&w.words);
	sc_private_names_fini(&w.names);
	return err;
}
