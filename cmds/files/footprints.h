/* Footprints files: what is declared of closed kernels, by the installation and by the user.
 *
 * The file that is installed comes first and counts for kernels without PTX only; the files of
 * option footprints-file come after it, and take precedence. A file that makes no sense ends the
 * tool.
 */
#pragma once

#include "analyzer/analysis.h"
#include "base/option.h"

struct sc_footprints_files {
	struct sc_footprints_text texts[SC_OPTION_LIST_MAX + 1]; /* owned */
	unsigned count;
};

void sc_footprints_files_read(struct sc_footprints_files *f, const struct sc_options *o);
/* Reads them for nothing but their mistakes: before a program runs. */
void sc_footprints_files_check(const struct sc_options *o);
void sc_footprints_files_fini(struct sc_footprints_files *f);
