/* Keeping sites (hook/site.h): calls that come again are found by them from then on. */
#pragma once

#include "interposer/call/call.h"

/* Keeps the site of a call that was composed and written, if it can have one, in place of another
 * where there is no room. Reads the stack's words; costs as much as the call. */
void sc_site_keep(const struct sc_call *call);
