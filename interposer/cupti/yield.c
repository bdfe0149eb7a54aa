/* The program's own use of CUPTI goes first: these functions give way, then do what was asked.
 *
 * CUPTI takes one subscriber a process, and its buffers have one owner. A program that profiles
 * itself (PyTorch's profiler, an injected tool) subscribes or registers before anything else.
 */
#include <string.h>
#include "interposer/cupti/cupti.h"
#include "interposer/cupti/library.h"

#define EXPORT __attribute__((visibility("default")))

/* The real function; without it the program could not have been linked. */
#define YIELD_AND_CALL(function, ...)                                            \
	do {                                                                     \
		typeof(&(function)) real_ = sc_cupti_loaded(#function);          \
		sc_cupti_yield();                                                \
		return real_ ? real_(__VA_ARGS__) : CUPTI_ERROR_NOT_INITIALIZED; \
	} while (0)

EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
				  void *userdata)
{
	YIELD_AND_CALL(cuptiSubscribe, subscriber, callback, userdata);
}

EXPORT CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle *subscriber,
				     CUpti_CallbackFunc callback, void *userdata,
				     CUpti_SubscriberParams *parameters)
{
	YIELD_AND_CALL(cuptiSubscribe_v2, subscriber, callback, userdata, parameters);
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
						  CUpti_BuffersCallbackCompleteFunc completed)
{
	YIELD_AND_CALL(cuptiActivityRegisterCallbacks, requested, completed);
}

void *sc_cupti_wrapper(const char *name)
{
	if (!strcmp(name, "cuptiSubscribe"))
		return (void *)cuptiSubscribe;
	if (!strcmp(name, "cuptiSubscribe_v2"))
		return (void *)cuptiSubscribe_v2;
	if (!strcmp(name, "cuptiActivityRegisterCallbacks"))
		return (void *)cuptiActivityRegisterCallbacks;
	return NULL;
}
