/* CUPTI without streamcheck: what its activity records cost by themselves. */
#ifndef SC_BENCH_ALONE_H
#define SC_BENCH_ALONE_H

/* Turns records on as the environment's RECORD_CUPTI says (interposer/cupti/setting.def); does
 * nothing where it does not stand. Before cuInit. Ends the program where there is no CUPTI. */
void sc_alone_begin(void);
/* Prints on stderr how many records of kernels came, and how many were dropped. */
void sc_alone_end(void);

#endif
