# Compiles for another system with zig, which brings the headers and libraries of them all:
#   pip install ziglang
#   cmake -S . -B build/cross/windows -DCMAKE_TOOLCHAIN_FILE=native/cross/zig.cmake
#       -DPUCUT_ZIG=path/of/zig -DPUCUT_ZIG_TARGET=x86_64-windows-gnu -DPUCUT_BUILD_TESTS=ON
# `make cross` does so for every system.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PUCUT_ZIG PUCUT_ZIG_TARGET)

string(REGEX MATCH "^([^-]+)-([^-]+)" parts "${PUCUT_ZIG_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
if(CMAKE_MATCH_2 STREQUAL "windows")
    set(CMAKE_SYSTEM_NAME Windows)
elseif(CMAKE_MATCH_2 MATCHES "^macos")
    set(CMAKE_SYSTEM_NAME Darwin)
else()
    set(CMAKE_SYSTEM_NAME Linux)
endif()

set(CMAKE_CXX_COMPILER ${PUCUT_ZIG} c++ -target ${PUCUT_ZIG_TARGET})
# CMake calls these by one name, and zig has them as commands.
foreach(tool ar ranlib)
    set(script ${CMAKE_BINARY_DIR}/zig-${tool})
    file(WRITE ${script} "#!/bin/sh\nexec '${PUCUT_ZIG}' ${tool} \"$@\"\n")
    file(CHMOD ${script} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
    string(TOUPPER ${tool} variable)
    set(CMAKE_${variable} ${script})
endforeach()
# Checks of the compiler need not link: that would build a C++ library for each.
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
