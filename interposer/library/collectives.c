/* The wrappers of NCCL's functions (operand.def, COLLECTIVE and GROUP). */
#include <stddef.h>
#include "interposer/library/collective.h"
#include "interposer/library/collective_forms.h"
#include "interposer/library/wrap.h"

#define NOTED_COLLECTIVE(name, parameters, arguments, ...)                                  \
	SC_WRAP(name, parameters, arguments,                                                \
		sc_collective_note(                                                         \
			enqueues,                                                           \
			&(struct sc_collective){.row = SC_LIBRARY_ROW_##name, __VA_ARGS__}, \
			(void *)real, communicator, stream))
#define COLLECTIVE(name, form, sends, receives) form(name, sends, receives)
#include "interposer/library/operand.def"

/* A group whose end was refused is over all the same. */
static int end_group(int (*real)(void))
{
	const void *frame = __builtin_frame_address(0);
	struct sc_enqueues *enqueues = sc_enqueues_begin(frame);
	int status = real ? real() : SC_WRAP_NOT_THERE;

	if (enqueues)
		sc_collective_end(enqueues, sc_enqueues_end(enqueues, frame) && !status);
	return status;
}

/* The row says which; the call is the same for each. */
#define BEGIN(name) SC_WRAP(name, (void), (), sc_collective_begin())
#define END(name)                                                                              \
	static int looked_up_##name(void)                                                      \
	{                                                                                      \
		return end_group((int (*)(void))atomic_load(                                   \
			&sc_libraries.looked_up[SC_LIBRARY_ROW_##name]));                      \
	}                                                                                      \
	__attribute__((visibility("default"))) int name(void);                                 \
	__attribute__((visibility("default"))) int name(void)                                  \
	{                                                                                      \
		return end_group((int (*)(void))sc_library_find(SC_LIBRARY_ROW_##name,         \
								__builtin_return_address(0))); \
	}
#define GROUP(name, part) part(name)
#include "interposer/library/operand.def"

void *sc_collective_wrapper(enum sc_library_row row)
{
	static void *const wrappers[SC_LIBRARY_ROWS] = {
#define COLLECTIVE(name, form, sends, receives) [SC_LIBRARY_ROW_##name] = (void *)looked_up_##name,
#define GROUP(name, part)			[SC_LIBRARY_ROW_##name] = (void *)looked_up_##name,
#include "interposer/library/operand.def"
	};

	return wrappers[row];
}
