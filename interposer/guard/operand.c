/* The page guard: what an enqueued operation arms. */
#include "interposer/call/call.h"
#include "interposer/guard/frame.h"
#include "interposer/object/global.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/reach.h"
#include "interposer/core/session.h"
#include "interposer/object/memory.h"
#include "interposer/libc/signals.h"
#include "interposer/guard/ground.h"
#include "interposer/guard/arm.h"

#define MOST_REACHED 32 /* allocations that one launch arms */

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

static struct sc_arm arm_of(const struct sc_call *call, const struct sc_access *access)
{
	return (struct sc_arm){.access = *access,
			       .start = access->base,
			       .end = access->base + (access->slices - 1) * access->slice_pitch +
				      (access->rows - 1) * access->pitch + access->width,
			       .sequence = call->sequence,
			       .stream = call->stream->id,
			       .context = call->op.context,
			       .right = access->mode == SC_READ ? SC_MAY_READ : SC_MAY_NOTHING,
			       .is_launch = access->known == SC_KNOWN_PARAMETER,
			       .is_ordered = !(call->stream->flags & SC_FLAG_NON_BLOCKING)};
}

struct arming {
	const struct sc_call *call;
	bool is_checked; /* that our handler is there */
};

/* A system call, so once for all operands, and only before more pages are protected. */
static void check_handler(struct arming *to, struct sc_arm *a)
{
	if (to->is_checked || !is_guarding())
		return;
	to->is_checked = true;
	if (sc_signals_are_ours())
		return;
	sc_guard_stand_down("page guard: a SIGSEGV handler was installed without sigaction()");
	choose_pages(a);
}

static void arm_operand(struct arming *to, const struct sc_access *access)
{
	struct sc_arm a = arm_of(to->call, access);

	if (!a.is_launch)
		sc_frame_find(&a);
	choose_pages(&a);
	if (sc_arm_renew(&a))
		return;
	check_handler(to, &a);
	sc_arm_enter(&a);
}

/* ---- copies and fills ---- */

static bool is_watched(uint8_t memory)
{
	return memory == SC_MEM_PINNED || memory == SC_MEM_REGISTERED || memory == SC_MEM_MANAGED ||
	       memory == SC_MEM_PAGEABLE;
}

static const void *attached(const struct sc_call *call, uint32_t type, uint32_t *bytes)
{
	for (uint32_t i = 0; i < call->parts; i++) {
		if (call->part[i].type != type)
			continue;
		*bytes = call->part[i].bytes;
		return call->part[i].data;
	}
	return NULL;
}

static void tell(const struct sc_access *access, struct sc_told to)
{
	if (is_watched(access->memory) && access->width)
		to.operand(to.context, access);
}

static void tell_linear(const struct sc_call *call, uint64_t base, uint8_t mode, uint8_t memory,
			struct sc_told to)
{
	struct sc_access access = {.base = base,
				   .width = call->op.bytes,
				   .rows = 1,
				   .slices = 1,
				   .mode = mode,
				   .memory = memory};

	tell(&access, to);
}

static void tell_copy(const struct sc_call *call, struct sc_told to)
{
	const struct sc_op *op = &call->op;
	uint32_t bytes = 0;
	const struct sc_access *list = attached(call, SC_ATTACH_ACCESSES, &bytes);

	for (uint32_t i = 0; list && i < bytes / sizeof(*list); i++)
		tell(&list[i], to);
	if (list)
		return;
	tell_linear(call, op->dst, SC_WRITE, op->dst_mem, to);
	tell_linear(call, op->src, SC_READ, op->src_mem, to);
}

/* ---- kernels ---- */

static struct sc_access all_of(const struct sc_known_allocation *a)
{
	return (struct sc_access){.base = a->host ? a->host : a->start,
				  .width = a->bytes,
				  .rows = 1,
				  .slices = 1,
				  .mode = SC_READ_WRITE,
				  .known = SC_KNOWN_PARAMETER,
				  .memory = a->memory};
}

/* Managed variables of its module are within a kernel's reach without a parameter. */
static void tell_variables(const struct sc_call *call, struct sc_told to)
{
	struct sc_known_allocation a;
	unsigned at = 0;

	while (call->function && sc_global_next(call->function, &at, &a)) {
		struct sc_access access = all_of(&a);

		to.operand(to.context, &access);
	}
}

/* Host memory that a kernel may reach through this parameter word; false if there is none. */
static bool reaches(uint64_t word, struct sc_access *access)
{
	struct sc_known_allocation a;

	if (!sc_memory_look_up(&sc_memory, word, &a) || !sc_memory_is_host(a.memory))
		return false;
	*access = all_of(&a);
	return true;
}

static bool is_known(const uint64_t *list, unsigned count, uint64_t base)
{
	for (unsigned i = 0; i < count; i++) {
		if (list[i] == base)
			return true;
	}
	return false;
}

/* Every aligned word may be a pointer, struct members included. The analyzer knows the kernel's
 * footprint, and decides whether an access conflicts. */
static void tell_launch(const struct sc_call *call, struct sc_told to)
{
	uint32_t bytes = 0;
	const struct sc_launch *head = attached(call, SC_ATTACH_LAUNCH, &bytes);
	uint64_t told[MOST_REACHED];
	const uint64_t *word;
	unsigned count = 0;

	if (!head || !sc_memory_has_host(&sc_memory))
		return;
	tell_variables(call, to);
	word = (const uint64_t *)(head + 1);
	for (uint32_t i = 0; i < (bytes - sizeof(*head)) / 8; i++) {
		struct sc_access access;

		if (!sc_memory_may_be_host(&sc_memory, word[i]) ||
		    // cppcheck-suppress uninitvar ; the first `count` were written
		    !reaches(word[i], &access) || is_known(told, count, access.base))
			continue;
		if (count == MOST_REACHED) { /* as an operand that finds no place */
			atomic_fetch_add(&sc_guard.unguarded, 1);
			return;
		}
		told[count++] = access.base;
		to.operand(to.context, &access);
	}
}

/* ---- what an operation touches ---- */

void sc_guard_operands(const struct sc_call *call, struct sc_told to)
{
	if (call->op.kind == SC_OP_COPY || call->op.kind == SC_OP_SET)
		tell_copy(call, to);
	else if (call->op.kind == SC_OP_KERNEL)
		tell_launch(call, to);
}

/* Host to host is synchronous whatever its name (C-A3); managed memory is not host here. */
static bool is_host_copy(const struct sc_op *op)
{
	return sc_memory_is_host(op->dst_mem) && sc_memory_is_host(op->src_mem) &&
	       op->dst_mem != SC_MEM_MANAGED && op->src_mem != SC_MEM_MANAGED;
}

static void arm_told(void *to, const struct sc_access *access)
{
	arm_operand(to, access);
}

static bool is_enqueued(const struct sc_call *call)
{
	return call->stream && call->sequence != SC_NOT_WRITTEN;
}

void sc_guard_arm(struct sc_call *call)
{
	bool is_launch = call->op.kind == SC_OP_KERNEL;

	if (!is_enqueued(call) || (is_launch ? !is_guarding() : is_host_copy(&call->op)))
		return;
	sc_guard_operands(call, (struct sc_told){arm_told, &(struct arming){call, false}});
}

void sc_guard_arm_graph(const struct sc_call *call, struct sc_graph_reach *reach)
{
	struct arming to = {call, false};
	unsigned count;

	if (!is_enqueued(call) || sc_reach_is_empty(reach))
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
