"""Does every C++ file include the standard headers of the names that it uses?

    check_includes.py [FILE...]

A standard header may bring names of others, and which ones differs from one standard library, and from one release, to
the next: std::max came with <vector> in g++ 12 and does not in g++ 14. So a name counts as included when

* the file includes a header of the name itself (the table below), or the header of its room does: foo.cpp and
  foo.test.cpp may rely on foo.hpp, an exercise's files on the headers that lie beside them;
* the name is a type, or goes with one, that interfaces are made of (TYPES), and some header of this project that the file
  includes, directly or not, includes a header of it;
* the file is a page: then any name may come with the headers of this project, such as <recto/book/page.hpp>.

What a header of the standard library or of another library includes never counts. Names without std:: are looked at only
where no type of ours is called so (uint32_t, size_t, printf, memcpy). Ends with one line, N passed, N failed, N skipped.
"""
import functools
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("bench", "chapters", "exercises", "inspect", "lib", "solutions", "tests/fuzz", "tests/install", "tests/kernels",
        "tools")
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh")
SEARCHED = ("lib", "exercises/kit", "tests/kernels")      # where <name> and "name" are looked for, after the file's own folder

# Every standard header used here, and what it declares. A name that several declare may come from any of them.
HEADERS = {
    "algorithm": "adjacent_find all_of any_of binary_search clamp copy copy_backward copy_if copy_n count count_if equal "
                 "equal_range fill fill_n find find_if find_if_not for_each generate generate_n is_sorted "
                 "lexicographical_compare lower_bound max max_element merge min min_element minmax minmax_element mismatch "
                 "next_permutation none_of nth_element partial_sort partition remove_copy remove_if replace reverse rotate "
                 "search set_difference set_intersection set_union shuffle sort stable_partition stable_sort transform unique "
                 "upper_bound sample swap_ranges push_heap pop_heap make_heap prev_permutation "
                 + " ".join("ranges::" + name for name in (
                     "adjacent_find all_of any_of binary_search clamp copy copy_n count count_if equal fill fill_n find "
                     "find_if for_each generate is_sorted lower_bound max max_element min min_element minmax minmax_element "
                     "next_permutation none_of nth_element partial_sort partition remove_if replace reverse rotate search "
                     "shuffle sort stable_sort transform unique upper_bound swap_ranges includes").split()),
    "array": "array",
    "atomic": "atomic atomic_flag atomic_ref memory_order_acquire memory_order_relaxed memory_order_release",
    "barrier": "barrier",
    "bit": "bit_cast bit_ceil bit_floor bit_width countl_zero countr_zero endian has_single_bit popcount rotl rotr",
    "bitset": "bitset",
    "cctype": "isalnum isalpha isdigit isspace isupper islower ispunct isprint isxdigit tolower toupper",
    "cerrno": "",
    "charconv": "chars_format from_chars to_chars",
    "chrono": "chrono chrono_literals",
    "cmath": "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fabs floor fma "
             "fmax fmin fmod fpclassify frexp hypot ilogb isfinite isinf isless isnan isnormal ldexp lerp lgamma log log10 log1p log2 "
             "lround modf nan nanf nearbyint nextafter pow remainder rint round scalbn signbit sin sinh sqrt tan tanh tgamma trunc",
    "compare": "partial_ordering strong_ordering weak_ordering",
    "complex": "complex norm polar",
    "concepts": "convertible_to default_initializable copyable derived_from floating_point integral invocable predicate regular same_as "
                "signed_integral unsigned_integral",
    "condition_variable": "condition_variable",
    "csignal": "raise sig_atomic_t signal",
    "cstddef": "byte max_align_t nullptr_t ptrdiff_t size_t",
    "cstdint": "int8_t int16_t int32_t int64_t intmax_t intptr_t uint8_t uint16_t uint32_t uint64_t uintmax_t uintptr_t",
    "cstdio": "FILE fclose fflush fopen fprintf fputc fputs fread freopen fwrite printf puts remove rename size_t snprintf sscanf",
    "cstdlib": "abort abs aligned_alloc atexit atof atoi atol calloc exit free getenv malloc quick_exit realloc size_t strtod strtol "
               "strtoll strtoul system",
    "cstring": "memchr memcmp memcpy memmove memset size_t strchr strcmp strerror strlen strncmp strrchr strstr",
    "ctime": "clock clock_t gmtime localtime size_t strftime time time_t tm",
    "deque": "deque",
    "exception": "current_exception exception exception_ptr get_terminate rethrow_exception set_terminate terminate "
                 "uncaught_exceptions",
    "filesystem": "filesystem",
    "forward_list": "forward_list",
    "fstream": "filebuf fstream ifstream ofstream",
    "functional": "bind bind_front divides equal_to function greater greater_equal hash invoke less less_equal mem_fn minus modulus "
                  "multiplies negate not_fn placeholders plus ref cref reference_wrapper",
    "initializer_list": "initializer_list",
    "iomanip": "setprecision setw setfill",
    "ios": "ios ios_base streamsize streamoff fixed scientific hex",
    "iostream": "cerr cin clog cout",
    "iterator": "advance back_inserter begin cbegin cend data distance empty end front_inserter inserter istreambuf_iterator "
                "make_move_iterator next prev rbegin rend reverse_iterator size ssize",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "addressof allocator destroy_at enable_shared_from_this make_shared make_shared_for_overwrite make_unique "
              "make_unique_for_overwrite shared_ptr uninitialized_copy unique_ptr weak_ptr",
    "mutex": "call_once defer_lock lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "new": "align_val_t bad_alloc bad_array_new_length launder nothrow",
    "numbers": "numbers",
    "numeric": "accumulate adjacent_difference exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum "
               "reduce transform_reduce",
    "optional": "make_optional nullopt optional",
    "ostream": "endl flush ostream",
    "queue": "priority_queue queue",
    "random": "bernoulli_distribution discrete_distribution generate_canonical mersenne_twister_engine minstd_rand mt19937 "
              "mt19937_64 normal_distribution random_device seed_seq uniform_int_distribution uniform_real_distribution",
    "ranges": "ranges::iota_view ranges::range ranges::subrange ranges::view views",
    "regex": "regex regex_match regex_replace regex_search smatch",
    "set": "multiset set",
    "source_location": "source_location",
    "span": "as_bytes as_writable_bytes dynamic_extent span",
    "sstream": "istringstream ostringstream stringstream",
    "stack": "stack",
    "stdexcept": "domain_error invalid_argument length_error logic_error out_of_range overflow_error range_error "
                 "runtime_error",
    "string": "basic_string char_traits getline stod stof stoi stol stoll stoul stoull string string_literals to_string "
              "u32string u8string",
    "string_view": "string_view string_view_literals u8string_view",
    "system_error": "errc error_code system_category system_error",
    "thread": "jthread this_thread thread",
    "tuple": "apply make_tuple tie tuple tuple_cat",
    "type_traits": "common_type_t conditional_t decay_t enable_if_t false_type integral_constant invoke_result_t is_arithmetic_v "
                   "is_base_of_v is_constructible_v is_convertible_v is_empty_v is_enum_v is_floating_point_v is_integral_v is_invocable_v "
                   "is_pointer_v is_same_v is_signed_v is_trivially_copyable_v is_unsigned_v is_void_v make_signed_t "
                   "make_unsigned_t remove_cvref_t remove_const_t remove_pointer_t remove_reference_t true_type "
                   "type_identity_t underlying_type_t void_t is_trivially_destructible_v is_constant_evaluated",
    "typeinfo": "bad_cast type_info",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "as_const cmp_less declval exchange forward forward_as_tuple in_place index_sequence index_sequence_for "
               "integer_sequence make_index_sequence make_pair move pair piecewise_construct swap to_underlying unreachable",
    "variant": "get_if holds_alternative monostate variant variant_size_v visit",
    "vector": "vector",
}
# The standard says that these come with the headers on the right too, or that the headers are useless without them.
CONTAINERS = "array deque list map set span string string_view unordered_map unordered_set vector"
ALSO = {
    "begin end cbegin cend rbegin rend size ssize data empty": f"{CONTAINERS} ranges",
    "initializer_list": f"{CONTAINERS} utility",
    "size_t ptrdiff_t": f"{CONTAINERS} atomic functional iterator memory new optional tuple utility variant",
    "erase erase_if": "deque list map set string unordered_map unordered_set vector",
    "get": "array tuple utility variant ranges",
    "getline": "istream",
    "hash": "bitset memory optional string string_view thread variant",
    "in_place": "optional variant",
    "exception": "new stdexcept typeinfo",
    "pair move forward swap": "map unordered_map utility",
    "ios": "fstream iostream istream ostream sstream",
    "flush endl ostream": "iostream fstream sstream",
    "hex fixed scientific": "iomanip iostream fstream sstream",
    "istreambuf_iterator": "fstream iostream istream streambuf",
    "hash less greater": "map set queue",
    "unique_lock": "condition_variable",
    "move copy": "algorithm utility",
    "tuple": "ranges",
    "errc error_code": "charconv filesystem",
    "string": "fstream sstream",
    "time_t": "chrono",
    "ranges::swap_ranges swap_ranges": "algorithm",
    "ranges::begin ranges::end ranges::size ranges::data ranges::empty": f"{CONTAINERS} iterator ranges",
}
# What interfaces are made of: a file that calls a function with one of these has the type.
TYPES = set("array byte chrono deque exception function initializer_list int8_t int16_t int32_t int64_t map move mt19937 mt19937_64 "
            "multiset numeric_limits optional pair ptrdiff_t set shared_ptr size_t span string string_view swap to_string tuple "
            "uint8_t uint16_t uint32_t uint64_t uintptr_t unique_ptr unordered_map unordered_set variant vector forward "
            "begin end size ssize data empty erase erase_if get getline string_literals stod stoi stoll nullopt make_unique make_shared "
            "filesystem hash".split())
