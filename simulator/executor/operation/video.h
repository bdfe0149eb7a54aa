/* Video instructions: what their opcodes say, for the one handler that there is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define EXEC_VIDEO_KEY "video" /* of all of them */

/* What an opcode with all its parts says, for the instruction's value; false: it is none that runs.
 */
bool exec_video_describe(const char *opcode, uint64_t *description);
