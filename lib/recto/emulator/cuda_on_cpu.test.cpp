#include <recto/testing/testing.hpp>

#include <algorithm>
#include <fstream>
#include <map>

#include "planted.hpp"
#include "right.hpp"
#include "team.hpp"

using namespace recto;
using kernels::settings;

namespace {

/// Whether this build reports accesses. With AddressSanitizer it does not.
bool seen() { return transpose_counts("naive").counted; }

/// The message with `@name` in place of `planted.cpp:12`, where line 12 ends in `//@name`.
std::string with_marks(std::string message) {
    static const auto marks = [] {
        std::map<int, std::string> found;
        std::ifstream file(RECTO_KERNELS "/planted.cpp");
        std::string line;
        for (int n = 1; std::getline(file, line); ++n)
            if (const auto at = line.find("//@"); at != std::string::npos) found[n] = line.substr(at + 2);
        return found;
    }();
    const std::string file = "planted.cpp:";
    for (std::size_t at = 0; (at = message.find(file, at)) != std::string::npos;) {
        std::size_t digits = 0;
        const int line = std::stoi(message.substr(at + file.size()), &digits);
        const auto mark = marks.find(line);
        if (mark == marks.end()) return message;
        message.replace(at, file.size() + digits, mark->second);
    }
    return message;
}

/// The message of the mistake that running it finds; empty if it finds none.
std::string message_of(const Planted& mistake) {
    try {
        mistake.run();
    } catch (const kernels::Mistake& found) {
        return with_marks(found.what());
    }
    return "";
}

struct InOrder {
    explicit InOrder(unsigned order) { settings().order = order; }
    ~InOrder() { settings() = {}; }
};

// These mistakes are also found in AddressSanitizer's build, without reports of accesses.
const std::map<std::string, std::string> without_accesses = {
    {"barrier_after_return",
     "early_return: thread 0 of block 0 waits at __syncthreads() (@early), but thread 100 of block 0 has returned; all "
     "threads of a block must reach the barrier"},
    {"mask_without_its_own_lane",
     "half_a_warp: thread 16 of block 0 calls __shfl_down_sync (@mask) with the mask 0x0000ffff, which does not name "
     "its "
     "own lane, 16"},
    {"lane_that_is_not_there",
     "small_block: thread 0 of block 0 takes the value of lane 16 by __shfl_down_sync (@absent), but the block has no "
     "such thread"},
    {"shuffle_in_a_branch",
     "parted: thread 0 of block 0 waits at __shfl_xor_sync (@parted-shuffle) with the mask 0xffffffff, which names "
     "lane "
     "16, but thread 16 of block 0 waits at __syncthreads() (@parted-barrier)"},
    {"pointer_of_the_host", "scale: argument 1 points to memory of the host; wanted a Buffer"},
    {"buffer_that_was_freed", "scale: argument 1 points to a buffer that was freed; wanted a Buffer"},
    {"too_many_threads", "set_all: wanted at most 1024 threads in a block, got 32 x 33 x 1 = 1056"},
    {"no_blocks", "set_all: wanted at least one block, got a grid of 0 x 1 x 1"},
    {"too_many_rows", "set_all: wanted a grid of at most 2147483647 x 65535 x 65535 blocks, got 1 x 65536 x 1"},
    {"too_much_shared", "backwards: wanted at most 49152 bytes of shared memory in a block, got 50000"},
};
const std::map<std::string, std::string> with_accesses = {
    {"no_bounds_check", "add: thread 232 of block 3 reads a[1000] (@add), but a has 1000 elements"},
    {"index_below_zero",
     "difference: thread 0 of block 0 reads element -1 of argument 1 (@difference), but argument 1 has 100 elements"},
    {"missing_tail", "values: wanted elements that were written, got 232 of 1000 that never were, from out[768] on"},
    {"index_in_the_wrong_row",
     "transpose_tile: thread (0, 15) of block 0 uses the index 17 (@column) in an array of type float[17]"},
    {"shared_too_small", "shifted: thread 63 of block 0 writes row[64] (@put), but row has 64 elements"},
    {"dynamic_shared_too_small",
     "backwards: thread 63 of block 0 writes dynamic_shared()[63] (@dynamic), but dynamic_shared() has 63 elements"},
    {"uninitialised_buffer", "accumulate: thread 0 of block 0 reads out[0] (@accumulate), which nobody has written"},
    {"uninitialised_shared",
     "tree_sum: thread 36 of block 0 reads part[100] (@tree), which no thread of the block has written"},
    {"missing_barrier",
     "reverse: race for all[32]: thread 31 of block 0 read it (@reverse-read), thread 32 of block 0 writes it "
     "(@reverse-write), and there is no __syncthreads() between"},
    {"changed_while_others_read",
     "normalise: race for all[63]: thread 62 of block 0 read it (@normalise), thread 63 of block 0 writes it "
     "(@normalise), "
     "and there is no __syncthreads() or __syncwarp() between"},
    {"missing_second_barrier",
     "product: race for tile_a[0]: thread (0, 0) of block (0, 0) wrote it (@tile-write), thread (1, 0) of block (0, 0) "
     "reads it (@tile-read), and there is no __syncthreads() or __syncwarp() between"},
    {"missing_syncwarp",
     "warp_sum: race for part[1]: thread 0 of block 0 read it (@warp), thread 1 of block 0 writes it (@warp), and "
     "there "
     "is no __syncthreads() or __syncwarp() between"},
    {"missing_atomic",
     "histogram: race for mine[0]: thread 0 of block 0 wrote it (@histogram), thread 1 of block 0 reads it "
     "(@histogram), "
     "and there is no __syncthreads() or __syncwarp() between; if this is a sum, it takes atomicAdd"},
    {"missing_atomic_across_blocks",
     "sum_of_blocks: race for sum[0]: thread 0 of block 0 wrote it (@blocks), thread 0 of block 1 reads it (@blocks), "
     "and nothing orders the blocks of a launch but atomics; if this is a sum, it takes atomicAdd"},
    {"missing_threadfence",
     "last_block_sums: race for part[0]: thread 0 of block 0 wrote it (@last-write), thread 0 of block 3 reads it "
     "(@last-read), and nothing orders the blocks of a launch but atomics"},
    {"barrier_in_each_branch",
     "branches: thread 0 of block 0 waits at __syncthreads() (@even), but thread 1 of block 0 waits at __syncthreads() "
     "(@odd); all threads of a block must reach the same barrier"},
    {"pointer_of_the_host_in_a_struct", "total: thread 0 of block 0 reads memory of the host (@total)"},
    {"device_memory_on_the_host", "host code: it writes x[3] (@host), which is memory of the device; wanted set()"},
    {"result_before_synchronize",
     "host code: it reads values (@early-look) that a stream still copies; wanted synchronize() before"},
    {"misaligned_vector",
     "copy_by_four: thread 0 of block 0 reads 16 bytes at in[1] (@four), an address that is not a multiple of 16"},
    {"endless_loop",
     "collatz: thread 2 of block 0 has not ended after 1048576 steps (@collatz): an endless loop, or one that waits "
     "for "
     "a block that has not begun"},
};

}  // namespace

