#include <recto/emulator/program.hpp>

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include <recto/emulator/lines.hpp>

namespace recto::kernels::detail {
namespace {

/// The program's file, mapped while the program runs, and its load address.
struct Program {
    std::span<const char> file;
    std::span<const Elf64_Shdr> sections;
    std::span<const Elf64_Sym> symbols;
    const char *names = "", *section_names = "";
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
                return 1;  // the first object is the program itself
            },
            this);
        read();
    }

    // Without the file, or without its symbols, messages lack names and lines; the checks stay the same.
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
        sections = {reinterpret_cast<const Elf64_Shdr*>(file.data() + header->e_shoff), header->e_shnum};
        if (sections.empty()) return;
        section_names = file.data() + sections[header->e_shstrndx].sh_offset;
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
    /// Whether the macro `__constant__` of words.hpp chose the variable's section.
    bool constant(const Elf64_Sym& symbol) const {
        return symbol.st_shndx < sections.size() &&
               std::string_view(section_names + sections[symbol.st_shndx].sh_name).starts_with("recto_cuda_constant.");
    }
};

const Program& program() {
    static const Program self;
    return self;
}

/// The start of the calling thread's variables; one thread runs all kernels of a launch.
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
    std::string kept;  // the text outside of all brackets
    int depth = 0;
    for (const char c : text) {
        if (c == '(' || c == '<' || c == '[') ++depth;
        if (depth == 0) kept += c;
        if (c == ')' || c == '>' || c == ']') --depth;
    }
    const auto cut = kept.find_last_of(": ");
    return cut == std::string::npos ? kept : kept.substr(cut + 1);
}

/// Calls f(symbol, its name, the number of the file that it is local to, or -1).
template <class F>
void each_symbol(const F& f) {
    int file = 0;
    for (const Elf64_Sym& symbol : program().symbols) {
        if (ELF64_ST_TYPE(symbol.st_info) == STT_FILE) ++file;  // symbols local to a file follow the file's symbol
        f(symbol, program().name(symbol), ELF64_ST_BIND(symbol.st_info) == STB_LOCAL ? file : -1);
    }
}

/// Calls f(function) for the function that contains the array: `_Z9transposePf` for `_ZZ9transposePfE4tile`.
template <class F>
void each_owner(std::string_view array_name, int array_file, const F& f) {
    each_symbol([&](const Elf64_Sym& function, std::string_view name, int file) {
        // An array can be local to a file although its function is not.
        const bool visible = file == array_file || file < 0;
        if (ELF64_ST_TYPE(function.st_info) == STT_FUNC && name.starts_with("_Z") && visible &&
            array_name.substr(3).starts_with(name.substr(2)) && array_name.substr(name.size() + 1).starts_with("E"))
            f(function);
    });
}

Symbol described(const Elf64_Sym& symbol, std::uintptr_t base) {
    return {short_name(program().name(symbol)), base + symbol.st_value, base + symbol.st_value + symbol.st_size,
            program().constant(symbol)};
}

}  // namespace

std::string function_name(const void* address) {
    const Program& self = program();
    const auto* found = self.find(STT_FUNC, reinterpret_cast<std::uintptr_t>(address) - self.base);
    return found ? short_name(self.name(*found)) : "";
}

std::vector<Symbol> shared_arrays_of(const void* kernel) {
    static std::unordered_map<const void*, std::vector<const Elf64_Sym*>> known;
    const auto entry = known.try_emplace(kernel);
    std::vector<const Elf64_Sym*>& arrays = entry.first->second;
    const auto at = reinterpret_cast<std::uintptr_t>(kernel) - program().base;
    if (entry.second)
        each_symbol([&](const Elf64_Sym& array, std::string_view name, int file) {
            if (ELF64_ST_TYPE(array.st_info) != STT_TLS || !name.starts_with("_ZZ")) return;
            each_owner(name, file, [&](const Elf64_Sym& function) {
                if (function.st_value == at) arrays.push_back(&array);
            });
        });
    std::vector<Symbol> found;
    for (const Elf64_Sym* array : arrays) found.push_back(described(*array, thread_variables()));
    return found;
}

std::vector<Range> owners_of(std::uintptr_t array) {
    std::vector<Range> found;
    const auto at = array - thread_variables();
    each_symbol([&](const Elf64_Sym& symbol, std::string_view name, int file) {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_value != at || !name.starts_with("_ZZ")) return;
        each_owner(name, file, [&](const Elf64_Sym& function) {
            found.push_back({program().base + function.st_value, function.st_size});
        });
    });
    return found;
}

std::optional<Symbol> shared_array_at(std::uintptr_t address) {
    const auto* found = program().find(STT_TLS, address - thread_variables());
    // The emulator's own thread-local variables are not shared memory.
    if (found && std::strncmp(program().name(*found), "_ZN5recto7kernels6detail", 24) == 0) return std::nullopt;
    return found ? std::optional(described(*found, thread_variables())) : std::nullopt;
}

bool in_shared_memory(std::uintptr_t address) { return address - thread_variables() < program().thread_bytes; }

std::optional<Symbol> variable_at(std::uintptr_t address) {
    const auto* found = program().find(STT_OBJECT, address - program().base);
    return found ? std::optional(described(*found, program().base)) : std::nullopt;
}

bool in_program(std::uintptr_t address) { return program().begin <= address && address < program().end; }

std::string line_of(const void* return_address) {
    static std::unordered_map<const void*, std::string> known;
    const auto [found, fresh] = known.try_emplace(return_address);
    if (fresh)
        found->second = line_in(program().lines, reinterpret_cast<std::uintptr_t>(return_address) - 1 - program().base);
    return found->second;
}

}  // namespace recto::kernels::detail
