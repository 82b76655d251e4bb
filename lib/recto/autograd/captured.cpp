#include <recto/autograd/captured.hpp>

#include <utility>

#include <recto/device/recording.hpp>

namespace RECTO {

Captured::Captured(Device device, std::function<Tensor()> step) : device_(device), step_(std::move(step)) {
    require(device);
}
Captured::~Captured() = default;

Tensor Captured::replay() {
    if (device_ == Device::cpu || !std::exchange(warm_, true)) {
        const Tensor loss = step_();
        return loss.defined() ? loss.detach() : loss;
    }
    if (!recording_)
        recording_ = std::make_unique<detail::Recording>(device_, [this] {
            const Tensor loss = step_();
            result_ = loss.defined() ? loss.detach() : loss;
        });
    recording_->replay();
    return result_;
}

}  // namespace RECTO
