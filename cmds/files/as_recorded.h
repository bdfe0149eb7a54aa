/* As recorded: a program that runs again gets the options with which its trace was recorded.
 *
 * Which these are: base/recorded.def, and the device, by the names of the devices in the trace. An
 * option of the command line, the environment or the configuration file comes first; where it
 * differs from the trace's, that is said.
 */
#pragma once

#include "base/buf.h"
#include "base/option.h"

/* Sets the options that were not given as the first of `count` traces says, and says so in a line.
 * What other traces say differently is said, and not taken. A trace that cannot be read, or is
 * older than the record, changes nothing. */
void sc_as_recorded_adopt(struct sc_options *o, char *const *traces, int count);
/* Appends those of these options that differ from their defaults, as "name=value", each with a
 * terminator. */
void sc_as_recorded_add(struct sc_buf *out, const struct sc_options *o);
