# recto_pages([PRECISION double] name...): each chapters/N-name/NAME.cpp becomes build/.../pages/NAME.
#
# The compiler sees a snapshot that is rewritten only when the page's token stream changes, so that editing
# prose rebuilds nothing.
#
# A page's time is spent in the library; -O1 and headers compiled in advance make it compile in half the time.
set(RECTO_PAGE_OPTIONS $<$<CONFIG:Release>:-O1>)
find_package(Python3 3.11 COMPONENTS Interpreter REQUIRED)

function(recto_pages)
  cmake_parse_arguments(PAGES "" "PRECISION" "" ${ARGN})
  set(library recto)
  set(tools ${PROJECT_SOURCE_DIR}/tools)
  if(PAGES_PRECISION STREQUAL "double")
    set(library recto64)
  endif()
  foreach(name ${PAGES_UNPARSED_ARGUMENTS})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp)
    set(snapshot ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    add_custom_command(OUTPUT ${snapshot}
      COMMAND ${Python3_EXECUTABLE} -m recto.pages.snapshot ${source} ${snapshot}
      DEPENDS ${source} ${tools}/recto/pages/snapshot.py ${tools}/recto/lexer.py
      WORKING_DIRECTORY ${tools} VERBATIM)
    add_executable(page_${name} ${snapshot})
    target_include_directories(page_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_link_libraries(page_${name} PRIVATE ${library}_page_main ${library} recto_strict)
    target_compile_options(page_${name} PRIVATE ${RECTO_PAGE_OPTIONS})
    target_precompile_headers(page_${name} REUSE_FROM ${library}_page_main)
    set_target_properties(page_${name} PROPERTIES OUTPUT_NAME ${name}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/pages)
    set_property(GLOBAL APPEND PROPERTY RECTO_PAGE_TARGETS page_${name})
  endforeach()
endfunction()
