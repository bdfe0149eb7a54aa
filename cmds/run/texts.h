/* Texts: a folder in which the recorder keeps what NVRTC compiled, from run to run.
 *
 * CuPy keeps machine code on disk and loads it in later runs, when nobody knows its text any more.
 * So the texts are kept as well, under the hash of the code ($STREAMCHECK_TEXTS), and CuPy keeps
 * its code beside them: what it compiled before has no text. Both are in streamcheck/ below
 * $XDG_CACHE_HOME or ~/.cache; once the texts are more than 256 MiB both begin anew.
 */
#pragma once

/* Sets the environment of the program that this process is about to become. What the user set
 * stays; without a folder that can be written nothing is set. */
void sc_texts_prepare(void);
