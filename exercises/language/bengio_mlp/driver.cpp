#include "driver.hpp"

#include "bengio_mlp.hpp"

static recto::Tensor tensor(const kit::Floats& floats) {
    return recto::Tensor(recto::Shape(std::vector<recto::Index>(floats.shape.begin(), floats.shape.end())),
                         floats.numbers);
}
static kit::Floats floats(const recto::Tensor& x) {
    kit::Floats found;
    if (!x.defined()) return {{0}, {}};
    for (int axis = 0; axis < x.dim(); ++axis) found.shape.push_back(int(x.size(axis)));
    found.numbers = x.values();
    return found;
}
// The contents of a question: the model, the contexts row after row, and the number of symbols of a context.
static Model model_from(kit::Arguments& in) {
    Model model;
    for (recto::Tensor* p :
         {&model.embedding, &model.hidden_weight, &model.hidden_bias, &model.output_weight, &model.output_bias})
        *p = tensor(in.next<kit::Floats>()).requires_grad_();
    return model;
}
static recto::Integers contexts_from(kit::Arguments& in) {
    const std::vector<recto::Index> symbols = in.next<std::vector<long>>();
    const recto::Index length = in.next<long>();
    return recto::Integers({recto::Index(symbols.size()) / length, length}, symbols);
}
static recto::Integers targets_from(kit::Arguments& in) {
    const std::vector<recto::Index> symbols = in.next<std::vector<long>>();
    return recto::Integers({recto::Index(symbols.size())}, symbols);
}
static void write(kit::Answer& out, const Model& model) {
    for (const recto::Tensor& p :
         {model.embedding, model.hidden_weight, model.hidden_bias, model.output_weight, model.output_bias})
        out.write(floats(p));
}

static void make_model_by_hand(kit::Arguments& in, kit::Answer& out) {
    write(out, make_model(unsigned(in.next<long>())));
}
static void logits_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Model model = model_from(in);
    out.write(floats(logits(model, contexts_from(in))));
}
static void loss_by_hand(kit::Arguments& in, kit::Answer& out) {
    const recto::Tensor scores = tensor(in.next<kit::Floats>());
    out.write(floats(loss(scores, targets_from(in))));
}
static void gradient_by_hand(kit::Arguments& in, kit::Answer& out) {
    const Model model = model_from(in);
    const recto::Integers contexts = contexts_from(in);
    loss(logits(model, contexts), targets_from(in)).backward();
    for (const recto::Tensor& p :
         {model.embedding, model.hidden_weight, model.hidden_bias, model.output_weight, model.output_bias})
        out.write(floats(p.grad()));
}
static void step_by_hand(kit::Arguments& in, kit::Answer& out) {
    Model model = model_from(in);
    const recto::Integers contexts = contexts_from(in), targets = targets_from(in);
    const float rate = in.next<float>();
    for (long times = in.next<long>(); times > 0; --times) step(model, contexts, targets, rate);
    write(out, model);
}

static Model trained;
static void train_by_hand(kit::Arguments& in, kit::Answer& out) {
    trained = make_model(unsigned(in.next<long>()));
    const recto::Integers contexts = contexts_from(in);
    train(trained, contexts, targets_from(in));
    out.write(true);
}
static void predict_by_hand(kit::Arguments& in, kit::Answer& out) {
    out.write(floats(logits(trained, contexts_from(in))));
}

static const kit::Function make_model_("make_model", make_model_by_hand);
static const kit::Function logits_("logits", logits_by_hand);
static const kit::Function loss_("loss", loss_by_hand);
static const kit::Function gradient_("gradient", gradient_by_hand);
static const kit::Function step_("step", step_by_hand);
static const kit::Function train_("train", train_by_hand);
static const kit::Function predict_("predict", predict_by_hand);
