/* The wrappers of NCCL's functions (operand.def, COLLECTIVE and GROUP). */
#include <stddef.h>
#include "extensions/agents/nccl/collective.h"
#include "extensions/agents/nccl/collective_forms.h"
#include "extensions/agents/nccl/turn.h"
#include "extensions/agents/wrap.h"
#include "trace/message.h"

#define NOTED_COLLECTIVE(name, parameters, arguments, ...)                                         \
	SC_WRAP_AROUND(name, parameters, {                                                         \
		const void *frame = __builtin_frame_address(0);                                    \
		struct sc_collective call = {.function = &sc_operand_functions.name, __VA_ARGS__}; \
		bool is_own = sc_turn_enter(frame);                                                \
		uint64_t message = is_own ? sc_turn_call(&call, communicator, stream) : 0;         \
		struct sc_enqueues *enqueues = sc_enqueues_begin(frame);                           \
		int status = real ? real arguments : SC_WRAP_NOT_THERE;                            \
                                                                                                   \
		if (enqueues && sc_enqueues_end(enqueues, frame) && !status)                       \
			sc_collective_note(enqueues, &call, (void *)real, communicator, stream);   \
		if (is_own) {                                                                      \
			sc_turn_called(&call, communicator, stream, message, status);              \
			sc_turn_leave();                                                           \
		}                                                                                  \
		return status;                                                                     \
	})
#define COLLECTIVE(name, form, sends, receives) form(name, sends, receives)
#include "extensions/agents/operands/operand.def"

/* A group whose end was refused is over all the same. */
static int end_group(int (*real)(void))
{
	const void *frame = __builtin_frame_address(0);
	bool is_own = sc_turn_enter(frame);
	struct sc_enqueues *enqueues;
	int status;

	if (is_own)
		sc_turn_end();
	enqueues = sc_enqueues_begin(frame);
	status = real ? real() : SC_WRAP_NOT_THERE;
	if (enqueues)
		sc_collective_end(enqueues, sc_enqueues_end(enqueues, frame) && !status);
	if (is_own) {
		sc_turn_ended(status);
		sc_turn_leave();
	}
	return status;
}

/* Each row with this call says which it is. */
#define BEGIN(name)                                                          \
	SC_WRAP_AROUND(name, (void), {                                       \
		const void *frame = __builtin_frame_address(0);              \
		bool is_own = sc_turn_enter(frame);                          \
		struct sc_enqueues *enqueues = sc_enqueues_begin(frame);     \
		int status = real ? real() : SC_WRAP_NOT_THERE;              \
                                                                             \
		if (enqueues && sc_enqueues_end(enqueues, frame) && !status) \
			sc_collective_begin();                               \
		if (is_own && !status)                                       \
			sc_turn_begin();                                     \
		if (is_own)                                                  \
			sc_turn_leave();                                     \
		return status;                                               \
	})
#define SIMULATE(name)                                                   \
	SC_WRAP_AROUND(name, (void *info), {                             \
		const void *frame = __builtin_frame_address(0);          \
		bool is_own = sc_turn_enter(frame);                      \
		struct sc_enqueues *enqueues = sc_enqueues_begin(frame); \
		int status = real ? real(info) : SC_WRAP_NOT_THERE;      \
                                                                         \
		if (enqueues) {                                          \
			sc_enqueues_end(enqueues, frame);                \
			sc_collective_end(enqueues, false);              \
		}                                                        \
		if (is_own) {                                            \
			sc_turn_drop();                                  \
			sc_turn_leave();                                 \
		}                                                        \
		return status;                                           \
	})
#define END(name)                                                                               \
	static int looked_up_##name(void)                                                       \
	{                                                                                       \
		return end_group(                                                               \
			(int (*)(void))atomic_load(&sc_operand_functions.name.looked_up));      \
	}                                                                                       \
	static int called_##name(void)                                                          \
	{                                                                                       \
		return end_group((int (*)(void))sc_function_find(&sc_operand_functions.name,    \
								 __builtin_return_address(0))); \
	}
#define GROUP(name, part) part(name)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define COLLECTIVE(name, form, sends, receives) \
	SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#define GROUP(name, part) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_collective_wrappers = SC_WRAPPERS("nccl", sc_operand_table, wrappers);
