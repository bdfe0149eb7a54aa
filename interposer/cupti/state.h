/* The state of the CUPTI subscription, shared by the cupti_*.c files. In the recorder's arena. */
#pragma once

#include "interposer/cupti/library.h"
#include "interposer/cupti/correlation.h"
#include "interposer/cupti/times.h"

#define SC_CUPTI_IDS 2048 /* callback ids of the driver; 13.0 has some 800 */

struct sc_cupti {
	struct sc_cupti_calls calls;
	CUpti_SubscriberHandle subscriber;
	unsigned reason;	    /* of a failure so far */
	atomic_bool is_source;	    /* driver calls are recorded from callbacks */
	uint16_t row[SC_CUPTI_IDS]; /* of each callback id: row × 2 + per-thread form + 1, or 0 */
	struct sc_correlations links;
	struct sc_times times;
};

/* The subscription, or NULL while there is none. */
struct sc_cupti *sc_cupti_state(void);
