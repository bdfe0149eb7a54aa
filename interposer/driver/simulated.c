/* The simulated driver: what became of its launches, and which kernels failed where. A driver of
 * NVIDIA's has neither function, so nothing is recorded of it. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include "interposer/core/module.h"
#include "interposer/core/put.h"
#include "interposer/core/real.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/entry.h"
#include "trace/format.h"

typedef void take_fn(void *context, uint64_t launches, const char *text);
typedef void count_fn(take_fn *take, void *context);
typedef void failed_fn(uint64_t number, int error, uint64_t address, const char *text);
typedef void watch_fn(uint64_t (*current)(void), failed_fn *failed);

static count_fn *_Atomic count;

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

/* The two slots of an op that was written. */
static struct sc_op written(uint64_t sequence)
{
	const struct sc_writer *w = &sc_session.writer;
	struct sc_op op = {0};

	if (w->head && sequence + 1 < w->max_slots)
		for (unsigned i = 0; i < 2; i++)
			memcpy((char *)&op + (size_t)i * SC_SLOT_DATA, w->slots[sequence + i].data,
			       SC_SLOT_DATA);
	return op;
}

/* The launch's own thread, stream and call stack are those of the failure. */
static void note_failure(uint64_t number, int error, uint64_t address, const char *text)
{
	struct sc_op launch = number ? written(number - 1) : (struct sc_op){0};
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

static void note_launches(void *context, uint64_t launches, const char *text)
{
	struct sc_op op = {.kind = SC_OP_LAUNCHES, .value = launches};

	(void)context;
	put(&op, text);
}

static void watch(void)
{
	void *driver = sc_entry_library();
	watch_fn *ask = driver ? sc_real_dlsym()(driver, "simulated_watchKernels") : NULL;

	if (!ask)
		return;
	ask(current, note_failure);
	atomic_store(&count, (count_fn *)sc_real_dlsym()(driver, "simulated_countLaunches"));
}

static void flush(void)
{
	count_fn *ask = atomic_load(&count);

	if (ask)
		ask(note_launches, NULL);
}

const struct sc_module sc_module_simulated = {
	.initialized = watch, .flush = flush, SC_MODULE_STATE(count)};
