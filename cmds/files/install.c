/* Install: bin/streamcheck knows lib/ as its neighbour, wherever the tree was put. */
#include "cmds/files/install.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/message.h"

#define SEPARATORS " :;" /* in lists of the loader, which have no way to quote them */

static void join(char *out, const char *root, const char *rest)
{
	if (snprintf(out, PATH_MAX, "%s/%s", root, rest) >= PATH_MAX)
		sc_die("the path of the installation is too long: %s", root);
}

/* The folder above the one that holds this command. */
static void find_root(char root[PATH_MAX])
{
	ssize_t bytes = readlink("/proc/self/exe", root, PATH_MAX - 1);

	if (bytes < 0)
		sc_die("cannot find the installation: /proc/self/exe: %s", strerror(errno));
	root[bytes] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(root, '/');

		if (slash)
			*slash = '\0';
	}
}

static void set_root(struct sc_install *install, const char *root)
{
	join(install->library, root, "lib/libstreamcheck.so");
	join(install->simulator, root, "lib/streamcheck/sim");
	join(install->python, root, "share/streamcheck/python");
}

void sc_install_find(struct sc_install *install)
{
	char root[PATH_MAX];

	find_root(root);
	set_root(install, root);
	if (access(install->library, R_OK))
		sc_die("the preload library is not at %s (%s); install streamcheck as a whole tree",
		       install->library, strerror(errno));
}

void sc_install_link(struct sc_install *install, const char *folder)
{
	char root[PATH_MAX], link[PATH_MAX];

	if (!strpbrk(install->library, SEPARATORS))
		return;
	find_root(root);
	join(link, folder, "tool");
	if (strpbrk(link, SEPARATORS))
		sc_die("LD_PRELOAD cannot hold \"%s\", nor a link in \"%s\"; set TMPDIR to a path "
		       "without space, colon and semicolon",
		       install->library, folder);
	if (symlink(root, link))
		sc_die("cannot make the link %s: %s", link, strerror(errno));
	set_root(install, link);
}

void sc_install_footprints(char path[PATH_MAX])
{
	char root[PATH_MAX];

	find_root(root);
	join(path, root, "share/streamcheck/footprints.conf");
}

void sc_install_patch(char path[PATH_MAX])
{
	char root[PATH_MAX];

	find_root(root);
	join(path, root, "share/streamcheck/patch");
}

bool sc_install_has_simulated(const struct sc_install *install, const char *library)
{
	char path[PATH_MAX];

	join(path, install->simulator, library);
	return !access(path, R_OK);
}

bool sc_install_has_simulator(const struct sc_install *install)
{
	return sc_install_has_simulated(install, "libcuda.so.1");
}
