/* CUPTI without streamcheck: what its records of kernels cost by themselves. */
#pragma once

/* Turns records of kernels on if the environment has RECORD_CUPTI. Before cuInit. Ends the program
 * where there is no CUPTI. */
void sc_alone_begin(void);
/* Prints on stderr how many records of kernels came, and how many were dropped. */
void sc_alone_end(void);
