# extensions/agents: functions of libraries, in the recorder (README.md here). Those that take the place of the real
# ones are in the library that is preloaded only; unit tests link all others.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/extensions/agents/*.c ${PROJECT_SOURCE_DIR}/extensions/agents/*/*.c)
list(FILTER sources EXCLUDE REGEX "/extensions/agents/tests/")
set(exported ${sources})
list(FILTER exported INCLUDE REGEX
	"/(wrappers|nccl/collectives|nccl/communicators|operands/(matmul|randoms|transforms)|[a-z]+/([a-z]+_)?functions)[.]c$")
list(REMOVE_ITEM sources ${exported})
target_sources(sc_record PRIVATE ${sources})
target_sources(sc_preload PRIVATE ${exported})
