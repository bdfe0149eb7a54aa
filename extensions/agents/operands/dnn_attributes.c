/* Attributes of cuDNN's graph descriptors: values are read, and become what records say. */
#include "extensions/agents/operands/dnn_attributes.h"

#include <string.h>
#include "interposer/core/safe_read.h"

_Static_assert(SC_DNN_VALUES <= SC_DNN_PACK, "what is read has room");

/* ---- values ---- */

unsigned sc_dnn_value_bytes(int type)
{
	switch (type) {
	case SC_DNN_VALUE_CHAR:
	case SC_DNN_VALUE_BOOLEAN: return 1;
	case SC_DNN_VALUE_INT64:
	case SC_DNN_VALUE_DOUBLE:
	case SC_DNN_VALUE_POINTER:
	case SC_DNN_VALUE_DESCRIPTOR: return 8;
	default: return 4; /* enumerations, and what nobody looks at */
	}
}

bool sc_dnn_read_values(const struct sc_dnn_values *in, struct sc_dnn_read *out)
{
	unsigned bytes = sc_dnn_value_bytes(in->type);
	struct sc_safe_read memory;
	bool is_read = true;

	*out = (struct sc_dnn_read){.attribute = in->attribute, .type = in->type};
	if (in->count < 0 || in->count > SC_DNN_VALUES || (in->count && !in->at))
		return false;
	sc_safe_read_begin(&memory);
	for (; out->count < (unsigned)in->count && is_read; out->count++) {
		int32_t narrow = 0;
		int64_t *wide = &out->value[out->count];

		is_read =
			sc_safe_read_bytes(&memory, bytes == 4 ? (void *)&narrow : wide,
					   (uint64_t)in->at + (uint64_t)out->count * bytes, bytes);
		if (bytes == 4)
			*wide = narrow;
	}
	sc_safe_read_end(&memory);
	return is_read;
}

static enum sc_scalar scalar(const struct sc_dnn_read *v)
{
	if (v->count != 1 || (v->type != SC_DNN_VALUE_FLOAT && v->type != SC_DNN_VALUE_DOUBLE))
		return SC_SCALAR_UNKNOWN;
	return sc_operand_scalar(v->type == SC_DNN_VALUE_FLOAT ? SC_TYPE_R_32F : SC_TYPE_R_64F,
				 &v->value[0]);
}

/* What is multiplied by it need not be read then. */
static bool may_be_zero(const struct sc_dnn_read *v)
{
	enum sc_scalar value = scalar(v);

	return value == SC_SCALAR_ZERO || value == SC_SCALAR_UNKNOWN;
}

/* ---- attributes ---- */

static void set_tensor_list(struct sc_dnn_tensor *t, int64_t *list, const struct sc_dnn_read *v)
{
	t->is_unknown |=
		!v->count || v->count > SC_TENSOR_DIMENSIONS || v->type != SC_DNN_VALUE_INT64;
	if (t->is_unknown)
		return;
	t->is_unknown = t->shape.dimensions && t->shape.dimensions != (int)v->count;
	t->shape.dimensions = (int)v->count;
	memcpy(list, v->value, v->count * sizeof(*list));
}

static void set_tensor(struct sc_dnn_tensor *t, const struct sc_dnn_read *v)
{
	switch (v->attribute) {
	case SC_DNN_TENSOR_TYPE: t->shape.type = (int)v->value[0]; break;
	case SC_DNN_TENSOR_SIZES: set_tensor_list(t, t->shape.size, v); break;
	case SC_DNN_TENSOR_STEPS: set_tensor_list(t, t->shape.step, v); break;
	case SC_DNN_TENSOR_ID: t->id = v->value[0]; break;
	case SC_DNN_TENSOR_IS_VIRTUAL: t->is_virtual = v->value[0]; break;
	case SC_DNN_TENSOR_IS_VALUE: t->is_value = v->value[0]; break;
	case SC_DNN_TENSOR_REORDERING: t->is_reordered = v->value[0] != SC_DNN_NOT_REORDERED; break;
	case SC_DNN_TENSOR_VECTOR_COUNT: t->is_unknown |= v->value[0] != 1; break;
	case SC_DNN_TENSOR_VECTOR_DIMENSION:
	case SC_DNN_TENSOR_ALIGNMENT: break;
	default: t->is_unknown = true; break; /* offsets of its rows in memory, for instance */
	}
}

