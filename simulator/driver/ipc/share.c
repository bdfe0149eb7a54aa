/* Files in memory, described to other processes by number and process. */
#include "simulator/driver/ipc/share.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "simipc1"

/* A handle's bytes. */
struct sheet {
	char magic[8];
	uint32_t kind;
	int32_t pid;
	int32_t fd;
	int32_t device;
	uint64_t size_bytes;
	uint64_t file;
	uint64_t pool;
	uint64_t rest; /* zero */
	uint64_t sum;  /* of all before */
};

_Static_assert(sizeof(struct sheet) == CU_IPC_HANDLE_SIZE, "a handle's size");

static const char *const names[] = {"cuda-ipc-memory", "cuda-ipc-event", "cuda-physical",
				    "cuda-pool",       "cuda-host-pool", "cuda-ipc-memory"};

/* Against damage, not against intent: FNV-1a. */
static uint64_t sum_of(const struct sheet *sheet)
{
	const unsigned char *bytes = (const unsigned char *)sheet;
	uint64_t sum = 0xcbf29ce484222325u;
	size_t i;

	for (i = 0; i < offsetof(struct sheet, sum); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3u;
	return sum;
}

int sim_share_new(enum sim_share_kind kind, int device, size_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (size_bytes + page - 1) / page * page;
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%s.%d", names[kind], device);
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return -1;
	if (!ftruncate(fd, (off_t)size) &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	close(fd);
	return -1;
}

CUresult sim_share_describe(enum sim_share_kind kind, struct sim_share share, void *handle)
{
	struct sheet sheet = {.magic = MAGIC,
			      .kind = kind,
			      .pid = getpid(),
			      .fd = share.fd,
			      .device = share.device,
			      .size_bytes = share.size_bytes,
			      .pool = share.pool};
	struct stat about;

	if (fstat(share.fd, &about))
		return CUDA_ERROR_OPERATING_SYSTEM;
	sheet.file = about.st_ino;
	sheet.sum = sum_of(&sheet);
	memcpy(handle, &sheet, sizeof(sheet));
	return CUDA_SUCCESS;
}

static CUresult check_sheet(const struct sheet *sheet, enum sim_share_kind kind)
{
	if (memcmp(sheet->magic, MAGIC, sizeof(sheet->magic)) || sheet->kind != kind ||
	    sheet->pid <= 0 || sheet->fd < 0 || !sheet->size_bytes || sheet->sum != sum_of(sheet))
		return CUDA_ERROR_INVALID_VALUE;
	return sheet->pid == getpid() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

/* The device that the name of such a file says, -1 if the link leads to another one. */
static int device_of(const char *path, enum sim_share_kind kind)
{
	char found[64] = "", format[64];
	int device, end = 0;

	snprintf(format, sizeof(format), "/memfd:%s.%%d (deleted)%%n", names[kind]);
	if (readlink(path, found, sizeof(found) - 1) < 0 ||
	    sscanf(found, format, &device, &end) != 1)
		return -1;
	return end && !found[end] && device >= 0 ? device : -1;
}

/* Checks the name before opening the file: opening may have effects on another kind of file. */
static int open_file(const struct sheet *sheet, enum sim_share_kind kind)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)sheet->pid, (int)sheet->fd);
	if (device_of(path, kind) < 0)
		return -1;
	return open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

/* A file in memory that stays as large as it is. */
static bool is_sealed(int fd, struct stat *about)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & F_SEAL_SHRINK) && !fstat(fd, about);
}

bool sim_share_is_file(int fd, size_t size_bytes)
{
	struct stat about;

	return is_sealed(fd, &about) && about.st_size > 0 && (size_t)about.st_size >= size_bytes;
}

static int is_file(int fd, const struct sheet *sheet)
{
	struct stat about;

	return is_sealed(fd, &about) && about.st_ino == sheet->file && about.st_size > 0 &&
	       (uint64_t)about.st_size >= sheet->size_bytes &&
	       (uint64_t)about.st_size - sheet->size_bytes < (uint64_t)sysconf(_SC_PAGESIZE);
}

CUresult sim_share_find(enum sim_share_kind kind, const void *handle, struct sim_share *share)
{
	struct sheet sheet;
	CUresult result;
	int fd;

	memcpy(&sheet, handle, sizeof(sheet));
	result = check_sheet(&sheet, kind);
	if (result != CUDA_SUCCESS)
		return result;
	fd = open_file(&sheet, kind);
	if (fd >= 0 && !is_file(fd, &sheet)) {
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return CUDA_ERROR_INVALID_VALUE;
	*share = (struct sim_share){fd, sheet.device, sheet.size_bytes, sheet.file, sheet.pool};
	return CUDA_SUCCESS;
}

/* ---- by either type of handle ---- */

CUresult sim_share_export(enum sim_share_kind kind, CUmemAllocationHandleType type,
			  struct sim_share share, void *handle)
{
	int fd;

	if (type == CU_MEM_HANDLE_TYPE_FABRIC)
		return sim_share_describe(kind, share, handle);
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return CUDA_ERROR_INVALID_VALUE;
	fd = fcntl(share.fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	memcpy(handle, &fd, sizeof(fd));
	return CUDA_SUCCESS;
}

/* Of a descriptor that may be anything. */
static CUresult find_file(enum sim_share_kind kind, int fd, struct sim_share *share)
{
	struct stat about;
	char path[64];
	int device;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	device = fd < 0 ? -1 : device_of(path, kind);
	if (device < 0 || !is_sealed(fd, &about) || about.st_size <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return CUDA_ERROR_OPERATING_SYSTEM;
	*share = (struct sim_share){fd, device, (size_t)about.st_size, about.st_ino, 0};
	return CUDA_SUCCESS;
}

CUresult sim_share_import(enum sim_share_kind kind, CUmemAllocationHandleType type, void *handle,
			  struct sim_share *share)
{
	if (type == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return find_file(kind, (int)(intptr_t)handle, share);
	return handle ? sim_share_find(kind, handle, share) : CUDA_ERROR_INVALID_VALUE;
}
