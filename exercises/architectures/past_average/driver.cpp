#include "driver.hpp"

#include "past_average.hpp"

static std::pair<Matrix, Matrix> call_gradients(Matrix scores, Matrix x, Matrix dy) {
    const Gradients d = gradients(scores, x, dy);
    return {d.scores, d.x};
}

static const kit::Function mean_of_past_("mean_of_past", mean_of_past), mix_("mix", mix),
    mean_matrix_("mean_matrix", mean_matrix), masked_softmax_("masked_softmax", masked_softmax),
    gradients_("gradients", call_gradients);
