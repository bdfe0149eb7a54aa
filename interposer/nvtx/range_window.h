/* Ranges of NVTX that are windows (option window=nvtx:NAME@DOMAIN). `domain` is "" for the default
 * one. */
#pragma once

#include <stdint.h>

/* Ranges of a thread: the last that it pushed in a domain is popped there. */
void sc_range_window_push(const char *domain, const char *name);
void sc_range_window_pop(const char *domain);
/* Ranges of the process, by their ids. */
void sc_range_window_start(const char *domain, const char *name, uint32_t id);
void sc_range_window_end(uint32_t id);
