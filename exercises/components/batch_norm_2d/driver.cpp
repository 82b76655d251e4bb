#include "driver.hpp"

#include <utility>

#include "batch_norm_2d.hpp"
#include "tensor.hpp"

namespace {

using Numbers = std::vector<double>;

Maps read_maps(kit::Arguments& in) {
    auto [shape, numbers] = in.next<Tensor>();
    Maps maps(shape[0], shape[1], shape[2], shape[3]);
    maps.numbers = std::move(numbers);
    return maps;
}

void write_maps(kit::Answer& out, const Maps& maps) {
    Tensor y;
    y.shape = {maps.batch, maps.channels, maps.height, maps.width};
    y.numbers = maps.numbers;
    out.write(y);
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
