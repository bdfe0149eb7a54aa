// A module for test cases that load code: PTX, which every driver compiles.
#ifndef SC_TESTCASES_MODULE_H
#define SC_TESTCASES_MODULE_H

// Writes 1 into the word that it is given.
static const char *const MODULE_PTX = ".version 6.0\n"
				      ".target sm_50\n"
				      ".address_size 64\n"
				      ".visible .entry store(.param .u64 to)\n"
				      "{\n"
				      "\t.reg .u64 %rd<3>;\n"
				      "\tld.param.u64 %rd1, [to];\n"
				      "\tcvta.to.global.u64 %rd2, %rd1;\n"
				      "\tst.global.u32 [%rd2], 1;\n"
				      "\tret;\n"
				      "}\n";

#endif