BARE = set("int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t intptr_t size_t ptrdiff_t printf fprintf "
           "snprintf memcpy memset memcmp memmove strlen strcmp getenv malloc".split())

SKIPPED = re.compile(r'//[^\n]*|/\*[\s\S]*?\*/|R"(\w{0,16})\([\s\S]*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.M)
NAME = re.compile(r"\bstd::((?:ranges::)?\w+)|(?<![\w.:>])(" + "|".join(sorted(BARE)) + r")\b(?!\s*:[^:])")


@functools.cache
def declaring() -> dict[str, set[str]]:
    """Each name with the headers that declare it."""
    found: dict[str, set[str]] = {}
    for header, names in HEADERS.items():
        for name in names.split():
            found.setdefault(name, set()).add(header)
    for names, headers in ALSO.items():
        for name in names.split():
            found.setdefault(name, set()).update(headers.split())
    return found


@functools.cache
def included(path: Path) -> tuple[frozenset[str], frozenset[Path]]:
    """The standard headers that a file includes itself, by their C++ names, and this project's headers."""
    standard, ours = set(), set()
    for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        beside = [path.parent / name, *(ROOT / place / name for place in SEARCHED)]
        if path.is_relative_to(ROOT / "solutions"):
            beside.append(Path(ROOT, "exercises", *path.relative_to(ROOT / "solutions").parts[:2], name))
        found = next((place.resolve() for place in beside if place.is_file()), None)
        if found:
            ours.add(found)
        else:
            standard.add(f"c{name[:-2]}" if name.endswith(".h") and f"c{name[:-2]}" in HEADERS else name)
    return frozenset(standard), frozenset(ours)


def reached(path: Path) -> set[Path]:
    """A file and every header of this project that it includes, directly or not."""
    found, todo = set(), [path]
    while todo:
        one = todo.pop()
        if one not in found:
            found.add(one)
            todo += included(one)[1]
    return found


def room(path: Path) -> set[Path]:
    """A file and the headers of its room."""
    stem = path.name.split(".")[0]
    folder = "exercises" in path.parts or "solutions" in path.parts
    return {path} | {one for one in included(path)[1]
                     if one.parent == path.parent and one.stem == stem or folder and "lib" not in one.parts}


def lacking(path: Path) -> list[tuple[int, str, set[str]]]:
    """(line, name, headers of which one is wanted) of each standard name, at its first use, whose header is not there."""
    text = SKIPPED.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), path.read_text(encoding="utf-8"))
    own = set().union(*(included(one)[0] for one in room(path)))
    handed = set().union(*(included(one)[0] for one in reached(path)))
    found = {}
    for match in NAME.finditer(text):
        name = match[1] or match[2]
        wanted = declaring().get(name, set())
        has = handed if name in TYPES or "chapters" in path.parts else own
        if name not in found and not wanted & has:
            found[name] = (text.count("\n", 0, match.start()) + 1, name, wanted)
    return list(found.values())


def sources() -> list[Path]:
    """Every C++ file that the check looks at."""
    return sorted(path for top in TOPS for path in (ROOT / top).rglob("*") if path.suffix in SUFFIXES)


def main(arguments: list[str]) -> int:
    files = [Path(name).resolve() for name in arguments] or sources()
    failed = 0
    for path in files:
        missing = lacking(path)
        failed += bool(missing)
        shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
        for line, name, wanted in missing:
            if wanted:
                best = sorted(header for header in wanted if name in HEADERS.get(header, "").split()) or sorted(wanted)
                print(f"{shown}:{line}: std::{name} wants #include <{'> or <'.join(best)}>")
            else:
                print(f"{shown}:{line}: tests/check_includes.py does not know which header declares std::{name}")
    print(f"{len(files) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