static void set_window_list(struct sc_dnn_record *d, int64_t *list, const struct sc_dnn_read *v)
{
	if (!v->count || v->count > SC_TENSOR_DIMENSIONS ||
	    (d->window.dimensions && d->window.dimensions != (int)v->count)) {
		d->is_unknown = true;
		return;
	}
	d->window.dimensions = (int)v->count;
	memcpy(list, v->value, v->count * sizeof(*list));
}

/* Strides and dilations that were not set are 0, which no window has. */
static void set_window(struct sc_dnn_record *d, const struct sc_dnn_read *v)
{
	switch (v->attribute) {
	case SC_DNN_PADDINGS: set_window_list(d, d->window.padding, v); break;
	case SC_DNN_STRIDES: set_window_list(d, d->window.stride, v); break;
	case SC_DNN_DILATIONS: set_window_list(d, d->window.dilation, v); break;
	default: break; /* how it is computed */
	}
}

static void set_operands(struct sc_dnn_operation *o, const struct sc_dnn_read *v)
{
	sc_dnn_operation_clear(o, v->attribute);
	for (unsigned i = 0; i < v->count; i++) {
		const struct sc_dnn_record *t = sc_dnn_record_complete(v->value[i], SC_DNN_TENSOR);

		sc_dnn_operation_add(o, v->attribute, t ? &t->tensor : NULL);
	}
}

/* An operation that is a part of another one. */
static void set_part(struct sc_dnn_operation *o, const struct sc_dnn_read *v)
{
	const struct sc_dnn_record *d = sc_dnn_record_known(v->value[0]);
	bool is_known = d && sc_dnn_is_operation(d->type) && &d->body->operation != o;

	sc_dnn_operation_clear(o, v->attribute);
	sc_dnn_operation_include(o, v->attribute, is_known ? &d->body->operation : NULL);
}

/* Attributes of operations that are no tensors; false: not known. */
static bool set_other(struct sc_dnn_operation *o, const struct sc_dnn_read *v)
{
	const struct sc_dnn_record *other;

	switch (v->attribute) {
	case SC_DNN_FORWARD_WINDOW:
	case SC_DNN_DATA_WINDOW:
	case SC_DNN_FILTER_WINDOW:
		other = sc_dnn_record_complete(v->value[0], SC_DNN_CONVOLUTION);
		o->window = other ? other->window : (struct sc_moving_window){0};
		return true;
	case SC_DNN_FORWARD_ALPHA:
	case SC_DNN_DATA_ALPHA:
	case SC_DNN_FILTER_ALPHA: o->alpha = scalar(v); return true;
	case SC_DNN_FORWARD_BETA:
	case SC_DNN_DATA_BETA:
	case SC_DNN_FILTER_BETA: o->beta = scalar(v); return true;
	case SC_DNN_POINTWISE_ALPHA_X:
	case SC_DNN_POINTWISE_ALPHA_B: o->uses.is_partly |= may_be_zero(v); return true;
	case SC_DNN_POINTWISE_KIND:
		other = sc_dnn_record_complete(v->value[0], SC_DNN_POINTWISE);
		o->uses.is_partly |= !other || other->picks;
		return true;
	case SC_DNN_NORM_PHASE: o->phase = (int)v->value[0]; return true;
	case SC_DNN_MATMUL_KIND:
	case SC_DNN_REDUCTION_KIND:
	case SC_DNN_RESAMPLE_KIND:
	case SC_DNN_RESAMPLE_BACK_KIND:
	case SC_DNN_RANDOM_KIND:
	case SC_DNN_STATISTICS_MODE:
	case SC_DNN_STATISTICS_PRECISION:
	case SC_DNN_NORM_MODE:
	case SC_DNN_NORM_BACK_MODE:
	case SC_DNN_RESHAPE_MODE:
	case SC_DNN_SOFTMAX_LOGARITHM:
	case SC_DNN_PERMUTATION: return true;
	case SC_DNN_ATTENTION_SOFTMAX: set_part(o, v); return true;
	default: return false;
	}
}

