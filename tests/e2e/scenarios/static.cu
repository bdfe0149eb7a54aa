// A library with NVIDIA's static runtime.
extern "C" int allocate()
{
	void *memory;

	return cudaMalloc(&memory, 4096);
}
