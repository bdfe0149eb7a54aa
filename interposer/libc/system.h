/* System calls by their numbers: what each does to the program's memory (system.def). */
#pragma once

#include <stdint.h>
#include "interposer/libc/side_effect.h"

enum sc_system {
#define CALL(number, name, ...) SC_SYSTEM_##name = (number),
#define PLAIN(number, name)	SC_SYSTEM_##name = (number),
#define FILE			CALL
#define GONE(number, name)	SC_SYSTEM_##name = (number),
#include "interposer/libc/system.def"
#undef CALL
#undef PLAIN
#undef FILE
#undef GONE
};

/* Adds all effects of system call `number` with these six arguments. */
void sc_system_effects(struct sc_side_effects *effects, uint64_t number, const uint64_t *arguments);
