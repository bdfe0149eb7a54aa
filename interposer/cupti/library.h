/* CUPTI, NVIDIA's profiling interface: found at run time, newest first.
 *
 * It is looked for beside the driver (the simulated driver has its own, under names of its own),
 * among the libraries that are loaded already, in the loader's path, in the toolkit and in Python's
 * packages. A library that the driver is too old for refuses to be subscribed to; the next is
 * tried.
 */
#pragma once

/* before CUPTI's headers, which include cuda.h their own way */
#include "interposer/driver/cuda.h"
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <stdbool.h>

/* Member name, exported symbol. An older library may lack any but the first three. */
#define SC_CUPTI_FUNCTIONS(F)                                                \
	F(Subscribe, cuptiSubscribe)                                         \
	F(Unsubscribe, cuptiUnsubscribe)                                     \
	F(EnableDomain, cuptiEnableDomain)                                   \
	F(EnableCallback, cuptiEnableCallback)                               \
	F(GetCallbackName, cuptiGetCallbackName)                             \
	F(GetTimestamp, cuptiGetTimestamp)                                   \
	F(ActivityEnable, cuptiActivityEnable)                               \
	F(ActivityDisable, cuptiActivityDisable)                             \
	F(ActivityRegisterCallbacks, cuptiActivityRegisterCallbacks)         \
	F(ActivityRegisterTimestamp, cuptiActivityRegisterTimestampCallback) \
	F(ActivityGetNextRecord, cuptiActivityGetNextRecord)                 \
	F(ActivityGetDropped, cuptiActivityGetNumDroppedRecords)             \
	F(ActivityFlushAll, cuptiActivityFlushAll)                           \
	F(ActivitySetAttribute, cuptiActivitySetAttribute)                   \
	F(ConfigureManaged, cuptiActivityConfigureUnifiedMemoryCounter)

struct sc_cupti_calls {
#define MEMBER(name, symbol) typeof(symbol) *name;
	SC_CUPTI_FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Asked about each library found; true ends the search, false goes on to the next. */
typedef bool sc_cupti_accept(const struct sc_cupti_calls *calls, void *context);

/* True if some library was accepted; its functions are then in `calls`. Uses the loader: to be
 * called with sc_self.busy raised. */
bool sc_cupti_find(struct sc_cupti_calls *calls, sc_cupti_accept *accept, void *context);
/* True if the driver is the simulated one, which has CUPTI's functions itself. */
bool sc_cupti_is_simulated(void);
/* A function of whichever CUPTI the program itself has loaded, or NULL. */
void *sc_cupti_loaded(const char *symbol);
