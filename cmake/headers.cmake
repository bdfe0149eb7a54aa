# The headers of CUDA that the sources are written in: those of the newest version that they know. What is compiled
# with them asks the driver, at run time, which calls it has; the toolkit, whose nvcc and libraries make the test
# programs, may be older.
#
# Sets SC_CUDA_INCLUDE, the folder with these headers, and sc_cuda_include, that of the toolkit's own.
set(sc_cuda_newest 13050) # as in CUDA_VERSION; tools/headers.txt has the packages
set(SC_CUDA_HEADERS "" CACHE PATH "Headers of CUDA 13.5 or later; default: of tools/setup.sh, or of the toolkit")
list(GET CUDAToolkit_INCLUDE_DIRS 0 sc_cuda_include)
if(SC_CUDA_HEADERS)
	set(SC_CUDA_INCLUDE ${SC_CUDA_HEADERS})
elseif(EXISTS ${PROJECT_SOURCE_DIR}/out/cuda/headers/include/cuda.h)
	set(SC_CUDA_INCLUDE ${PROJECT_SOURCE_DIR}/out/cuda/headers/include)
else()
	set(SC_CUDA_INCLUDE ${sc_cuda_include})
endif()
foreach(header cuda.h cuda_runtime_api.h cudaProfiler.h cupti.h generated_cuda_meta.h nvtx3/nvToolsExt.h crt/host_defines.h)
	if(NOT EXISTS ${SC_CUDA_INCLUDE}/${header})
		message(FATAL_ERROR "CUDA's headers in ${SC_CUDA_INCLUDE} lack ${header}: run tools/setup.sh, "
			"or name others with -DSC_CUDA_HEADERS=FOLDER (docs/dev/older-toolkits.md)")
	endif()
endforeach()
file(STRINGS ${SC_CUDA_INCLUDE}/cuda.h sc_version REGEX "^#define CUDA_VERSION ")
string(REGEX REPLACE "[^0-9]" "" sc_version "${sc_version}")
if(sc_version LESS sc_cuda_newest)
	message(FATAL_ERROR "The headers in ${SC_CUDA_INCLUDE} are of CUDA_VERSION ${sc_version}; the sources need ${sc_cuda_newest}: "
		"run tools/setup.sh, which fetches them, or name others with -DSC_CUDA_HEADERS=FOLDER (docs/dev/older-toolkits.md)")
endif()
