/* Hints: what somebody means who uses the words of another tool (hint.def). */
#pragma once

#include <stddef.h>

/* What to use instead of an option of `bytes` characters, without its dashes; or NULL. */
const char *sc_hint_option(const char *name, size_t bytes);
/* What to use instead of a command; or NULL. */
const char *sc_hint_word(const char *word);

/* The option that `name` may be a slip of the keyboard for, or NULL. */
const char *sc_hint_nearest(const char *name, size_t bytes);
