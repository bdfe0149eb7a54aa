/* Calls of cuDNN: descriptors are asked, and become accesses. */
#include "extensions/agents/operands/dnn_calls.h"

#include <errno.h>
#include <string.h>
#include "extensions/agents/operands/blas.h"

#define DIMENSIONS SC_TENSOR_DIMENSIONS

/* ---- questions ---- */

/* In the order of their names below. */
enum question { TENSOR, FILTER, CONVOLUTION, POOLING, SEQUENCES, NETWORK, DROPOUT, STATES };

typedef int tensor_fn(const void *tensor, int room, int *type, int *dimensions, int *sizes,
		      int *steps);
typedef int filter_fn(const void *filter, int room, int *type, int *format, int *dimensions,
		      int *sizes);
typedef int convolution_fn(const void *convolution, int room, int *dimensions, int *paddings,
			   int *strides, int *dilations, int *mode, int *type);
typedef int pooling_fn(const void *pooling, int room, int *mode, int *propagation, int *dimensions,
		       int *sizes, int *paddings, int *strides);
typedef int sequences_fn(const void *sequences, int *type, int *layout, int *longest, int *count,
			 int *elements, int room, int *lengths, void *filling);
typedef int network_fn(const void *network, int *algorithm, int *cell, int *bias, int *direction,
		       int *input, int *type, int *computed_in, int *math, int32_t *input_size,
		       int32_t *hidden_size, int32_t *result_size, int32_t *layers, void **dropout,
		       uint32_t *flags);
typedef int dropout_fn(const void *dropout, void *handle, float *probability, void **states,
		       unsigned long long *seed);
typedef int states_fn(void *handle, size_t *bytes);

static const struct sc_beside *find_questions(struct sc_library_function *function, void *real)
{
	static const char *const names[SC_BESIDE] = {
		[TENSOR] = "cudnnGetTensorNdDescriptor",
		[FILTER] = "cudnnGetFilterNdDescriptor",
		[CONVOLUTION] = "cudnnGetConvolutionNdDescriptor",
		[POOLING] = "cudnnGetPoolingNdDescriptor",
		[SEQUENCES] = "cudnnGetRNNDataDescriptor",
		[NETWORK] = "cudnnGetRNNDescriptor_v8",
		[DROPOUT] = "cudnnGetDropoutDescriptor",
		[STATES] = "cudnnDropoutGetStatesSize"};

	return sc_function_beside(function, real, names);
}

static void widen(const int *from, int count, int64_t *to)
{
	for (int i = 0; i < count && i < DIMENSIONS; i++)
		to[i] = from[i];
}

static bool ask_tensor(const struct sc_beside *b, const void *descriptor, struct sc_tensor *t)
{
	tensor_fn *ask = (tensor_fn *)b->function[TENSOR];
	int sizes[DIMENSIONS] = {0}, steps[DIMENSIONS] = {0};

	*t = (struct sc_tensor){0};
	if (!descriptor || ask(descriptor, DIMENSIONS, &t->type, &t->dimensions, sizes, steps))
		return false;
	widen(sizes, t->dimensions, t->size);
	widen(steps, t->dimensions, t->step);
	return t->dimensions > 0 && t->dimensions <= DIMENSIONS;
}

static bool ask_filter(const struct sc_beside *b, const void *descriptor, struct sc_tensor *t)
{
	filter_fn *ask = (filter_fn *)b->function[FILTER];
	int sizes[DIMENSIONS] = {0}, format = -1;

	*t = (struct sc_tensor){0};
	if (!descriptor || ask(descriptor, DIMENSIONS, &t->type, &format, &t->dimensions, sizes))
		return false;
	widen(sizes, t->dimensions, t->size);
	return sc_tensor_pack(t, format);
}

static bool ask_convolution(const struct sc_beside *b, const void *descriptor,
			    struct sc_moving_window *w)
{
	convolution_fn *ask = (convolution_fn *)b->function[CONVOLUTION];
	int paddings[DIMENSIONS] = {0}, strides[DIMENSIONS] = {0}, dilations[DIMENSIONS] = {0},
	    mode, type;

