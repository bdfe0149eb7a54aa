/* JUnit: what the two halves of the format share.
 *
 * junit.c takes processes: their findings, and which tests and command lines there are.
 * junit_suite.c makes the suite of all.
 */
#pragma once

#include <stdbool.h>
#include "reports/many/joint.h"

/* What the joint counts of processes. */
enum { SC_JUNIT_WORKED, SC_JUNIT_RECORDED, SC_JUNIT_REQUIRED };

/* Weights of what is kept beside findings, after those of sc_alike_take_gaps; part 0 is the name.
 */
enum { SC_JUNIT_TEST = 2, SC_JUNIT_COMMAND };

/* Parts of a finding. */
enum { SC_JUNIT_MESSAGE, SC_JUNIT_TEXT };

/* Appends the command line without the program's folder. */
void sc_junit_command(struct sc_buf *out, const char *command);
/* Names the program in joint->parts; where there are several programs, that they are several. A
 * process that used the device names it rather than one that did not. */
void sc_junit_name(struct sc_joint *joint, const char *command, bool has_worked);
