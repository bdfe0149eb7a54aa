/* The driver's symbols, those with a default stream for each thread (_ptsz, _ptds) included: cuda.h
 * declares some of these only. */
#pragma once

#include "interposer/driver/cuda.h"

#define SC_DECLARE_PLAIN(symbol)
#define SC_DECLARE_PTSZ(symbol) extern typeof(symbol) symbol##_ptsz;
#define SC_DECLARE_PTDS(symbol) extern typeof(symbol) symbol##_ptds;

#define API(base, suffix, version, form, ...)  SC_DECLARE_##form(base##suffix)
#define API0(base, suffix, version, form, ...) SC_DECLARE_##form(base##suffix)
#include "interposer/call/api.def"
#undef API
#undef API0
