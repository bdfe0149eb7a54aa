/* Printing to standard output. */
#include "cmds/standard_output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "base/message.h"
#include "reports/output.h"

int sc_print_and_free(struct sc_buf *text)
{
	int err = sc_output_write_fd(STDOUT_FILENO, text);

	sc_buf_fini(text);
	if (err && err != -EPIPE)
		sc_die("cannot write to standard output: %s", strerror(-err));
	return 0;
}
