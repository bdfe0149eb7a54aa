/* What an ELF cubin says and how, as far as it is known here. */
#pragma once

#define SIM_CUBIN_MACHINE 190
#define SIM_CUBIN_ENTRY	  0x10
#define SIM_CUBIN_MANAGED 0x04

/* The ids of .nv.info that matter here, and the one format that carries a block. */
enum { SIM_INFO_BLOCK = 4 };
enum {
	SIM_INFO_MAX_THREADS = 0x05,
	SIM_INFO_FRAME = 0x11,
	SIM_INFO_PARAM = 0x17,
	SIM_INFO_REGISTERS = 0x2f,
	SIM_INFO_CLUSTER = 0x3d,
	SIM_INFO_LARGE_PARAM = 0x45 /* instead of PARAM, where they have more than 4,352 bytes */
};

/* Sections of files that were linked here (write.h): a PTX text each. */
#define SIM_CUBIN_TEXT ".streamcheck.ptx"

#define SIM_INFO_PARAM_SHIFT 18 /* of a parameter's size, in SIM_INFO_PARAM */
