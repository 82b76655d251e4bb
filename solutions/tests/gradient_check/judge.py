"""A gradient check, tried on right and wrong gradients at points of many sizes. candidates.cpp holds them by number."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, Pattern, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="crashed", matches="index outside",
                  says="df(x) may have fewer components than x. Compare the sizes before you look at an element, "
                  "and return false where they differ"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own gradient check is what you are asked to write"),
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
    """Numbers of about one size, every second one negative."""
    return [student.random.uniform(low, high) * (-1) ** i for i in range(count)]


def positive(student, count, low=0.5, high=2.0):
    """Positive numbers of about one size."""
    return [student.random.uniform(low, high) for _ in range(count)]


PLAIN = "the gradient of a sum of squares and products"
REFUSES_PLAIN = ("refuses-the-plain-one", "try the check on a function whose gradient you know, such as x * x. "
                 "Rounding alone makes measured slopes differ from exact ones: more so if the step is very small")
SMALL_STEP = ("step-too-small", "f is known to thirteen digits, and the difference of two of its values to far "
              "fewer if they lie close together; divided by a tiny step, what is left is noise. Take a larger step")
MEASURE = ("compares-too-little", "does the check measure the slope along each component, and compare it with that "
           "component?")


TWICE = Pattern("not-divided-by-two", "right gradients are refused, and those of twice the right size accepted: from x - h to "
                "x + h the distance is 2 h", missed=(15, 1, 21))


@part("ordinary")
def ordinary(student):
    four = positive(student, 4)
    try_check(student, [
        right(15, [2.0, 1.0], "the gradient of x_0 x_0 + 3 x_1, the example of the statement", *REFUSES_PLAIN),
        right(1, four, PLAIN, *REFUSES_PLAIN),
        right(2, points(student, 5), "the gradient of an average of squares", *REFUSES_PLAIN),
        right(3, positive(student, 3), "the gradient of x A x, where A is no symmetric matrix", *REFUSES_PLAIN),
        right(4, points(student, 4), "the gradient of a sum of absolute values, away from 0", *REFUSES_PLAIN),
        wrong(22, four, "a gradient with the wrong sign", "sign-blind",
              "slopes are compared without their signs: a step along this gradient would go down instead of up"),
        wrong(25, [1.75, 1.0, 0.5], "the right components, two of them exchanged", "sums-only",
              "each component has a place. Compare component with component, not a sum or a sorted list"),
        wrong(21, four, "a gradient of twice the right size", "any-size",
              "the check must compare sizes, not only directions"),
        wrong(48, [2.0, 1.0], "the gradient of x_0 x_0 + 3 x_1 without the factor 2", *MEASURE),
        wrong(24, four, "a gradient that is zero everywhere", *MEASURE),
        wrong(23, positive(student, 4), "the gradient of a product of neighbours, of which one factor was "
              "forgotten", *MEASURE),
        wrong(26, positive(student, 3), "2 A x for the gradient of x A x, which is right for symmetric matrices "
              "only", *MEASURE),
        wrong(27, points(student, 5), "the gradient of a sum where f is an average: too large by their number",
              *MEASURE),
        wrong(28, [-value for value in points(student, 4)], "the gradient of a sum of absolute values for positive "
              "numbers, where some are negative", *MEASURE),
        right(29, points(student, 3), "a gradient that is cut off at 10, for an x whose slopes are smaller",
              "looks-elsewhere", "the question is about this x: measure there, and nowhere else"),
        wrong(29, points(student, 3, 20, 40), "a gradient that is cut off at 10, for an x whose slopes are larger",
              "looks-elsewhere", "the question is about this x: measure there, and nowhere else"),
    ], (TWICE,))


@part("components")
def components(student):
    many = positive(student, 300)
    every = ("not-every-component", "one component is wrong, and the check does not look at it. Measure along all "
             "of them")
    length = ("forgets-length", "df(x) must have as many components as x. Compare the sizes before you look at an "
              "element")
    nan = ("ignores-nan", "every comparison with a NaN is false, so `if (difference > tolerance) return false` "
           "lets it pass. Ask the other way round: is the difference within the tolerance? If not, return false")
    try_check(student, [
        right(1, [1.5], "the gradient of a function of one number", *REFUSES_PLAIN),
        right(1, many, "the gradient of a sum of squares and products of 300 numbers", *SMALL_STEP),
        right(5, [0.75, 2.0, 1.25], "a gradient with a component that is zero, because f does not depend on that "
              "number", "zero-over-zero", "where the measured slope and the component are both zero, so is their "
              "sum, and a relative error is 0 / 0. Multiply the tolerance instead of dividing the difference"),
        right(14, [0.75, 1.5], "a gradient with a component of 750 and one of 0.003", *REFUSES_PLAIN),
        wrong(30, positive(student, 4), "a gradient of which only the last component is wrong", *every),
        wrong(31, positive(student, 4), "a gradient of which only the first component is wrong", *every),
        wrong(32, many, "a gradient of 300 components, of which one in the middle is wrong", *every),
        wrong(36, positive(student, 4), "a gradient with one component too large by 0.5 and another too small by "
              "0.5", "errors-cancel", "two errors cancel where they are added up. Judge each component by itself"),
        wrong(33, positive(student, 5), "a gradient with a component that is NaN", *nan),
        wrong(34, positive(student, 4), "a gradient that lacks its last component", *length),
        wrong(35, positive(student, 4), "a gradient with a component too many", *length),
        wrong(37, [student.random.uniform(0.5, 1), student.random.uniform(1, 2)],
              "a gradient whose small component, beside one that is 100000 times as large, is wrong by a factor of "
              "2", "norm-only", "measured against the length of the whole gradient, an error in a small component "
              "is nothing. Judge each component by itself, against its own size"),
    ])


@part("digits")
def digits(student):
    steep = [student.random.uniform(0.75, 0.85), -student.random.uniform(0.55, 0.65)]
    kinks = [1 + student.random.uniform(0.003, 0.005), 1 - student.random.uniform(0.003, 0.005),
             student.random.uniform(2, 3)]
    large_step = ("step-too-large", "the step goes across the kink. The statement says how far away it is: stay "
                  "nearer")
    side = ("one-sided", "the slope between x and x + h is that of the middle between them: wrong by h times half "
            "the bend. Going as far to both sides cancels that. Or is the step so large that the bend shows all "
            "the same?")
    loose = ("too-loose", "this component is wrong by more than one part in 5000, and the check did not see it: "
             "the tolerance is too wide")
    try_check(student, [
        right(1, positive(student, 4), PLAIN, *REFUSES_PLAIN),
        right(8, positive(student, 4, 1, 2), "the gradient of a function that is rounded in its thirteenth digit",
              *SMALL_STEP),
        right(7, kinks, "the gradient of a function with kinks nearby, on the right side of them", *large_step),
        right(16, positive(student, 80, 0.95, 1.05), "the gradient of a product of 80 numbers", "moves-stay",
              "each slope depends on all other components here. Put a component back where it was before the next one moves"),
        right(6, steep, "the gradient of a function that bends strongly", *side),
        wrong(38, positive(student, 4), "a gradient that is too large by one part in 5000", *loose),
        wrong(41, positive(student, 4, 1, 2), "a gradient of a rounded function whose first component is wrong by "
              "three parts in 10000", *loose),
        wrong(39, kinks, "the slope on one side of a kink, where x lies on the other", *loose),
        wrong(40, steep, "a gradient of a steep function, one component of which is wrong by one part in 40",
              *loose),
        wrong(21, positive(student, 4), "a gradient of twice the right size", *loose),
        wrong(33, positive(student, 4), "a gradient with a component that is NaN", *loose),
    ])


@part("scale")
def scale(student):
    def mixed():
        return [size * student.random.uniform(1, 2) for size in (1e-6, 5e5, 1e-3, 1e3, 1, 1e-5)]
    fixed_step = ("absolute-step", "one step does not fit all: what is small for 1000000 is enormous for 0.000001. "
                  "Let it grow with the component of x")
    zero_step = ("step-zero", "a step in proportion to x[i] is no step at all where x[i] is 0: then take one in "
                 "proportion to 1")
    fixed = ("absolute-tolerance", "a fixed tolerance means nothing where slopes may be 0.000000000001 or "
             "1000000000000. Let it grow with the slope, and with the rounding of f, which grows with f")
    bottom = ("relative-only", "the true slope is 0 here, and what was measured is rounding. No tolerance in "
              "proportion to the slope forgives that: add one for the rounding of f, at most 1e-13 |f(x)| divided "
              "by the step")
    valley = [1.0, student.random.uniform(1, 2), 1.0]
    with_zeros = [0.0, student.random.uniform(1, 2), 0.0, -student.random.uniform(0.5, 1)]
    try_check(student, [
        right(10, with_zeros, "the gradient of a sum of sines, where some numbers of x are 0", *zero_step),
        right(9, mixed(), "the gradient of a sum of logarithms, of numbers from 0.000001 to 1000000", *fixed_step),
        right(4, points(student, 4, 1e-6, 2e-6), "the gradient of a sum of absolute values of numbers near 0",
              *fixed_step),
        right(2, points(student, 4, 1e5, 1e6), "the gradient of an average of squares of large numbers",
              *fixed_step),
        wrong(45, positive(student, 4), "a gradient of twice the right size, and very small: 0.000000000001 or so",
              *fixed),
        right(13, positive(student, 4), "the gradient of a function in the size of 1000000000000", *fixed),
        right(12, positive(student, 4), "the gradient of a function in the size of 0.000000000001", *fixed),
        right(11, valley, "the gradient at the bottom of a valley, where it is 0 along two components, and f is "
              "rounded", *bottom),
        wrong(42, mixed(), "the gradient of a sum of logarithms, too large by four parts in 10000", *fixed),
        wrong(43, mixed(), "the gradient of a sum of logarithms with one component, of 0.000003 or so, that is "
              "twice as large as it should be", *fixed),
        wrong(46, positive(student, 4), "a gradient in the size of 1000000000000, too large by three parts in "
              "10000", *fixed),
        wrong(44, with_zeros, "a gradient that is 0 wherever x is 0, and should not be", *zero_step),
        wrong(47, valley, "a gradient at the bottom of a valley that is 1 where it should be 0", *bottom),
    ])
