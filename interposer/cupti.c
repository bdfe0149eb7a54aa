/* CUPTI's runtime domain, loaded when the first host function is enqueued. */
#include "interposer/cupti.h"

#include <dlfcn.h>
#include "interposer/session.h"

void sc_cupti_want(void)
{
}
