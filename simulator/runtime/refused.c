/*
 * Defines the refused names. They are declared without their parameters, which do not matter to a
 * function that reads none; hence no CUDA header may be included here.
 */
#include "simulator/runtime/unsupported.h"

#ifdef RT_STATIC
#define VISIBILITY __attribute__((visibility("hidden")))
#else
#define VISIBILITY __attribute__((visibility("default")))
#endif

#define API(name, twin, need, parameters, work)
#define FORM(name, twin, need, parameters, work)
#define OWN(name, twin)
#define REFUSED(name)                                           \
	VISIBILITY int name(void);                              \
	int name(void)                                          \
	{                                                       \
		static atomic_flag is_named = ATOMIC_FLAG_INIT; \
                                                                \
		return rt_unsupported(#name, &is_named);        \
	}
#include "simulator/runtime/exports.def"
