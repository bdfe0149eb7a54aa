/* What the host does to memory inside functions that cannot fault: seen before they do it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "trace/op.h"

/* Writes a HOST_READ, HOST_WRITE or HOST_FREE op of the calling thread, with its stack; returns the
 * sequence number of the last one, if an access goes over several allocations. */
uint64_t sc_host_put(enum sc_op_kind kind, uint64_t start, uint64_t bytes, uint32_t flags);
/* A function will read or write a buffer: opens it, and records it if it is in flight. Keeps errno.
 * Costs two loads and a comparison while nothing is near. */
void sc_host_access(uint64_t start, uint64_t bytes, bool is_write);
/* The same of what the kernel refuses if it is device memory (M-10): nothing crashes. */
void sc_host_access_device(uint64_t start, uint64_t bytes, bool is_write);
/* libc hands the time of a wait on to the kernel, and ends the process if that refuses it. Of what
 * the guard may protect, the copy is given; other memory is left to libc, as it would find it. */
const struct timespec *sc_host_copy_time(struct timespec *copy, const struct timespec *t);
/* Memory ends: opens it. True if something in flight uses it, so that it is worth an op. */
bool sc_host_ends(uint64_t start, uint64_t bytes);
/* The program queries or sets the protection of memory: opens the memory, records nothing. */
void sc_host_open(uint64_t start, uint64_t bytes);
