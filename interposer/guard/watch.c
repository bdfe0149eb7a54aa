/* The page guard: what an enqueued operation watches. */
#include "interposer/guard/watch.h"

#include "interposer/core/put.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/core/windows.h"
#include "interposer/guard/watchpoint.h"
#include "interposer/guard/fault.h"
#include "interposer/guard/stack_operand.h"
#include "interposer/guard/unprotected.h"
#include "interposer/guard/given.h"
#include "interposer/guard/guard.h"
#include "interposer/guard/operand.h"
#include "interposer/guard/graph_operands.h"
#include "interposer/guard/loaded.h"
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
static void choose_pages(struct sc_watchpoint *a)
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
	if (sc_unprotected_has_current_stack(
		    owner.start, owner.bytes)) { /* a stack of the program's own making */
		sc_unprotected_mark(owner.start, owner.bytes);
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

/* ---- watchpoints ---- */

static struct sc_watchpoint watchpoint_of(const struct sc_enqueued *x,
					  const struct sc_access *access)
{
	return (struct sc_watchpoint){
		.access = *access,
		.start = access->base,
		.end = sc_operand_end(access),
		.sequence = x->sequence,
		.stream = x->stream.id,
		.context = x->op->context,
		.right = access->mode == SC_READ ? SC_MAY_READ : SC_MAY_NOTHING,
		.is_launch = access->known == SC_KNOWN_PARAMETER,
		.is_ordered = !(x->stream.handle->flags & SC_FLAG_NON_BLOCKING)};
}

struct watching {
	const struct sc_enqueued *operation;
	bool is_checked; /* that our handler is there */
	bool is_loaded;	 /* memory behind loaded pointers is what is watched */
	struct sc_loaded_walk walk;
};

/* A system call, so once for all operands, and only before more pages are protected. */
static void check_handler(struct watching *to, struct sc_watchpoint *a)
{
	if (to->is_checked || !is_guarding())
		return;
	to->is_checked = true;
	if (sc_fault_is_handled())
		return;
	sc_guard_stand_down("page guard: a SIGSEGV handler was installed without sigaction()");
	choose_pages(a);
}

static void watch_operand(struct watching *to, const struct sc_access *access)
{
	struct sc_watchpoint a = watchpoint_of(to->operation, access);

	if (!a.is_launch && sc_stack_operand_find(&a))
		sc_self.framed++;
	choose_pages(&a);
	a.is_loaded = to->is_loaded;
	if (sc_watchpoint_renew(&a) || (to->is_loaded && !sc_loaded_has_room(&to->walk, access)))
		return;
	check_handler(to, &a);
	sc_watchpoint_add(&a);
}

/* ---- operations ---- */

/* Host to host is synchronous whatever its name (C-A3); managed memory is not host here. */
static bool is_host_copy(const struct sc_op *op)
{
	return sc_memory_is_host(op->dst_mem) && sc_memory_is_host(op->src_mem) &&
	       op->dst_mem != SC_MEM_MANAGED && op->src_mem != SC_MEM_MANAGED;
}

static void watch_reported(void *to, const struct sc_access *access)
{
	watch_operand(to, access);
}

static void watch_loaded(struct watching *to)
{
	struct sc_access access;

	if (!is_guarding() || sc_loaded_renew(to->operation))
		return;
	to->is_loaded = true;
	while (sc_loaded_next(&to->walk, &access))
		watch_operand(to, &access);
	sc_loaded_end(&to->walk);
}

static bool is_enqueued(const struct sc_enqueued *x)
{
	return sc_handle_of(x->stream) && x->sequence != SC_NOT_WRITTEN;
}

void sc_guard_watch(const struct sc_enqueued *x)
{
	bool is_launch = x->op->kind == SC_OP_KERNEL;
	struct watching to = {.operation = x};

	if (sc_windows_is_closed() || !is_enqueued(x) ||
	    (is_launch ? !is_guarding() : is_host_copy(x->op)))
		return;
	sc_operand_visit(x, (struct sc_operand_visitor){watch_reported, &to});
	if (is_launch && sc_loaded_is_used_by(x->function))
		watch_loaded(&to);
}

void sc_guard_watch_graph(const struct sc_enqueued *x, struct sc_graph_operands *operands)
{
	struct watching to = {.operation = x};
	unsigned count;

	if (sc_windows_is_closed() || !is_enqueued(x) || sc_graph_operands_is_empty(operands))
		return;
	count = sc_graph_operands_merge(operands);
	for (unsigned i = 0; i < count; i++) {
		struct sc_access access = sc_graph_operands_merged(operands)[i];

		if (access.memory == SC_MEM_PAGEABLE && !sc_given_is_there(access.base))
			continue; /* it ended before (SC-136) */
		if (is_guarding() || access.known != SC_KNOWN_PARAMETER)
			watch_operand(&to, &access);
	}
	if (operands->loads)
		watch_loaded(&to);
	if (operands->left && is_guarding())
		atomic_fetch_add_explicit(&sc_guard.unguarded, operands->left,
					  memory_order_relaxed);
}
