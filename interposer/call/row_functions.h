/* The functions that rows of api.def name (HAND, AFTER): each gets the call, at its entry or when
 * it has returned. What one does stands at its definition, in the file of its subject. */
#pragma once

#include "interposer/call/call.h"

#define FACT(...)
#define HAND(f)							 void f(struct sc_call *call);
#define AFTER(f)						 void f(struct sc_call *call);
#define API(base, suffix, version, form, kind, when, types, ...) __VA_ARGS__
#define API0(base, suffix, version, form, kind, when, ...)	 __VA_ARGS__
#include "interposer/call/words.def"
