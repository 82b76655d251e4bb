// Calls the student's functions one by one. The matrices of the blocks arrive as one matrix, one below another.
#include "driver.hpp"

#include <algorithm>

#include "chain.hpp"

namespace {

using Labels = std::vector<int>;

Matrix stacked(const std::vector<Matrix>& all) {
    Matrix found(0, all.empty() ? 0 : all[0].cols);
    for (const Matrix& one : all) {
        if (one.cols != found.cols) return Matrix();  // not a matrix for each block
        found.rows += one.rows;
        found.numbers.insert(found.numbers.end(), one.numbers.begin(), one.numbers.end());
    }
    return found;
}
Chain chain(int skips, int normalised, const Matrix& enter, const Matrix& blocks, const Matrix& leave) {
    Chain net{skips != 0, normalised != 0, enter, {}, leave};
    const int m = blocks.cols;
    for (int d = 0; m > 0 && d < blocks.rows / m; ++d) {
        Matrix one(m, m);
        std::copy_n(blocks.numbers.begin() + d * m * m, m * m, one.numbers.begin());
        net.blocks.push_back(one);
    }
    return net;
}

std::pair<Matrix, Matrix> call_forward(int skips, int normalised, Matrix enter, Matrix blocks, Matrix leave, Matrix x) {
    const Pass pass = forward(chain(skips, normalised, enter, blocks, leave), x);
    return {stacked(pass.signals), pass.scores};
}
Matrix call_gradients(int skips, int normalised, Matrix enter, Matrix blocks, Matrix leave, Matrix x, Labels labels) {
    return stacked(gradients(chain(skips, normalised, enter, blocks, leave), x, labels));
}
Matrix call_table(int skips, int normalised, Matrix enter, Matrix blocks, Matrix leave, Matrix x, Labels labels) {
    return table(chain(skips, normalised, enter, blocks, leave), x, labels);
}
// The same for images as they are stored, one byte a pixel; their numbers have about the mean 0 and the variance 1.
Matrix clothes(Matrix enter, Matrix blocks, Matrix leave, std::string bytes, Labels labels) {
    const int pixels = enter.rows;
    Matrix x(int(bytes.size()) / pixels, pixels);
    std::transform(bytes.begin(), bytes.end(), x.numbers.begin(),
                   [](char byte) { return (double((unsigned char)byte) / 255 - 0.286) / 0.353; });
    return table(chain(1, 1, enter, blocks, leave), x, labels);
}

const kit::Function functions[] = {
    {"normalise", normalise},  {"normalise_backward", normalise_backward},
    {"forward", call_forward}, {"gradients", call_gradients},
    {"table", call_table},     {"clothes", clothes},
};

}  // namespace
