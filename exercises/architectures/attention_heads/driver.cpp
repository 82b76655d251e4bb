#include "driver.hpp"

#include "attention_heads.hpp"

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

kit::Floats call_weights(kit::Floats x, kit::Floats query, kit::Floats key) {
    return floats(head_weights(tensor(x), tensor(query), tensor(key)));
}
kit::Floats call_head(kit::Floats x, kit::Floats query, kit::Floats key, kit::Floats value) {
    return floats(head(tensor(x), tensor(query), tensor(key), tensor(value)));
}
kit::Floats call_attention(long heads, kit::Floats query, kit::Floats key, kit::Floats value, kit::Floats output,
                           kit::Floats x) {
    return floats(attention({heads, tensor(query), tensor(key), tensor(value), tensor(output)}, tensor(x)));
}

// The gradients of the sum of dy times the attention: of the four matrices, then of x.
void gradients_by_hand(kit::Arguments& in, kit::Answer& out) {
    Attention a;
    a.heads = in.next<long>();
    for (recto::Tensor* p : {&a.query, &a.key, &a.value, &a.output})
        *p = tensor(in.next<kit::Floats>()).requires_grad_();
    const recto::Tensor x = tensor(in.next<kit::Floats>()).requires_grad_(), dy = tensor(in.next<kit::Floats>());
    const recto::Tensor y = attention(a, x);
    if (y.requires_grad()) recto::sum(y * dy).backward();
    for (const recto::Tensor& p : {a.query, a.key, a.value, a.output, x}) out.write(floats(p.grad()));
}

const kit::Function weights_("head_weights", call_weights), head_("head", call_head),
    attention_("attention", call_attention), gradients_("gradients", gradients_by_hand);

}  // namespace
