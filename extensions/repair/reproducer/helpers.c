/* Helpers: stand-ins for kernels, and launches that take several lines. */
#include "extensions/repair/reproducer/printer.h"

#define KERNEL(name, what)                                       \
	"/* Stands for a kernel that " what " these bytes. */\n" \
	"__global__ void " name "(char *at, size_t bytes)\n{\n"
#define LOOP(statement) \
	"\tfor (size_t i = threadIdx.x; i < bytes; i += blockDim.x)\n\t\t" statement "\n}\n\n"
#define READ "asm volatile(\"{ .reg .u16 byte; ld.u8 byte, [%0]; }\" ::\"l\"(at + i));"

static const struct helper {
	enum sc_statement_helper helper;
	const char *text;
	const char *loop; /* of a kernel */
} helpers[] = {
	{.helper = SC_HELPER_SINK, .text = "static volatile char sink;\n\n"},
	{.helper = SC_HELPER_TRIGGER,
	 .text = "/* The next kernel may start. */\n"
		 "#define TRIGGER asm volatile(\"griddepcontrol.launch_dependents;\")\n\n"},
	{.helper = SC_HELPER_WRITE,
	 .text = KERNEL("write_bytes", "writes"),
	 .loop = LOOP("at[i] = 1;")},
	{.helper = SC_HELPER_READ, .text = KERNEL("read_bytes", "reads"), .loop = LOOP(READ)},
	{.helper = SC_HELPER_IDLE,
	 .text = "/* Stands for a kernel whose bytes do not matter. */\n__global__ void "
		 "idle()\n{\n}\n\n"},
	{.helper = SC_HELPER_NODE,
	 .text = "static void add_bytes(cudaGraphNode_t *node, cudaGraph_t graph, const "
		 "cudaGraphNode_t *after, size_t count,\n"
		 "\t\t      void *kernel, char *at, size_t bytes)\n{\n"
		 "\tvoid *arguments[] = {&at, &bytes};\n"
		 "\tcudaKernelNodeParams launch = {};\n\n"
		 "\tlaunch.func = kernel;\n\tlaunch.gridDim = dim3(1);\n\tlaunch.blockDim = "
		 "dim3(256);\n"
		 "\tlaunch.kernelParams = arguments;\n"
		 "\tCHECK(cudaGraphAddKernelNode(node, graph, after, count, &launch));\n}\n\n"},
	{.helper = SC_HELPER_EARLY,
	 .text = "static void launch_early(void (*kernel)(char *, size_t), cudaStream_t stream, "
		 "char *at, "
		 "size_t bytes)\n{\n"
		 "\tcudaLaunchAttribute early = {};\n\tcudaLaunchConfig_t launch = {};\n\n"
		 "\tearly.id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
		 "#ifndef FIXED\n\tearly.val.programmaticStreamSerializationAllowed = 1;\n#endif\n"
		 "\tlaunch.gridDim = dim3(1);\n\tlaunch.blockDim = dim3(256);\n\tlaunch.stream = "
		 "stream;\n"
		 "\tlaunch.attrs = &early;\n\tlaunch.numAttrs = 1;\n"
		 "\tCHECK(cudaLaunchKernelEx(&launch, kernel, at, bytes));\n}\n\n"},
};

void sc_printer_add_helpers(struct sc_buf *out, unsigned wanted)
{
	for (size_t i = 0; i < sizeof(helpers) / sizeof(*helpers); i++) {
		if (!(wanted & helpers[i].helper))
			continue;
		sc_buf_add(out, helpers[i].text);
		if (helpers[i].loop && wanted & SC_HELPER_TRIGGER)
			sc_buf_add(out, "\tTRIGGER;\n");
		if (helpers[i].loop)
			sc_buf_add(out, helpers[i].loop);
	}
}
