/* Graphs of cuDNN: operations and their tensors become uses, and with places accesses. */
#include "extensions/agents/operands/dnn_graph.h"

#include "extensions/agents/operands/shape.h"

/* ---- tables ---- */

enum strength { UNKNOWN, PARTLY, WHOLE };

enum role { PLAIN, LIMIT, INPUT, FILTER, OUTPUT, SUM_INPUT, SUM_FILTER, SUM_OUTPUT };

static enum strength strength_of(int type)
{
	static const struct {
		int type;
		enum strength strength;
	} operations[] = {
#define DNN_OPERATION(name, number, strength) {number, strength},
#include "extensions/agents/operands/dnn_graph.def"
	};

	for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		if (operations[i].type == type)
			return operations[i].strength;
	return UNKNOWN;
}

/* What an attribute of an operation is; false if it is no tensor. */
static bool find_tensor(int attribute, uint8_t *mode, uint8_t *role)
{
	switch (attribute) {
#define DNN_TENSOR(name, number, its_mode, its_role) \
	case number:                                 \
		*mode = SC_##its_mode;               \
		*role = its_role;                    \
		return true;
#include "extensions/agents/operands/dnn_graph.def"
	default: return false;
	}
}

static enum sc_window_part part_of(enum role role)
{
	switch (role) {
	case PLAIN:
	case LIMIT: break;
	case INPUT:
	case SUM_INPUT: return SC_WINDOW_INPUT;
	case FILTER:
	case SUM_FILTER: return SC_WINDOW_FILTER;
	case OUTPUT:
	case SUM_OUTPUT: return SC_WINDOW_OUTPUT;
	}
	return SC_WINDOW_NONE;
}

bool sc_dnn_is_operation(int type)
{
	return strength_of(type) != UNKNOWN;
}

bool sc_dnn_is_tensor(int attribute)
{
	uint8_t mode, role;

	return find_tensor(attribute, &mode, &role);
}

/* ---- operations ---- */

void sc_dnn_operation_init(struct sc_dnn_operation *o, int type)
{
	*o = (struct sc_dnn_operation){
		.type = type, .alpha = SC_SCALAR_ONE, .beta = SC_SCALAR_UNKNOWN, .phase = -1};
}

void sc_dnn_operation_clear(struct sc_dnn_operation *o, int attribute)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < o->uses.count; i++)
		if (o->uses.use[i].attribute != attribute)
			o->uses.use[kept++] = o->uses.use[i];
	o->uses.count = kept;
}

/* Behind the two sizes of samples and channels are those that a window moves over. */
static void keep_sizes(struct sc_dnn_operation *o, enum sc_window_part part,
		       const struct sc_tensor *t)
{
	struct sc_moving_window w = {.dimensions = t->dimensions - 2};

	if (part == SC_WINDOW_NONE || !sc_window_set(&o->sizes, &w, part, t))
		return;
	if (o->dimensions && o->dimensions != w.dimensions)
		o->dimensions = -1;
	else
		o->dimensions = w.dimensions;
	o->parts |= 1U << part;
}

void sc_dnn_operation_add(struct sc_dnn_operation *o, int attribute, const struct sc_dnn_tensor *t)
{
	struct sc_dnn_use *u = &o->uses.use[o->uses.count];
	uint8_t mode, role;

	if (!t || o->uses.count == SC_DNN_USES || !find_tensor(attribute, &mode, &role)) {
		o->uses.is_unknown = true;
		return;
	}
	*u = (struct sc_dnn_use){.id = t->id,
				 .attribute = attribute,
				 .role = role,
				 .is_virtual = t->is_virtual,
				 .is_value = t->is_value};
	if (!t->is_virtual && !t->is_value &&
	    (t->is_unknown || !sc_tensor_bytes(&t->shape, 0, &u->bytes))) {
		o->uses.is_unknown = true;
		return;
	}
	u->bytes.mode = mode;
	if (t->is_reordered)
		u->bytes.known = SC_KNOWN_OVER;
	keep_sizes(o, part_of((enum role)role), &t->shape);
	o->uses.count++;
}

void sc_dnn_operation_include(struct sc_dnn_operation *o, int attribute,
			      const struct sc_dnn_operation *part)
{
	o->uses.is_unknown |= !part || part->uses.is_unknown;
	for (unsigned i = 0; i < (part ? part->uses.count : 0); i++) {
		const struct sc_dnn_use *u = &part->uses.use[i];

		if (u->is_virtual)
			continue;
		if (o->uses.count == SC_DNN_USES) {
			o->uses.is_unknown = true;
			return;
		}
		o->uses.use[o->uses.count] = *u;
		o->uses.use[o->uses.count].attribute = attribute;
		o->uses.use[o->uses.count++].role = PLAIN;
	}
}

