#include <recto/testing/cuda_on_cpu/program.hpp>

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include <recto/testing/cuda_on_cpu/lines.hpp>

namespace recto::kernels::detail {
namespace {

/// The program's file, mapped for as long as the program runs, and where it was loaded.
struct Program {
    std::span<const char> file;
    std::span<const Elf64_Sym> symbols;
    const char* names = "";
    std::string_view lines;
    std::uintptr_t base = 0, begin = 0, end = 0;
    std::size_t thread_bytes = 0;

    Program() {
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* out) {
                auto& program = *static_cast<Program*>(out);
                program.base = info->dlpi_addr;
                program.begin = ~std::uintptr_t(0);
                for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
                    if (segment.p_type == PT_TLS) program.thread_bytes = segment.p_memsz;
                    if (segment.p_type != PT_LOAD) continue;
                    const std::uintptr_t at = program.base + segment.p_vaddr;
                    program.begin = std::min(program.begin, at);
                    program.end = std::max(program.end, at + segment.p_memsz);
                }
                return 1;  // the first is the program itself
            },
            this);
        read();
    }

    // Without the file, or without symbols in it, messages lack names and lines; what is found stays the same.
    void read() {
        const int handle = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
        struct stat status {};
        if (handle < 0) return;
        if (fstat(handle, &status) == 0) {
            void* at = mmap(nullptr, std::size_t(status.st_size), PROT_READ, MAP_PRIVATE, handle, 0);
            if (at != MAP_FAILED) file = {static_cast<const char*>(at), std::size_t(status.st_size)};
        }
        close(handle);
        if (file.empty()) return;
        const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
        const std::span sections(reinterpret_cast<const Elf64_Shdr*>(file.data() + header->e_shoff), header->e_shnum);
        if (sections.empty()) return;
        const char* section_names = file.data() + sections[header->e_shstrndx].sh_offset;
        for (const Elf64_Shdr& section : sections) {
            const char* content = file.data() + section.sh_offset;
            if (section.sh_type == SHT_SYMTAB) {
                symbols = {reinterpret_cast<const Elf64_Sym*>(content), section.sh_size / sizeof(Elf64_Sym)};
                names = file.data() + sections[section.sh_link].sh_offset;
            }
            if (std::strcmp(section_names + section.sh_name, ".debug_line") == 0) lines = {content, section.sh_size};
        }
    }

    const Elf64_Sym* find(int type, std::uintptr_t value) const {
        for (const Elf64_Sym& symbol : symbols)
            if (ELF64_ST_TYPE(symbol.st_info) == type && symbol.st_value <= value &&
                value < symbol.st_value + symbol.st_size)
                return &symbol;
        return nullptr;
    }
    const char* name(const Elf64_Sym& symbol) const { return names + symbol.st_name; }
};

const Program& program() {
    static const Program self;
    return self;
}

/// Where the calling thread's variables begin; one thread runs all kernels of a launch.
std::uintptr_t thread_variables() {
    thread_local std::uintptr_t begin = 0;
    if (!begin)
        dl_iterate_phdr(
            [](dl_phdr_info* info, std::size_t, void* out) {
                *static_cast<std::uintptr_t*>(out) = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
                return 1;
            },
            &begin);
    return begin;
}

/// `transpose` of `void (anonymous namespace)::transpose<32>(float const*)`, `tile` of `transpose(float*)::tile`.
std::string short_name(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> whole(abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                       std::free);
    std::string text = status == 0 ? whole.get() : symbol;
    std::string kept;  // what is outside of all brackets
    int depth = 0;
    for (const char c : text) {
        if (c == '(' || c == '<' || c == '[') ++depth;
        if (depth == 0) kept += c;
        if (c == ')' || c == '>' || c == ']') --depth;
    }
    const auto cut = kept.find_last_of(": ");
    return cut == std::string::npos ? kept : kept.substr(cut + 1);
}

Symbol described(const Elf64_Sym& symbol, std::uintptr_t base) {
    const char* name = program().name(symbol);
    return {short_name(name), name, base + symbol.st_value, base + symbol.st_value + symbol.st_size};
}

}  // namespace

std::string function_name(const void* address) {
    const Program& self = program();
    const auto* found = self.find(STT_FUNC, reinterpret_cast<std::uintptr_t>(address) - self.base);
    return found ? short_name(self.name(*found)) : "";
}

std::vector<Symbol> shared_arrays_of(const void* kernel) {
    const Program& self = program();
    std::vector<Symbol> found;
    const auto* function = self.find(STT_FUNC, reinterpret_cast<std::uintptr_t>(kernel) - self.base);
    if (!function || std::strncmp(self.name(*function), "_Z", 2) != 0) return found;
    const std::string local = "_ZZ" + std::string(self.name(*function) + 2) + "E";
    for (const Elf64_Sym& symbol : self.symbols)
        if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS && std::string_view(self.name(symbol)).starts_with(local))
            found.push_back(described(symbol, thread_variables()));
    return found;
}

std::optional<Symbol> shared_array_at(std::uintptr_t address) {
    const auto* found = program().find(STT_TLS, address - thread_variables());
    return found ? std::optional(described(*found, thread_variables())) : std::nullopt;
}

bool in_shared_memory(std::uintptr_t address) { return address - thread_variables() < program().thread_bytes; }

std::optional<Symbol> variable_at(std::uintptr_t address) {
    const auto* found = program().find(STT_OBJECT, address - program().base);
    return found ? std::optional(described(*found, program().base)) : std::nullopt;
}

bool in_program(std::uintptr_t address) { return program().begin <= address && address < program().end; }

std::string line_of(const void* return_address) {
    return line_in(program().lines, reinterpret_cast<std::uintptr_t>(return_address) - 1 - program().base);
}

}  // namespace recto::kernels::detail
