"""The walk step by step, in plain Python: its mean, its variance, and the product of the densities of two neighbouring steps."""
from math import inf, nan, prod, sqrt
from statistics import NormalDist, fmean

from recto.judge.comparing import show
from recto.judge.judging import REAL, Array, Misconception, array_of, integers, part

ALONE = 1e-12       # a few roundings of numbers of about one
MANY = 1e-9         # the same after a division by 1 - kept, which is 1e-4 or more, or by the root of kept, at least 1e-3


def values(found):
    return Array((len(found),), found)


def linear(steps, first, last, gaps, start=1):
    """Zeros, and from step `start` on equal distances."""
    return [0.0] * start + [first + (last - first) * (t - start) / gaps for t in range(start, steps + 1)]


def schedule(steps, first, last):
    return linear(steps, first, last, max(1, steps - 1))


def left_of(beta):
    return [prod(1 - b for b in beta[1:t + 1]) for t in range(len(beta))]


def mixed(of_data, of_noise):
    """Mixes with these two factors, each a function of what is kept."""
    return lambda x0, t, noise, left: values([of_data(left.numbers[at]) * x + of_noise(left.numbers[at]) * e
                                              for x, at, e in zip(x0.numbers, t.numbers, noise.numbers)])


noised = mixed(sqrt, lambda a: sqrt(1 - a))


def moved(x, t, shift):
    """Steps that are counted differently."""
    return integers([min(max(at + shift, 0), len(x.numbers) - 1) for at in t.numbers])


def restored(by=sqrt, sign=-1, of_noise=lambda a: sqrt(1 - a), whole=True):
    def give(x, t, noise, left):
        found = []
        for value, at, e in zip(x.numbers, t.numbers, noise.numbers):
            a = left.numbers[at]
            found.append((value + sign * of_noise(a) * e) / by(a) if whole else value / by(a) + sign * of_noise(a) * e)
        return values(found)
    return give


denoised = restored()


def before(x, x0, t, beta):
    """The product of two normal densities."""
    left, b = left_of(beta.numbers), beta.numbers[t]
    if t == 1:
        return x0, 0.0
    spread = 1 - left[t - 1]
    precise = (1 - b) / b + 1 / spread
    return (sqrt(1 - b) * x / b + sqrt(left[t - 1]) * x0 / spread) / precise, 1 / precise


def formula(change):
    """The closed form with one thing changed: change(b, now, before) gives the factors of x0 and of x, and the variance."""
    def give(x, x0, t, beta):
        left = left_of(beta.numbers)
        of_data, of_now, variance = change(beta.numbers[t], left[t], left[t - 1])
        return of_data * x0 + of_now * x, variance
    return give


def factors(b, now, before):
    return sqrt(before) * b / (1 - now), sqrt(1 - b) * (1 - before) / (1 - now), b * (1 - before) / (1 - now)


def with_variance(variance):
    return formula(lambda b, now, before: (*factors(b, now, before)[:2], variance(b, now, before)))


