/* Calls: from the text to what is passed, and how functions begin and end. */
#include "simulator/executor/call.h"

#include <string.h>

#include "simulator/executor/builtin.h"
#include "simulator/executor/frame.h"
#include "simulator/executor/path.h"

/* ---- decoding ---- */

/* A variable in the frame of the calling function. */
static bool decode_variable(struct exec_decoder *d, const struct sc_ptx_operand *o,
			    struct exec_variable *out)
{
	return o->kind == SC_OPERAND_SYMBOL && !o->value && exec_operand_variable(d, o->id, out);
}

/* (a, b): what is passed. */
static bool decode_list(struct exec_decoder *d, const struct sc_ptx_operand *list,
			struct exec_call *call)
{
	const struct sc_ptx_operand *inner = &d->f->operands.items[list->id];

	call->actual_count = list->count;
	call->actuals = sc_arena_xalloc(&d->k->arena, list->count + 1, sizeof(*call->actuals));
	for (uint32_t i = 0; i < list->count; i++)
		if (!decode_variable(d, &inner[i], &call->actuals[i]))
			return 0;
	return 1;
}

/* (a): where the result goes. */
static bool decode_result(struct exec_decoder *d, const struct sc_ptx_operand *list,
			  struct exec_call *call)
{
	const struct sc_ptx_operand *inner = &d->f->operands.items[list->id];

	if (!list->count || (list->count == 1 && inner->kind == SC_OPERAND_SINK))
		return 1;
	return list->count == 1 && decode_variable(d, inner, &call->result);
}

static bool decode_callee(struct exec_decoder *d, const struct sc_ptx_operand *o,
			  struct exec_call *call, struct exec_instruction *out)
{
	const char *name;

	if (o->kind == SC_OPERAND_REGISTER)
		return exec_operand_source(d, o, 8, &out->slot[1]);
	if (o->kind != SC_OPERAND_NAME)
		return 0;
	name = d->m->names.items[o->id];
	call->function = exec_unit_callee(d->unit, d->m, name);
	call->builtin = call->function ? NULL : exec_builtin_find(name);
	return call->function || (call->builtin && exec_builtin_fits(call->builtin, call));
}

static exec_handler call_function, call_address, call_builtin;

bool exec_call_decode(struct exec_decoder *d, const struct sc_instruction *in,
		      struct exec_instruction *out)
{
	uint32_t callee = exec_functions_callee(d->f, in);
	const struct sc_ptx_operand *o = &d->f->operands.items[in->first];
	struct exec_call *call = sc_arena_xalloc(&d->k->arena, 1, sizeof(*call));
	bool ok = callee < in->count;

	if (ok && callee)
		ok = decode_result(d, o, call);
	if (ok && callee + 1 < in->count && o[callee + 1].kind == SC_OPERAND_VECTOR)
		ok = decode_list(d, &o[callee + 1], call);
	ok = ok && decode_callee(d, &o[callee], call, out);
	out->call = call;
	out->run = call->function ? call_function : call->builtin ? call_builtin : call_address;
	return ok;
}

/* ---- what is passed ---- */

/* Copies so many bytes of each of these lanes; inlined for the sizes of numbers. */
static inline __attribute__((always_inline)) void copy_lanes(unsigned char *to,
							     const unsigned char *from,
							     size_t stride, size_t bytes,
							     uint32_t lanes)
{
	for (unsigned i = 0; i < EXEC_LANES; i++)
		if (lanes >> i & 1)
			memcpy(to + i * stride, from + i * stride, bytes);
}

/* Copies a variable of each of these lanes from one frame to another. */
static void copy(struct exec_warp *w, uint32_t lanes, const struct exec_frame *to,
		 const struct exec_variable *to_variable, const struct exec_frame *from,
		 const struct exec_variable *variable)
{
	uint32_t bytes =
		variable->bytes < to_variable->bytes ? variable->bytes : to_variable->bytes;

	unsigned char *to_first = exec_frame_place(w, to, 0, to_variable);
	const unsigned char *first = exec_frame_place(w, from, 0, variable);
	size_t stride = w->stack.local_stride;

	if (bytes == 4)
		copy_lanes(to_first, first, stride, 4, lanes);
	else if (bytes == 8)
		copy_lanes(to_first, first, stride, 8, lanes);
	else
		copy_lanes(to_first, first, stride, bytes, lanes);
}

/* ---- running ---- */

/* The lanes that call, as a path of their own if others do not. */
static uint32_t separate(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (lanes && lanes != w->active)
		exec_path_divide(w, in, in + 1, w->active & ~lanes);
	return lanes;
}

static void begin(struct exec_warp *w, const struct exec_instruction *in,
		  const struct exec_kernel *function)
{
	struct exec_frame *f = exec_frame_new(w, function);
	const struct exec_call *call = in->call;

	if (!f || !exec_path_count(w, in, function->code_count)) {
		exec_fail(w, in, EXEC_STACK_OVERFLOW, (unsigned)__builtin_ctz(w->active), 0);
		return;
	}
	f->call = call;
	for (uint32_t i = 0; i < function->formal_count && i < call->actual_count; i++)
		copy(w, w->active, f, &function->formals[i], w->frame, &call->actuals[i]);
	exec_path_call(w, f);
}

static void call_function(struct exec_warp *w, const struct exec_instruction *in)
{
	if (separate(w, in))
		begin(w, in, in->call->function);
}

static const struct exec_kernel *function_at(const struct exec_warp *w, uint64_t address)
{
	const struct exec_kernel *k = w->frame->code->kernel;
	uint64_t index = (address - EXEC_WINDOW_CODE) / EXEC_CODE_BYTES - 1;

	if (address % EXEC_CODE_BYTES || address < EXEC_WINDOW_CODE || index >= k->address_count)
		return NULL;
	return k->by_address[index];
}

/* Lanes that call other functions than the first one's call them as paths of their own. */
static void call_address(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = separate(w, in), same = 0;
	const uint64_t *addresses = exec_lanes(w, in->slot[1]);
	const struct exec_kernel *function;
	uint64_t first;

	if (!lanes)
		return;
	first = addresses[__builtin_ctz(lanes)];
	for (unsigned i = 0; i < EXEC_LANES; i++)
		same |= addresses[i] == first ? lanes & UINT32_C(1) << i : 0;
	if (same != lanes)
		exec_path_divide(w, in, in, lanes & ~same);
	function = function_at(w, first);
	if (function)
		begin(w, in, function);
	else
		exec_fail(w, in, EXEC_INVALID_PC, (unsigned)__builtin_ctz(same), first);
}

static void call_builtin(struct exec_warp *w, const struct exec_instruction *in)
{
	uint32_t lanes = exec_mask(w, in);

	if (lanes)
		exec_builtin_run(in->call->builtin, w, in, lanes);
}

void exec_call_return(struct exec_warp *w, const struct exec_instruction *in)
{
	const struct exec_frame *f = w->frame;
	uint32_t lanes = exec_mask(w, in);

	if (!lanes)
		return;
	copy(w, lanes, f->caller, &f->call->result, f, &f->code->result);
	exec_path_return(w, lanes);
}
