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
	uint64_t rest[2]; /* zero */
	uint64_t sum;	  /* of all before */
};

_Static_assert(sizeof(struct sheet) == CU_IPC_HANDLE_SIZE, "a handle's size");

static const char *const names[] = {"cuda-ipc-memory", "cuda-ipc-event", "cuda-physical",
				    "cuda-pool", "cuda-ipc-memory"};

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

int sim_share_new(enum sim_share_kind kind, size_t size_bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t size = (size_bytes + page - 1) / page * page;
	int fd = memfd_create(names[kind], MFD_CLOEXEC | MFD_ALLOW_SEALING);

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
			      .size_bytes = share.size_bytes};
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

/* Checks the name before opening the file: opening may have effects on another kind of file. */
static int open_file(const struct sheet *sheet, enum sim_share_kind kind)
{
	char path[64], found[64] = "", wanted[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)sheet->pid, (int)sheet->fd);
	snprintf(wanted, sizeof(wanted), "/memfd:%s (deleted)", names[kind]);
	if (readlink(path, found, sizeof(found) - 1) < 0 || strcmp(found, wanted) != 0)
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
	*share = (struct sim_share){fd, sheet.device, sheet.size_bytes, sheet.file};
	return CUDA_SUCCESS;
}
