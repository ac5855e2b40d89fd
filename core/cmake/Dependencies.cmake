# Three dependencies, one rule each, the same for native and wasm:
#   1. FETCHCONTENT_SOURCE_DIR_<NAME> (a local source tree) wins; no network.
#   2. The header-only two: the system's headers, through a view that shows nothing else.
#   3. FetchContent at a pinned commit (a commit id is a hash).
include(FetchContent)
option(SLUICE_SYSTEM_HEADERS "Use the nlohmann_json and doctest headers of this system" ON)
option(SLUICE_SYSTEM_YAML_CPP "Use the system's compiled yaml-cpp (native builds only)" OFF)

# Makes the interface target <target> of <dir>/<header> without exposing the include root it lies in: for emcc,
# -I/usr/include would shadow its own sysroot.
function(sluice_system_header target dir header)
  if(NOT SLUICE_SYSTEM_HEADERS)
    return()
  endif()
  find_path(${dir}_ROOT ${dir}/${header} PATHS /usr/include /usr/local/include
            NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH)
  mark_as_advanced(${dir}_ROOT)
  if(NOT ${dir}_ROOT)
    return()
  endif()
  set(view ${CMAKE_BINARY_DIR}/include-view/${dir})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${${dir}_ROOT}/${dir} ${view}/${dir} COPY_ON_ERROR SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${view})
endfunction()

# --- nlohmann_json
if(NOT FETCHCONTENT_SOURCE_DIR_NLOHMANN_JSON)
  sluice_system_header(nlohmann_json::nlohmann_json nlohmann json.hpp)
endif()
if(NOT TARGET nlohmann_json::nlohmann_json)
  FetchContent_Declare(nlohmann_json
    GIT_REPOSITORY https://github.com/nlohmann/json.git
    GIT_TAG 9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03) # v3.11.3
  FetchContent_MakeAvailable(nlohmann_json)
endif()

# --- doctest
if(SLUICE_BUILD_TESTS)
  if(NOT FETCHCONTENT_SOURCE_DIR_DOCTEST)
    sluice_system_header(doctest::doctest doctest doctest.h)
  endif()
  if(NOT TARGET doctest::doctest)
    FetchContent_Declare(doctest
      GIT_REPOSITORY https://github.com/doctest/doctest.git
      GIT_TAG ae7a13539fb71f270b87eb2e874fbac80bc8dda2) # v2.4.11
    FetchContent_MakeAvailable(doctest)
  endif()
endif()

# --- yaml-cpp
if(SLUICE_SYSTEM_YAML_CPP AND NOT CMAKE_CROSSCOMPILING)
  find_package(yaml-cpp REQUIRED)
  if(NOT TARGET yaml-cpp::yaml-cpp) # 0.7 exports the bare name
    add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
  endif()
else()
  # The tree that ./dev fetched, if it did; so that a bare `cmake --preset native` finds it as well.
  file(GLOB fetched_yaml_cpp LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/build/debian-src/yaml-cpp-*/CMakeLists.txt)
  if(fetched_yaml_cpp AND NOT FETCHCONTENT_SOURCE_DIR_YAML-CPP)
    list(GET fetched_yaml_cpp 0 fetched_yaml_cpp)
    get_filename_component(fetched_yaml_cpp ${fetched_yaml_cpp} DIRECTORY)
    set(FETCHCONTENT_SOURCE_DIR_YAML-CPP ${fetched_yaml_cpp} CACHE PATH "yaml-cpp source tree" FORCE)
  endif()
  set(YAML_CPP_BUILD_TOOLS OFF CACHE BOOL "" FORCE)
  set(YAML_CPP_BUILD_TESTS OFF CACHE BOOL "" FORCE)
  set(YAML_CPP_BUILD_CONTRIB OFF CACHE BOOL "" FORCE)
  set(YAML_CPP_INSTALL OFF CACHE BOOL "" FORCE)
  set(YAML_BUILD_SHARED_LIBS OFF CACHE BOOL "" FORCE)
  if(NOT DEFINED CMAKE_POLICY_VERSION_MINIMUM)
    set(CMAKE_POLICY_VERSION_MINIMUM 3.5) # 0.7 and 0.8 ask for less than CMake 4 accepts
  endif()
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # 0.7 would otherwise warn about the next line
  set(keep_testing ${BUILD_TESTING})
  set(BUILD_TESTING OFF) # 0.7 includes CTest, which would add dashboard targets
  FetchContent_Declare(yaml-cpp
    GIT_REPOSITORY https://github.com/jbeder/yaml-cpp.git
    GIT_TAG 56e3bb550c91fd7005566f19c079cb7a503223cf) # 0.9.0
  FetchContent_MakeAvailable(yaml-cpp)
  set(BUILD_TESTING ${keep_testing})
  # Third-party code: its headers are SYSTEM, its warnings are its own affair.
  get_target_property(yaml_include yaml-cpp INTERFACE_INCLUDE_DIRECTORIES)
  set_target_properties(yaml-cpp PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${yaml_include}")
  target_compile_options(yaml-cpp PRIVATE -w -include cstdint) # 0.7 and 0.8 forgot it; GCC 13 minds
  if(EMSCRIPTEN)
    target_compile_options(yaml-cpp PRIVATE -Os) # core/CMakeLists.txt says why
  endif()
endif()
