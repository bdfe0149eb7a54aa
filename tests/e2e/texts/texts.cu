// One kernel in two streams without an order, on two halves of an allocation or on the same: only
// its text says which. usage: texts apart|same WAY; $TEXTS_CODE is its machine code. The ways are
// those by which programs come by it.
#include <dlfcn.h>
#include <string>
#include <vector>
#include "testcases/driver.h"

extern "C" int nvrtcCreateProgram(void **);
extern "C" int nvrtcGetCUBINSize(void *, size_t *);
extern "C" int nvrtcGetCUBIN(void *, char *);

static const unsigned THREADS = 256, BLOCKS = 4;
static const int PTX = 2, LTOIR = 3; // inputs of nvJitLink

static std::vector<char> file_of(const char *variable)
{
	FILE *file = fopen(getenv(variable), "r");
	std::vector<char> bytes;
	int c;

	while (file && (c = getc(file)) != EOF)
		bytes.push_back((char)c);
	if (file)
		fclose(file);
	return bytes;
}

static void must(bool is_so, const char *what)
{
	if (is_so)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}

// The functions of NVRTC: those that the program is linked with, or looked up.
struct nvrtc {
	int (*create)(void **) = nvrtcCreateProgram;
	int (*size)(void *, size_t *) = nvrtcGetCUBINSize;
	int (*code)(void *, char *) = nvrtcGetCUBIN;
};

static void *look_up(const char *library, const char *name)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found;

	must(handle, library);
	found = dlsym(handle, name);
	must(found, name);
	return found;
}

static nvrtc looked_up()
{
	nvrtc n;

	*(void **)&n.create = look_up("libnvrtc.so.13", "nvrtcCreateProgram");
	*(void **)&n.size = look_up("libnvrtc.so.13", "nvrtcGetCUBINSize");
	*(void **)&n.code = look_up("libnvrtc.so.13", "nvrtcGetCUBIN");
	return n;
}

static std::vector<char> compiled(const nvrtc &n)
{
	std::vector<char> code;
	size_t bytes = 0;
	void *program;

	must(!n.create(&program) && !n.size(program, &bytes), "nvrtcGetCUBINSize");
	code.resize(bytes);
	must(n.code(&program, code.data()) != 0, "nvrtcGetCUBIN of what is no program");
	must(!n.code(program, code.data()), "nvrtcGetCUBIN");
	return code;
}

// Asks for the code twice, as programs may.
static std::vector<char> linked(int input)
{
	std::vector<char> text = file_of("TEXTS_TEXT"), code = file_of("TEXTS_CODE");
	const char *options[] = {"-arch=sm_90", "-lto"};
	const char *library = "libnvJitLink.so.13";
	void *link;
	int (*create)(void **, uint32_t, const char **);
	int (*add)(void *, int, const void *, size_t, const char *);
	int (*complete)(void *);
	int (*get)(void *, void *);
	int (*destroy)(void **);

	*(void **)&create = look_up(library, "__nvJitLinkCreate_13_0");
	*(void **)&add = look_up(library, "__nvJitLinkAddData_13_0");
	*(void **)&complete = look_up(library, "__nvJitLinkComplete_13_0");
	*(void **)&get = look_up(library, "__nvJitLinkGetLinkedCubin_13_0");
	*(void **)&destroy = look_up(library, "__nvJitLinkDestroy_13_0");
	must(!create(&link, input == LTOIR ? 2 : 1, options) &&
		     !add(link, input, text.data(), text.size(), "fill") && !complete(link),
	     "nvJitLinkAddData");
	memset(text.data(), 0, text.size()); // the inputs are the library's by now
	for (int i = 0; i < 2; i++) {
		memset(code.data(), 0, code.size());
		must(!get(link, code.data()), "nvJitLinkGetLinkedCubin");
	}
	must(!destroy(&link) && !link, "nvJitLinkDestroy");
	return code;
}

// As compilers do: the files are gone when the code is loaded.
static std::vector<char> assembled()
{
	std::string command = std::string("cp \"$TEXTS_TEXT\" text && ") + getenv("TEXTS_PTXAS") +
			      " text -o code && rm text code";
	int status = system(command.c_str());

	must(!status == !getenv("TEXTS_FAIL"), "ptxas");
	return file_of("TEXTS_CODE");
}

static CUmodule load(const char *way)
{
	std::vector<char> code;
	CUmodule module;

	if (!strcmp(way, "file")) {
		DRIVER_CHECK(DRIVER(cuModuleLoad)(&module, getenv("TEXTS_CODE")));
		return module;
	}
	if (!strcmp(way, "nvrtc"))
		code = compiled(nvrtc());
	else if (!strcmp(way, "looked_up"))
		code = compiled(looked_up());
	else if (!strcmp(way, "nvjitlink"))
		code = linked(PTX);
	else if (!strcmp(way, "lto"))
		code = linked(LTOIR);
	else if (!strcmp(way, "assembled"))
		code = assembled();
	else
		code = file_of("TEXTS_CODE");
	DRIVER_CHECK(DRIVER(cuModuleLoadData)(&module, code.data()));
	return module;
}

int main(int count, char **arguments)
{
	cudaStream_t streams[2];
	CUfunction fill;
	int *device;

	must(count == 3, "the usage");
	CHECK(cudaMalloc(&device, 2 * BLOCKS * THREADS * sizeof(int)));
	DRIVER_CHECK(DRIVER(cuModuleGetFunction)(&fill, load(arguments[2]), "fill"));
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
