/* Plan forms: the parameters of the functions that make a plan of cuFFT, and what it is then.
 *
 * Who includes this defines NOTED_PLAN(name, parameters, arguments, statements): the statements
 * follow a successful call.
 */
#pragma once

/* A plan without a layout of its own. */
#define PLAIN_PLAN(number, its_rank, its_batch, ...)                                            \
	struct sc_transform transform = {                                                       \
		.rank = its_rank, .size = {__VA_ARGS__}, .batch = its_batch, .is_plain = true}; \
	sc_plans_set(number, sc_transform_set_type(&transform, type) ? &transform : NULL)

#define LAYOUTS                                                                         \
	.rank = rank, .batch = batch, .in = {.step = in_step, .distance = in_distance}, \
	.out = {.step = out_step, .distance = out_distance}

#define PLAN_OF_MANY(number, are_64)                                                        \
	struct sc_transform transform = {LAYOUTS};                                          \
	if (sc_transform_set_type(&transform, type))                                        \
		sc_plans_set_many(number, &transform,                                       \
				  &(struct sc_plan_sizes){n, in_embed, out_embed, are_64}); \
	else                                                                                \
		sc_plans_set(number, NULL)

#define LINE(name)                                                                          \
	NOTED_PLAN(name, (int *plan, int nx, int type, int batch), (plan, nx, type, batch), \
		   PLAIN_PLAN(*plan, 1, batch, nx))
#define PLANE(name)                                                                   \
	NOTED_PLAN(name, (int *plan, int nx, int ny, int type), (plan, nx, ny, type), \
		   PLAIN_PLAN(*plan, 2, 1, nx, ny))
#define SPACE(name)                                                                               \
	NOTED_PLAN(name, (int *plan, int nx, int ny, int nz, int type), (plan, nx, ny, nz, type), \
		   PLAIN_PLAN(*plan, 3, 1, nx, ny, nz))
#define MANY(name)                                                                            \
	NOTED_PLAN(name,                                                                      \
		   (int *plan, int rank, int *n, int *in_embed, int in_step, int in_distance, \
		    int *out_embed, int out_step, int out_distance, int type, int batch),     \
		   (plan, rank, n, in_embed, in_step, in_distance, out_embed, out_step,       \
		    out_distance, type, batch),                                               \
		   PLAN_OF_MANY(*plan, false))
#define CREATE(name) NOTED_PLAN(name, (int *plan), (plan), sc_plans_set(*plan, NULL))
#define MAKE_LINE(name)                                                          \
	NOTED_PLAN(name, (int plan, int nx, int type, int batch, size_t *bytes), \
		   (plan, nx, type, batch, bytes), PLAIN_PLAN(plan, 1, batch, nx))
#define MAKE_PLANE(name)                                                      \
	NOTED_PLAN(name, (int plan, int nx, int ny, int type, size_t *bytes), \
		   (plan, nx, ny, type, bytes), PLAIN_PLAN(plan, 2, 1, nx, ny))
#define MAKE_SPACE(name)                                                              \
	NOTED_PLAN(name, (int plan, int nx, int ny, int nz, int type, size_t *bytes), \
		   (plan, nx, ny, nz, type, bytes), PLAIN_PLAN(plan, 3, 1, nx, ny, nz))
#define MAKE_MANY(name)                                                                      \
	NOTED_PLAN(name,                                                                     \
		   (int plan, int rank, int *n, int *in_embed, int in_step, int in_distance, \
		    int *out_embed, int out_step, int out_distance, int type, int batch,     \
		    size_t *bytes),                                                          \
		   (plan, rank, n, in_embed, in_step, in_distance, out_embed, out_step,      \
		    out_distance, type, batch, bytes),                                       \
		   PLAN_OF_MANY(plan, false))
#define MAKE_MANY_LONG(name)                                                            \
	NOTED_PLAN(name,                                                                \
		   (int plan, int rank, int64_t *n, int64_t *in_embed, int64_t in_step, \
		    int64_t in_distance, int64_t *out_embed, int64_t out_step,          \
		    int64_t out_distance, int type, int64_t batch, size_t *bytes),      \
		   (plan, rank, n, in_embed, in_step, in_distance, out_embed, out_step, \
		    out_distance, type, batch, bytes),                                  \
		   PLAN_OF_MANY(plan, true))
#define MAKE_MANY_TYPED(name)                                                                    \
	NOTED_PLAN(name,                                                                         \
		   (int plan, int rank, int64_t *n, int64_t *in_embed, int64_t in_step,          \
		    int64_t in_distance, int in_type, int64_t *out_embed, int64_t out_step,      \
		    int64_t out_distance, int out_type, int64_t batch, size_t *bytes,            \
		    int computed_in),                                                            \
		   (plan, rank, n, in_embed, in_step, in_distance, in_type, out_embed, out_step, \
		    out_distance, out_type, batch, bytes, computed_in),                          \
		   struct sc_transform transform = {LAYOUTS};                                    \
		   transform.in.type = in_type; transform.out.type = out_type;                   \
		   sc_plans_set_many(plan, &transform,                                           \
				     &(struct sc_plan_sizes){n, in_embed, out_embed, true}))
#define CALLBACK(name)                                                      \
	NOTED_PLAN(name, (int plan, void **routine, int type, void **info), \
		   (plan, routine, type, info), sc_plans_set(plan, NULL))
#define COMPILED_CALLBACK(name)                                                                  \
	NOTED_PLAN(name,                                                                         \
		   (int plan, const char *symbol, const void *code, size_t code_bytes, int type, \
		    void **info),                                                                \
		   (plan, symbol, code, code_bytes, type, info), sc_plans_set(plan, NULL))

/* Executions. */
#define DIRECTED(name)                                                        \
	NOTED_TRANSFORM(name, (int plan, void *in, void *out, int direction), \
			(plan, in, out, direction))
#define PLAIN(name) NOTED_TRANSFORM(name, (int plan, void *in, void *out), (plan, in, out))
