/* Random programs: one op after the other, drawn by a generator of numbers. */
#include "tests/oracle/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/sealed.h"
#include "trace/slot.h"

#define STREAMS	    PROGRAM_STREAMS
#define ALLOCATIONS PROGRAM_ALLOCATIONS
#define TILES	    4
#define TILE_BYTES  4096
#define DEVICE_BASE UINT64_C(0x7f0000000000)
#define STACK_BASE  UINT64_C(0x7ffc00000000)
#define APART	    (UINT64_C(1) << 24)
#define DECLARED    10 /* the first of the kernels that are */
#define MODULE	    1  /* of these */

static uint32_t pick(struct program *p, uint32_t below)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return (uint32_t)((p->random >> 32) * below >> 32);
}

/* ---- the trace ---- */

static uint64_t put_with(struct program *p, const struct sc_op *op,
			 const struct sc_attachment *list, unsigned count)
{
	uint32_t n = sc_slot_count(list, count);
	uint64_t sequence = p->slots.count;
	struct sc_op full = *op;

	full.thread = 1;
	full.context = 1;
	full.stream = p->ids[op->stream];
	full.stack = 1 + pick(p, p->lines ? p->lines : 4);
	sc_vector_reserve(&p->slots, n);
	memset(p->slots.items + sequence, 0, n * sizeof(struct sc_slot));
	sc_slot_fill(p->slots.items + sequence, n, &full, list, count);
	p->slots.count += n;
	return sequence;
}

static uint64_t put(struct program *p, const struct sc_op *op, const struct sc_access *list,
		    uint32_t count)
{
	struct sc_attachment a = {
		.type = SC_ATTACH_ACCESSES, .bytes = count * (uint32_t)sizeof(*list), .data = list};

	return put_with(p, op, &a, count != 0);
}

static uint64_t allocation(uint32_t index)
{
	return DEVICE_BASE + index * APART;
}

static uint8_t kind_of(uint32_t index)
{
	return index < 4 ? SC_MEM_DEVICE : index == 4 ? SC_MEM_PINNED : SC_MEM_MANAGED;
}

static void allocate(struct program *p, uint32_t index)
{
	struct sc_op op = {.kind = SC_OP_ALLOC,
			   .object = index + 1 + ALLOCATIONS * p->generation[index]++,
			   .dst = allocation(index),
			   .dst_mem = kind_of(index),
			   .bytes = TILES * TILE_BYTES};

	put(p, &op, NULL, 0);
}

/* One tile, now and then some bytes that are none. */
static struct sc_access piece(struct program *p, uint32_t stream)
{
	uint32_t index = pick(p, 10) < p->care ? stream % ALLOCATIONS : pick(p, ALLOCATIONS);
	struct sc_access a = {.base = allocation(index) + pick(p, TILES) * TILE_BYTES,
			      .width = TILE_BYTES,
			      .rows = 1,
			      .slices = 1,
			      .memory = kind_of(index)};

	switch (pick(p, 24)) {
	case 0: a.base += TILE_BYTES / 2; break;
	case 1: a.width = 64, a.rows = 4, a.pitch = 128; break;
	case 2: a.known = SC_KNOWN_OVER; break;
	case 3: a.base = allocation(index), a.width = TILES * TILE_BYTES; break;
	case 4: a.known = pick(p, 4) ? SC_KNOWN_EXACT : SC_KNOWN_PARAMETER; break;
	default: break;
	}
	return a;
}

static void kernel(struct program *p, uint32_t stream)
{
	struct sc_access list[3];
	uint32_t count = pick(p, 4);
	struct sc_op op = {.kind = SC_OP_KERNEL, .stream = stream, .object = 1 + pick(p, 5)};

	if (!pick(p, 30))
		op.flags = SC_FLAG_PROGRAMMATIC;
	if (!pick(p, 20))
		op.flags |= SC_FLAG_LIBRARY;
	for (uint32_t i = 0; i < count; i++) {
		list[i] = piece(p, stream);
		list[i].mode = pick(p, 8) ? 1 + (uint8_t)pick(p, 3) : SC_ATOMIC;
	}
	put(p, &op, list, count);
}

