// The main function of every page program.
#include <recto/book/command_line.hpp>
#include <recto/book/page.hpp>

int main(int argc, char** argv) { return recto::book::run_page(argc, argv, page, RECTO_FIGURES); }
