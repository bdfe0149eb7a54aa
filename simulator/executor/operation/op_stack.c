/* Handlers of memory that a frame gets while it runs: alloca, stacksave, stackrestore. */
#include "simulator/executor/frame.h"
#include "simulator/executor/operation/operation.h"

#define ALIGN_MOST 4096

static uint64_t lane_value(const void *lanes, unsigned lane, unsigned bytes)
{
	return bytes == 8 ? ((const uint64_t *)lanes)[lane] : ((const uint32_t *)lanes)[lane];
}

/* Writes the same number to these lanes of the result. */
static void set_result(struct exec_warp *w, const struct exec_instruction *in, uint32_t mask,
		       uint64_t value)
{
	if (in->width[0] == 8)
		EXEC_WRITE(uint64_t, mask, value);
	else
		EXEC_WRITE(uint32_t, mask, value);
}

/* As much for each lane as the one that needs most, so that all get the same address. */
static void allocate(struct exec_warp *w, const struct exec_instruction *in)
{
	const void *sizes = exec_lanes(w, in->slot[1]);
	uint32_t mask = exec_mask(w, in), offset;
	uint64_t most = 0, size, align = in->value ? in->value : 8;

	for (unsigned i = 0; i < EXEC_LANES; i++) {
		size = mask >> i & 1 ? lane_value(sizes, i, in->width[1]) : 0;
		most = size > most ? size : most;
	}
	if (!mask)
		return;
	if (align > ALIGN_MOST || (align & (align - 1)) || most > EXEC_LOCAL_MOST ||
	    !exec_frame_extend(w, (uint32_t)most, (uint32_t)align, &offset))
		exec_fail(w, in, EXEC_STACK_OVERFLOW, (unsigned)__builtin_ctz(mask), 0);
	else
		set_result(w, in, mask, offset);
}

static void save(struct exec_warp *w, const struct exec_instruction *in)
{
	set_result(w, in, exec_mask(w, in), w->frame->local_end);
}

/* Lanes of the frame that are elsewhere may use what lies there: then it stays until the frame
 * ends.
 */
static void restore(struct exec_warp *w, const struct exec_instruction *in)
{
	struct exec_frame *f = w->frame;
	uint32_t mask = exec_mask(w, in);
	uint32_t all = f->caller ? f->expected & ~f->arrived & w->live : w->live;
	uint64_t end;

	if (!mask || mask != all)
		return;
	end = lane_value(exec_lanes(w, in->slot[1]), (unsigned)__builtin_ctz(mask), in->width[1]);
	if (end >= (uint64_t)f->local_base + f->code->local_bytes && end <= f->local_end)
		f->local_end = (uint32_t)end;
}

static const struct exec_row rows[] = {
	{"alloca.u64", "=8 8 ?i", 0, allocate},	 {"alloca.u32", "=4 4 ?i", 0, allocate},
	{"stacksave.u64", "=8", 0, save},	 {"stacksave.u32", "=4", 0, save},
	{"stackrestore.u64", "_ 8", 0, restore}, {"stackrestore.u32", "_ 4", 0, restore},
};

const struct exec_rows exec_stack_rows = EXEC_ROWS(rows);