TEST_CASE("right kernels give what plain loops give, in any order", "[kernels]") {
    for (const unsigned order : {0u, 1u, 2u, 3u}) {
        const InOrder in_order(order);
        for (const Right& one : right()) {
            INFO(one.name << ", order " << order);
            CHECK(one.emulated() == one.plain());
        }
    }
}

TEST_CASE("every mistake has its own message", "[kernels]") {
    const InOrder in_order(0);
    settings().steps = 1'000'000;
    std::size_t tried = 0;
    for (const Planted& mistake : planted()) {
        INFO(mistake.name);
        if (const auto found = without_accesses.find(mistake.name); found != without_accesses.end()) {
            CHECK(message_of(mistake) == found->second);
            ++tried;
        } else if (seen()) {
            REQUIRE(with_accesses.contains(mistake.name));
            CHECK(message_of(mistake) == with_accesses.at(mistake.name));
            ++tried;
        }
    }
    CHECK(tried == (seen() ? planted().size() : without_accesses.size()));
}

TEST_CASE("mistakes are found in any order, and a mistake leaves nothing behind", "[kernels]") {
    for (const unsigned order : {1u, 2u, 3u}) {
        const InOrder in_order(order);
        settings().steps = 1'000'000;
        for (const Planted& mistake : planted()) {
            if (!seen() && !without_accesses.contains(mistake.name)) continue;
            INFO(mistake.name << ", order " << order);
            CHECK(message_of(mistake) != "");
        }
    }
    settings() = {};
    for (const Right& one : right()) CHECK(one.emulated() == one.plain());
}

TEST_CASE("atomics may give other places in another order", "[kernels]") {
    const std::vector<int> forwards = taken_places();
    const InOrder backwards(1);
    std::vector<int> places = taken_places();
    CHECK(places != forwards);
    std::ranges::reverse(places);
    CHECK(places == forwards);
}