static const unsigned all_parts =
	1U << SC_WINDOW_INPUT | 1U << SC_WINDOW_FILTER | 1U << SC_WINDOW_OUTPUT;

/* What is read: if parts of it are left out, they need not have been computed. */
static void look_at_window(struct sc_dnn_operation *o, struct sc_dnn_use *u)
{
	if (o->window.dimensions > 0 && o->window.dimensions == o->dimensions &&
	    o->parts == all_parts &&
	    sc_window_uses_all(&o->sizes, &o->window, part_of((enum role)u->role)))
		return;
	u->bytes.known = SC_KNOWN_OVER;
	o->uses.is_partly |= u->is_virtual;
}

static void look_at_sum(const struct sc_dnn_operation *o, struct sc_dnn_use *u)
{
	if (o->beta != SC_SCALAR_ZERO)
		u->bytes.mode = SC_READ_WRITE;
	if (o->beta == SC_SCALAR_UNKNOWN)
		u->bytes.known = SC_KNOWN_OVER;
}

static void look_at_role(struct sc_dnn_operation *o, struct sc_dnn_use *u)
{
	switch ((enum role)u->role) {
	case PLAIN: break;
	case LIMIT: o->uses.is_partly = true; break;
	case INPUT:
	case FILTER:
	case OUTPUT: look_at_window(o, u); break;
	case SUM_INPUT:
	case SUM_FILTER:
	case SUM_OUTPUT: look_at_sum(o, u); break;
	}
}

static bool has(const struct sc_dnn_operation *o, int attribute)
{
	for (unsigned i = 0; i < o->uses.count; i++)
		if (o->uses.use[i].attribute == attribute)
			return true;
	return false;
}

/* A derivative has its result in dX; of X and Y it needs one, which depends on the function. */
static void look_at_derivative(struct sc_dnn_operation *o)
{
	for (unsigned i = 0; i < o->uses.count; i++) {
		struct sc_dnn_use *u = &o->uses.use[i];

		if (u->attribute == SC_DNN_POINTWISE_Y)
			u->bytes.mode = SC_READ;
		if (u->attribute == SC_DNN_POINTWISE_Y || u->attribute == SC_DNN_POINTWISE_X)
			u->bytes.known = SC_KNOWN_OVER;
	}
}

/* Another shape of the same bytes may be the same memory, where nothing is moved. */
static void look_at_view(struct sc_dnn_operation *o)
{
	for (unsigned i = 0; i < o->uses.count; i++) {
		const struct sc_dnn_use *u = &o->uses.use[i];

		o->uses.is_partly |= u->attribute == SC_DNN_RESHAPE_Y && !u->is_virtual;
	}
}

/* Mean and variance are results in training, and given in inference. */
static void look_at_phase(const struct sc_dnn_operation *o, struct sc_dnn_use *u)
{
	if (u->attribute != SC_DNN_NORM_MEAN && u->attribute != SC_DNN_NORM_VARIANCE)
		return;
	if (o->phase == SC_DNN_IN_TRAINING)
		return;
	u->bytes.mode = SC_READ;
	if (o->phase == SC_DNN_IN_INFERENCE)
		return;
	u->bytes.mode = SC_READ_WRITE;
	u->bytes.known = SC_KNOWN_OVER;
}

void sc_dnn_operation_finish(struct sc_dnn_operation *o)
{
	enum strength strength = strength_of(o->type);

	o->uses.is_unknown |= strength == UNKNOWN;
	o->uses.is_partly |=
		strength == PARTLY || o->alpha == SC_SCALAR_ZERO || o->alpha == SC_SCALAR_UNKNOWN;
	if (has(o, SC_DNN_POINTWISE_DX))
		look_at_derivative(o);
	look_at_view(o);
	for (unsigned i = 0; i < o->uses.count; i++) {
		look_at_role(o, &o->uses.use[i]);
		look_at_phase(o, &o->uses.use[i]);
	}
}

/* ---- graphs ---- */

static bool is_same(const struct sc_dnn_use *a, const struct sc_dnn_use *b)
{
	return a->id == b->id && a->is_value == b->is_value && a->bytes.mode == b->bytes.mode &&
	       a->bytes.width == b->bytes.width && a->bytes.pitch == b->bytes.pitch &&
	       a->bytes.rows == b->bytes.rows && a->bytes.slice_pitch == b->bytes.slice_pitch &&
	       a->bytes.slices == b->bytes.slices;
}

