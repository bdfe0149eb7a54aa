/* Device memory for the Fortran bindings (exchange.f90).
 *
 * usage: exchange racy|fixed
 */
#include <stdio.h>
#include "testcases/ranks/ranks.h"

extern void exchange(float *sent, float *received, int count, int left, int right);
extern void add_up(float *values, int count);

int main(int argc, char **argv)
{
	struct ranks r = begin(&argc, &argv);
	float *mine = on_device(BYTES), *halo = on_device(BYTES), *host = pinned(BYTES);
	bool is_fixed = argc > 1 && !strcmp(argv[1], "fixed");
	cudaStream_t s = stream();

	PUT(s, mine, COUNT, 2);
	if (is_fixed)
		CHECK(cudaStreamSynchronize(s));
	exchange(mine, halo, COUNT, r.left, r.right);
	PUT(s, mine, COUNT, 3);
	if (is_fixed)
		CHECK(cudaStreamSynchronize(s));
	add_up(mine, COUNT);
	CHECK(cudaMemcpyAsync(host, mine, BYTES, cudaMemcpyDeviceToHost, s));
	CHECK(cudaStreamSynchronize(s));
	if (is_fixed && host[5] != 3 * (float)r.ranks)
		MPI_Abort(MPI_COMM_WORLD, 2);
	MPI_Finalize();
	return 0;
}