/* What an unknown number changes lies within the tensors; an object may lead to others. */
static void set_operation(struct sc_dnn_operation *o, const struct sc_dnn_read *v)
{
	bool is_object = v->type == SC_DNN_VALUE_DESCRIPTOR || v->type == SC_DNN_VALUE_POINTER;

	if (is_object && sc_dnn_is_tensor(v->attribute))
		set_operands(o, v);
	else if (!set_other(o, v)) {
		o->uses.is_unknown |= is_object;
		o->uses.is_partly = true;
	}
}

static void set_graph(struct sc_dnn_uses *graph, const struct sc_dnn_read *v)
{
	const struct sc_dnn_operation *operations[SC_DNN_VALUES];

	if (v->attribute != SC_DNN_GRAPH_OPERATIONS)
		return;
	for (unsigned i = 0; i < v->count; i++) {
		const struct sc_dnn_record *d = sc_dnn_record_known(v->value[i]);
		bool is_known = d && sc_dnn_is_operation(d->type);

		operations[i] = is_known ? &d->body->operation : NULL;
	}
	sc_dnn_uses_set(graph, operations, v->count);
}

static void set_pack(struct sc_dnn_pack *p, const struct sc_dnn_read *v)
{
	switch (v->attribute) {
	case SC_DNN_PACK_IDS:
		p->ids = v->count;
		memcpy(p->id, v->value, v->count * sizeof(p->id[0]));
		break;
	case SC_DNN_PACK_POINTERS:
		p->places = v->count;
		memcpy(p->place, v->value, v->count * sizeof(p->place[0]));
		break;
	case SC_DNN_PACK_WORKSPACE: p->workspace = (uint64_t)v->value[0]; break;
	default: p->is_unknown = true; break; /* other sizes, for instance */
	}
}

/* Engines, their configurations, heuristics and plans. */
static void set_link(struct sc_dnn_record *d, const struct sc_dnn_read *v)
{
	switch (v->attribute) {
	case SC_DNN_HEURISTICS_GRAPH:
	case SC_DNN_CONFIG_ENGINE:
	case SC_DNN_PLAN_CONFIG:
	case SC_DNN_ENGINE_GRAPH: sc_dnn_record_share(d, sc_dnn_record_known(v->value[0])); break;
	case SC_DNN_PLAN_ONLY_SOME:
	case SC_DNN_PLAN_TEXT: d->is_unknown = true; break;
	default: break; /* how it is computed */
	}
}

void sc_dnn_attribute_set(struct sc_dnn_record *d, const struct sc_dnn_read *v)
{
	if (d->type == SC_DNN_TENSOR)
		set_tensor(&d->tensor, v);
	else if (d->type == SC_DNN_CONVOLUTION)
		set_window(d, v);
	else if (d->type == SC_DNN_POINTWISE && v->attribute == SC_DNN_POINTWISE_MODE)
		d->picks =
			v->value[0] == SC_DNN_PLACE_OF_ELEMENT || v->value[0] == SC_DNN_ONE_OF_TWO;
	else if (sc_dnn_record_is_link(d->type))
		set_link(d, v);
	else if (!d->body)
		return;
	else if (d->type == SC_DNN_GRAPH)
		set_graph(&d->body->graph, v);
	else if (d->type == SC_DNN_PACK_TYPE)
		set_pack(&d->body->pack, v);
	else
		set_operation(&d->body->operation, v);
}

void sc_dnn_attribute_answer(struct sc_dnn_record *d, const struct sc_dnn_read *v)
{
	if (d->type == SC_DNN_PLAN && v->attribute == SC_DNN_PLAN_WORKSPACE_SIZE && v->count == 1)
		d->workspace = v->value[0];
	if (v->type != SC_DNN_VALUE_DESCRIPTOR ||
	    !(sc_dnn_record_is_link(d->type) || d->type == SC_DNN_GRAPH))
		return;
	for (unsigned i = 0; i < v->count; i++) {
		struct sc_dnn_record *filled =
			v->value[i] ? *sc_dnn_record_find((uint64_t)v->value[i]) : NULL;

		if (!filled ||
		    !(sc_dnn_record_is_link(filled->type) || filled->type == SC_DNN_GRAPH))
			continue;
		sc_dnn_record_share(filled, d);
		filled->is_final = true;
		filled->is_unknown = d->is_unknown;
	}
}