	if (ask(descriptor, DIMENSIONS - 2, &w->dimensions, paddings, strides, dilations, &mode,
		&type))
		return false;
	widen(paddings, w->dimensions, w->padding);
	widen(strides, w->dimensions, w->stride);
	widen(dilations, w->dimensions, w->dilation);
	return w->dimensions > 0 && w->dimensions <= DIMENSIONS - 2;
}

static bool ask_pooling(const struct sc_beside *b, const void *descriptor,
			struct sc_moving_window *w, struct sc_window_sizes *s)
{
	pooling_fn *ask = (pooling_fn *)b->function[POOLING];
	int sizes[DIMENSIONS] = {0}, paddings[DIMENSIONS] = {0}, strides[DIMENSIONS] = {0}, mode,
	    propagation;

	if (ask(descriptor, DIMENSIONS - 2, &mode, &propagation, &w->dimensions, sizes, paddings,
		strides))
		return false;
	widen(sizes, w->dimensions, s->size[SC_WINDOW_FILTER]);
	widen(paddings, w->dimensions, w->padding);
	widen(strides, w->dimensions, w->stride);
	for (int i = 0; i < DIMENSIONS; i++)
		w->dilation[i] = 1;
	return w->dimensions > 0 && w->dimensions <= DIMENSIONS - 2;
}

/* ---- a call ---- */

/* What is found out about one. */
struct described {
	const struct sc_dnn_call *call;
	const struct sc_beside *beside;
	struct sc_moving_window window;
	struct sc_window_sizes sizes;
	unsigned parts; /* bits: whose sizes are known */
	enum sc_scalar beta[2];
	bool is_partly;
	struct sc_access list[SC_DNN_OPERANDS];
	unsigned count;
};

static bool find_tensor(const struct described *d, const struct sc_dnn_operand *o,
			struct sc_tensor *t)
{
	return o->kind == SC_DNN_AS_FILTER ? ask_filter(d->beside, o->descriptor, t)
					   : ask_tensor(d->beside, o->descriptor, t);
}

/* All tensors that the window moves over have as many dimensions as it, and two more. */
static bool find_windows(struct described *d)
{
	const struct sc_dnn_call *call = d->call;

	if (call->pooling) {
		d->parts = 1U << SC_WINDOW_FILTER;
		if (!ask_pooling(d->beside, call->pooling, &d->window, &d->sizes))
			return false;
	}
	if (call->convolution && !ask_convolution(d->beside, call->convolution, &d->window))
		return false;
	for (const struct sc_dnn_operand *o = call->operand; o->kind; o++) {
		struct sc_tensor t;

		if (o->part == SC_WINDOW_NONE)
			continue;
		if (!find_tensor(d, o, &t))
			return false;
		if (t.dimensions == d->window.dimensions + 2 &&
		    sc_window_set(&d->sizes, &d->window, o->part, &t))
			d->parts |= 1U << o->part;
	}
	return true;
}

static bool uses_all(const struct described *d, enum sc_window_part part)
{
	const unsigned all =
		1U << SC_WINDOW_INPUT | 1U << SC_WINDOW_FILTER | 1U << SC_WINDOW_OUTPUT;

	return d->parts == all && sc_window_uses_all(&d->sizes, &d->window, part);
}

/* Scalars are doubles if the tensors are, else floats. */
static int type_of_scalars(const struct described *d)
{
	for (const struct sc_dnn_operand *o = d->call->operand; o->kind; o++) {
		struct sc_tensor t;

		if (o->kind == SC_DNN_AS_TENSOR && ask_tensor(d->beside, o->descriptor, &t))
			return t.type == SC_DNN_TYPE_DOUBLE ? SC_TYPE_R_64F : SC_TYPE_R_32F;
	}
	return SC_TYPE_UNKNOWN;
}

