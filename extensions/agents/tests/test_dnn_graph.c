/* Descriptors of cuDNN's graphs, followed by the calls that make them, up to what a plan touches.
 */
#include <stdbool.h>
#include <string.h>
#include "tests/unit/unit.h"
#include "extensions/agents/operands/dnn_descriptors.h"
#include "tests/unit/pick.h"

/* Operations and attributes by cuDNN's numbers (dnn_graph.def). */
enum {
	CONVOLUTION_FORWARD = 10,
	POINTWISE_OPERATION = 13,
	MATMUL = 19,
	SIGNAL = 28,
	NORM_FORWARD = 29,
	SDPA = 41
};
enum { W = 703, X = 704, Y = 705, A = 1520, B = 1521, C = 1522, K_LIMIT = 1527 };

#define AT(id) ((uint64_t)(id) << 20) /* where the tensor of an id lies */

/* Descriptors are opaque: their addresses are all that counts. */
static char opaque[4096];
static unsigned made;

static bool
	is_twice; /* each call is followed twice, as where the library's parts call each other */

static void *create(int type)
{
	void *d = &opaque[16 * ++made];

	sc_dnn_descriptors_create(type, d);
	if (is_twice)
		sc_dnn_descriptors_create(type, d);
	return d;
}

static void set(void *d, int attribute, int type, int64_t count, const void *values)
{
	struct sc_dnn_values v = {attribute, type, count, values};

	sc_dnn_descriptors_set(d, &v);
	if (is_twice)
		sc_dnn_descriptors_set(d, &v);
}

static void set_number(void *d, int attribute, int type, int value)
{
	set(d, attribute, type, 1, &value);
}

static void set_object(void *d, int attribute, void *value)
{
	set(d, attribute, SC_DNN_VALUE_DESCRIPTOR, 1, &value);
}

static void * final(void *d)
{
	sc_dnn_descriptors_finalize(d);
	if (is_twice)
		sc_dnn_descriptors_finalize(d);
	return d;
}

enum { REAL, VIRTUAL, VALUE };

static void *tensor(int64_t id, int what, int count, const int64_t *sizes, const int64_t *steps)
{
	void *d = create(SC_DNN_TENSOR);
	const bool yes = true;

	set(d, SC_DNN_TENSOR_ID, SC_DNN_VALUE_INT64, 1, &id);
	set_number(d, SC_DNN_TENSOR_TYPE, SC_DNN_VALUE_TYPE, 0);
	set(d, SC_DNN_TENSOR_SIZES, SC_DNN_VALUE_INT64, count, sizes);
	set(d, SC_DNN_TENSOR_STEPS, SC_DNN_VALUE_INT64, count, steps);
	if (what == VIRTUAL)
		set(d, SC_DNN_TENSOR_IS_VIRTUAL, SC_DNN_VALUE_BOOLEAN, 1, &yes);
	if (what == VALUE)
		set(d, SC_DNN_TENSOR_IS_VALUE, SC_DNN_VALUE_BOOLEAN, 1, &yes);
	return d;
}

/* A batch of one matrix of 4 by 4 floats. */
static void *matrix(int64_t id, int what)
{
	const int64_t sizes[] = {1, 4, 4}, steps[] = {16, 4, 1};

	return final(tensor(id, what, 3, sizes, steps));
}

static void *image(int64_t id, int what, int64_t edge)
{
	const int64_t sizes[] = {1, 2, edge, edge},
		      steps[] = {2 * edge * edge, edge * edge, edge, 1};

	return final(tensor(id, what, 4, sizes, steps));
}

static void *product(int64_t a, int64_t b, int64_t c, int what)
{
	void *d = create(MATMUL);

	set_object(d, A, matrix(a, REAL));
	set_object(d, B, matrix(b, REAL));
	set_object(d, C, matrix(c, what));
	return d;
}

