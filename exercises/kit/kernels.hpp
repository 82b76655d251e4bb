#pragma once
// For the drivers of exercises with kernels:
//
//     std::vector<float> scaled(const std::vector<float>& x, float factor);   // launches what the student wrote
//     static const kit::Function scaled_("scaled", kit::with_kernels<scaled>);
//
// The last argument of every question is the order in which the emulator runs the threads: `threads forwards`, `threads
// backwards`, `threads shuffled 17`. The last two values of every answer say how the work was launched
// (tools/recto/judge/kernels.py is the other side). All of it is in an anonymous namespace, so that no other file of the program
// can put something of its own in its place.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver.hpp"
#include <recto/emulator/cuda_on_cpu.hpp>

namespace kit {
namespace {

// All launches of one question.
struct Launches {
    long launches = 0, blocks = 0, threads = 0, largest_block = 0, shared_bytes = 0;
    bool counted = true;
    recto::kernels::Traffic loads, stores;
    recto::kernels::SharedTraffic shared;
    long atomics = 0, barriers = 0;
};
Launches launches;

void add(recto::kernels::Traffic& to, const recto::kernels::Traffic& more) {
    to.requests += more.requests;
    to.transactions += more.transactions;
    to.ideal_transactions += more.ideal_transactions;
}

void note_launch(const recto::kernels::Config& config, const recto::kernels::Counts& counts) {
    const long blocks = long(config.grid.x) * config.grid.y * config.grid.z,
               block = long(config.block.x) * config.block.y * config.block.z;
    launches.launches += 1;
    launches.blocks += blocks;
    launches.threads += blocks * block;
    launches.largest_block = std::max(launches.largest_block, block);
    launches.shared_bytes = std::max(launches.shared_bytes, long(counts.shared_bytes));
    launches.counted = launches.counted && counts.counted;
    add(launches.loads, counts.loads);
    add(launches.stores, counts.stores);
    launches.shared.requests += counts.shared.requests;
    launches.shared.passes += counts.shared.passes;
    launches.shared.ideal_passes += counts.shared.ideal_passes;
    if (counts.shared.worst_conflict > launches.shared.worst_conflict) {
        launches.shared.worst_conflict = counts.shared.worst_conflict;
        launches.shared.worst_where = counts.shared.worst_where;
    }
    launches.atomics += counts.atomics;
    launches.barriers += counts.barriers;
}

// `threads shuffled 17` as the emulator takes it.
unsigned order_of(const std::string& words) {
    if (words == "threads forwards") return 0;
    if (words == "threads backwards") return 1;
    const std::string shuffled = "threads shuffled ";
    if (words.rfind(shuffled, 0) != 0) throw std::runtime_error("kit: unknown order of threads: " + words);
    return unsigned(std::stoul(words.substr(shuffled.size())));
}

// Maps the bits of every number on the host to the number that the device gets instead, and back.
std::map<std::uint32_t, std::uint32_t> hidden, shown;

// Exchanges the numbers of a copy between host and device. A result computed on the host comes from the wrong numbers.
void exchange(void* to, std::size_t bytes, bool to_host) {
    const auto& table = to_host ? shown : hidden;
    std::uint32_t word = 0;
    for (char* at = static_cast<char*>(to); bytes >= sizeof word; at += sizeof word, bytes -= sizeof word) {
        std::memcpy(&word, at, sizeof word);
        if (const auto found = table.find(word); found != table.end()) std::memcpy(at, &found->second, sizeof word);
    }
}

void hide(const std::vector<float>& host, const std::vector<float>& device) {
    if (host.size() != device.size()) throw std::runtime_error("kit: the judge hides another count of numbers than it shows");
    for (std::size_t i = 0; i < host.size(); ++i) {
        std::uint32_t one = 0, other = 0;
        std::memcpy(&one, &host[i], sizeof one);
        std::memcpy(&other, &device[i], sizeof other);
        hidden[one] = other;
        shown[other] = one;
    }
}

template <bool hides, class R, class... A>
void call_with_kernels(R (*function)(A...), Arguments& in, Answer& out) {
    std::tuple<std::decay_t<A>...> arguments{in.next<std::decay_t<A>>()...};
    recto::kernels::Settings& settings = recto::kernels::settings();
    hidden.clear();
    shown.clear();
    if constexpr (hides) hide(std::get<0>(arguments), in.next<std::vector<float>>());
    settings.copied = hides ? exchange : nullptr;
    settings.order = order_of(in.next<std::string>());
    settings.steps = 100'000;  // limit for each thread, far above the needs of every exercise
    settings.after = note_launch;
    launches = Launches{};
    try {
        out.write(std::apply([&](auto&... value) -> R { return function(value...); }, arguments));
        recto::kernels::Stream().synchronize();  // a mistake of host code is reported by the next call, and this is one
    } catch (const recto::kernels::Mistake& mistake) {
        throw std::runtime_error(std::string("a mistake in the kernel or around it: ") + mistake.what());
    }
    const auto& [loads, stores, shared] = std::tie(launches.loads, launches.stores, launches.shared);
    out.write(std::vector<long>{launches.counted && launches.launches > 0, launches.launches, launches.blocks,
                                launches.threads, launches.largest_block, launches.shared_bytes, loads.requests,
                                loads.transactions, loads.ideal_transactions, stores.requests, stores.transactions,
                                stores.ideal_transactions, shared.requests, shared.passes, shared.ideal_passes,
                                shared.worst_conflict, launches.atomics, launches.barriers});
    out.write(shared.worst_where);
}

// Calls a function that launches kernels, and appends the launches to its answer.
template <auto function>
void with_kernels(Arguments& in, Answer& out) {
    call_with_kernels<false>(function, in, out);
}

// The same, where the function's first argument is an array whose numbers are exchanged for those of another one on their way to
// the device: the question has that array before the order. On a GPU nothing is exchanged.
template <auto function>
void with_hidden_numbers(Arguments& in, Answer& out) {
    call_with_kernels<true>(function, in, out);
}

}  // namespace
}  // namespace kit
