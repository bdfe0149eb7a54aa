// Runs programs of this folder one after the other in one process.
#include "testcases/nixl/program.h"

#define PROGRAMS   "nixl_programs.inc"
#define PARAMETERS (void)
#define ARGUMENTS  ()
#include "testcases/one_by_one.h"

int main(int argc, char **argv)
{
	return run_one_by_one(argc, argv);
}
