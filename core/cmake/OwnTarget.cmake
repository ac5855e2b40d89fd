# sluice_own_target(<target>): what every target of ours gets and no vendored one does.
function(sluice_own_target target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    $<$<BOOL:${SLUICE_WERROR}>:-Werror>)
endfunction()