misconceptions = [
    # schedule
    Misconception("one-gap-too-many", "linear_schedule", lambda *a: values(linear(*a, gaps=a[0])),
                  "the last variance is not reached: between T numbers there are T - 1 gaps"),
    Misconception("begins-with-the-data", "linear_schedule", lambda *a: values(linear(*a, gaps=a[0], start=0)),
                  "the data has the variance `first`, so step 1 comes too late. Element 0 is 0, and `first` belongs to step 1"),
    Misconception("no-place-for-the-data", "linear_schedule", lambda *a: values(schedule(*a)[1:]),
                  "the list holds the steps alone. Element 0 belongs to the data, so that element t is that of step t"),
    Misconception("rises-geometrically", "linear_schedule",
                  lambda n, a, b: values([0.0, *(a * (b / a) ** ((t - 1) / max(1, n - 1)) for t in range(1, n + 1))]),
                  "neighbours have equal ratios. Here they have equal differences"),
    Misconception("no-gap", "linear_schedule", lambda *a: values(schedule(*a) if a[0] > 1 else [0.0, nan]),
                  "with one step there is no gap: 0 divided by 0 is NaN"),
    # kept
    Misconception("product-of-variances", "kept", lambda b: values([prod(b.numbers[1:t + 1]) for t in range(len(b.numbers))]),
                  "the variances were multiplied. What a step keeps is 1 minus its variance: multiply these"),
    Misconception("sum-of-variances", "kept", lambda b: values([1 - sum(b.numbers[1:t + 1]) for t in range(len(b.numbers))]),
                  "the variances were added and taken from 1. Step 2 keeps a share of what step 1 has left: multiply the shares"),
    Misconception("roots-multiplied", "kept", lambda b: values([sqrt(a) for a in left_of(b.numbers)]),
                  "this is the factor of the number itself, the square root. `kept` holds the products without the root"),
    Misconception("one-step-late", "kept", lambda b: values([1.0, *left_of(b.numbers)[:-1]]),
                  "element t lacks the factor of step t itself"),
    Misconception("one-step-alone", "kept", lambda b: values([1.0, *(1 - x for x in b.numbers[1:])]),
                  "this is what each step keeps alone. Multiply over all steps up to it"),
    # noised
    Misconception("no-roots", "noised", mixed(lambda a: a, lambda a: 1 - a),
                  "data and noise were mixed with the shares of their variances. A number whose variance gets the factor a is "
                  "itself multiplied by the root of a"),
    Misconception("exchanged", "noised", mixed(lambda a: sqrt(1 - a), sqrt),
                  "data and noise are exchanged: after few steps nearly all of the data is left"),
    Misconception("factors-add-up", "noised", mixed(sqrt, lambda a: 1 - sqrt(a)),
                  "the two factors add up to 1. Their squares must: variances add"),
    Misconception("whole-noise", "noised", mixed(sqrt, lambda a: 1.0),
                  "the noise has its full size at every step. Its variance is 1 minus what is kept of the data"),
    Misconception("noise-not-rooted", "noised", mixed(sqrt, lambda a: 1 - a),
                  "the noise was multiplied by a variance. Multiply it by the root of the variance, its standard deviation"),
    Misconception("first-time-for-all", "noised",
                  lambda x, t, e, a: noised(x, integers([t.numbers[0]] * len(t.numbers)), e, a) if t.numbers else None,
                  "all numbers took the steps of the first one. Number i takes t[i] steps"),
    Misconception("counts-from-zero", "noised", lambda x, t, e, a: noised(x, moved(a, t, -1), e, a),
                  "every number is one step too early: element t of the list belongs to step t, and element 0 to the data"),
    # denoised
    Misconception("not-enlarged", "denoised", restored(by=lambda a: 1.0),
                  "the noise is gone, and the number is still shrunk: divide by the factor of x0"),
    Misconception("divided-too-early", "denoised", restored(whole=False),
                  "only x was divided by the factor of x0. Take the noise away first, or divide both"),
    Misconception("noise-twice", "denoised", restored(sign=1), "the noise was added once more. Subtract it"),
    Misconception("divided-by-kept", "denoised", restored(by=lambda a: a),
                  "the division is by what is kept of the variance. The factor of x0 is the root of that"),
    # previous
    Misconception("variance-of-the-step", "previous", with_variance(lambda b, now, before: b),
                  "this is the variance of the step forth. With x0 known, the variance of the step back is smaller, and 0 before step 1"),
    Misconception("deviation", "previous", with_variance(lambda b, now, before: sqrt(b * (1 - before) / (1 - now))),
                  "this is the standard deviation: the variance is its square"),
    Misconception("ratio-upside-down", "previous", with_variance(lambda b, now, before: b * (1 - now) / (1 - before) if before < 1 else inf),
                  "the ratio in the variance is upside down: what is known of x_{t-1} makes it smaller than the variance of the step"),
    Misconception("forgets-the-present", "previous",
                  formula(lambda b, now, before: (sqrt(before), 0, factors(b, now, before)[2])),
                  "this is the mean from x0 alone. The number after t steps also says something about the number before"),
    Misconception("forgets-the-data", "previous",
                  formula(lambda b, now, before: (0, 1 / sqrt(1 - b), factors(b, now, before)[2])),
                  "this is the step undone, as if x0 were unknown"),
    Misconception("weights-exchanged", "previous",
                  formula(lambda b, now, before: (*factors(b, now, before)[1::-1], factors(b, now, before)[2])),
                  "the factors of x0 and of x are exchanged: after many steps x0 says little, and x much"),
    Misconception("kept-of-one-step-only", "previous",
                  formula(lambda b, now, before: (sqrt(now) * b / (1 - now), sqrt(1 - b) * (1 - before) / (1 - now),
                                                  factors(b, now, before)[2])),
                  "the factor of x0 holds what is kept after t steps. It is the root of what is kept after t - 1 steps"),
    Misconception("nothing-known-yet", "previous", lambda x, x0, t, beta: before(x, x0, t, beta) if t > 1 else (nan, 0.0),
                  "before step 1 the number is x0 itself, with variance 0; one over this variance is infinite, and infinity "
                  "over infinity is NaN"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's schedule is not allowed here: write it yourself"),
]


def call_of(function, arguments):
    """A call with the names of its arguments."""
    names = {"linear_schedule": ("steps", "first", "last"), "kept": ("beta",), "previous": ("x", "x0", "t", "beta"),
             "noised": ("x0", "t", "noise", "left"), "denoised": ("x", "t", "noise", "left")}[function]
    return f"{function}({', '.join(f'{name} {show(value)}' for name, value in zip(names, arguments))})"


@part("schedule")
def judge_schedule(student):
    student.call = call_of
    for steps, first, last in [(4, 0.1, 0.4), (2, 0.19, 0.36), (1, 0.02, 0.5), (3, 0.3, 0.3), (5, 0.4, 0.1), (200, 0.0005, 0.1),
                               (1000, 0.0001, 0.02)]:
        student.expect("linear_schedule", steps, first, last, gives=schedule(steps, first, last), within=1e-13,
                       about="the variances")


def some_schedule(student, steps):
    return values([0.0, *(student.random.uniform(0.01, 0.5) for _ in range(steps))])


@part("kept")
def judge_kept(student):
    student.call = call_of
    student.expect("kept", values([0.0, 0.19, 0.36]), gives=values([1.0, 0.81, 0.5184]), within=1e-13, about="what each step keeps")
    cases = [some_schedule(student, steps) for steps in (1, 3, 5, 8)]
    cases += [values(schedule(200, 0.0005, 0.1)), values(schedule(20, 0.3, 0.1))]
    for beta in cases:
        student.expect("kept", beta, gives=values(left_of(beta.numbers)), within=1e-13, about="what each step keeps")


def some(student, count, size=2.0):
    return values([round(student.random.uniform(-size, size), 3) for _ in range(count)])


@part("moments")
def judge_moments(student):
    student.call = call_of
    hand = values([1.0, 0.81, 0.5184])
    student.expect("noised", values([2.0, 2.0, 2.0]), integers([2, 1, 0]), values([1.0, 1.0, 1.0]), hand,
                   gives=noised(values([2.0] * 3), integers([2, 1, 0]), values([1.0] * 3), hand), within=ALONE,
                   about="the numbers of the statement's example")
    for count, steps in [(1, 3), (4, 5), (7, 20)]:
        left = values(left_of(some_schedule(student, steps).numbers))
        x0, noise = some(student, count), some(student, count)
        t = integers([student.random.randrange(1, steps + 1) for _ in range(count)])
        student.expect("noised", x0, t, noise, left, gives=noised(x0, t, noise, left), within=ALONE, about="the noisy numbers")
    draws = [NormalDist().inv_cdf((at + 0.5) / 2000) for at in range(2000)]
    size = sqrt(fmean(e * e for e in draws))
    draws = [e / size for e in draws]
    beta = schedule(200, 0.0005, 0.1)
    left, largest = values(left_of(beta)), 0.0
    for x0, steps in [(0.0, 1), (1.5, 7), (-2.0, 40), (3.0, 120), (1.0, 200)]:
        mean, variance = x0, 0.0
        for b in beta[1:steps + 1]:         # the walk
            mean, variance = sqrt(1 - b) * mean, (1 - b) * variance + b
        got = student.ask("noised", values([x0] * len(draws)), integers([steps] * len(draws)), values(draws), left,
                          gives=array_of(len(draws)), within=ALONE)
        found = sum(got.numbers) / len(draws)
        spread = sum((x - found) * (x - found) for x in got.numbers) / len(draws)
        for word, mine, theirs in (("mean", mean, found), ("variance", variance, spread)):
            student.check(abs(mine - theirs) <= MANY, f"the {word} after {steps} steps from {x0:g}", f"{mine:.10g}", f"{theirs:.10g}")
            largest = max(largest, abs(mine - theirs))
    student.measured = largest


@part("denoised")
def judge_denoised(student):
    student.call = call_of
    for count, steps in [(1, 1), (3, 2), (4, 5), (7, 8)]:
        left = values(left_of(some_schedule(student, steps).numbers))
        x, noise = some(student, count), some(student, count)
        t = integers([student.random.randrange(1, steps + 1) for _ in range(count)])
        student.expect("denoised", x, t, noise, left, gives=denoised(x, t, noise, left), within=MANY, about="the numbers without noise")
    left = values(left_of(schedule(100, 0.0005, 0.1)))
    x, noise, t = some(student, 5), some(student, 5), integers([1, 20, 50, 80, 100])
    student.expect("denoised", x, t, noise, left, gives=denoised(x, t, noise, left), within=MANY, about="the numbers without noise")


@part("previous")
def judge_previous(student):
    student.call = call_of
    kinds = (REAL, REAL)
    beta = values([0.0, 0.19, 0.36])
    cases = [(2.13397, 2.0, 2, beta), (1.5, 2.0, 1, beta)]
    for steps in (3, 5, 8):
        schedule_ = some_schedule(student, steps)
        cases += [(round(student.random.uniform(-2, 2), 3), round(student.random.uniform(-2, 2), 3), t, schedule_)
                  for t in (steps, 2, 1)]
    long = values(schedule(200, 0.0005, 0.1))
    cases += [(0.7, -1.2, t, long) for t in (1, 2, 10, 100, 200)]
    for case in cases:
        got = student.ask("previous", *case, gives=kinds)
        student.compare(got, before(*case), MANY, 0, "the mean and the variance of the number one step before", "previous", case)