static void find_scalars(struct described *d)
{
	const struct sc_dnn_call *call = d->call;
	int type = call->alpha[0] ? type_of_scalars(d) : SC_TYPE_UNKNOWN;

	d->is_partly = call->is_partly;
	for (unsigned i = 0; i < 2; i++) {
		enum sc_scalar alpha = sc_blas_read_scalar(type, call->alpha[i]);

		d->is_partly |=
			call->alpha[i] && (alpha == SC_SCALAR_ZERO || alpha == SC_SCALAR_UNKNOWN);
		d->beta[i] = sc_blas_read_scalar(type, call->beta[i]);
	}
}

/* ---- bytes ---- */

static bool set_bytes(struct sc_access *a, const void *at, uint64_t bytes)
{
	*a = (struct sc_access){.base = (uint64_t)at,
				.width = bytes,
				.rows = 1,
				.slices = 1,
				.known = SC_KNOWN_OVER};
	return a->base + bytes >= a->base;
}

/* Sequences that follow each other without gaps take as much as they are long. */
static uint64_t steps_of(const int *lengths, int count, int longest, bool are_packed)
{
	uint64_t steps = 0;

	for (int i = 0; i < count && are_packed; i++)
		steps += lengths[i] > 0 ? (unsigned)lengths[i] : 0;
	return are_packed ? steps : (uint64_t)longest * (uint64_t)count;
}

#define SEQUENCES_MAX 256 /* whose lengths are asked; of more, the longest one counts */

static bool sequence_bytes(const struct described *d, const struct sc_dnn_operand *o,
			   struct sc_access *a)
{
	sequences_fn *ask = (sequences_fn *)d->beside->function[SEQUENCES];
	int type, layout, longest, count, elements, lengths[SEQUENCES_MAX];
	uint64_t filling[2], bytes;

	if (!o->descriptor || ask(o->descriptor, &type, &layout, &longest, &count, &elements,
				  SEQUENCES_MAX, lengths, filling))
		return false;
	if (longest < 1 || count < 1 || elements < 1)
		return false;
	if (o->kind == SC_DNN_AS_LENGTHS)
		return set_bytes(a, o->at, (uint64_t)count * sizeof(int32_t));
	bytes = steps_of(lengths, count, longest,
			 layout == SC_DNN_PACKED_SEQUENCES && count <= SEQUENCES_MAX);
	return sc_tensor_element(type) &&
	       !__builtin_mul_overflow(bytes, (uint64_t)elements * sc_tensor_element(type),
				       &bytes) &&
	       set_bytes(a, o->at, bytes);
}

static bool sample_bytes(const struct described *d, const struct sc_dnn_operand *o,
			 struct sc_access *a)
{
	struct sc_tensor t;

	return ask_tensor(d->beside, o->descriptor, &t) && t.dimensions > 1 && t.size[1] > 0 &&
	       sc_tensor_element(t.type) &&
	       set_bytes(a, o->at, (uint64_t)t.size[1] * sc_tensor_element(t.type));
}

static bool grid_bytes(const struct described *d, const struct sc_dnn_operand *o,
		       struct sc_access *a)
{
	struct sc_tensor t;
	uint64_t bytes;

	if (!ask_tensor(d->beside, o->descriptor, &t) || t.dimensions != 4 ||
	    !sc_tensor_element(t.type) || t.size[0] < 1 || t.size[2] < 1 || t.size[3] < 1)
		return false;
	return !__builtin_mul_overflow((uint64_t)t.size[0] * (uint64_t)t.size[2],
				       (uint64_t)t.size[3] * 2 * sc_tensor_element(t.type),
				       &bytes) &&
	       set_bytes(a, o->at, bytes);
}

