/* Configuration: options in a file streamcheck.toml, found upwards from the current folder.
 *
 *	# comment
 *	fail-on = "warning"			any option of option.def but config and help
 *	advice = false				false and true are no and yes
 *	exitcode = 7
 *	suppressions = ["ci/known.txt", "ci/vendor.txt"]
 *
 * A strict part of TOML 1.0: what is read means the same to every reader of TOML, and what is not
 * read is an error with file and line. Files to be read are named relative to the folder of the
 * file; patterns of option `own` too.
 *
 * No heap and no libc of the program's: the recorder reads the file inside the traced program. A
 * file that another user owns, or that everybody may write, is read only if it is named. One that
 * is only found came with a checkout perhaps: it names no library to load, and no file out of its
 * folder, to be read or written.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include "base/option.h"

#define SC_CONFIG_NAME "streamcheck.toml"
#define SC_CONFIG_MAX  (64 << 10) /* bytes; a longer file is refused */

/* The file that options `o` want to be read: the one of option `config`, else the nearest one
 * upwards. Returns 1, 0 if there is none, or -EPERM if it is not to be trusted. */
int sc_config_choose(const struct sc_options *o, char out[PATH_MAX]);
/* Sets the options of a file; is_named: the user named it, it was not only found. Returns 0 or
 * -errno with a message that names file and line. */
int sc_config_read(struct sc_options *o, const char *path, bool is_named, char *message,
		   size_t bytes);
struct sc_config_file {
	const char *name;   /* in messages */
	const char *folder; /* where it is */
	bool is_named;
};
/* The same from memory. */
int sc_config_parse(struct sc_options *o, const struct sc_config_file *file, const char *text,
		    size_t text_bytes, char *message, size_t bytes);
/* Every option to its default, then those of the file, then those of `environment` (NULL: none);
 * member `config` becomes the file that was read. Returns 0 or the last error with its message; of
 * a file that is not to be trusted there is a message only, else it is empty. */
int sc_config_load(struct sc_options *o, const char *environment, char *message, size_t bytes);
