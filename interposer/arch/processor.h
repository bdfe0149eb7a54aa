/* The processor: what knows its registers, flags and instructions stands in a folder of its own.
 *
 *	context.h	registers of interrupted code, single steps, the fault's error code
 *	arguments.h	what a va_list has
 *	frame.h		registers that a stack is unwound from
 *	counter.h	a counter of time that every thread may read
 *	process.h	a new process that shares our memory
 *	valgrind.h	a request to Valgrind
 *
 * as inline functions. cfi.h, instruction.h, answer.h and sdt.h beside this file are implemented
 * there, as are the entries of libc, of the runtime and of dlsym (.S). A second processor is a
 * second folder with the same names. What else knows x86-64: base/raw.h, which makes system calls.
 */
#pragma once

#if defined(__x86_64__)
#include "interposer/arch/x86_64/arguments.h"
#include "interposer/arch/x86_64/context.h"
#include "interposer/arch/x86_64/counter.h"
#include "interposer/arch/x86_64/frame.h"
#include "interposer/arch/x86_64/process.h"
#include "interposer/arch/x86_64/valgrind.h"
#else
#error "the recorder knows no other processor than x86-64"
#endif