/* Windows of 3 by 3, or of one element, over an image of 8 by 8. */
static void *convolution(int64_t window, int64_t stride, float beta, int what)
{
	const int64_t padding[] = {window / 2, window / 2}, strides[] = {stride, stride},
		      ones[] = {1, 1};
	const float one = 1;
	void *w = create(SC_DNN_CONVOLUTION), *d = create(CONVOLUTION_FORWARD);

	set(w, SC_DNN_PADDINGS, SC_DNN_VALUE_INT64, 2, padding);
	set(w, SC_DNN_STRIDES, SC_DNN_VALUE_INT64, 2, strides);
	set(w, SC_DNN_DILATIONS, SC_DNN_VALUE_INT64, 2, ones);
	set_object(d, SC_DNN_FORWARD_WINDOW, final(w));
	set_object(d, X, image(1, what, 8));
	set_object(d, W, image(2, REAL, window));
	set_object(d, Y, image(3, REAL, 8 / stride));
	set(d, SC_DNN_FORWARD_ALPHA, SC_DNN_VALUE_FLOAT, 1, &one);
	set(d, SC_DNN_FORWARD_BETA, SC_DNN_VALUE_FLOAT, 1, &beta);
	return final(d);
}

static void *graph(int count, void *first, void *second)
{
	void *d = create(SC_DNN_GRAPH), *operations[] = {first, second};

	set(d, SC_DNN_GRAPH_OPERATIONS, SC_DNN_VALUE_DESCRIPTOR, count, operations);
	return final(d);
}

static void *plan(void *of_graph)
{
	void *engine = create(SC_DNN_ENGINE), *configuration = create(SC_DNN_ENGINE_CONFIG),
	     *d = create(SC_DNN_PLAN);

	set_object(engine, SC_DNN_ENGINE_GRAPH, of_graph);
	set_object(configuration, SC_DNN_CONFIG_ENGINE, final(engine));
	set_object(d, SC_DNN_PLAN_CONFIG, final(configuration));
	return final(d);
}

static void *pack(int count, const int64_t *ids)
{
	void *d = create(SC_DNN_PACK_TYPE);
	uint64_t places[8];

	for (int i = 0; i < count; i++)
		places[i] = AT(ids[i]);
	set(d, SC_DNN_PACK_IDS, SC_DNN_VALUE_INT64, count, ids);
	set(d, SC_DNN_PACK_POINTERS, SC_DNN_VALUE_POINTER, count, places);
	return d;
}

/* ---- what is touched ---- */

static struct sc_access list[SC_DNN_USES];
static unsigned count;

static bool touch(const void *its_plan, const void *its_pack)
{
	const struct sc_dnn_record *p = sc_dnn_record_complete((int64_t)its_plan, SC_DNN_PLAN);
	const struct sc_dnn_record *k = sc_dnn_record_complete((int64_t)its_pack, SC_DNN_PACK_TYPE);

	return p && k && p->body &&
	       sc_dnn_uses_place(&p->body->graph, &k->body->pack, list, &count);
}

static bool touch_graph(void *of_graph)
{
	const int64_t ids[] = {1, 2, 3};

	return touch(plan(of_graph), final(pack(3, ids)));
}

/* The access of a tensor. */
static const struct sc_access *of(int64_t id)
{
	for (unsigned i = 0; i < count; i++)
		if (list[i].base == AT(id))
			return &list[i];
	return NULL;
}

static void assert_touched(int64_t id, uint64_t bytes, int mode, int known)
{
	const struct sc_access *a = of(id);

	assert_non_null(a);
	assert_int_equal(a->width * a->rows * a->slices, bytes);
	assert_int_equal(a->mode, mode);
	assert_int_equal(a->known, known);
}

static int setup(void **state)
{
	(void)state;
	memset(list, 0, sizeof(list));
	made = 0;
	count = 0;
	is_twice = false;
	return 0;
}

static int forget(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= made; i++)
		sc_dnn_descriptors_destroy(&opaque[16 * i]);
	for (unsigned i = 0; i < SC_DNN_LISTS; i++)
		assert_null(sc_dnn_records.list[i]);
	return 0;
}

/* ---- tests ---- */

static void look_at_product(void)
{
	assert_true(touch_graph(graph(1, final(product(1, 2, 3, REAL)), NULL)));
	assert_int_equal(count, 3);
	assert_touched(1, 64, SC_READ, SC_KNOWN_EXACT);
	assert_touched(2, 64, SC_READ, SC_KNOWN_EXACT);
	assert_touched(3, 64, SC_WRITE, SC_KNOWN_EXACT);
}

