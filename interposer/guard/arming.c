/* The page guard: what an enqueued operation arms. */
#include "interposer/guard/arming.h"

#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/guard/arm.h"
#include "interposer/guard/fault.h"
#include "interposer/guard/frame.h"
#include "interposer/guard/ground.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/operand.h"
#include "interposer/guard/reach.h"
#include "interposer/object/handle.h"
#include "interposer/object/memory.h"

/* ---- pages ---- */

/* True if the bytes before `start` on its page can only be the header of a malloc chunk that has a
 * mapping of its own: the size field says so (bit 1), and such a chunk ends on a page boundary. */
static bool is_mapped_chunk(uint64_t start, uint64_t bytes)
{
	uint64_t size;

	if (start % SC_PAGE != 16)
		return false;
	size = *(const uint64_t *)(start - 8);
	return (size & 7) == 2 && (size & ~UINT64_C(7)) % SC_PAGE == 0 && size >= bytes + 16;
}

static bool is_guarding(void)
{
	return sc_session.options.guard != SC_GUARD_OFF &&
	       !atomic_load_explicit(&sc_guard.stood_down, memory_order_relaxed);
}

/* The pages of an operand that may be protected. */
static void choose_pages(struct sc_arm *a)
{
	uint8_t memory = a->access.memory;
	uint64_t first = a->start & ~(SC_PAGE - 1);
	uint64_t end = (a->end + SC_PAGE - 1) & ~(SC_PAGE - 1);
	struct sc_known_allocation owner;

	a->first_page = a->end_page = 0;
	if (memory == SC_MEM_PAGEABLE || a->frame || !is_guarding())
		return;
	if (!sc_memory_look_up(&sc_memory, a->start, &owner) || (owner.flags & SC_FLAG_READ_ONLY) ||
	    owner.is_open)
		return;
	if (sc_ground_is_here(owner.start, owner.bytes)) { /* a stack of the program's own making */
		sc_ground_open(owner.start, owner.bytes);
		return;
	}
	if (memory == SC_MEM_REGISTERED && !is_mapped_chunk(owner.start, owner.bytes)) {
		if (first < owner.start)
			first += SC_PAGE;
		if (end > owner.start + owner.bytes)
			end -= SC_PAGE;
	}
	if (first < end) {
		a->first_page = first;
		a->end_page = end;
	}
}

/* ---- arms ---- */

static struct sc_arm arm_of(const struct sc_enqueued *x, const struct sc_access *access)
{
	return (struct sc_arm){.access = *access,
			       .start = access->base,
			       .end = access->base + (access->slices - 1) * access->slice_pitch +
				      (access->rows - 1) * access->pitch + access->width,
			       .sequence = x->sequence,
			       .stream = x->stream->id,
			       .context = x->op->context,
			       .right = access->mode == SC_READ ? SC_MAY_READ : SC_MAY_NOTHING,
			       .is_launch = access->known == SC_KNOWN_PARAMETER,
			       .is_ordered = !(x->stream->flags & SC_FLAG_NON_BLOCKING)};
}

struct arming {
	const struct sc_enqueued *operation;
	bool is_checked; /* that our handler is there */
};

/* A system call, so once for all operands, and only before more pages are protected. */
static void check_handler(struct arming *to, struct sc_arm *a)
{
	if (to->is_checked || !is_guarding())
		return;
	to->is_checked = true;
	if (sc_fault_is_handled())
		return;
	sc_guard_stand_down("page guard: a SIGSEGV handler was installed without sigaction()");
	choose_pages(a);
}

static void arm_operand(struct arming *to, const struct sc_access *access)
{
	struct sc_arm a = arm_of(to->operation, access);

	if (!a.is_launch)
		sc_frame_find(&a);
	choose_pages(&a);
	if (sc_arm_renew(&a))
		return;
	check_handler(to, &a);
	sc_arm_enter(&a);
}

/* ---- operations ---- */

/* Host to host is synchronous whatever its name (C-A3); managed memory is not host here. */
static bool is_host_copy(const struct sc_op *op)
{
	return sc_memory_is_host(op->dst_mem) && sc_memory_is_host(op->src_mem) &&
	       op->dst_mem != SC_MEM_MANAGED && op->src_mem != SC_MEM_MANAGED;
}

static void arm_reported(void *to, const struct sc_access *access)
{
	arm_operand(to, access);
}

static bool is_enqueued(const struct sc_enqueued *x)
{
	return x->stream && x->sequence != SC_NOT_WRITTEN;
}

void sc_guard_arm(const struct sc_enqueued *x)
{
	bool is_launch = x->op->kind == SC_OP_KERNEL;

	if (!is_enqueued(x) || (is_launch ? !is_guarding() : is_host_copy(x->op)))
		return;
	sc_operand_visit(x, (struct sc_operand_visitor){arm_reported, &(struct arming){x, false}});
}

void sc_guard_arm_graph(const struct sc_enqueued *x, struct sc_graph_reach *reach)
{
	struct arming to = {x, false};
	unsigned count;

	if (!is_enqueued(x) || sc_reach_is_empty(reach))
		return;
	count = sc_reach_merge(reach);
	for (unsigned i = 0; i < count; i++) {
		struct sc_access access = sc_reach_merged(reach)[i];

		if (is_guarding() || access.known != SC_KNOWN_PARAMETER)
			arm_operand(&to, &access);
	}
	if (reach->left && is_guarding())
		atomic_fetch_add_explicit(&sc_guard.unguarded, reach->left, memory_order_relaxed);
}
