# sluice_own_target(<target>): what every target of ours gets and no vendored one does.
function(sluice_own_target target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    # g++ 12 sees overlaps in `"text" + std::string` that are not there (GCC bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    # A check that fails names its file from the house's root: what is built is the same in every folder.
    -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=
    $<$<BOOL:${SLUICE_WERROR}>:-Werror>)
endfunction()
