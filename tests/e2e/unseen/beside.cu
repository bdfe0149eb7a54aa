/* Kernels in another fatbin of the program. */
template <typename T> __global__ void fill(T *memory)
{
	memory[threadIdx.x] = 1;
}

void fill_beside(int *memory);
void fill_beside(int *memory)
{
	fill<<<1, 32>>>(memory);
}
