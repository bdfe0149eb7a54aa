/* What the program does to handles of NVIDIA's libraries: `value` of an op LIBRARY_STREAM. */
#pragma once

enum sc_library_use {
	SC_LIBRARY_STREAM,  /* work goes to `stream` */
	SC_LIBRARY_RESET,   /* the same, and the scratch memory is the library's again */
	SC_LIBRARY_SCRATCH, /* scratch memory is at dst; 0: the library's */
	SC_LIBRARY_END,	    /* the handle is destroyed */
	SC_LIBRARY_USES
};
