/* The wrappers of the driver's entry points, one a row of api.def. */
#include "interposer/hook/wrapper.h"

#include "interposer/hook/intercept.h"
#include "interposer/hook/site.h"
#include "interposer/hook/site_what.h"
#include "interposer/call/api.h"
#include "interposer/call/launch.h"
#include "interposer/call/operands.h"
#include "interposer/core/session.h"
#include "interposer/core/thread.h"
#include "interposer/driver/entry.h"
#include "interposer/driver/symbol.h"

/* Repeated calls are looked for by their place first. Which rows these are is known when
 * this is compiled. */
static inline __attribute__((always_inline)) void *
enter(struct sc_call *call, int row, bool per_thread, void *params, const void *frame)
{
	void *real = NULL;

	switch (row) {
#define SC_REPEATED(symbol, handle, its_stream, number)                                          \
	case SC_API_##symbol: {                                                                  \
		const struct symbol##_params_st *p = params;                                     \
                                                                                                 \
		real = sc_site_enter(call, SC_SITE_WHAT(SC_API_##symbol, per_thread, number), p, \
				     handle, its_stream, frame);                                 \
		break;                                                                           \
	}
#include "interposer/hook/repeated.def"
#undef SC_REPEATED
	}
	return real ? real : sc_intercept_enter(call, row, per_thread, params, frame);
}

static inline __attribute__((always_inline)) CUresult leave(struct sc_call *call, int row,
							    CUresult result)
{
	switch (row) {
#define SC_REPEATED(symbol, handle, its_stream, number)                         \
	case SC_API_##symbol:                                                   \
		if (call->stage == SC_STAGE_SITE && sc_site_exit(call, result)) \
			return result;                                          \
		break;
#include "interposer/hook/repeated.def"
#undef SC_REPEATED
	}
	return sc_intercept_exit(call, result);
}

/* A library calls it inside of a call that is recorded, as MPI does all the time, or the recorder
 * itself. Where CUPTI is the source, it has to hear that there are hooks. */
static inline __attribute__((always_inline)) bool is_inside(void)
{
	return (sc_self.depth | sc_self.busy) && !sc_session.options.source &&
	       (sc_self.busy || sc_thread_is_inside(__builtin_frame_address(0)));
}

/* The real function of a call that nothing has to be done for: frameworks ask for the current
 * device all the time. NULL: the call goes the ordinary way. */
static inline __attribute__((always_inline)) void *find_quiet(enum sc_write_when when, int row,
							      bool per_thread)
{
	if ((when != SC_WHEN_QUIET || sc_self.callback) && !is_inside())
		return NULL;
	return atomic_load_explicit(&sc_entries.driver[row][per_thread], memory_order_relaxed);
}

/* clang-format off */
/* Parameter lists from a list of types: names are a0, a1, … */
#define COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q, count, ...) count
#define COUNT(...) COUNT_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define EACH_1(F, S, a) F(a, 0)
#define EACH_2(F, S, a, b) EACH_1(F, S, a) S() F(b, 1)
#define EACH_3(F, S, a, b, c) EACH_2(F, S, a, b) S() F(c, 2)
#define EACH_4(F, S, a, b, c, d) EACH_3(F, S, a, b, c) S() F(d, 3)
#define EACH_5(F, S, a, b, c, d, e) EACH_4(F, S, a, b, c, d) S() F(e, 4)
#define EACH_6(F, S, a, b, c, d, e, f) EACH_5(F, S, a, b, c, d, e) S() F(f, 5)
#define EACH_7(F, S, a, b, c, d, e, f, g) EACH_6(F, S, a, b, c, d, e, f) S() F(g, 6)
#define EACH_8(F, S, a, b, c, d, e, f, g, h) EACH_7(F, S, a, b, c, d, e, f, g) S() F(h, 7)
#define EACH_9(F, S, a, b, c, d, e, f, g, h, i) EACH_8(F, S, a, b, c, d, e, f, g, h) S() F(i, 8)
#define EACH_10(F, S, a, b, c, d, e, f, g, h, i, j) \
	EACH_9(F, S, a, b, c, d, e, f, g, h, i) S() F(j, 9)
#define EACH_11(F, S, a, b, c, d, e, f, g, h, i, j, k) \
	EACH_10(F, S, a, b, c, d, e, f, g, h, i, j) S() F(k, 10)
#define EACH_12(F, S, a, b, c, d, e, f, g, h, i, j, k, l) \
	EACH_11(F, S, a, b, c, d, e, f, g, h, i, j, k) S() F(l, 11)
