/* Keeping sites (hook/site.h): calls that come again are found by them from then on. */
#ifndef SC_INTERPOSER_HOOK_SITE_KEEP_H
#define SC_INTERPOSER_HOOK_SITE_KEEP_H

#include "interposer/call/call.h"

/* Keeps the site of a call that was recalled and written, if it can have one, in place of another
 * where there is no room. Reads the stack's words; costs as much as the call. */
void sc_site_keep(const struct sc_call *call);

#endif
