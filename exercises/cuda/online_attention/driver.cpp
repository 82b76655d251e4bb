#include "kernels.hpp"
#include "online_attention.hpp"

using recto::kernels::Buffer;

static kit::Floats attention_of(const kit::Floats& q, const kit::Floats& k, const kit::Floats& v) {
    const int queries = q.shape[0], keys = k.shape[0];
    const Buffer<float> on_q(q.numbers, "q"), on_k(k.numbers, "k"), on_v(v.numbers, "v"), on_y(q.numbers.size(), "y");
    recto::kernels::settings().steps = 2'000'000;  // a thread takes some hundred steps for each of a thousand keys
    recto::kernels::launch({unsigned((queries + group - 1) / group), unsigned(group)}, attention, on_q, on_k, on_v,
                           on_y, queries, keys);
    return {q.shape, on_y.values()};
}
static const kit::Function attention_("attention", kit::with_kernels<attention_of>);
