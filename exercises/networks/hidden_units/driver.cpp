#include "driver.hpp"

#include "hidden_units.hpp"

namespace {

Network network_from(kit::Arguments& in) {
    Network network;
    const int layers = in.next<int>();
    for (int at = 0; at < layers; ++at) {
        Layer layer;
        in.read(layer.weight);
        in.read(layer.bias);
        network.layers.push_back(layer);
    }
    network.zero_gradients();
    return network;
}

Images images_from(kit::Arguments& in) {
    Images images;
    in.read(images.x);
    in.read(images.labels);
    return images;
}

void errors_by_hand(kit::Arguments& in, kit::Answer& out) {
    Network network = network_from(in);
    const Images images = images_from(in);
    out.write(errors(network, images, in.next<int>()));
}

// The losses, then the weights and biases.
void train_by_hand(kit::Arguments& in, kit::Answer& out) {
    Network network = network_from(in);
    const Images images = images_from(in);
    const int batch = in.next<int>(), epochs = in.next<int>();
    out.write(train(network, images, batch, epochs, in.next<double>()));
    for (const Layer& layer : network.layers) {
        out.write(layer.weight);
        out.write(layer.bias);
    }
}

void shares_by_hand(kit::Arguments& in, kit::Answer& out) {
    const auto sizes = in.next<std::vector<int>>();
    const int classes = in.next<int>();
    const Images learn = images_from(in), test = images_from(in);
    Settings how;
    in.read(how.batch);
    in.read(how.epochs);
    in.read(how.rate);
    std::mt19937_64 random{std::uint64_t(in.next<long>())};
    out.write(error_shares(sizes, classes, learn, test, how, random));
}

Images pictures(const std::string& bytes, const Labels& labels) {
    Images images{Matrix(int(labels.size()), int(bytes.size() / labels.size())), labels};
    for (std::size_t i = 0; i < images.x.numbers.size(); ++i)
        images.x.numbers[i] = double(static_cast<unsigned char>(bytes.at(i))) / 255;
    return images;
}

// The same for images of clothes.
std::vector<double> call_table(std::vector<int> sizes, std::string learn, Labels labels, std::string test,
                               Labels test_labels, int batch, int epochs, double rate, long seed) {
    std::mt19937_64 random{std::uint64_t(seed)};
    return error_shares(sizes, 10, pictures(learn, labels), pictures(test, test_labels), {batch, epochs, rate}, random);
}

ConvNet convnet_from(kit::Arguments& in) {
    ConvNet net;
    for (std::size_t at = 0; at < 3; ++at) {
        in.read(net.filters[at]);
        in.read(net.bias[at]);
    }
    in.read(net.weight);
    in.read(net.last_bias);
    return net;
}

// The shapes one after another.
void shapes_by_hand(kit::Arguments& in, kit::Answer& out) {
    const ConvNet net = convnet_from(in);
    const Tensor x = in.next<Tensor>();
    std::vector<int> all;
    for (const std::array<int, 4>& shape : shapes(net, x.shape)) all.insert(all.end(), shape.begin(), shape.end());
    out.write(all);
}

void scores_by_hand(kit::Arguments& in, kit::Answer& out) {
    const ConvNet net = convnet_from(in);
    out.write(scores(net, in.next<Tensor>()));
}

const kit::Function functions[] = {{"errors", errors_by_hand},       {"train", train_by_hand},
                                   {"error_shares", shares_by_hand}, {"error_table", call_table},
                                   {"shapes", shapes_by_hand},       {"scores", scores_by_hand}};

}  // namespace
