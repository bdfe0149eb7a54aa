/* Driver calls from CUPTI's callbacks: the same rows, decoders and ops as from the hooks.
 *
 * CUPTI hands out the struct of parameters that api.def's decoders read. A callback that replaces
 * one (a host function becomes a trampoline) changes what the driver goes on with; seen with CUDA
 * 13.0, promised nowhere. Where it were not so, host functions would run unseen, as before.
 */
#include "base/assert.h"
#include "interposer/core/arena.h"
#include "interposer/hook/intercept.h"
#include "interposer/cupti/cupti.h"
#include "interposer/cupti/library.h"
#include "interposer/core/module.h"
#include "interposer/core/thread.h"

enum { NOT_OURS, OURS };

struct sc_cupti_source_thread {
	struct sc_call *call; /* that CUPTI reports; owned, made on first use */
};

SC_THREAD_STATE(cupti_source)

static void enter(unsigned row, const CUpti_CallbackData *data)
{
	if (sc_self.depth || sc_self.busy || sc_self.in_source)
		return; /* a question of our own, or of the driver's */
	if (!sc_cupti_source_thread()->call)
		sc_cupti_source_thread()->call =
			sc_arena_get(sizeof(*sc_cupti_source_thread()->call));
	if (!sc_cupti_source_thread()->call)
		return;
	sc_self.in_source = true;
	sc_cupti_source_thread()->call->frame = NULL;
	sc_intercept_begin(sc_cupti_source_thread()->call, (int)(row / 2), row % 2,
			   (void *)data->functionParams);
	sc_self.in_source = false;
	*data->correlationData = OURS;
}

static void record(unsigned row, const void *callback_data)
{
	const CUpti_CallbackData *data = callback_data;

	if (data->callbackSite == CUPTI_API_ENTER) {
		*data->correlationData = NOT_OURS;
		enter(row, data);
	} else if (*data->correlationData == OURS && sc_cupti_source_thread()->call) {
		sc_assert(!sc_self.in_source);
		sc_self.in_source = true;
		sc_intercept_exit(sc_cupti_source_thread()->call,
				  *(const CUresult *)data->functionReturnValue);
		sc_self.in_source = false;
	}
}

static void take_calls(void)
{
	sc_cupti.record = record;
}

const struct sc_module sc_module_cupti_source = {.begin = take_calls};
