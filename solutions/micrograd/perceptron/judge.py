"""The network with lists of numbers, and its gradients by the chain rule written out layer by layer."""
from math import isfinite, tanh

from recto.judge.judging import Misconception, array_of, integers, matrix, part, show

TOLERANCE = 1e-10   # sums of a few numbers below 10, in any order


def neuron(w, b, x, activation=tanh):
    return activation(sum(weight * value for weight, value in zip(w, x)) + b)


def neuron_gradients(w, b, x):
    slope = 1 - neuron(w, b, x) ** 2
    return [slope * value for value in x], slope, [slope * weight for weight in w]


def layer(w, b, x):
    return [neuron(row, bias, x) for row, bias in zip(w.rows(), b)]


def split(inputs, sizes, parameters):
    """The parameters as layers of (weights, bias)."""
    layers, at = [], 0
    for outputs in sizes:
        rows = [parameters[at + i * (inputs + 1):at + (i + 1) * (inputs + 1)] for i in range(outputs)]
        layers.append([(row[:-1], row[-1]) for row in rows])
        at += outputs * (inputs + 1)
        inputs = outputs
    return layers


def run(sizes, parameters, x, last=tanh, hidden=tanh):
    """The numbers between the layers, from the inputs to the outputs."""
    between = [list(x)]
    layers = split(len(x), sizes, parameters)
    for neurons in layers:
        activation = last if neurons is layers[-1] else hidden
        between.append([neuron(w, b, between[-1], activation) for w, b in neurons])
    return between


def gradients(sizes, parameters, x):
    """Of the sum of the outputs."""
    between, found = run(sizes, parameters, x), []
    above = [1.0] * sizes[-1]
    for neurons, before, after in reversed(list(zip(split(len(x), sizes, parameters), between, between[1:]))):
        slopes = [gradient * (1 - y * y) for gradient, y in zip(above, after)]
        found = [number for slope in slopes for number in [*(slope * value for value in before), slope]] + found
        above = [sum(slope * w[i] for slope, (w, _) in zip(slopes, neurons)) for i in range(len(before))]
    return found, above


def last_layer_first(sizes, parameters, x):
    """The outputs of a network whose list of parameters begins with those of its last layer."""
    sizes, inputs, end, ordered = list(sizes.numbers), len(x), len(parameters), []
    for outputs in sizes:
        count = (inputs + 1) * outputs
        ordered += parameters[end - count:end]
        end, inputs = end - count, outputs
    return run(sizes, ordered, x)[-1]


def size(inputs, sizes):
    """The number of parameters."""
    return sum((before + 1) * after for before, after in zip([inputs, *sizes], sizes))


def bias_of_layer_last(w, b):
    return [number for row in w.rows() for number in row] + list(b)


