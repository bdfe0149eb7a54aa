/* Expands exports.def into the public functions and their per-thread forms. */
#include "simulator/runtime/api.h"

#include "simulator/runtime/array.h"
#include "simulator/runtime/context.h"
#include "simulator/runtime/copy.h"
#include "simulator/runtime/copy2d.h"
#include "simulator/runtime/copy3d.h"
#include "simulator/runtime/device.h"
#include "simulator/runtime/entry.h"
#include "simulator/runtime/execution.h"
#include "simulator/runtime/forms.h"
#include "simulator/runtime/func.h"
#include "simulator/runtime/graph.h"
#include "simulator/runtime/launch.h"
#include "simulator/runtime/memory.h"
#include "simulator/runtime/properties.h"
#include "simulator/runtime/register.h"
#include "simulator/runtime/texture.h"
#include "simulator/runtime/version.h"

/* A public function; the label is the name that programs link, if it is another. */
#define PUBLIC(name, label, flavour, need, parameters, work)                     \
	RT_EXPORT cudaError_t name parameters label;                             \
	RT_EXPORT cudaError_t name parameters                                    \
	{                                                                        \
		struct rt_entry entry = rt_enter(flavour, RT_##need);            \
		const struct rt_calls *cu __attribute__((unused)) = entry.cu;    \
                                                                                 \
		while (!entry.error && rt_entry_retry(&entry, (CUresult)(work))) \
			;                                                        \
		return rt_leave(&entry);                                         \
	}

/* The per-thread form of a function, if it has one (S-4). */
#define TWIN_none(name, need, parameters, work)
#define TWIN_ptds(name, need, parameters, work) \
	PUBLIC(name##_ptds, , RT_PER_THREAD, need, parameters, work)
#define TWIN_ptsz(name, need, parameters, work) \
	PUBLIC(name##_ptsz, , RT_PER_THREAD, need, parameters, work)

#define FORM_TWIN_none(name, need, parameters, work)
#define FORM_TWIN_ptsz(name, need, parameters, work) \
	PUBLIC(form_##name##_ptsz, __asm__(#name "_ptsz"), RT_PER_THREAD, need, parameters, work)

#define API(name, twin, need, parameters, work)           \
	PUBLIC(name, , RT_LEGACY, need, parameters, work) \
	TWIN_##twin(name, need, parameters, work)
#define FORM(name, twin, need, parameters, work)                               \
	PUBLIC(form_##name, __asm__(#name), RT_LEGACY, need, parameters, work) \
	FORM_TWIN_##twin(name, need, parameters, work)
#define OWN(name, twin)
#define REFUSED(name)
#include "simulator/runtime/exports.def"
