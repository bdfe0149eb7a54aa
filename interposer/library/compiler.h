/* NVRTC and nvJitLink: which texts the machine code comes from that they give out.
 *
 * Programs load only the machine code, which says nothing of the bytes that kernels touch. NVRTC
 * has the text still when it is asked for the code; nvJitLink was given the texts. Both are kept
 * like any image, and the code's module names them (interposer/object/origin.h).
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Wrappers of what was looked up (compiler.def). */
#define COMPILER(name, parameters) int sc_compiler_##name parameters;
#include "interposer/library/compiler.def"
#undef COMPILER