misconceptions = [
    Misconception("one-number", "neuron", lambda w, b, x: neuron([w[-1]] * len(w), b, x),
                  "all weights of the neuron equal the last one. A copy of a Value is the same number, and a vector filled "
                  "with one Value holds that number many times: make each weight separately"),
    Misconception("no-activation", "neuron", lambda w, b, x: neuron(w, b, x, lambda s: s),
                  "this is the weighted sum with its bias; the tanh is still missing"),
    Misconception("relu-neuron", "neuron", lambda w, b, x: neuron(w, b, x, lambda s: max(s, 0.0)),
                  "this is relu. The activation of a neuron is tanh, which may be negative"),
    Misconception("mean-of-inputs", "neuron", lambda w, b, x: neuron([weight / len(w) for weight in w], b, x),
                  "the weighted sum was divided by the number of inputs: a neuron takes the sum, not the mean"),
    Misconception("no-bias", "neuron", lambda w, b, x: neuron(w, 0, x), "the bias is missing"),
    Misconception("tanh-of-each", "neuron", lambda w, b,
                  x: sum(tanh(weight * value) for weight, value in zip(w, x)) + b,
                  "tanh was applied to each product. The neuron adds first and applies tanh to the sum"),
    Misconception("bias-outside", "neuron", lambda w, b, x: neuron(w, 0, x) + b,
                  "the bias was added after tanh. It belongs to the sum inside tanh"),
    Misconception("bias-first", "neuron_parameters", lambda w, b: [b, *w],
                  "the bias comes first here; the order is the weights, then the bias"),
    Misconception("weights-alone", "neuron_parameters", lambda w, b: list(w),
                  "the bias is a parameter too: training changes only the parameters in the list"),
    Misconception("biases-last", "layer_parameters", bias_of_layer_last,
                  "all weights of the layer come first here, then all biases. The order is neuron after neuron, each with "
                  "its bias after its weights"),
    *(Misconception("one-neuron", function, gives,
                    "all neurons of the layer equal the last one. A copy of a Neuron holds the same Values, so a vector "
                    "filled with one Neuron holds it many times: construct each neuron separately")
      for function, gives in [("layer", lambda w, b, x: [neuron(w.rows()[-1], b[-1], x)] * len(b)),
                              ("layer_parameters", lambda w, b: [*w.rows()[-1], b[-1]] * len(b))]),
    Misconception("first-inputs", "shape", lambda inputs, sizes: [n for s in sizes.numbers for n in (s, inputs)],
                  "every layer was made for the inputs of the network. The inputs of the second layer are the outputs of "
                  "the first"),
    Misconception("copies", says="the numbers returned by parameters() were set, and the network did not change: they are "
                                 "new Values. Return the Values themselves; a copy of a Value is the same number"),
    Misconception("last-layer-first", "network", last_layer_first,
                  "the list begins with the parameters of the last layer. The order is layer after layer, from the inputs on"),
    Misconception("linear-end", "network", lambda sizes, p, x: run(sizes.numbers, p, x, last=lambda s: s)[-1],
                  "the last layer applies no tanh. Its neurons are like all others"),
    Misconception("same-start", says="two neurons start with the same numbers. They then get the same gradients and always "
                                     "stay equal. Draw from the generator in the argument, and do not make a new one"),
    Misconception("outside-the-range", says="some numbers lie outside of -1 to 1. Draw from a uniform distribution, which "
                                            "is bounded; a normal distribution is unbounded"),
    Misconception("half-range", says="no parameter is negative. The range is -1 to 1"),
    Misconception("zero-bias", says="a bias starts at exactly 0. Draw the biases like the weights"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's layers are not allowed here: write them from single numbers"),
]


def some(student, count):
    """Random numbers of two decimals."""
    return [round(student.random.uniform(-1.5, 1.5), 2) for _ in range(count)]


@part("neuron")
def judge_neuron(student):
    student.expect("neuron", [0.5, -1.0], 0.25, [-2.0, 1.5], gives=neuron([0.5, -1], 0.25, [-2, 1.5]), within=TOLERANCE,
                   about="the number that a neuron gives for w, b and x")
    student.expect("neuron", [0.5, -1.0], 0.25, [2.0, 0.5], gives=neuron([0.5, -1], 0.25, [2, 0.5]), within=TOLERANCE,
                   about="the number that a neuron gives for w, b and x")
    for inputs in [1, 2, 3, 7]:
        w, b, x = some(student, inputs), *some(student, 1), some(student, inputs)
        student.expect("neuron", w, b, x, gives=neuron(w, b, x), within=TOLERANCE,
                       about="the number that a neuron gives for w, b and x")
    for inputs in [1, 2, 5]:
        w, b, x = some(student, inputs), *some(student, 1), some(student, inputs)
        student.expect("neuron_gradients", w, b, x, gives=neuron_gradients(w, b, x), within=TOLERANCE,
                       about="the gradients of a neuron with respect to its weights (value 1), its bias (2) and its inputs "
                             "(3)")


@part("parameters")
def judge_parameters(student):
    student.expect("neuron_parameters", [0.5, -1.0], 0.25, gives=[0.5, -1.0, 0.25], about="the parameters of a neuron")
    w = matrix([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    student.expect("layer_parameters", w, [-1.0, -2.0, -3.0], gives=[1.0, 2.0, -1.0, 3.0, 4.0, -2.0, 5.0, 6.0, -3.0],
                   about="the parameters of a layer of three neurons")
    for inputs, sizes in [(3, [4, 4, 1]), (2, [5]), (1, [1]), (5, [2, 3, 4])]:
        wanted = [number for before, after in zip([inputs, *sizes], sizes) for number in (after, before)]
        student.expect("shape", inputs, integers(sizes), gives=integers(wanted),
                       about="for each layer the number of neurons and of weights of each neuron")
        student.expect("count", inputs, integers(sizes), gives=size(inputs, sizes),
                       about="the number of parameters of a network")


@part("network")
def judge_network(student):
    for inputs, outputs in [(2, 3), (1, 1), (4, 2)]:
        w, b, x = matrix([some(student, inputs) for _ in range(outputs)]), some(student, outputs), some(student, inputs)
        student.expect("layer", w, b, x, gives=layer(w, b, x), within=TOLERANCE,
                       about="the numbers that a layer gives for w, b and x")
    for inputs, sizes in [(1, [1]), (2, [2]), (2, [2, 1]), (3, [4, 4, 1]), (2, [3, 5, 2]), (6, [1, 1, 1])]:
        parameters, x = some(student, size(inputs, sizes)), some(student, inputs)
        wanted = run(sizes, parameters, x)[-1]
        first = student.ask("network", integers(sizes), parameters, x, gives=array_of(None), within=TOLERANCE)
        moved = [number + 0.5 for number in parameters]
        second = student.ask("network", integers(sizes), moved, x, gives=array_of(None), within=TOLERANCE)
        if second == first:
            student.check(False, "other parameters were set, and the outputs stayed the same",
                          show(run(sizes, moved, x)[-1]), show(first.numbers), suspect="copies")
        for got, due, given in ((first, wanted, parameters), (second, run(sizes, moved, x)[-1], moved)):
            student.compare(got, due, TOLERANCE,
                            about="the outputs of a network of these sizes, with these parameters, for x",
                            function="network", arguments=(integers(sizes), given, x))


@part("gradients")
def judge_gradients(student):
    for inputs, sizes in [(1, [1]), (2, [2]), (2, [2, 1]), (3, [4, 4, 1]), (2, [3, 2])]:
        parameters, x = some(student, size(inputs, sizes)), some(student, inputs)
        student.expect("gradients", integers(sizes), parameters, x, gives=gradients(sizes, parameters, x),
                       within=TOLERANCE,
                       about="the gradients of the sum of the outputs with respect to the parameters (value 1) and x "
                             "(value 2)")


@part("start")
def judge_start(student):
    about = "the numbers that a network starts with, for a seed of the generator"
    one = [student.ask("start", 3, integers([4, 4, 1]), seed, gives=array_of(None)).numbers for seed in (1, 2)]
    for numbers in one:
        student.check(len(numbers) == 41 and all(isfinite(number) and -1 <= number <= 1 for number in numbers),
                      about, "41 numbers between -1 and 1", show(numbers),
                      "outside-the-range" if any(abs(number) > 1 for number in numbers) else "")
    for at in range(2):
        neurons = [tuple(one[at][4 * i:4 * i + 4]) for i in range(4)]
        student.check(len(set(neurons)) == 4, about, "four different neurons in the first layer",
                      show(neurons[0]) + " twice",
                      suspect="same-start")
        student.check(any(neuron_[3] != 0 for neuron_ in neurons), about, "a bias drawn like the weights", "0",
                      suspect="zero-bias")
        student.check(len(set(one[at])) == 41, about, "41 different numbers", f"{len(set(one[at]))} different ones")
    student.check(one[0] != one[1], "the seeds 1 and 2 give the same start", suspect="same-start")
    many = student.ask("start", 20, integers([30]), student.random.randint(1, 1000), gives=array_of(630)).numbers
    student.check(min(many) < 0, about, "as many negative numbers as positive ones", "none", suspect="half-range")
    # 630 uniform numbers: the standard error of the mean is 0.023, that of the mean square 0.012; five of these
    mean, square = sum(many) / 630, sum(number * number for number in many) / 630
    student.check(abs(mean) < 0.115, "the mean of 630 numbers that start a network", "about 0", f"{mean:.3f}")
    student.check(abs(square - 1 / 3) < 0.06, "the mean square of 630 numbers that start a network", "about 0.333",
                  f"{square:.3f}")
