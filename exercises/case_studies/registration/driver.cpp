#include "driver.hpp"

#include "registration.hpp"

namespace {

recto::Tensor tensor(const kit::Floats& floats) {
    return recto::Tensor(recto::Shape(std::vector<recto::Index>(floats.shape.begin(), floats.shape.end())),
                         floats.numbers);
}
kit::Floats floats(const recto::Tensor& x) {
    kit::Floats found;
    if (!x.defined()) return {{0}, {}};
    for (int axis = 0; axis < x.dim(); ++axis) found.shape.push_back(int(x.size(axis)));
    found.numbers = x.values();
    return found;
}

kit::Floats call_compare(kit::Floats own, kit::Floats map, long step) {
    return floats(compare(tensor(own), tensor(map), step));
}

// The loss of any number of flows, and its gradient with respect to each of them.
void loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    const recto::Tensor truth = tensor(in.next<kit::Floats>());
    std::vector<recto::Tensor> flows;
    for (long left = in.next<long>(); left > 0; --left)
        flows.push_back(tensor(in.next<kit::Floats>()).requires_grad_());
    const recto::Tensor found = loss(flows, truth);
    if (found.requires_grad() && found.numel() == 1) found.backward();
    out.write(floats(found));
    for (const recto::Tensor& flow : flows) out.write(floats(flow.grad()));
}

// The flows of a model without any training.
kit::Floats untrained(long seed, kit::Floats images, kit::Floats maps) {
    recto::Generator random{std::uint64_t(seed)};
    return floats(propose(random)->flow(tensor(images), tensor(maps)));
}

std::unique_ptr<Model> trained;
bool train(long seed) {
    recto::Generator random{std::uint64_t(seed)};
    trained = propose(random);
    trained->train(random);
    return true;
}
kit::Floats flow(kit::Floats images, kit::Floats maps) { return floats(trained->flow(tensor(images), tensor(maps))); }

const kit::Function functions[] = {
    {"compare", call_compare}, {"loss", loss_by_hand}, {"untrained", untrained}, {"train", train}, {"flow", flow},
};

}  // namespace
