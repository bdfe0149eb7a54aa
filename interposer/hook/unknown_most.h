/* How many entry points without a row are followed; for C and assembler. */
#pragma once

#define SC_UNKNOWN_MOST 256
