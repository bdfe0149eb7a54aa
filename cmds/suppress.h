/* Suppress: findings compared with suppressions, and suppressions written for findings. */
#ifndef SC_CMDS_SUPPRESS_H
#define SC_CMDS_SUPPRESS_H

#include "cmds/suppression.h"
#include "reports/report.h"

/* The first entry that has not expired `today` and whose patterns all hold; or NULL. */
struct sc_suppression *sc_suppress_find(struct sc_suppressions *all, const struct sc_report *r,
					const struct sc_finding *f, uint32_t today);
/* Appends an entry that hides this finding and its likes. */
void sc_suppress_print(struct sc_buf *out, const struct sc_report *r, const struct sc_finding *f);

#endif
