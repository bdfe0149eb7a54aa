/* Bits: the arrays of which pages of touched bytes are made, kept from launch to launch.
 *
 * Arrays that are given back are taken again by the next set, of whichever launch and thread. They
 * lie in one range of addresses, which stays; beyond it they are the heap's.
 */
#pragma once

#include <stdint.h>

#define EXEC_BITS_WORDS 512

/* Zeros; NULL: out of memory. */
uint64_t *exec_bits_take(void);

void exec_bits_give(uint64_t *bits);
