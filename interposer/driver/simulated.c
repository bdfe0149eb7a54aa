/* The simulated driver: what became of its launches, which bytes they touched, and which kernels
 * failed where. A driver of NVIDIA's has none of the functions, so nothing is recorded of it. */
#include "interposer/driver/simulated.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/real.h"
#include "interposer/core/scratch.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/entry.h"
#include "trace/format.h"

typedef void take_fn(void *context, uint64_t launches, const char *text, bool is_given_up);
typedef void count_fn(take_fn *take, void *context);
typedef void failed_fn(uint64_t number, int error, uint64_t address, const char *text);
typedef void watch_fn(uint64_t (*current)(void), failed_fn *failed);

/* As the executor has them (simulator/executor/touched.h): `rows` times `width` bytes, each
 * `pitch` after the one before. */
enum phase { WAITED, MAYBE_WAITED, NOT_WAITED, PHASES };
enum use {
	READ = 1,
	WRITE = 2,
	ATOMIC = 4,
	ATOMIC_READ = 8,
	SWAP = 16,
	READ_FIRST = 32,
	READ_MOVED = 64,
	EXCHANGED = 128
};
struct piece {
	uint64_t address;
	uint64_t width;
	uint64_t pitch;
	uint64_t rows;
	uint8_t uses; /* bits of enum use */
	bool is_exact;
	uint8_t phase; /* of a kernel that waits: whether the threads had waited */
};

/* As the driver has them (simulator/driver/kernel/tally.h). */
struct touches {
	void (*launch)(uint64_t number, const struct piece *pieces, size_t count);
	void (*node)(uint64_t number, uint32_t node, bool is_lost, const struct piece *pieces,
		     size_t count);
	void (*ended)(uint64_t number);
};
typedef void watch_touches_fn(const struct touches *touches);
typedef void place_array_fn(void *array, uint64_t address);
typedef void give_text_fn(void *handle, const void *image, size_t bytes);

/* What the trace has at most about nodes of graphs: what comes later is known by its code only. */
#define NODES_MOST    (UINT64_C(1) << 17)
#define ACCESSES_MOST (UINT64_C(3) << 20)

/* Of this process. */
static struct {
	count_fn *_Atomic count;
	place_array_fn *_Atomic place_array;
	give_text_fn *_Atomic give_text;
	atomic_bool is_watched;	       /* its functions were looked up */
	atomic_uint_fast64_t nodes;    /* records of nodes */
	atomic_uint_fast64_t accesses; /* of these */
	atomic_uint_fast64_t unsaid;   /* launches of graphs after there was no more room */
} simulated;

/* The thread is one of the driver's: it gets no number. */
static void put(struct sc_op *op, const char *text)
{
	struct sc_attachment part = {.type = SC_ATTACH_TEXT};

	if (text) {
		part.data = text;
		part.bytes = (uint32_t)strlen(text);
	}
	sc_put_op(op, &part, text != NULL);
}

static uint64_t current(void)
{
	return sc_session_is_live() ? sc_self.current : 0;
}

/* The launch's own thread, stream and call stack are those of the failure. */
static void note_failure(uint64_t number, int error, uint64_t address, const char *text)
{
	struct sc_op launch = number ? sc_put_written(number - 1) : (struct sc_op){0};
	struct sc_op op = {.kind = SC_OP_KERNEL_FAULT,
			   .thread = launch.thread,
			   .context = launch.context,
			   .stream = launch.stream,
			   .stack = launch.stack,
			   .link = number,
			   .value = (uint64_t)error,
			   .dst = address};

	put(&op, text);
}

/* Of kernels that wait nothing else is known. `moved`: the use that is said to move. */
static uint8_t order_of(const struct piece *p, enum use moved)
{
	static const uint8_t orders[PHASES] = {SC_SOURCE_UNKNOWN, SC_ACCESS_MAYBE_EARLY,
					       SC_ACCESS_EARLY};

	if (p->uses & READ_FIRST)
		return SC_ACCESS_READ_FIRST;
	return p->uses & moved ? SC_ACCESS_MOVED : orders[p->phase % PHASES];
}

static uint32_t add_access(struct sc_access *to, const struct piece *p, uint8_t mode)
{
	*to = (struct sc_access){.base = p->address,
				 .width = p->width,
				 .pitch = p->pitch,
				 .rows = p->rows,
				 .slices = 1,
				 .mode = mode,
				 .order = order_of(p, mode == SC_ATOMIC ? EXCHANGED : READ_MOVED),
				 .known = p->is_exact ? SC_KNOWN_EXACT : SC_KNOWN_OVER};
	return 1;
}

_Static_assert(READ == (int)SC_READ && WRITE == (int)SC_WRITE, "the bits are the modes");

