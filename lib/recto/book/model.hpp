#pragma once
/// @file
/// Frozen models: networks that are trained once, kept in `models/` with their origin, and computed with wherever they
/// are needed.
#include <concepts>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <recto/book/study.hpp>
#include <recto/io/checkpoint.hpp>
#include <recto/nn/module.hpp>

namespace RECTO::book {

/// The files of a model, beside the folder of the studies.
class ModelFiles {
public:
    /// The files of the model with this name.
    explicit ModelFiles(const std::string& name);

    std::string weights;     ///< models/NAME.safetensors: what pages load
    std::string checkpoint;  ///< models/NAME.checkpoint.safetensors: the training when nine tenths of it were done
    std::string begun;       ///< a training that this program began and did not finish

    /// Writes the weights, with the origin as notes, and removes what was begun. @throws Error when a file cannot be
    /// written
    void keep(const NamedTensors& state, const std::string& measure, double value) const;
    /// The number of weights that differ from those that are kept. @throws Error when they are not there or have other
    /// names or shapes
    Index different(const NamedTensors& state) const;
    /// Compares weights with those that are kept. @throws Error when a bit differs, and the same compiler made both
    void compare(const NamedTensors& state) const;
    /// Reads the weights into a network. @throws Error when they are not there or do not fit
    void load(const NamedTensors& into) const;
};

/// Whether a training from now on runs from its beginning and keeps its model, as with `--full`. At first it does not:
/// it repeats the last tenth of the steps from the kept checkpoint and compares.
void keep_models(bool keep = true);
/// What keep_models() was told.
bool keeping_models();

/// A training that can stop after any step and continue in another process, with the same bits:
///
///     struct Detecting {
///         static constexpr Index last = 2000;  // steps, at least 10
///         Generator random{book::seed()};
///         nn::Detector net{random};
///         optim::Adam adam{nn::parameters(net)};
///         Index steps = 0;                     // so far
///         void step();                         // also counts `steps`
///         double judge();                      // the evaluation, at the end
///         void visit(auto&& part) { part("random", random), part("net", net), part("adam", adam), part("steps", steps); }
///     };
template <class T>
concept Training = std::default_initializable<T> && requires(T& training) {
    { T::last } -> std::convertible_to<Index>;
    { training.steps } -> std::convertible_to<Index>;
    training.step();
    { training.judge() } -> std::convertible_to<double>;
    training.visit([](std::string_view, auto&) {});
    nn::state(training.net);
};

/// A model of a page, a constant at namespace scope like a Study:
///
///     const book::Model<Detecting> detector({"detector", "mAP at 0.5", {"fig-6.2/c"}});
///     detector.load(net);  // a network of the same shape
///
/// It is a study of one cell: `recto run PAGE --full` trains it and writes its files, figures/NAME.csv among them; a run
/// that was interrupted continues from its last checkpoint. `--again`, which `tests/frozen.py` calls, loads the kept
/// checkpoint, does the last steps, and compares weights bit for bit and the evaluation within the tolerance.
template <Training T>
class Model {
public:
    /// Name and evaluation of a model.
    struct About {
        std::string name;                     ///< its files are models/NAME.safetensors and figures/NAME.csv
        std::string measure;                  ///< what T::judge() measures
        std::vector<std::string> parts = {};  ///< parts of the register whose verdict rests on it
        double tolerance = 1e-3;              ///< largest relative difference of a repeated evaluation
    };

    /// @param about  its name and evaluation
    explicit Model(const About& about)
        : about_(about),
          study_({about.name, {"steps"}, {about.measure}, about.parts, about.tolerance}, {{double(T::last)}},
                 [this](const Study::Row&) { return Study::Row{train()}; }) {}

    /// Reads the kept weights into a network; the page shows where they are from. @throws Error when they are not
    /// there or do not fit
    template <class Net>
    void load(const Net& net, Place where = Place::here()) const {
        study_.frozen(where);
        ModelFiles(about_.name).load(nn::state(net));
    }
    /// The number of weights of a network that differ from the kept ones.
    template <class Net>
    Index different(const Net& net) const {
        return ModelFiles(about_.name).different(nn::state(net));
    }
    /// The evaluation at the end of the training.
    double kept(Place where = Place::here()) const { return study_.frozen(where).column(about_.measure)[0]; }

private:
    static constexpr Index between = 200;  // steps between two checkpoints of a training that may be interrupted
    static_assert(T::last >= 10);

    /// The study's cell: @return the evaluation.
    double train() const {
        const ModelFiles files(about_.name);
        T training;
        if (!keeping_models()) {
            io::load_checkpoint(files.checkpoint, training);
            while (training.steps < T::last) training.step();
            files.compare(nn::state(training.net));
            return training.judge();
        }
        if (std::filesystem::exists(files.begun)) io::load_checkpoint(files.begun, training);
        while (training.steps < T::last) {
            if (training.steps == T::last - T::last / 10) io::save_checkpoint(files.checkpoint, training);
            training.step();
            if (training.steps % between == 0) io::save_checkpoint(files.begun, training);
        }
        const double value = training.judge();
        files.keep(nn::state(training.net), about_.measure, value);
        return value;
    }

    About about_;
    Study study_;
};

}  // namespace RECTO::book
