/* Followed: the calls, and what an exception that leaves one finds. */
#include "extensions/agents/followed.h"

#include <errno.h>
#include <unwind.h>
#include "base/assert.h"
#include "interposer/core/thread.h"

typedef uint64_t W;

uint64_t sc_followed_invoke(void *real, const uint64_t *p, unsigned count)
{
	sc_assert(count <= SC_FOLLOWED_WORDS);
#define REAL(...) ((W(*)(__VA_ARGS__))real)
	switch (count) {
	case 0: return REAL(void)();
	case 1: return REAL(W)(p[0]);
	case 2: return REAL(W, W)(p[0], p[1]);
	case 3: return REAL(W, W, W)(p[0], p[1], p[2]);
	case 4: return REAL(W, W, W, W)(p[0], p[1], p[2], p[3]);
	case 5: return REAL(W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4]);
	case 6: return REAL(W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5]);
	case 7: return REAL(W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5], p[6]);
	case 8: return REAL(W, W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
	case 9:
		return REAL(W, W, W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5], p[6],
						       p[7], p[8]);
	case 10:
		return REAL(W, W, W, W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5], p[6],
							  p[7], p[8], p[9]);
	case 11:
		return REAL(W, W, W, W, W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4], p[5],
							     p[6], p[7], p[8], p[9], p[10]);
	case 12:
		return REAL(W, W, W, W, W, W, W, W, W, W, W, W)(
			p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11]);
	default:
		return REAL(W, W, W, W, W, W, W, W, W, W, W, W, W)(p[0], p[1], p[2], p[3], p[4],
								   p[5], p[6], p[7], p[8], p[9],
								   p[10], p[11], p[12]);
	}
#undef REAL
}

/* A number is in a register of its own, whatever words are before it, and goes on as it is. */
uint64_t sc_followed_pass(const struct sc_followed *c)
{
	const uint64_t *p = c->parameter;

	if (!c->number)
		return sc_followed_invoke(c->real, p, c->words);
	*c->number = ((double (*)(W, W, W, double))c->real)(p[0], p[1], p[2], *c->number);
	return 0;
}

/* What an exception that leaves a real function finds in our frame: there is nothing to catch, and
 * what was raised for the call is lowered again. */
_Unwind_Reason_Code sc_followed_thrown(int version, _Unwind_Action actions, uint64_t class,
				       void *exception, void *context)
	__attribute__((used, visibility("hidden")));

_Unwind_Reason_Code sc_followed_thrown(int version, _Unwind_Action actions, uint64_t class,
				       void *exception, void *context)
{
	(void)version, (void)class, (void)exception, (void)context;
	if (actions & _UA_CLEANUP_PHASE)
		sc_thread_leave();
	return _URC_CONTINUE_UNWIND;
}

/* 0x1b: an offset of four bytes from there. */
__attribute__((noinline)) uint64_t sc_followed_run(const struct sc_followed *c, int *error)
{
	uint64_t result;

	__asm__ volatile(".cfi_personality 0x1b, sc_followed_thrown");
	sc_thread_enter(c->frame);
	errno = *error;
	result = sc_followed_pass(c);
	*error = errno;
	sc_thread_leave();
	return result;
}

uint64_t sc_followed_enqueue(const struct sc_followed *c, struct sc_enqueues **e, int *error)
{
	struct sc_enqueues *own = e ? sc_enqueues_begin(c->frame) : NULL;
	uint64_t result;

	errno = *error;
	result = sc_followed_pass(c);
	*error = errno;
	if (e)
		*e = own && sc_enqueues_end(own, c->frame) ? own : NULL;
	return result;
}

uint64_t sc_followed_call(struct sc_followed *c, sc_followed_way *(*choose)(struct sc_followed *c),
			  uint64_t not_there)
{
	int error = errno;
	sc_followed_way *way;
	uint64_t result;

	c->real = c->by ? sc_function_find(c->by, sc_followed_caller(c))
			: atomic_load(&c->function->looked_up);
	if (!c->real)
		return not_there;
	way = sc_self.busy ? NULL : choose(c);
	if (!way)
		return sc_followed_pass(c);
	result = way(c, &error);
	errno = error;
	return result;
}
