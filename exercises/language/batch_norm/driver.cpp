#include "driver.hpp"

#include "batch_norm.hpp"

using Four = std::tuple<Matrix, Matrix, Matrix, Matrix>;

static Four four(const BatchNorm& norm) { return {norm.gain, norm.bias, norm.running_mean, norm.running_std}; }

static Four make(int hidden) { return four(make_batch_norm(hidden)); }
static std::tuple<Matrix, Matrix, Matrix> training(Matrix gain, Matrix bias, Matrix mean, Matrix deviation, Matrix x,
                                                   double momentum) {
    BatchNorm norm{gain, bias, mean, deviation};
    const Matrix y = normalise_training(norm, x, momentum);
    return {y, norm.running_mean, norm.running_std};
}
static Matrix evaluation(Matrix gain, Matrix bias, Matrix mean, Matrix deviation, Matrix x) {
    return normalise_evaluation({gain, bias, mean, deviation}, x);
}
static std::tuple<Matrix, Matrix, Matrix> gradients(Matrix gain, Matrix bias, Matrix x, Matrix dy) {
    const Gradients found = backward({gain, bias, Matrix(1, x.cols, 0), Matrix(1, x.cols, 1)}, x, dy);
    return {found.dx, found.dgain, found.dbias};
}
// Whether the student's functions refuse a layer with buffers of this width.
static bool refuses(int buffers, int hidden, bool in_training) {
    BatchNorm norm{Matrix(1, buffers, 1), Matrix(1, buffers), Matrix(1, buffers), Matrix(1, buffers, 1)};
    try {
        const Matrix x(4, hidden, 0.5);
        in_training ? normalise_training(norm, x, 0.1) : normalise_evaluation(norm, x);
    } catch (const std::invalid_argument&) {
        return true;
    } catch (const std::out_of_range&) {  // an index out of range is no refusal
        return false;
    }
    return false;
}

static const kit::Function make_("make_batch_norm", make);
static const kit::Function training_("normalise_training", training);
static const kit::Function evaluation_("normalise_evaluation", evaluation);
static const kit::Function backward_("backward", gradients);
static const kit::Function refuses_("refuses", refuses);
static const kit::Function saturation_("saturation", saturation);