EACH_TEST(setup, forget)

TEST(product)
{
	look_at_product();
}

TEST(followed_twice)
{
	is_twice = true;
	look_at_product();
}

TEST(convolution)
{
	assert_true(touch_graph(graph(1, convolution(3, 1, 0, REAL), NULL)));
	assert_touched(1, 512, SC_READ, SC_KNOWN_EXACT);
	assert_touched(2, 72, SC_READ, SC_KNOWN_EXACT);
	assert_touched(3, 512, SC_WRITE, SC_KNOWN_EXACT);
	assert_true(touch_graph(graph(1, convolution(3, 1, 2, REAL), NULL)));
	assert_touched(3, 512, SC_READ_WRITE, SC_KNOWN_EXACT);
}

/* Each second element is used; where it would have to be computed first, the rest need not be. */
TEST(convolution_with_stride)
{
	assert_true(touch_graph(graph(1, convolution(1, 2, 0, REAL), NULL)));
	assert_touched(1, 512, SC_READ, SC_KNOWN_OVER);
	assert_touched(2, 8, SC_READ, SC_KNOWN_EXACT);
	assert_touched(3, 128, SC_WRITE, SC_KNOWN_EXACT);
}

TEST(convolution_of_what_is_computed)
{
	const int64_t ids[] = {4, 2, 3};
	void *each = create(POINTWISE_OPERATION), *function = create(SC_DNN_POINTWISE);

	set_number(function, SC_DNN_POINTWISE_MODE, SC_DNN_VALUE_POINTWISE, 100);
	set_object(each, SC_DNN_POINTWISE_KIND, final(function));
	set_object(each, SC_DNN_POINTWISE_X, image(4, REAL, 8));
	set_object(each, SC_DNN_POINTWISE_Y, image(1, VIRTUAL, 8));
	final(each);
	assert_true(
		touch(plan(graph(2, each, convolution(3, 1, 0, VIRTUAL))), final(pack(3, ids))));
	assert_touched(4, 512, SC_READ, SC_KNOWN_EXACT);
	assert_true(
		touch(plan(graph(2, each, convolution(1, 2, 0, VIRTUAL))), final(pack(3, ids))));
	assert_touched(4, 512, SC_READ, SC_KNOWN_OVER);
}

/* A derivative reads what is Y otherwise, if it needs it. */
TEST(derivative)
{
	void *each = create(POINTWISE_OPERATION), *function = create(SC_DNN_POINTWISE);

	set_number(function, SC_DNN_POINTWISE_MODE, SC_DNN_VALUE_POINTWISE, 200);
	set_object(each, SC_DNN_POINTWISE_KIND, final(function));
	set_object(each, SC_DNN_POINTWISE_Y, image(1, REAL, 8));
	set_object(each, 757, image(2, REAL, 8)); /* dY */
	set_object(each, SC_DNN_POINTWISE_DX, image(3, REAL, 8));
	assert_true(touch_graph(graph(1, final(each), NULL)));
	assert_touched(1, 512, SC_READ, SC_KNOWN_OVER);
	assert_touched(2, 512, SC_READ, SC_KNOWN_EXACT);
	assert_touched(3, 512, SC_WRITE, SC_KNOWN_EXACT);
}

static void look_at_factor(float factor, int known)
{
	const int64_t ids[] = {1, 2};
	void *each = create(POINTWISE_OPERATION), *function = create(SC_DNN_POINTWISE);

	set_number(function, SC_DNN_POINTWISE_MODE, SC_DNN_VALUE_POINTWISE, 100);
	set_object(each, SC_DNN_POINTWISE_KIND, final(function));
	set_object(each, SC_DNN_POINTWISE_X, image(1, REAL, 8));
	set_object(each, SC_DNN_POINTWISE_Y, image(2, REAL, 8));
	set(each, SC_DNN_POINTWISE_ALPHA_X, SC_DNN_VALUE_FLOAT, 1, &factor);
	assert_true(touch(plan(graph(1, final(each), NULL)), final(pack(2, ids))));
	assert_touched(1, 512, SC_READ, known);
}

