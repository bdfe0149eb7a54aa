/* Shelters: memory that the kernel uses while a call lasts, and that is not protected meanwhile.
 *
 * One entry a call, only for calls with addresses in CUDA's host memory. Under the guard's lock,
 * like the arms; a call that a signal handler jumped out of leaves an entry that its thread's next
 * call from further up drops, at the latest its end. While there are no entries nothing costs
 * anything.
 */
#ifndef SC_INTERPOSER_GUARD_SHELTER_H
#define SC_INTERPOSER_GUARD_SHELTER_H

#include <stdbool.h>
#include <stdint.h>

#define SC_SHELTERS 1024 /* calls at a time */

struct sc_shelters {
	uint32_t used; /* entries [0, used) were ever used */
	struct sc_shelter {
		uint64_t low, high; /* pages; high 0: the entry is free */
		const void *thread; /* its sc_self */
		uint64_t frame;	    /* where on the stack the call is */
	} item[SC_SHELTERS];
};

/* Nothing in [low, high) is protected until sc_shelter_remove. Widens entry `number`, or if that is
 * 0 takes one. Returns its number, 1 or more; 0: there is none to be had, and the guard stood down.
 */
uint32_t sc_shelter_add(uint32_t number, uint64_t low, uint64_t high, const void *frame);
/* The call is over: protects what is armed there. */
void sc_shelter_remove(uint32_t number);
/* Those of the calling thread, which ends. */
void sc_shelter_end(void);
/* True if the page is in one; *next is lowered to where that may change. With the lock held. */
bool sc_shelter_holds(const struct sc_shelters *shelters, uint64_t page, uint64_t *next);

#endif
