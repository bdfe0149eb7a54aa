/* One program, three ways: without CUDA, device memory for an MPI of the host, errors.
 *
 * usage: host_only host|device|errors
 */
#include <cuda_runtime_api.h>
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, ranks;

/* Sums of all forms, also with MPI_IN_PLACE. */
static int use_host(void)
{
	int mine = 3, sum = 0, in_place = 3;

	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &in_place, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	printf("sum %d %d\n", sum, in_place);
	return 0;
}

static int use_device(void)
{
	char *data = NULL;
	int other = (rank + 1) % ranks;

	cudaMalloc((void **)&data, 2 << 20);
	MPI_Sendrecv(data, 1 << 20, MPI_CHAR, other, 0, data + (1 << 20), 1 << 20, MPI_CHAR, other,
		     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}

/* What calls answer that fail, or have nothing to do: PMPI's names go past streamcheck. */
static int compare_errors(void)
{
	MPI_Request request = MPI_REQUEST_NULL, none[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	int status[10], flag = 0, index = 0, some[2], n = 0;
	char data[8] = "";

	cudaFree(NULL);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	errno = 17;
	status[0] = MPI_Send(data, 8, MPI_CHAR, ranks + 5, 0, MPI_COMM_WORLD);
	status[1] = PMPI_Send(data, 8, MPI_CHAR, ranks + 5, 0, MPI_COMM_WORLD);
	status[2] = MPI_Isend(data, -1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
	status[3] = PMPI_Isend(data, -1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
	status[4] = MPI_Bcast(data, 8, MPI_CHAR, ranks, MPI_COMM_WORLD);
	status[5] = PMPI_Bcast(data, 8, MPI_CHAR, ranks, MPI_COMM_WORLD);
	request = MPI_REQUEST_NULL;
	status[6] = MPI_Wait(&request, MPI_STATUS_IGNORE);
	status[7] = PMPI_Wait(&request, MPI_STATUS_IGNORE);
	status[8] = MPI_Waitany(2, none, &index, MPI_STATUS_IGNORE);
	status[9] = MPI_Testsome(2, none, &n, some, MPI_STATUSES_IGNORE);
	MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE);
	MPI_Isend(NULL, 0, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Sendrecv(data, 4, MPI_CHAR, MPI_PROC_NULL, 0, data, 8, MPI_CHAR, MPI_PROC_NULL, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 6; i += 2) {
		int a, b;

		MPI_Error_class(status[i], &a);
		MPI_Error_class(status[i + 1], &b);
		if (!status[i] || a != b)
			return 1;
	}
	if (status[6] || status[7] || status[8] || status[9] || !flag || index != MPI_UNDEFINED ||
	    n != MPI_UNDEFINED || request != MPI_REQUEST_NULL)
		return 2;
	printf("same as without\n");
	return 0;
}

int main(int argc, char **argv)
{
	int status = 3;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc > 1 && !strcmp(argv[1], "host"))
		status = use_host();
	if (argc > 1 && !strcmp(argv[1], "device"))
		status = use_device();
	if (argc > 1 && !strcmp(argv[1], "errors"))
		status = compare_errors();
	MPI_Finalize();
	return status;
}