TEST(factors)
{
	look_at_factor(1, SC_KNOWN_EXACT);
	look_at_factor(0.5f, SC_KNOWN_EXACT);
	look_at_factor(0, SC_KNOWN_OVER);
}

/* What is only shaped anew may stay where it is. */
TEST(view)
{
	const int64_t ids[] = {1, 2};
	void *operation = create(31); /* RESHAPE */

	set_object(operation, 2200, image(1, REAL, 8));
	set_object(operation, SC_DNN_RESHAPE_Y, image(2, REAL, 8));
	assert_true(touch(plan(graph(1, final(operation), NULL)), final(pack(2, ids))));
	assert_touched(1, 512, SC_READ, SC_KNOWN_OVER);
	assert_touched(2, 512, SC_WRITE, SC_KNOWN_OVER);
}

TEST(masked)
{
	void *each = create(POINTWISE_OPERATION), *function = create(SC_DNN_POINTWISE);

	set_number(function, SC_DNN_POINTWISE_MODE, SC_DNN_VALUE_POINTWISE, SC_DNN_ONE_OF_TWO);
	set_object(each, SC_DNN_POINTWISE_KIND, final(function));
	set_object(each, SC_DNN_POINTWISE_X, image(1, REAL, 8));
	set_object(each, 752, image(2, REAL, 8));
	set_object(each, SC_DNN_POINTWISE_Y, image(3, REAL, 8));
	assert_true(touch_graph(graph(1, final(each), NULL)));
	assert_touched(1, 512, SC_READ, SC_KNOWN_OVER);
	assert_touched(3, 512, SC_WRITE, SC_KNOWN_OVER);
}

TEST(limited)
{
	void *operation = product(1, 2, 3, REAL);
	const int64_t ids[] = {1, 2, 3, 4};

	set_object(operation, K_LIMIT, matrix(4, REAL));
	assert_true(touch(plan(graph(1, final(operation), NULL)), final(pack(4, ids))));
	assert_touched(1, 64, SC_READ, SC_KNOWN_OVER);
	assert_touched(4, 64, SC_READ, SC_KNOWN_OVER);
}

/* What is computed for nobody need not be. */
TEST(in_vain)
{
	assert_true(touch_graph(
		graph(2, final(product(1, 2, 3, REAL)), final(product(1, 2, 9, VIRTUAL)))));
	assert_touched(1, 64, SC_READ, SC_KNOWN_OVER);
}

/* What a graph writes and reads need not be read from memory. */
TEST(handed_on)
{
	const int64_t ids[] = {1, 2, 3, 5};
	void *operations = graph(2, final(product(1, 2, 3, REAL)), final(product(3, 1, 5, REAL)));

	assert_true(touch(plan(operations), final(pack(4, ids))));
	assert_int_equal(count, 5);
	assert_touched(3, 64, SC_WRITE, SC_KNOWN_EXACT);
	for (unsigned i = 0; i < count; i++)
		if (list[i].base == AT(3) && list[i].mode == SC_READ)
			assert_int_equal(list[i].known, SC_KNOWN_OVER);
}

TEST(normalization)
{
	void *operation = create(NORM_FORWARD);

	set_object(operation, 2002, image(1, REAL, 8));
	set_object(operation, SC_DNN_NORM_MEAN, image(2, REAL, 1));
	set_object(operation, 2007, final(matrix(9, VALUE)));
	set_object(operation, 2013, image(3, REAL, 8));
	set_number(operation, SC_DNN_NORM_PHASE, SC_DNN_VALUE_PHASE, SC_DNN_IN_TRAINING);
	assert_true(touch_graph(graph(1, final(operation), NULL)));
	assert_int_equal(count, 3);
	assert_touched(2, 8, SC_WRITE, SC_KNOWN_EXACT);
}