/* Attaches the pieces; false if there is no room for them. */
static bool put_bytes(struct sc_op *op, const struct piece *pieces, size_t pieces_count)
{
	struct sc_attachment part = {.type = SC_ATTACH_ACCESSES};
	struct sc_access *accesses = sc_thread_room(2 * pieces_count * sizeof(*accesses) + 1);
	uint32_t n = 0;

	if (!accesses)
		return false;
	for (size_t i = 0; i < pieces_count; i++) {
		const struct piece *p = &pieces[i];
		uint8_t plain = p->uses & (READ | WRITE);

		if (plain && p->uses & ATOMIC_READ)
			plain |= READ;
		if (plain == READ && p->uses & SWAP)
			plain = 0; /* a guess, which the swap checks */
		if (plain)
			n += add_access(&accesses[n], p, plain);
		if (p->uses & (ATOMIC | SWAP))
			n += add_access(&accesses[n], p, SC_ATOMIC);
		if (p->uses == ATOMIC_READ) /* otherwise the others say it */
			n += add_access(&accesses[n], p, SC_ATOMIC_READ);
	}
	part.data = accesses;
	part.bytes = n * (uint32_t)sizeof(*accesses);
	sc_put_op(op, &part, n > 0);
	return true;
}

static void note_bytes(uint64_t number, const struct piece *pieces, size_t pieces_count)
{
	struct sc_op op = {.kind = SC_OP_LAUNCH_BYTES, .link = number, .peer = SC_BYTES_APART};

	if (sc_put_written(number - 1).kind == SC_OP_KERNEL)
		put_bytes(&op, pieces, pieces_count);
}

/* Once there was no room nothing more is said, so that nobody takes old bytes for new ones. */
static bool has_room(void)
{
	return atomic_load(&simulated.nodes) < NODES_MOST &&
	       atomic_load(&simulated.accesses) < ACCESSES_MOST;
}

static void note_node_bytes(uint64_t number, uint32_t node, bool is_lost,
			    const struct piece *pieces, size_t pieces_count)
{
	struct sc_op op = {.kind = SC_OP_LAUNCH_BYTES,
			   .link = number,
			   .object = node + 1,
			   .peer = SC_BYTES_APART,
			   .value = is_lost ? SC_BYTES_NOT_KNOWN : 0};

	if (!has_room() || sc_put_written(number - 1).kind != SC_OP_GRAPH_LAUNCH)
		return;
	if (!put_bytes(&op, pieces, pieces_count)) {
		atomic_store(&simulated.nodes, NODES_MOST);
		return;
	}
	atomic_fetch_add(&simulated.nodes, 1);
	atomic_fetch_add(&simulated.accesses, pieces_count);
}

static void note_end_of_graph(uint64_t number)
{
	const struct sc_op op = {
		.kind = SC_OP_LAUNCH_BYTES, .link = number, .value = SC_BYTES_COMPLETE};

	if (sc_put_written(number - 1).kind != SC_OP_GRAPH_LAUNCH)
		return;
	if (has_room())
		sc_put_op(&op, NULL, 0);
	else
		atomic_fetch_add(&simulated.unsaid, 1);
}

static void note_launches(void *context, uint64_t launches, const char *text, bool is_given_up)
{
	struct sc_op op = {.kind = SC_OP_LAUNCHES,
			   .object = is_given_up ? SC_LAUNCHES_GIVEN_UP : 0,
			   .value = launches};

	(void)context;
	put(&op, text);
}

static void *find(const char *name)
{
	void *driver = sc_entry_library();

	return driver ? sc_real_dlsym()(driver, name) : NULL;
}

bool sc_simulated_tells_bytes(void)
{
	const struct sc_options *o = &sc_session.options;
	bool is_recorded = o->footprints == SC_FOOTPRINTS_RECORDED && *o->sanitizer;

	return !is_recorded && find("simulated_watchTouches");
}

static void watch(void)
{
	static const struct sc_op bytes_follow = {.kind = SC_OP_LAUNCH_BYTES};
	static const struct touches touches = {note_bytes, note_node_bytes, note_end_of_graph};
	watch_touches_fn *watch_touches = (watch_touches_fn *)find("simulated_watchTouches");
	watch_fn *ask = (watch_fn *)find("simulated_watchKernels");

	atomic_store(&simulated.give_text, (give_text_fn *)find("simulated_giveText"));
	atomic_store(&simulated.is_watched, true);
	if (!ask)
		return;
	ask(current, note_failure);
	if (watch_touches && sc_simulated_tells_bytes()) {
		sc_put_op(&bytes_follow, NULL, 0);
		watch_touches(&touches);
		atomic_store(&simulated.place_array,
			     (place_array_fn *)find("simulated_placeArray"));
	}
	atomic_store(&simulated.count, (count_fn *)find("simulated_countLaunches"));
}

void sc_simulated_place_array(void *array, uint64_t address)
{
	place_array_fn *place = atomic_load(&simulated.place_array);

	if (place)
		place(array, address);
}

bool sc_simulated_wants_texts(void)
{
	return !atomic_load(&simulated.is_watched) || atomic_load(&simulated.give_text);
}

void sc_simulated_give_text(void *handle, const void *image, size_t bytes)
{
	give_text_fn *give = atomic_load(&simulated.give_text);

	if (give)
		give(handle, image, bytes);
}

static void flush(void)
{
	count_fn *ask = atomic_load(&simulated.count);
	const struct sc_op unsaid = {.kind = SC_OP_LAUNCH_BYTES,
				     .value = atomic_load(&simulated.unsaid)};

	if (ask)
		ask(note_launches, NULL);
	if (unsaid.value)
		sc_put_op(&unsaid, NULL, 0);
}

const struct sc_module sc_module_simulated = {
	.initialized = watch, .flush = flush, SC_MODULE_STATE(simulated)};