TEST_CASE("a kernel that is not local to its file owns its arrays, and whoever asks hears of its launch", "[kernels]") {
    if (!seen()) SKIP("built with AddressSanitizer, where shared memory is not told from other memory");
    static long heard;
    heard = 0;
    settings().after = [](const kernels::Config& config, const kernels::Counts& counts) {
        heard += long(config.block.x) + long(counts.shared_bytes);
    };
    CHECK(visible_counts().shared_bytes == 64 * 4);
    settings() = {};
    CHECK(heard == 64 + 64 * 4);
}

TEST_CASE("whoever asks is shown what each copy has brought, and may change it", "[kernels]") {
    settings().copied = [](void* to, std::size_t bytes, bool to_host) {
        for (std::size_t i = 0; i < bytes / sizeof(float); ++i) static_cast<float*>(to)[i] += to_host ? 100.0f : 10.0f;
    };
    const kernels::Buffer<float> buffer(std::vector<float>{1, 2, 3}, "x");
    const std::vector<float> back = buffer.values();
    settings() = {};
    CHECK(back == std::vector<float>{111, 112, 113});
    CHECK(buffer.values() == std::vector<float>{11, 12, 13});
}

TEST_CASE("transactions and bank conflicts tell transposes apart", "[kernels]") {
    if (!seen()) SKIP("built with AddressSanitizer, which leaves no room for seeing accesses");
    const auto naive = transpose_counts("naive"), tile = transpose_counts("tile"), padded = transpose_counts("padded");
    // 4096 numbers, 32 at a time; each group fills a line of 128 bytes.
    for (const auto& counts : {naive, tile, padded}) {
        CHECK(counts.loads.requests == 128);
        CHECK(counts.loads.transactions == 128);
        CHECK(counts.loads.sectors == 128 * 4);
        CHECK(counts.stores.requests == 128);
        CHECK(counts.stores.ideal_transactions == 128);
    }
    CHECK(naive.stores.transactions == 128 * 32);
    CHECK(naive.stores.sectors == 128 * 32);
    CHECK(naive.shared.requests == 0);
    CHECK(naive.barriers == 0);
    CHECK(tile.stores.transactions == 128);
    CHECK(tile.shared.worst_conflict == 32);
    CHECK(tile.shared.passes == 128 + 128 * 32);
    CHECK(tile.shared_bytes == 32 * 32 * 4);
    CHECK(tile.barriers == 4);
    CHECK(padded.stores.transactions == 128);
    CHECK(padded.shared.worst_conflict == 1);
    CHECK(padded.shared.passes == 256);
    CHECK(padded.shared.ideal_passes == 256);
    REQUIRE(naive.lines.size() == 2);
    CHECK_FALSE(naive.lines[0].store);
    CHECK(naive.lines[1].store);
    CHECK(naive.lines[0].where == naive.lines[1].where);
    CHECK(naive.lines[1].global.transactions == 128 * 32);
    CHECK_THAT(naive.lines[0].where, Catch::Matchers::StartsWith("right.cpp:"));
}

TEST_CASE("reads of a __constant__ are no reads of global memory", "[kernels]") {
    if (!seen()) SKIP("built with AddressSanitizer, which leaves no room for seeing accesses");
    const auto counts = constant_counts();
    CHECK(counts.loads.requests == 1);  // of the __device__ array
    CHECK(counts.loads.transactions <= 2);
    CHECK(counts.stores.requests == 1);
    CHECK(counts.shared.requests == 0);
    CHECK_THAT(
        constant_written(),
        Catch::Matchers::Matches(
            R"(raise_factor: thread 0 of block 0 writes factors\[1\] \(right\.cpp:\d+\), which is __constant__: kernels only read it)"));
}

TEST_CASE("four numbers at a time take a quarter of the requests", "[kernels]") {
    if (!seen()) SKIP("built with AddressSanitizer, which leaves no room for seeing accesses");
    const auto one = copy_counts(false), four = copy_counts(true);
    CHECK(one.loads.requests == 4);
    CHECK(four.loads.requests == 1);
    CHECK(four.loads.transactions == one.loads.transactions);
    CHECK(four.stores.sectors == one.stores.sectors);
}

TEST_CASE("a GPU's team adds in the order of device sim, bit for bit", "[kernels]") {
    Generator random(1);
    for (const Index width : {1, 127, 128, 129, 1000}) {
        std::vector<Real> x(std::size_t(5 * width));
        for (Real& value : x) value = Real(random.next_normal());
        for (const unsigned order : {0u, 1u, 2u}) {
            const InOrder in_order(order);
            INFO("width " << width << ", order " << order);
            CHECK(softmax_on_emulator(x, 5) == softmax_on_sim(x, 5));
        }
    }
}

TEST_CASE("a product of 128 x 128 x 128 is emulated in well under a second", "[kernels][speed]") {
    CHECK(seconds_of_a_product() < 1);
}