static void use_tile(struct program *p, uint32_t stream, uint64_t read, uint64_t written)
{
	struct sc_access list[] = {{.base = read,
				    .width = TILE_BYTES,
				    .rows = 1,
				    .slices = 1,
				    .mode = SC_READ,
				    .memory = SC_MEM_DEVICE},
				   {.base = written,
				    .width = TILE_BYTES,
				    .rows = 1,
				    .slices = 1,
				    .mode = SC_WRITE,
				    .memory = SC_MEM_DEVICE}};

	put(p, &(struct sc_op){.kind = SC_OP_KERNEL, .stream = stream, .object = 1}, list, 2);
}

/* Three kernels that belong into one stream, of which the second is in another. */
static void slip(struct program *p, uint32_t stream)
{
	uint64_t tiles = allocation(stream % 4);
	uint32_t other = 1 + pick(p, p->streams);

	use_tile(p, stream, tiles, tiles + TILE_BYTES);
	use_tile(p, other, tiles + TILE_BYTES, tiles + 2 * TILE_BYTES);
	use_tile(p, stream, tiles + 2 * TILE_BYTES, tiles + 3 * TILE_BYTES);
}

static void declare(struct program *p)
{
	static const char *const names[] = {"fill", "move", "perhaps", "loud"};
	static const char text[] =
		"kernel fill; writes arg0 bytes 4096\n"
		"kernel move; reads arg0 bytes 4*arg2; writes arg1 bytes 4*arg2\n"
		"kernel perhaps; at most updates arg0 bytes 4096\n";
	static const struct sc_param layout[] = {{0, 8}, {8, 8}, {16, 4}};
	struct sc_attachment a = {.type = SC_ATTACH_TEXT, .bytes = sizeof(text) - 1, .data = text};

	put_with(p, &(struct sc_op){.kind = SC_OP_DECLARE}, &a, 1);
	for (uint32_t i = 0; i < 4; i++) {
		struct sc_attachment list[] = {
			{.type = SC_ATTACH_TEXT,
			 .bytes = (uint32_t)strlen(names[i]),
			 .data = names[i]},
			{.type = SC_ATTACH_LAYOUT, .bytes = sizeof(layout), .data = layout}};

		put_with(p,
			 &(struct sc_op){
				 .kind = SC_OP_FUNCTION, .object = DECLARED + i, .peer = MODULE},
			 list, 2);
	}
}

/* A kernel of which the bytes are declared, or nothing but the parameters is known. */
static void launch(struct program *p, uint32_t stream)
{
	struct {
		struct sc_launch head;
		uint64_t from, to;
		uint32_t count, unused;
	} data = {.head = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .param_bytes = 24},
		  .from = piece(p, stream).base,
		  .to = piece(p, stream).base,
		  .count = 256 << pick(p, 4)};
	struct sc_attachment a = {.type = SC_ATTACH_LAUNCH, .bytes = sizeof(data), .data = &data};
	uint32_t what = pick(p, 20);
	struct sc_op op = {.kind = SC_OP_KERNEL,
			   .stream = stream,
			   .object = DECLARED + (what < 8    ? 0
						 : what < 17 ? 1
							     : what - 16)};

	put_with(p, &op, &a, 1);
}

static void copy(struct program *p, uint32_t stream)
{
	struct sc_access from = piece(p, stream), to = piece(p, stream);
	struct sc_op op = {.kind = pick(p, 4) ? SC_OP_COPY : SC_OP_SET,
			   .stream = stream,
			   .dst = to.base,
			   .dst_mem = to.memory,
			   .bytes = to.width};

	if (!pick(p, 12))
		op.flags = SC_FLAG_SYNC;
	if (op.kind == SC_OP_COPY) {
		op.src = from.base;
		op.src_mem = pick(p, 20) ? from.memory : SC_MEM_PAGEABLE;
	}
	put(p, &op, NULL, 0);
}

static void exchange(struct program *p, uint32_t stream)
{
	uint32_t event = 1 + pick(p, STREAMS), other = 1 + pick(p, p->streams);
	struct sc_op record = {.kind = SC_OP_EVENT_RECORD, .stream = other, .object = event};
	struct sc_op wait = {.kind = SC_OP_EVENT_WAIT, .stream = stream, .object = event};

	if (pick(p, 10) < p->care)
		put(p, &record, NULL, 0);
	put(p, &wait, NULL, 0);
}

