/* Arithmetic of the test machine, on real numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "tests/footprint/decode.h"

uint64_t masked(uint64_t value, unsigned bits);
int64_t sign_extended(uint64_t value, unsigned bits);
bool compute_boolean(const char *op, bool x, bool y);
bool compute_compare(const struct decoded *d, uint64_t x, uint64_t y);
uint64_t compute_atomic(const struct decoded *d, uint64_t old, uint64_t x, uint64_t y);
/* Result of an arithmetic instruction; *known is cleared if there is no such instruction. */
uint64_t compute(const struct decoded *d, const char *opcode, const uint64_t *args, bool *known);
