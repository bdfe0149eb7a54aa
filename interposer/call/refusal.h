/* Refusal: NVIDIA's own runtime begins by asking the driver for a private table, which the
 * simulated driver has not; it then fails each call, and nothing of it is ever seen. */
#ifndef SC_INTERPOSER_CALL_REFUSAL_H
#define SC_INTERPOSER_CALL_REFUSAL_H

/* What to hand out for the driver's function `symbol`, which was found to be `found`: ours for the
 * one that gives out tables, if the driver is simulated, else `found`. */
void *sc_refusal_serve(const char *symbol, void *found);

#endif
