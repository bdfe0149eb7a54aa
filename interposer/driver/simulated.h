/* The simulated driver, as far as others need to know of it. */
#ifndef SC_INTERPOSER_DRIVER_SIMULATED_H
#define SC_INTERPOSER_DRIVER_SIMULATED_H

#include <stdbool.h>
#include <stdint.h>

/* The driver is the simulated one, and says which bytes kernels touch. It does not where the user
 * named a library that is to record them. */
bool sc_simulated_tells_bytes(void);
/* Bytes of this CUarray, which have no address, are those from `address` on. */
void sc_simulated_place_array(void *array, uint64_t address);

#endif
