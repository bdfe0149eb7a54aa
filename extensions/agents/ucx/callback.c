/* Callbacks: what runs when an operation is complete, or an active message is there.
 *
 * UCX calls them inside of the program's call of ucp_worker_progress, say, where what is called is
 * not the program's (sc_self.depth); what the callback does is.
 */
#include "extensions/agents/ucx/callback.h"

#include <errno.h>
#include <stddef.h>
#include "interposer/core/slab.h"
#include "interposer/core/thread.h"

typedef uint64_t W;

/* A handler of the program. Who uses it is not seen, so it stays. */
struct handler {
	W function, argument;
};

static void *pointer(W word)
{
	return (void *)(uintptr_t)word;
}

/* Callbacks of sends have three parameters, those of receives a length or more before the last. */
static void run(struct sc_ucx_pending *p, W request, W status, W third, bool has_third)
{
	W function = p->callback, user_data = p->user_data;
	const void *outermost = sc_self.outermost;
	uint32_t depth = sc_self.depth;
	int saved = errno;

	if (sc_ucx_pending_called(p))
		sc_ucx_pending_put(p);
	errno = saved;
	sc_self.depth = 0;
	if (has_third)
		((void (*)(W, W, W, W))pointer(function))(request, status, third, user_data);
	else
		((void (*)(W, W, W))pointer(function))(request, status, user_data);
	sc_self.depth = depth;
	sc_self.outermost = outermost;
}

static void sent(W request, W status, W user_data)
{
	run(pointer(user_data), request, status, 0, false);
}

static void received(W request, W status, W third, W user_data)
{
	run(pointer(user_data), request, status, third, true);
}

void sc_ucx_callback_replace(struct sc_ucx_pending *p, struct sc_ucx_options *o)
{
	p->callback = sc_ucx_option(o, SC_UCX_OPTION_CALLBACK, 0);
	if (!p->callback)
		return;
	p->user_data = sc_ucx_option(o, SC_UCX_OPTION_USER_DATA, 0);
	p->has_callback = true;
	sc_ucx_options_set(o, SC_UCX_OPTION_CALLBACK,
			   (uint64_t)(p->is_receive ? (void *)received : (void *)sent));
	sc_ucx_options_set(o, SC_UCX_OPTION_USER_DATA, (uint64_t)p);
}

/* The handlers of both forms have the argument first, and at most five more. */
static W handle(W argument, W b, W c, W d, W e, W f)
{
	const struct handler *h = pointer(argument);
	const void *outermost = sc_self.outermost;
	uint32_t depth = sc_self.depth;
	W status;

	sc_self.depth = 0;
	status = ((W(*)(W, W, W, W, W, W))pointer(h->function))(h->argument, b, c, d, e, f);
	sc_self.depth = depth;
	sc_self.outermost = outermost;
	return status;
}

uint64_t sc_ucx_callback_handler(uint64_t handler, uint64_t *argument)
{
	struct handler *h = sc_slab_get(SC_SLAB_HANDLER, sizeof(*h));

	if (!h)
		return 0;
	*h = (struct handler){handler, *argument};
	*argument = (uint64_t)h;
	return (uint64_t)(void *)handle;
}
