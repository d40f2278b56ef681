# Run by fulcrum_embed_text with -DOUTPUT -DNAMESPACE -DFILES (names separated by commas): writes a C++ source with
# the texts of the files, so that a program needs no file beside it.
string(REPLACE "," ";" FILES "${FILES}")
set(entries "")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(name ${file} NAME)
  # A string literal may not be longer than 64 KiB in ISO C++; pieces of 8,000 characters are joined by the compiler.
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 8000 piece)
    string(APPEND pieces "R\"~~~(${piece})~~~\"\n")
    math(EXPR at "${at} + 8000")
  endwhile()
  string(APPEND entries "    if (name == \"${name}\") return ${pieces};\n")
endforeach()
file(WRITE ${OUTPUT} "#include <string_view>\n\nnamespace ${NAMESPACE} {\n\n// Empty for an unknown name.\nstd::string_view embedded_text(std::string_view name);\n\nstd::string_view embedded_text(std::string_view name) {\n${entries}  return {};\n}\n\n}  // namespace ${NAMESPACE}\n")