static void host_wait(struct program *p, uint32_t stream)
{
	struct sc_op op = {.kind = pick(p, 4) ? SC_OP_STREAM_SYNC : SC_OP_CONTEXT_SYNC,
			   .phase = SC_PHASE_BEGIN,
			   .stream = stream};

	op.link = put(p, &op, NULL, 0) + 1;
	op.phase = SC_PHASE_END;
	put(p, &op, NULL, 0);
}

/* A copy between a tile and a stack frame that ends some calls later, now and then after a wait. */
static void use_frame(struct program *p, uint32_t stream)
{
	uint64_t buffer = STACK_BASE + 2 * TILE_BYTES * (p->frame++ % 64);
	uint64_t tile = allocation(stream % 4);
	bool is_read = pick(p, 2);
	struct sc_op pin = {.kind = SC_OP_PIN,
			    .dst = buffer,
			    .bytes = TILE_BYTES,
			    .dst_mem = SC_MEM_REGISTERED};
	struct sc_op copy = {.kind = SC_OP_COPY,
			     .stream = stream,
			     .dst = is_read ? tile : buffer,
			     .src = is_read ? buffer : tile,
			     .dst_mem = is_read ? SC_MEM_DEVICE : SC_MEM_REGISTERED,
			     .src_mem = is_read ? SC_MEM_REGISTERED : SC_MEM_DEVICE,
			     .bytes = TILE_BYTES};

	put(p, &pin, NULL, 0);
	put(p, &copy, NULL, 0);
	for (uint32_t i = pick(p, 3); i; i--)
		kernel(p, 1 + pick(p, p->streams));
	if (!pick(p, 3))
		host_wait(p, stream);
	put(p,
	    &(struct sc_op){.kind = SC_OP_HOST_FREE,
			    .dst = buffer,
			    .bytes = TILE_BYTES,
			    .dst_mem = SC_MEM_REGISTERED,
			    .flags = SC_FLAG_FRAME},
	    NULL, 0);
}

static void host_access(struct program *p)
{
	struct sc_access what = piece(p, 4);
	bool is_read = pick(p, 2);
	struct sc_op op = {.kind = is_read ? SC_OP_HOST_READ : SC_OP_HOST_WRITE, .bytes = 64};

	*(is_read ? &op.src : &op.dst) = what.base;
	*(is_read ? &op.src_mem : &op.dst_mem) = what.memory;
	put(p, &op, NULL, 0);
}

static void end_memory(struct program *p)
{
	uint32_t index = pick(p, ALLOCATIONS);
	struct sc_op op = {.kind = SC_OP_FREE,
			   .object = index + 1 + ALLOCATIONS * (p->generation[index] - 1),
			   .dst = allocation(index),
			   .dst_mem = kind_of(index)};

	put(p, &op, NULL, 0);
	if (pick(p, 8))
		allocate(p, index);
}

static void callback(struct program *p, uint32_t stream)
{
	struct sc_op op = {.kind = SC_OP_HOST_FUNC, .stream = stream};
	uint64_t link = put(p, &op, NULL, 0) + 1;
	static uint32_t runs;

	runs++;
	put(p, &(struct sc_op){.kind = SC_OP_CALLBACK_BEGIN, .link = link, .callback = runs}, NULL,
	    0);
	put(p, &(struct sc_op){.kind = SC_OP_CALLBACK_END, .link = link, .callback = runs}, NULL,
	    0);
}

static void create_stream(struct program *p, uint32_t stream, uint32_t flags)
{
	p->ids[stream] = p->next_id++;
	put(p, &(struct sc_op){.kind = SC_OP_STREAM_CREATE, .stream = stream, .flags = flags}, NULL,
	    0);
}

/* Another stream in its place, which gets its lane when enough of them have gone. */
static void replace_stream(struct program *p, uint32_t stream)
{
	put(p, &(struct sc_op){.kind = SC_OP_STREAM_DESTROY, .stream = stream}, NULL, 0);
	create_stream(p, stream, pick(p, 2) ? SC_FLAG_NON_BLOCKING : 0);
}

/* An event stands for all streams, or all wait for it (E-9). */
static void all_streams(struct program *p)
{
	struct sc_op op = {.kind = pick(p, 2) ? SC_OP_CONTEXT_RECORD : SC_OP_CONTEXT_WAIT,
			   .object = 1 + pick(p, STREAMS)};

	put(p, &op, NULL, 0);
}