/* Of two uses the surer one stays. */
static void add(struct sc_dnn_uses *graph, const struct sc_dnn_use *u)
{
	for (unsigned i = 0; i < graph->count; i++) {
		struct sc_dnn_use *old = &graph->use[i];

		if (!is_same(old, u))
			continue;
		if (u->bytes.known == SC_KNOWN_EXACT)
			old->bytes.known = SC_KNOWN_EXACT;
		return;
	}
	if (graph->count == SC_DNN_USES)
		graph->is_unknown = true;
	else
		graph->use[graph->count++] = *u;
}

static bool reads(const struct sc_dnn_operation *o, int64_t id)
{
	for (unsigned i = 0; i < o->uses.count; i++)
		if (o->uses.use[i].id == id && o->uses.use[i].bytes.mode & SC_READ)
			return true;
	return false;
}

/* True if the operation makes something virtual that no other one uses: it need not be made. */
static bool is_in_vain(const struct sc_dnn_operation *o,
		       const struct sc_dnn_operation *const *operations, unsigned count)
{
	for (unsigned i = 0; i < o->uses.count; i++) {
		const struct sc_dnn_use *u = &o->uses.use[i];
		bool is_used = !u->is_virtual || !(u->bytes.mode & SC_WRITE);

		for (unsigned other = 0; other < count && !is_used; other++)
			is_used = reads(operations[other], u->id);
		if (!is_used)
			return true;
	}
	return false;
}

static void add_operation(struct sc_dnn_uses *graph, const struct sc_dnn_operation *o)
{
	graph->is_partly |= o->uses.is_partly;
	for (unsigned i = 0; i < o->uses.count; i++)
		if (!o->uses.use[i].is_virtual)
			add(graph, &o->uses.use[i]);
}

void sc_dnn_uses_set(struct sc_dnn_uses *graph, const struct sc_dnn_operation *const *operations,
		     unsigned count)
{
	*graph = (struct sc_dnn_uses){0};
	for (unsigned i = 0; i < count; i++)
		graph->is_unknown |= !operations[i] || operations[i]->uses.is_unknown;
	for (unsigned i = 0; i < count && !graph->is_unknown; i++) {
		add_operation(graph, operations[i]);
		graph->is_partly |= is_in_vain(operations[i], operations, count);
	}
}

static bool is_written(const struct sc_dnn_uses *graph, int64_t id)
{
	for (unsigned i = 0; i < graph->count; i++)
		if (graph->use[i].id == id && graph->use[i].bytes.mode & SC_WRITE)
			return true;
	return false;
}

/* What one operation hands to the next one need not be read back from memory. */
static bool is_handed_on(const struct sc_dnn_uses *graph, const struct sc_dnn_use *u)
{
	return u->bytes.mode == SC_READ && is_written(graph, u->id);
}

static bool knows(const struct sc_dnn_uses *graph, int64_t id)
{
	for (unsigned i = 0; i < graph->count; i++)
		if (graph->use[i].id == id)
			return true;
	return false;
}

/* The place of a tensor, 0: the pack has none. */
static uint64_t place_of(const struct sc_dnn_pack *pack, int64_t id)
{
	for (unsigned i = 0; i < pack->ids; i++)
		if (pack->id[i] == id)
			return pack->place[i];
	return 0;
}

static bool is_whole(const struct sc_dnn_uses *graph, const struct sc_dnn_pack *pack)
{
	if (!graph->count || graph->is_unknown || pack->is_unknown || pack->ids != pack->places)
		return false;
	for (unsigned i = 0; i < pack->ids; i++)
		if (!knows(graph, pack->id[i]))
			return false;
	return true;
}

bool sc_dnn_uses_place(const struct sc_dnn_uses *graph, const struct sc_dnn_pack *pack,
		       struct sc_access *list, unsigned *count)
{
	*count = 0;
	if (!is_whole(graph, pack))
		return false;
	for (unsigned i = 0; i < graph->count; i++) {
		const struct sc_dnn_use *u = &graph->use[i];
		struct sc_access *a = &list[*count];

		if (u->is_value)
			continue;
		*a = u->bytes;
		a->base = place_of(pack, u->id);
		if (!a->base || !sc_shape_fits(a))
			return false;
		if (graph->is_partly || is_handed_on(graph, u))
			a->known = SC_KNOWN_OVER;
		++*count;
	}
	return true;
}
