/* Threads: the calling one's state, and its number. */
#include "interposer/core/thread.h"

#include <stdatomic.h>
#include "interposer/core/module.h"

__thread struct sc_thread sc_self __attribute__((tls_model("initial-exec")));

static atomic_uint ids;

uint32_t sc_thread_number(void)
{
	return sc_self.id = 1 + atomic_fetch_add_explicit(&ids, 1, memory_order_relaxed);
}

static bool is_on_stack(const void *frame)
{
	return (uint64_t)frame >= sc_self.stack_start && (uint64_t)frame < sc_self.stack_end;
}

bool sc_thread_forget_calls(const void *frame)
{
	if (!is_on_stack(frame) || !is_on_stack(sc_self.outermost))
		return false;
	sc_self.depth = 0;
	sc_self.current = 0;
	sc_self.unwritten = NULL;
	sc_modules_calls_gone();
	return true;
}

const struct sc_module sc_module_thread = {SC_MODULE_STATE(ids)};