/* The memory that the program gave the dropout descriptor. */
static bool state_bytes(const struct described *d, const void *dropout, struct sc_access *a)
{
	dropout_fn *ask = (dropout_fn *)d->beside->function[DROPOUT];
	states_fn *ask_bytes = (states_fn *)d->beside->function[STATES];
	void *states = NULL;
	unsigned long long seed;
	float probability;
	size_t bytes;

	return !ask(dropout, d->call->handle, &probability, &states, &seed) &&
	       !ask_bytes(d->call->handle, &bytes) && set_bytes(a, states, states ? bytes : 0);
}

/* The same of a network's; none without one. */
static bool network_bytes(const struct described *d, const void *network, struct sc_access *a)
{
	network_fn *ask = (network_fn *)d->beside->function[NETWORK];
	int numbers[8], sizes[4];
	void *dropout = NULL;
	uint32_t flags;

	if (ask(network, &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4],
		&numbers[5], &numbers[6], &numbers[7], &sizes[0], &sizes[1], &sizes[2], &sizes[3],
		&dropout, &flags))
		return false;
	return dropout ? state_bytes(d, dropout, a) : set_bytes(a, NULL, 0);
}

static bool tensor_bytes(const struct described *d, const struct sc_dnn_operand *o,
			 struct sc_access *a)
{
	struct sc_tensor t;

	if (!find_tensor(d, o, &t) || !sc_tensor_bytes(&t, (uint64_t)o->at, a))
		return false;
	if (o->part != SC_WINDOW_NONE && o->mode == SC_READ && !uses_all(d, o->part))
		a->known = SC_KNOWN_OVER;
	return true;
}

static bool find_bytes(const struct described *d, const struct sc_dnn_operand *o,
		       struct sc_access *a)
{
	switch (o->kind) {
	case SC_DNN_AS_TENSOR:
	case SC_DNN_AS_FILTER: return tensor_bytes(d, o, a);
	case SC_DNN_AS_SEQUENCES:
	case SC_DNN_AS_LENGTHS: return sequence_bytes(d, o, a);
	case SC_DNN_AS_SAMPLES: return sample_bytes(d, o, a);
	case SC_DNN_AS_GRID: return grid_bytes(d, o, a);
	case SC_DNN_AS_DROPOUT: return o->descriptor && state_bytes(d, o->descriptor, a);
	case SC_DNN_AS_STATES: return o->descriptor && network_bytes(d, o->descriptor, a);
	case SC_DNN_AS_BYTES: return set_bytes(a, o->at, o->bytes);
	case SC_DNN_AS_NOTHING: break;
	}
	return false;
}

static bool add(struct described *d, const struct sc_dnn_operand *o)
{
	struct sc_access *a = &d->list[d->count];
	enum sc_scalar beta = o->sum ? d->beta[o->sum - 1] : SC_SCALAR_ZERO;
	bool is_given = o->at || o->kind == SC_DNN_AS_DROPOUT || o->kind == SC_DNN_AS_STATES;

	if (!is_given)
		return true;
	if (!find_bytes(d, o, a))
		return false;
	if (!a->width)
		return true;
	a->mode = beta == SC_SCALAR_ZERO ? o->mode : SC_READ_WRITE;
	if (d->is_partly || o->is_partly || beta == SC_SCALAR_UNKNOWN)
		a->known = SC_KNOWN_OVER;
	d->count++;
	return true;
}

static bool describe(struct described *d)
{
	if (!find_windows(d))
		return false;
	find_scalars(d);
	for (unsigned i = 0; i < SC_DNN_OPERANDS && d->call->operand[i].kind; i++)
		if (!add(d, &d->call->operand[i]))
			return false;
	return d->count > 0;
}

void sc_dnn_calls_note(const struct sc_enqueues *e, struct sc_library_function *function,
		       void *real, const struct sc_dnn_call *call)
{
	struct described d = {.call = call};
	int saved = errno;

	if (!e->count)
		return;
	sc_self.busy++;
	d.beside = find_questions(function, real);
	if (d.beside && describe(&d))
		sc_enqueues_document(e, &(struct sc_documented){.function = function,
								.accesses = d.list,
								.count = d.count});
	sc_self.busy--;
	errno = saved;
}