TEST(attention)
{
	void *operation = create(SDPA), *part;

	set_object(operation, 2800, image(1, REAL, 8));
	set_object(operation, 2801, image(2, REAL, 8));
	set_object(operation, 2803, image(3, REAL, 8));
	assert_true(touch_graph(graph(1, final(operation), NULL)));
	assert_touched(1, 512, SC_READ, SC_KNOWN_OVER);
	assert_touched(3, 512, SC_WRITE, SC_KNOWN_OVER);
	operation = create(SDPA); /* with a part that keeps its sums */
	set_object(operation, 2800, image(1, REAL, 8));
	set_object(operation, 2803, image(3, REAL, 8));
	part = create(45);
	set_object(part, 3100, image(8, VIRTUAL, 8));
	set_object(part, 3101, image(9, VIRTUAL, 8));
	set_object(part, 3104, image(2, REAL, 1));
	set_object(operation, SC_DNN_ATTENTION_SOFTMAX, final(part));
	assert_true(touch_graph(graph(1, final(operation), NULL)));
	assert_int_equal(count, 3);
	assert_touched(2, 8, SC_WRITE, SC_KNOWN_OVER);
	operation = create(SDPA);
	set_object(operation, 2811, graph(1, operation, NULL)); /* a graph of its own */
	set_object(operation, 2800, image(1, REAL, 8));
	assert_false(touch_graph(graph(1, final(operation), NULL)));
}

/* Heuristics fill in configurations, whose engine the program asks for. */
TEST(suggested)
{
	const int64_t ids[] = {1, 2, 3};
	void *asked = create(SC_DNN_HEURISTICS), *its_plan = create(SC_DNN_PLAN);
	void *found = create(SC_DNN_ENGINE_CONFIG), *engine = create(SC_DNN_ENGINE);

	set_object(asked, SC_DNN_HEURISTICS_GRAPH, graph(1, final(product(1, 2, 3, REAL)), NULL));
	sc_dnn_descriptors_answer(final(asked),
				  &(struct sc_dnn_values){202, SC_DNN_VALUE_DESCRIPTOR, 1, &found});
	sc_dnn_descriptors_answer(
		found,
		&(struct sc_dnn_values){SC_DNN_CONFIG_ENGINE, SC_DNN_VALUE_DESCRIPTOR, 1, &engine});
	set_object(found = create(SC_DNN_ENGINE_CONFIG), SC_DNN_CONFIG_ENGINE, engine);
	set_object(its_plan, SC_DNN_PLAN_CONFIG, final(found));
	assert_true(touch(final(its_plan), final(pack(3, ids))));
	assert_int_equal(count, 3);
}

/* The plan has what it needs, whatever the program destroys. */
TEST(destroyed)
{
	const int64_t ids[] = {1, 2, 3};
	void *operations = graph(1, final(product(1, 2, 3, REAL)), NULL);
	void *its_plan = plan(operations), *its_pack = final(pack(3, ids));

	for (unsigned i = 1; i <= made; i++)
		if (&opaque[16 * i] != its_plan && &opaque[16 * i] != its_pack)
			sc_dnn_descriptors_destroy(&opaque[16 * i]);
	assert_true(touch(its_plan, its_pack));
	assert_int_equal(count, 3);
}

TEST(unknown)
{
	const int64_t ids[] = {1, 2, 3, 4}, sizes[] = {1, 4, 4}, ragged = 1;
	void *operations = graph(1, final(product(1, 2, 3, REAL)), NULL), *d, *its_plan;
	int64_t many[SC_DNN_VALUES + 1] = {0};

	its_plan = plan(operations);
	assert_false(touch(its_plan, final(pack(2, ids))));	   /* one has no place */
	assert_false(touch(its_plan, final(pack(4, ids))));	   /* one is nothing */
	assert_false(touch(its_plan, pack(3, ids)));		   /* not finalized */
	set(d = pack(3, ids), 1011, SC_DNN_VALUE_INT64, 3, sizes); /* other sizes */
	assert_false(touch(its_plan, final(d)));
	set(d = create(SC_DNN_PACK_TYPE), SC_DNN_PACK_IDS, SC_DNN_VALUE_INT64, SC_DNN_VALUES + 1,
	    many);
	assert_false(touch(its_plan, final(d)));

	assert_false(touch_graph(graph(1, product(1, 2, 3, REAL), NULL))); /* not finalized */
	assert_false(touch_graph(graph(1, final(create(SIGNAL)), NULL)));
	assert_false(touch_graph(graph(0, NULL, NULL)));
	assert_false(touch_graph(graph(1, NULL, NULL)));
	assert_false(touch_graph(matrix(1, REAL)));
	assert_false(touch_graph(final(pack(3, ids)))); /* no graph */

	set(d = tensor(1, REAL, 3, sizes, sizes), 913, SC_DNN_VALUE_INT64, 1, &ragged);
	set_object(operations = create(MATMUL), A, final(d));
	set_object(operations, B, matrix(2, REAL));
	set_object(operations, C, matrix(3, REAL));
	assert_false(touch_graph(graph(1, final(operations), NULL)));

	its_plan = create(SC_DNN_PLAN);
	set(its_plan, SC_DNN_PLAN_TEXT, SC_DNN_VALUE_CHAR, 2, "{}");
	assert_false(touch(final(its_plan), final(pack(3, ids))));
	assert_false(touch(opaque, final(pack(3, ids)))); /* never made */
}

