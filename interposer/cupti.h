/* CUPTI's runtime domain: sees CUDA runtime calls inside host functions of programs whose runtime
 * is linked statically, which refuses them without asking the driver (C-4). Loaded only when the
 * first host function is enqueued, because callbacks cost time.
 */
#ifndef SC_INTERPOSER_CUPTI_H
#define SC_INTERPOSER_CUPTI_H

/* A host function is about to be enqueued. */
void sc_cupti_want(void);

#endif
