/* Compares the tables of older structures with the headers of the version that this is compiled
 * with; MAJOR says which it is. Compiling it is the test. */
#include <cuda_runtime_api.h>
#include <stddef.h>

#define SIZES(name, bytes) \
	_Static_assert(sizeof(struct name) - (bytes) < 8 && sizeof(struct name) >= (bytes), #name);
#if MAJOR == 12
#define STRUCT(name, bytes_12, bytes_11) SIZES(name, bytes_12)
#else
#define STRUCT(name, bytes_12, bytes_11) SIZES(name, bytes_11)
#endif
#include "simulator/runtime/structs.def"

struct properties {
#define MEMBER(type, name, dimension)	 type name dimension;
#define MEMBER_12(type, name, dimension) type name dimension;
#include "simulator/runtime/properties_12.def"
#undef MEMBER
#undef MEMBER_12
	int reserved[63];
};

#define SIZE(type, name) sizeof(((type *)0)->name)
#define MEMBER(type, name, dimension)                                                              \
	_Static_assert(offsetof(struct properties, name) == offsetof(struct cudaDeviceProp, name), \
		       #name);                                                                     \
	_Static_assert(SIZE(struct properties, name) == SIZE(struct cudaDeviceProp, name), #name);
#if MAJOR == 12
#define MEMBER_12(type, name, dimension) MEMBER(type, name, dimension)
_Static_assert(sizeof(struct properties) == sizeof(struct cudaDeviceProp), "properties");
#else
#define MEMBER_12(type, name, dimension)
_Static_assert(offsetof(struct properties, hostRegisterSupported) == sizeof(struct cudaDeviceProp),
	       "properties");
#endif
#include "simulator/runtime/properties_12.def"
