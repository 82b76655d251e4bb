#include "driver.hpp"

#include <cstdint>

#include "batch_norm_2d.hpp"

namespace {

using Numbers = std::vector<double>;

// An array of doubles with four axes.
Maps read_maps(kit::Arguments& in) {
    char kind = 0;
    std::uint32_t axes = 0;
    std::int32_t sizes[4] = {};
    in.raw(&kind, sizeof kind);
    in.raw(&axes, sizeof axes);
    if (kind != 'D' || axes != 4) throw std::runtime_error("kit: the function takes doubles with four axes");
    in.raw(sizes, sizeof sizes);
    Maps maps(sizes[0], sizes[1], sizes[2], sizes[3]);
    in.raw(maps.numbers.data(), maps.numbers.size() * sizeof(double));
    return maps;
}

void write_maps(kit::Answer& out, const Maps& maps) {
    const std::uint32_t head[] = {4, std::uint32_t(maps.batch), std::uint32_t(maps.channels),
                                  std::uint32_t(maps.height), std::uint32_t(maps.width)};
    std::size_t due = 1;
    for (int axis = 1; axis <= 4; ++axis) due *= head[axis];
    if (due != maps.numbers.size())
        throw std::runtime_error("the result holds " + std::to_string(maps.numbers.size()) +
                                 " numbers, its shape needs " + std::to_string(due));
    out.bytes += 'D';
    out.bytes.append(reinterpret_cast<const char*>(head), sizeof head);
    out.bytes.append(reinterpret_cast<const char*>(maps.numbers.data()), maps.numbers.size() * sizeof(double));
}

// Reads the weight, the bias, the running statistics, the momentum, eps and the mode.
BatchNorm read_norm(kit::Arguments& in) {
    BatchNorm norm;
    for (Numbers* const one : {&norm.weight, &norm.bias, &norm.running_mean, &norm.running_variance})
        *one = in.next<Numbers>();
    norm.momentum = in.next<double>();
    norm.eps = in.next<double>();
    norm.training = in.next<std::string>() == "training";
    return norm;
}

void call_forward(kit::Arguments& in, kit::Answer& out) {
    const Maps x = read_maps(in);
    BatchNorm norm = read_norm(in);
    write_maps(out, forward(norm, x));
}

// The running statistics after one call of forward.
void call_running(kit::Arguments& in, kit::Answer& out) {
    const Maps x = read_maps(in);
    BatchNorm norm = read_norm(in);
    forward(norm, x);
    out.write(norm.running_mean);
    out.write(norm.running_variance);
}

// Whether forward refuses x, and the running statistics afterwards.
void call_refuses(kit::Arguments& in, kit::Answer& out) {
    const Maps x = read_maps(in);
    BatchNorm norm = read_norm(in);
    bool refused = false;
    try {
        forward(norm, x);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    out.write(refused);
    out.write(norm.running_mean);
    out.write(norm.running_variance);
}

std::pair<Matrix, Numbers> call_fold(const Matrix& kernels, const Numbers& added, const Numbers& weight,
                                     const Numbers& bias, const Numbers& mean, const Numbers& variance, double eps) {
    const Convolution found = fold({kernels, added}, {weight, bias, mean, variance, 0.1, eps, false});
    return {found.weight, found.bias};
}

const kit::Function forward_("forward", call_forward), running_("running_statistics", call_running),
    refuses_("refuses", call_refuses), fold_("fold", call_fold);

}  // namespace
