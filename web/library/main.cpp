// The main function of a program that holds many pages. The name that it is called by says which one runs.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <vector>

#include <sys/stat.h>

#include <recto/book/command_line.hpp>
#include <recto/book/option.hpp>
#include <recto/book/study.hpp>
#include <recto/book/trace.hpp>

#include "page.hpp"

namespace RECTO::web {
namespace {

/// A function, so that it is there before the pages of any file.
std::vector<const Page*>& list() {
    static std::vector<const Page*> pages;
    return pages;
}

/// Keeps the part [begin, end) of a list. The library hands its lists out to be read; only this program, which holds several
/// pages, has something to forget.
template <class T>
void keep(const std::vector<T>& all, std::size_t begin, std::size_t end) {
    auto& own = const_cast<std::vector<T>&>(all);
    own = {all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end)};
}

/// Whether Fashion-MNIST lies here with fewer images than it has.
bool partial() {
    const auto fewer = [](const char* path, long images) {
        struct stat file = {};
        return ::stat(path, &file) == 0 && file.st_size < 16 + images * 28 * 28;
    };
    return fewer("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz", 60'000) ||
           fewer("/usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz", 10'000);
}

void (*chosen)() = nullptr;

/// The chosen page. With some of the images only it is not a standard run, so its claims are not judged.
void show() {
    book::Settings own = book::settings();
    own.standard &= !partial();
    book::start(own);
    chosen();
}

}  // namespace

Page::Page(const char* name, void (*run)())
    : name(name), run(run), first_option(book::all_options().size()), first_study(book::all_studies().size()) {
    list().push_back(this);
}

const std::vector<const Page*>& all_pages() { return list(); }

}  // namespace RECTO::web

int main(int argc, char** argv) {
    using namespace recto;
    const std::string_view asked = argc > 0 ? argv[0] : "";
    const auto& pages = web::all_pages();
    const auto found = std::ranges::find(pages, asked, &web::Page::name);
    if (found == pages.end()) {
        std::fprintf(stderr, "%s: there is no such page in this program\n", argc > 0 ? argv[0] : "");
        return 2;
    }
    const web::Page* next = found + 1 == pages.end() ? nullptr : *(found + 1);
    const std::size_t options = book::all_options().size(), studies = book::all_studies().size();
    web::keep(book::all_options(), (*found)->first_option, next ? next->first_option : options);
    web::keep(book::all_studies(), (*found)->first_study, next ? next->first_study : studies);
    web::chosen = (*found)->run;
    return book::run_page(argc, argv, web::show, "/figures");
}
