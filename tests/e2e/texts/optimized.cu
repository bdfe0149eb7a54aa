// Two streams without an order run one kernel, on two halves of an allocation or on the same. NVRTC
// compiles it to LTO-IR, and a function that it calls; nvJitLink optimizes both together. usage:
// optimized apart|same FOLDER-OF-LIBRARIES [OPTION-OF-THE-LINK...] Exit code 77: the libraries are
// not there.
#include <dlfcn.h>
#include <string>
#include <vector>
#include "testcases/driver.h"

static const unsigned THREADS = 256, BLOCKS = 4;
static const int LTOIR = 3; // an input of nvJitLink
static const char *const sources[] = {
	"extern __device__ int place(int);\n"
	"extern \"C\" __global__ void fill(int *to)\n"
	"{\n"
	"	to[place(threadIdx.x)] = 1;\n"
	"}\n",
	"__device__ int place(int thread)\n"
	"{\n"
	"	return blockIdx.x * blockDim.x + thread;\n"
	"}\n",
};

static void must(int status, const char *what)
{
	if (!status)
		return;
	fprintf(stderr, "%s: %d\n", what, status);
	exit(1);
}

template <class F> static F look_up(const std::string &library, const char *name, F)
{
	void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
	void *found = handle ? dlsym(handle, name) : NULL;

	if (!found) {
		printf("no %s in %s\n", name, library.c_str());
		exit(77);
	}
	return (F)found;
}

// The signatures, as the headers have them.
struct nvrtc {
	int (*create)(void **, const char *, const char *, int, const char *const *,
		      const char *const *);
	int (*compile)(void *, int, const char *const *);
	int (*size)(void *, size_t *);
	int (*code)(void *, char *);
};

static std::vector<char> compiled(const nvrtc &n, const char *source)
{
	const char *options[] = {"-arch=sm_90", "-dlto"};
	std::vector<char> code;
	void *program;
	size_t bytes;

	must(n.create(&program, source, "source.cu", 0, NULL, NULL), "nvrtcCreateProgram");
	must(n.compile(program, 2, options), "nvrtcCompileProgram");
	must(n.size(program, &bytes), "nvrtcGetLTOIRSize");
	code.resize(bytes);
	must(n.code(program, code.data()), "nvrtcGetLTOIR");
	return code;
}

static std::vector<std::vector<char>> compile_all(const std::string &folder)
{
	std::string library = folder + "/libnvrtc.so";
	std::vector<std::vector<char>> all;
	nvrtc n = {};

	n.create = look_up(library, "nvrtcCreateProgram", n.create);
	n.compile = look_up(library, "nvrtcCompileProgram", n.compile);
	n.size = look_up(library, "nvrtcGetLTOIRSize", n.size);
	n.code = look_up(library, "nvrtcGetLTOIR", n.code);
	for (const char *source : sources)
		all.push_back(compiled(n, source));
	return all;
}

struct linker {
	int (*create)(void **, uint32_t, const char **);
	int (*add)(void *, int, const void *, size_t, const char *);
	int (*complete)(void *);
	int (*size)(void *, size_t *);
	int (*code)(void *, void *);
	int (*destroy)(void **);
};

static std::vector<char> linked(const std::string &folder, std::vector<const char *> options)
{
	std::string library = folder + "/libnvJitLink.so";
	std::vector<char> code;
	size_t bytes;
	void *link;
	linker l = {};

	l.create = look_up(library, "nvJitLinkCreate", l.create);
	l.add = look_up(library, "nvJitLinkAddData", l.add);
	l.complete = look_up(library, "nvJitLinkComplete", l.complete);
	l.size = look_up(library, "nvJitLinkGetLinkedCubinSize", l.size);
	l.code = look_up(library, "nvJitLinkGetLinkedCubin", l.code);
	l.destroy = look_up(library, "nvJitLinkDestroy", l.destroy);
	options.push_back("-arch=sm_90");
	options.push_back("-lto");
	must(l.create(&link, (uint32_t)options.size(), options.data()), "nvJitLinkCreate");
	for (const std::vector<char> &input : compile_all(folder))
		must(l.add(link, LTOIR, input.data(), input.size(), "input"), "nvJitLinkAddData");
	must(l.complete(link), "nvJitLinkComplete");
	must(l.size(link, &bytes), "nvJitLinkGetLinkedCubinSize");
	code.resize(bytes);
	must(l.code(link, code.data()), "nvJitLinkGetLinkedCubin");
	must(l.destroy(&link), "nvJitLinkDestroy");
	return code;
}

int main(int count, char **arguments)
{
	std::vector<char> code;
	cudaStream_t streams[2];
	CUfunction fill;
	CUmodule module;
	int *device;

	must(count < 3, "the usage");
	code = linked(arguments[2], std::vector<const char *>(arguments + 3, arguments + count));
	CHECK(cudaMalloc(&device, 2 * BLOCKS * THREADS * sizeof(int)));
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, code.data()));
	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&fill, module, "fill"));
	for (int i = 0; i < 2; i++) {
		int *to = device + (!strcmp(arguments[1], "apart") ? i * BLOCKS * THREADS : 0);
		void *parameters[] = {&to};

		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
		DRIVER_CHECK(DRIVER(cuLaunchKernel)(fill, BLOCKS, 1, 1, THREADS, 1, 1, 0,
						    streams[i], parameters, NULL));
	}
	CHECK(cudaDeviceSynchronize());
	return 0;
}
