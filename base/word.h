/* Word: how far what somebody typed is from what there is. */
#pragma once

#include <stddef.h>

#define SC_WORD_MAX 32 /* bytes; longer words are as far as that from any */

/* How many letters must change to make the first `a_bytes` of `a` the word `b` (Levenshtein). */
size_t sc_word_distance(const char *a, size_t a_bytes, const char *b);
