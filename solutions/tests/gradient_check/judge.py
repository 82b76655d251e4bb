"""A gradient check, tried on right and wrong gradients at points of many sizes. candidates.cpp holds them by number."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, Pattern, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="crashed", matches="index outside",
                  says="df(x) may have fewer components than x. Compare the sizes before you read an element, and return "
                       "false if they differ"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's gradient check is not allowed here: write it yourself"),
]


def right(number, x, what, name="", says=""):
    """A right gradient at x."""
    return Candidate(number, True, what, name, says, (x,))


def wrong(number, x, what, name="", says=""):
    """A wrong gradient at x."""
    return Candidate(number, False, what, name, says, (x,))


def try_check(student, candidates, patterns=()):
    try_test(student, "gradient_is_right", candidates, patterns, thing="gradient")


def points(student, count, low=0.5, high=2.0):
    """Numbers of about the same size, every second one negative."""
    return [student.random.uniform(low, high) * (-1) ** i for i in range(count)]


def positive(student, count, low=0.5, high=2.0):
    """Positive numbers of about the same size."""
    return [student.random.uniform(low, high) for _ in range(count)]


PLAIN = "the gradient of a sum of squares and products"
REFUSES_PLAIN = ("refuses-the-plain-one", "try the check on a function whose gradient you know, such as x * x. Rounding "
                                          "alone makes measured derivatives differ from exact ones, most of all for a very "
                                          "small step")
SMALL_STEP = ("step-too-small", "f is known to thirteen digits, but the difference of two close values of f to far fewer; "
                                "divided by a tiny step it is only noise. Take a larger step")
MEASURE = ("compares-too-little", "measure the derivative along each component, and compare it with that component")


TWICE = Pattern("not-divided-by-two", "right gradients are refused, and gradients of twice the right size are accepted: "
                                      "from x - h to x + h the distance is 2 h", missed=(15, 1, 21))


@part("ordinary")
def ordinary(student):
    four = positive(student, 4)
    try_check(student, [
        right(15, [2.0, 1.0], "the gradient of x_0 x_0 + 3 x_1, the example of the statement", *REFUSES_PLAIN),
        right(1, four, PLAIN, *REFUSES_PLAIN),
        right(2, points(student, 5), "the gradient of an average of squares", *REFUSES_PLAIN),
        right(3, positive(student, 3), "the gradient of x A x for a matrix A that is not symmetric", *REFUSES_PLAIN),
        right(4, points(student, 4), "the gradient of a sum of absolute values, away from 0", *REFUSES_PLAIN),
        wrong(22, four, "a gradient with the wrong sign", "sign-blind",
              "the check ignores signs: a step along this gradient would go down instead of up"),
        wrong(25, [1.75, 1.0, 0.5], "the right components, two of them exchanged", "sums-only",
              "the order of the components matters. Compare component with component, not sums or sorted lists"),
        wrong(21, four, "a gradient of twice the right size", "any-size",
              "the check must compare sizes, not only directions"),
        wrong(48, [2.0, 1.0], "the gradient of x_0 x_0 + 3 x_1 without the factor 2", *MEASURE),
        wrong(24, four, "a gradient that is zero everywhere", *MEASURE),
        wrong(23, positive(student, 4), "the gradient of a product of neighbours, with one factor forgotten", *MEASURE),
        wrong(26, positive(student, 3), "2 A x for the gradient of x A x, which is right for symmetric matrices "
              "only", *MEASURE),
        wrong(27, points(student, 5), "the gradient of a sum although f is an average: too large by the number of terms",
              *MEASURE),
        wrong(28, [-value for value in points(student, 4)], "the gradient of a sum of absolute values as if all numbers "
                                                            "were positive, but some are negative", *MEASURE),
        right(29, points(student, 3), "a gradient that is clipped at 10, for an x whose derivatives are smaller",
              "looks-elsewhere", "the question is about this x: measure there, and nowhere else"),
        wrong(29, points(student, 3, 20, 40), "a gradient that is clipped at 10, for an x whose derivatives are larger",
              "looks-elsewhere", "the question is about this x: measure there, and nowhere else"),
    ], (TWICE,))


@part("components")
def components(student):
    many = positive(student, 300)
    every = ("not-every-component", "one component is wrong, and the check does not test it. Measure along all components")
    length = ("forgets-length", "df(x) must have as many components as x. Compare the sizes before you read an element")
    nan = ("ignores-nan", "every comparison with a NaN is false, so `if (difference > tolerance) return false` lets it "
                          "pass. Write `if (!(difference <= tolerance)) return false` instead")
    try_check(student, [
        right(1, [1.5], "the gradient of a function of one number", *REFUSES_PLAIN),
        right(1, many, "the gradient of a sum of squares and products of 300 numbers", *SMALL_STEP),
        right(5, [0.75, 2.0, 1.25], "a gradient with a zero component, because f does not depend on that "
                                    "number", "zero-over-zero", "if the measured derivative and the component are both "
                                                                "zero, a relative error is 0 / 0. Multiply the tolerance "
                                                                "by the size instead of dividing the difference by it"),
        right(14, [0.75, 1.5], "a gradient with a component of 750 and one of 0.003", *REFUSES_PLAIN),
        wrong(30, positive(student, 4), "a gradient of which only the last component is wrong", *every),
        wrong(31, positive(student, 4), "a gradient of which only the first component is wrong", *every),
        wrong(32, many, "a gradient of 300 components, of which one in the middle is wrong", *every),
        wrong(36, positive(student, 4), "a gradient with one component too large by 0.5 and another too small by "
              "0.5", "errors-cancel", "two errors cancel in a sum. Judge each component alone"),
        wrong(33, positive(student, 5), "a gradient with a component that is NaN", *nan),
        wrong(34, positive(student, 4), "a gradient that lacks its last component", *length),
        wrong(35, positive(student, 4), "a gradient with one component too many", *length),
        wrong(37, [student.random.uniform(0.5, 1), student.random.uniform(1, 2)],
              "a gradient whose small component, beside one that is 100000 times as large, is wrong by a factor of "
              "2", "norm-only", "compared with the length of the whole gradient, an error in a small component disappears. "
                                "Judge each component alone, relative to its own size"),
    ])


@part("digits")
def digits(student):
    steep = [student.random.uniform(0.75, 0.85), -student.random.uniform(0.55, 0.65)]
    kinks = [1 + student.random.uniform(0.003, 0.005), 1 - student.random.uniform(0.003, 0.005),
             student.random.uniform(2, 3)]
    large_step = ("step-too-large", "the step goes across the kink. The statement gives the distance of the kink: take a "
                                    "smaller step")
    side = ("one-sided", "a one-sided difference between x and x + h is wrong by h times half the second derivative. A "
                         "symmetric difference cancels this error. If yours is symmetric, the step is too large")
    loose = ("too-loose", "this component is wrong by more than one part in 5000, and the check accepted it: the tolerance "
                          "is too large")
    try_check(student, [
        right(1, positive(student, 4), PLAIN, *REFUSES_PLAIN),
        right(8, positive(student, 4, 1, 2), "the gradient of a function that is rounded in its thirteenth digit",
              *SMALL_STEP),
        right(7, kinks, "the gradient of a function with kinks nearby, on the right side of them", *large_step),
        right(16, positive(student, 80, 0.95, 1.05), "the gradient of a product of 80 numbers", "moves-stay",
              "each derivative depends on all other components here. Restore a component before you move the next one"),
        right(6, steep, "the gradient of a strongly curved function", *side),
        wrong(38, positive(student, 4), "a gradient that is too large by one part in 5000", *loose),
        wrong(41, positive(student, 4, 1, 2), "a gradient of a rounded function whose first component is wrong by "
              "three parts in 10000", *loose),
        wrong(39, kinks, "the derivative on the wrong side of a kink", *loose),
        wrong(40, steep, "a gradient of a steep function, one component of which is wrong by one part in 40",
              *loose),
        wrong(21, positive(student, 4), "a gradient of twice the right size", *loose),
        wrong(33, positive(student, 4), "a gradient with a component that is NaN", *loose),
    ])


@part("scale")
def scale(student):
    def mixed():
        return [size * student.random.uniform(1, 2) for size in (1e-6, 5e5, 1e-3, 1e3, 1, 1e-5)]
    fixed_step = ("absolute-step", "one step cannot fit all components: a small step for 1000000 is enormous for 0.000001. "
                                   "Make the step proportional to the component of x")
    zero_step = ("step-zero", "a step proportional to x[i] is 0 if x[i] is 0: take a fixed step in that case")
    fixed = ("absolute-tolerance", "a fixed tolerance cannot work for derivatives between 0.000000000001 and "
                                   "1000000000000. Make it proportional to the derivative, and add a term for the rounding "
                                   "of f, which grows with f")
    bottom = ("relative-only", "the true derivative is 0 here, and the measured one is rounding error. A tolerance "
                               "proportional to the derivative refuses it: add a term for the rounding of f, at most 1e-13 "
                               "|f(x)| divided by the step")
    valley = [1.0, student.random.uniform(1, 2), 1.0]
    with_zeros = [0.0, student.random.uniform(1, 2), 0.0, -student.random.uniform(0.5, 1)]
    try_check(student, [
        right(10, with_zeros, "the gradient of a sum of sines, with some numbers of x equal to 0", *zero_step),
        right(9, mixed(), "the gradient of a sum of logarithms, of numbers from 0.000001 to 1000000", *fixed_step),
        right(4, points(student, 4, 1e-6, 2e-6), "the gradient of a sum of absolute values of numbers near 0",
              *fixed_step),
        right(2, points(student, 4, 1e5, 1e6), "the gradient of an average of squares of large numbers",
              *fixed_step),
        wrong(45, positive(student, 4), "a very small gradient of twice the right size: about 0.000000000001",
              *fixed),
        right(13, positive(student, 4), "the gradient of a function with values around 1000000000000", *fixed),
        right(12, positive(student, 4), "the gradient of a function with values around 0.000000000001", *fixed),
        right(11, valley, "the gradient at the bottom of a valley, where it is 0 along two components, and f is "
              "rounded", *bottom),
        wrong(42, mixed(), "the gradient of a sum of logarithms, too large by four parts in 10000", *fixed),
        wrong(43, mixed(), "the gradient of a sum of logarithms with one component, of about 0.000003, that is twice the "
                           "right size", *fixed),
        wrong(46, positive(student, 4), "a gradient of about 1000000000000, too large by three parts in 10000", *fixed),
        wrong(44, with_zeros, "a gradient that is wrongly 0 wherever x is 0", *zero_step),
        wrong(47, valley, "a gradient at the bottom of a valley that is 1 where it should be 0", *bottom),
    ])
