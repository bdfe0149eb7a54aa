/* Shard: the part of a run's traces that one of several jobs analyzes (option shard). */
#ifndef SC_CMDS_SHARD_H
#define SC_CMDS_SHARD_H

#include "base/option.h"
#include "cmds/check.h"
#include "cmds/inputs.h"

/* Ends the tool with a sentence if the value of option shard is wrong. */
void sc_shard_check(const struct sc_options *o);
/* Keeps the traces of the shard that option shard names, and has the check write a summary: to the
 * file of option summary, else to shard-I-of-N.scs in `folder`. Nothing without the option. */
void sc_shard_apply(struct sc_options *o, struct sc_inputs *in, struct sc_check *check,
		    const char *folder);

#endif
