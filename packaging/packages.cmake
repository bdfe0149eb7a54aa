# Read by CPack before it packs, once for each kind of package. A package needs the newest glibc that anything in it
# asks for; an archive is a folder that runs wherever it is unpacked.
if(CPACK_GENERATOR STREQUAL TGZ)
	set(CPACK_PACKAGING_INSTALL_PREFIX "/")
endif()
execute_process(COMMAND ldd ${CPACK_SC_BUILD}/bin/streamcheck OUTPUT_VARIABLE loaded)
string(REGEX MATCHALL "=> /[^ ]+" loaded "${loaded}")
list(TRANSFORM loaded REPLACE "=> " "")
list(FILTER loaded EXCLUDE REGEX "/(libc|libm|libdl|libpthread|librt|ld-linux[^.]*)[.]so")
set(newest 0)
foreach(file IN LISTS loaded ITEMS ${CPACK_SC_BUILD}/bin/streamcheck
		${CPACK_SC_BUILD}/lib/libstreamcheck.so)
	execute_process(COMMAND objdump -p ${file} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
	string(REGEX REPLACE "^.*Version References:" "" wanted "${headers}") # before it: those that it defines
	string(REGEX MATCHALL "GLIBC_[0-9.]+" versions "${wanted}")
	foreach(version IN LISTS versions)
		string(REPLACE "GLIBC_" "" version ${version})
		if(version VERSION_GREATER newest)
			set(newest ${version})
		endif()
	endforeach()
endforeach()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= ${newest})")
set(CPACK_RPM_PACKAGE_REQUIRES "glibc >= ${newest}")
