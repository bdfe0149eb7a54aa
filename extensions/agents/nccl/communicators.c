/* The wrappers of NCCL's functions that make communicators or end one (operand.def, COMMUNICATOR).
 */
#include "extensions/agents/nccl/communicator_forms.h"
#include "extensions/agents/nccl/turn.h"
#include "extensions/agents/wrap.h"
#include "trace/message.h"

#define NOTED_BIRTH(name, parameters, arguments, birth)             \
	SC_WRAP_AROUND(name, parameters, {                          \
		struct sc_communicator_birth made = {0};            \
		bool is_own = sc_turn_enter(frame_address());       \
		int status;                                         \
                                                                    \
		if (is_own)                                         \
			made = birth;                               \
		status = real ? real arguments : SC_WRAP_NOT_THERE; \
		if (is_own) {                                       \
			sc_turn_born(&made, status);                \
			sc_turn_leave();                            \
		}                                                   \
		return status;                                      \
	})
#define NOTED_TOGETHER(name, parameters, arguments)                                 \
	SC_WRAP_AROUND(name, parameters, {                                          \
		bool is_own = sc_turn_enter(frame_address());                       \
		int status = real ? real arguments : SC_WRAP_NOT_THERE;             \
                                                                                    \
		if (is_own) {                                                       \
			if (!status)                                                \
				sc_communicator_born_together(communicator, count); \
			sc_turn_leave();                                            \
		}                                                                   \
		return status;                                                      \
	})
#define NOTED_PART(name, parameters, arguments, flags, is_freed)                              \
	SC_WRAP_AROUND(name, parameters, {                                                    \
		bool is_own = sc_turn_enter(frame_address());                                 \
		int status;                                                                   \
                                                                                              \
		if (is_own)                                                                   \
			sc_communicator_part(&sc_operand_functions.name, communicator, flags, \
					     is_freed);                                       \
		status = real ? real arguments : SC_WRAP_NOT_THERE;                           \
		if (is_own)                                                                   \
			sc_turn_leave();                                                      \
		return status;                                                                \
	})
#define frame_address()		 __builtin_frame_address(0)
#define COMMUNICATOR(name, form) form(name)
#include "extensions/agents/operands/operand.def"

static const struct sc_wrapper wrappers[] = {
#define COMMUNICATOR(name, form) SC_WRAPPER(operand, name, called_##name, looked_up_##name)
#include "extensions/agents/operands/operand.def"
};

const struct sc_wrappers sc_communicator_wrappers = SC_WRAPPERS("nccl", sc_operand_table, wrappers);
