/* Patch: none yet. */
#include "cmds/patch.h"

void sc_patch_write(struct sc_buf *out, const struct sc_plan_texts *plan, const struct sc_report *r,
		    const char *directory)
{
	(void)out;
	(void)plan;
	(void)r;
	(void)directory;
}
