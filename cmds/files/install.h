/* Install: the pieces of the installed tree, found from where the command itself is. */
#pragma once

#include <limits.h>
#include <stdbool.h>

struct sc_install {
	char library[PATH_MAX];	  /* libstreamcheck.so */
	char simulator[PATH_MAX]; /* folder with the simulated libcuda.so.1 and libcudart.so */
	char python[PATH_MAX];	  /* folder with what each Python is to run (packaging/python) */
};

/* Finds the pieces; a tree without the preload library ends the tool with a sentence. */
void sc_install_find(struct sc_install *install);
/* Where the loader's variables cannot hold the paths, makes them go through a link in a folder of
 * this run, which has to live as long as the program. */
void sc_install_link(struct sc_install *install, const char *folder);
/* Where the installed footprints file is, whether it exists or not. */
void sc_install_footprints(char path[PATH_MAX]);
/* Where the writer of patches is (packaging/python/patch), whether it exists or not. */
void sc_install_patch(char path[PATH_MAX]);
/* True if the simulated device has a library of that name. */
bool sc_install_has_simulated(const struct sc_install *install, const char *library);
/* True if the simulated device is installed. */
bool sc_install_has_simulator(const struct sc_install *install);
