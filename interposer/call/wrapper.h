/* The wrappers: functions that carry the driver's own names, generated from api.def.
 *
 * Programs that link libcuda reach them because this library is loaded first; dlsym and
 * cuGetProcAddress hand them out to all others.
 */
#ifndef SC_INTERPOSER_CALL_WRAPPER_H
#define SC_INTERPOSER_CALL_WRAPPER_H

#include "interposer/call/cuda.h"

/* Declares the per-thread form of a symbol; cuda.h declares some of them only. */
#define SC_WRAPPER_PLAIN(symbol)
#define SC_WRAPPER_PTSZ(symbol) extern typeof(symbol) symbol##_ptsz;
#define SC_WRAPPER_PTDS(symbol) extern typeof(symbol) symbol##_ptds;

#define API(base, suffix, version, form, ...)  SC_WRAPPER_##form(base##suffix)
#define API0(base, suffix, version, form, ...) SC_WRAPPER_##form(base##suffix)
#include "interposer/call/api.def"
#undef API
#undef API0

#endif