/* An attribute that is not known may change which elements are used; an object, which tensors. */
TEST(unknown_attributes)
{
	void *operation = product(1, 2, 3, REAL);

	set_number(operation, 9999, SC_DNN_VALUE_PHASE, 1);
	assert_true(touch_graph(graph(1, final(operation), NULL)));
	assert_touched(1, 64, SC_READ, SC_KNOWN_OVER);
	operation = product(1, 2, 3, REAL);
	set_object(operation, 9999, matrix(4, REAL));
	assert_false(touch_graph(graph(1, final(operation), NULL)));
}

/* Whatever a program does, nothing is lost or touched after its end. */
TEST(any_calls)
{
	static const int types[] = {
		SC_DNN_POINTWISE,  SC_DNN_CONVOLUTION,	SC_DNN_ENGINE, SC_DNN_ENGINE_CONFIG,
		SC_DNN_HEURISTICS, SC_DNN_PLAN,		SC_DNN_GRAPH,  SC_DNN_PACK_TYPE,
		SC_DNN_TENSOR,	   CONVOLUTION_FORWARD, MATMUL,	       SIGNAL};
	static const int attributes[] = {SC_DNN_PADDINGS,
					 SC_DNN_HEURISTICS_GRAPH,
					 SC_DNN_CONFIG_ENGINE,
					 SC_DNN_PLAN_CONFIG,
					 SC_DNN_ENGINE_GRAPH,
					 SC_DNN_GRAPH_OPERATIONS,
					 SC_DNN_TENSOR_SIZES,
					 SC_DNN_TENSOR_STEPS,
					 SC_DNN_TENSOR_ID,
					 SC_DNN_PACK_IDS,
					 SC_DNN_PACK_POINTERS,
					 SC_DNN_FORWARD_WINDOW,
					 SC_DNN_POINTWISE_KIND,
					 A,
					 B,
					 C,
					 X,
					 W,
					 Y,
					 -1};

	made = 40;
	for (unsigned round = 0; round < 20000; round++) {
		void *d = &opaque[16 * (1 + pick(40))];
		uint64_t values[SC_DNN_VALUES + 2];
		struct sc_dnn_values v = {attributes[pick(20)],
					  pick(3) ? SC_DNN_VALUE_DESCRIPTOR : (int)pick(30),
					  (int64_t)pick(pick(8) ? 3 : SC_DNN_VALUES + 2), values};

		for (unsigned i = 0; i < SC_DNN_VALUES + 2; i++)
			values[i] = pick(4) ? (uint64_t)&opaque[16 * (1 + pick(40))]
					    : (uint64_t)pick(9) - 1;
		switch (pick(6)) {
		case 0: sc_dnn_descriptors_create(types[pick(12)], d); break;
		case 1: sc_dnn_descriptors_finalize(d); break;
		case 2: sc_dnn_descriptors_answer(d, &v); break;
		case 3: touch(d, &opaque[16 * (1 + pick(40))]); break;
		default: sc_dnn_descriptors_set(d, &v); break;
		}
		if (!pick(9))
			sc_dnn_descriptors_destroy(d);
	}
}