#define EACH_13(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m) \
	EACH_12(F, S, a, b, c, d, e, f, g, h, i, j, k, l) S() F(m, 12)
#define EACH_14(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m, n) \
	EACH_13(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m) S() F(n, 13)
#define EACH_15(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) \
	EACH_14(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m, n) S() F(o, 14)
#define EACH_16(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, q) \
	EACH_15(F, S, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) S() F(q, 15)
/* clang-format on */

#define APPLY(macro, ...) macro(__VA_ARGS__)
#define EACH(F, S, types) APPLY(JOIN(EACH_, COUNT types), F, S, UNPACK types)
#define UNPACK(...)	  __VA_ARGS__
#define COMMA()		  ,
#define SEMICOLON()	  ;
#define DECLARE(type, n)  type a##n
#define NAME(type, n)	  a##n
#define MEMBER(type, n)	  u.a.a##n

#define EXPORT __attribute__((visibility("default")))

/* The real function is called with the members of the struct, not with the parameters: a decoder
 * may have replaced one (host functions become trampolines). */
#define WRAPPER(symbol, function, per_thread, when, types)                                        \
	EXPORT CUresult function(EACH(DECLARE, COMMA, types))                                     \
	{                                                                                         \
		typeof(&function) real = find_quiet(SC_WHEN_##when, SC_API_##symbol, per_thread); \
		union {                                                                           \
			struct symbol##_params_st p;                                              \
			struct {                                                                  \
				EACH(DECLARE, SEMICOLON, types);                                  \
			} a;                                                                      \
		} u;                                                                              \
		struct sc_call call;                                                              \
                                                                                                  \
		_Static_assert(sizeof(u.p) == sizeof(u.a), "a row's types are not the call's");   \
		if (real)                                                                         \
			return real(EACH(NAME, COMMA, types));                                    \
		u.p = (struct symbol##_params_st){EACH(NAME, COMMA, types)};                      \
		real = enter(&call, SC_API_##symbol, per_thread, &u, __builtin_frame_address(0)); \
		return leave(&call, SC_API_##symbol,                                              \
			     real ? real(EACH(MEMBER, COMMA, types))                              \
				  : CUDA_ERROR_NOT_INITIALIZED);                                  \
	}
#define WRAPPER0(symbol, function, per_thread, when)                                              \
	EXPORT CUresult function(void)                                                            \
	{                                                                                         \
		typeof(&function) real = find_quiet(SC_WHEN_##when, SC_API_##symbol, per_thread); \
		struct sc_call call;                                                              \
                                                                                                  \
		if (real)                                                                         \
			return real();                                                            \
		real = sc_intercept_enter(&call, SC_API_##symbol, per_thread, NULL,               \
					  __builtin_frame_address(0));                            \
		return sc_intercept_exit(&call, real ? real() : CUDA_ERROR_NOT_INITIALIZED);      \
	}

#define PLAIN(symbol, when, types) WRAPPER(symbol, symbol, false, when, types)
#define PTSZ(symbol, when, types) \
	PLAIN(symbol, when, types) WRAPPER(symbol, symbol##_ptsz, true, when, types)
#define PTDS(symbol, when, types) \
	PLAIN(symbol, when, types) WRAPPER(symbol, symbol##_ptds, true, when, types)
#define PLAIN0(symbol, when) WRAPPER0(symbol, symbol, false, when)

#define API(base, suffix, version, form, kind, when, types, ...) form(base##suffix, when, types)
#define API0(base, suffix, version, form, kind, when, ...)	 form##0(base##suffix, when)
#include "interposer/call/api.def"
#undef API
#undef API0
#undef PLAIN
#undef PTSZ
#undef PTDS
#undef PLAIN0

/* ---- the table ---- */

#define PLAIN(symbol)                \
	{                            \
		(void *)symbol, NULL \
	}
#define PTSZ(symbol)                                  \
	{                                             \
		(void *)symbol, (void *)symbol##_ptsz \
	}
#define PTDS(symbol)                                  \
	{                                             \
		(void *)symbol, (void *)symbol##_ptds \
	}
static void *const wrappers[SC_APIS][2] = {
#define API(base, suffix, version, form, ...)  form(base##suffix),
#define API0(base, suffix, version, form, ...) form(base##suffix),
#include "interposer/call/api.def"
};

void *sc_wrapper_of(int row, bool per_thread)
{
	return wrappers[row][per_thread];
}
