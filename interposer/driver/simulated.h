/* The simulated driver, as far as others need to know of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The driver is the simulated one, and says which bytes kernels touch. It does not where the user
 * named a library that is to record them. */
bool sc_simulated_tells_bytes(void);
/* The driver executes kernels, or none is known yet: it may want the texts of machine code. */
bool sc_simulated_wants_texts(void);
/* This module or library, which was just loaded, was made of this image. */
void sc_simulated_give_text(void *handle, const void *image, size_t bytes);
/* Bytes of this CUarray, which have no address, are those from `address` on. */
void sc_simulated_place_array(void *array, uint64_t address);
