/* Refused: what the recorder asked for and did not get, so that the report can say that something
 * is missing. Safe from any thread and from signal handlers. */
#pragma once

#include <stdint.h>

/* Counts one; NULL. */
void *sc_refused(void);
/* From now on `told` gets the counts, as soon as they are known; first those so far. */
void sc_refused_tell(void (*told)(uint64_t count));
