// Probe 25: what does the driver say of a kernel in a thread that has no current context? A thread
// whose first call of CUDA is a launch loads its code, and looks its kernels up, before it has one.
#include "probe.h"

static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			   ".visible .entry none() { ret; }\n"
			   ".visible .entry two(.param .u64 a, .param .u32 b) { ret; }\n";

static void ask(const char *where, CUlibrary library)
{
	for (const char *name : {"none", "two"}) {
		CUkernel kernel = NULL;
		CUfunction function = NULL;
		const char *found = "";
		size_t offset = 0, bytes = 0;
		int got = cuLibraryGetKernel(&kernel, library, name);

		printf("fact: %s, %s: cuLibraryGetKernel = %d\n", where, name, got);
		printf("fact: %s, %s: cuKernelGetParamInfo = %d\n", where, name,
		       cuKernelGetParamInfo(kernel, 0, &offset, &bytes));
		printf("fact: %s, %s: cuKernelGetName = %d\n", where, name,
		       cuKernelGetName(&found, kernel));
		got = cuKernelGetFunction(&function, kernel);
		printf("fact: %s, %s: cuKernelGetFunction = %d\n", where, name, got);
		if (!got)
			printf("fact: %s, %s: cuFuncGetParamInfo = %d\n", where, name,
			       cuFuncGetParamInfo(function, 0, &offset, &bytes));
		printf("fact: %s, %s: launch = %d\n", where, name,
		       got ? -1 : cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, NULL, NULL));
	}
}

static void in_thread(CUlibrary library, CUfunction function)
{
	CUlibrary own;
	size_t offset = 0, bytes = 0;
	const char *name = "";

	ask("no context", library);
	CHECK_DRIVER(cuLibraryLoadData(&own, text, NULL, NULL, 0, NULL, NULL, 0));
	ask("no context, library of its own", own);
	printf("fact: no context: cuFuncGetParamInfo = %d\n",
	       cuFuncGetParamInfo(function, 0, &offset, &bytes));
	printf("fact: no context: cuFuncGetName = %d\n", cuFuncGetName(&name, function));
}

int main()
{
	CUlibrary library;
	CUkernel kernel;
	CUfunction function;
	CUcontext context;

	CHECK_DRIVER(cuInit(0));
	CHECK_DRIVER(cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0));
	ask("no context anywhere", library);
	CHECK_DRIVER(cuDevicePrimaryCtxRetain(&context, 0));
	ask("context retained, not current", library);
	CHECK_DRIVER(cuCtxSetCurrent(context));
	CHECK_DRIVER(cuLibraryGetKernel(&kernel, library, "two"));
	CHECK_DRIVER(cuKernelGetFunction(&function, kernel));
	std::thread(in_thread, library, function).join();
	ask("context", library);
}