static void step(struct program *p)
{
	uint32_t stream = 1 + pick(p, p->streams), what = pick(p, 100);

	if (p->churns && stream > 1 && !pick(p, 4))
		replace_stream(p, stream);
	if (!pick(p, 40))
		all_streams(p);
	if (p->slips && !pick(p, 8))
		slip(p, stream);
	if (p->frames && !pick(p, 10))
		use_frame(p, stream);
	if (what < 25)
		kernel(p, stream);
	else if (what < 40)
		launch(p, stream);
	else if (what < 70)
		copy(p, stream);
	else if (what < 88)
		exchange(p, stream);
	else if (what < 94)
		host_wait(p, stream);
	else if (what < 97)
		host_access(p);
	else if (what < 99)
		end_memory(p);
	else
		callback(p, stream);
}

/* The call stacks: one frame each. */
static void define_lines(struct program *p)
{
	static const char path[] = "/program";
	struct sc_attachment name = {
		.type = SC_ATTACH_TEXT, .bytes = sizeof(path) - 1, .data = path};

	if (p->lines)
		put_with(p, &(struct sc_op){.kind = SC_OP_MAP, .dst = 0x10000, .bytes = 1 << 20},
			 &name, 1);
	for (uint32_t i = 1; i <= p->lines; i++) {
		uint64_t frame = 0x10000 + i * 16;
		struct sc_attachment a = {
			.type = SC_ATTACH_FRAMES, .bytes = sizeof(frame), .data = &frame};

		put_with(p, &(struct sc_op){.kind = SC_OP_STACK, .object = i}, &a, 1);
	}
}

void program_generate(struct program *p, uint64_t seed, uint32_t lines)
{
	bool has_legacy;

	*p = (struct program){.random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .lines = lines};
	define_lines(p);
	p->streams = 1 + pick(p, STREAMS);
	p->care = 5 + pick(p, 6);
	has_legacy = !pick(p, 3);
	put(p, &(struct sc_op){.kind = SC_OP_DRIVER, .value = 13000}, NULL, 0);
	put(p, &(struct sc_op){.kind = SC_OP_CONTEXT_CREATE}, NULL, 0);
	p->next_id = 1;
	p->churns = !pick(p, 4);
	p->slips = !pick(p, 3);
	p->frames = !pick(p, 3);
	for (uint32_t i = 1; i <= p->streams; i++)
		create_stream(p, i,
			      i == 1 && has_legacy ? SC_FLAG_LEGACY
			      : pick(p, 2)	   ? SC_FLAG_NON_BLOCKING
						   : 0);
	for (uint32_t i = 0; i < ALLOCATIONS; i++)
		allocate(p, i);
	declare(p);
	for (uint32_t i = 20 + pick(p, 200); i; i--)
		step(p);
}

void program_end(struct program *p)
{
	for (uint32_t i = pick(p, 3); i; i--)
		host_access(p);
	if (pick(p, 3))
		put(p, &(struct sc_op){.kind = SC_OP_MODULE_UNLOAD, .object = MODULE}, NULL, 0);
	for (uint32_t i = pick(p, 3); i; i--)
		host_access(p);
	put(p, &(struct sc_op){.kind = SC_OP_EXIT}, NULL, 0);
}

void program_fini(struct program *p)
{
	sc_vector_fini(&p->slots);
}

struct sc_reader *program_open(const void *slots, size_t count, uint8_t **data)
{
	struct sc_trace_header header = {.magic = SC_TRACE_MAGIC,
					 .version = SC_TRACE_VERSION,
					 .op_bytes = sizeof(struct sc_op),
					 .closed = 1,
					 .slots = count};
	size_t bytes = SC_TRACE_HEADER + count * sizeof(struct sc_slot);
	struct sc_reader *r;
	char message[256];

	*data = calloc(1, bytes);
	memcpy(*data, &header, sizeof(header));
	memcpy(*data + SC_TRACE_HEADER, slots, bytes - SC_TRACE_HEADER);
	sealed(*data, bytes);
	if (!sc_reader_open_memory(&r, *data, bytes, message, sizeof(message)))
		return r;
	printf("%s\n", message);
	exit(2);
}
