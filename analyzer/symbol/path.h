/* Paths of source files, as compilers write them and as people do. */
#pragma once

/* Takes "//", "/./" and "name/../" out of a path, in place: build systems compile "../../src/a.cu"
 * in "/home/me/app/build". Only the text is used, as in debuggers, for the file need not be
 * here. */
void sc_path_tidy(char *path);
