"""A test for softmax, tried on right and wrong implementations. candidates.cpp holds them, by their numbers."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, Pattern, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="wrong answer", matches="threw an exception: matrix: there is no "
                  "element", says="what came back has another shape than the test takes for granted. Look at its "
                  "rows and columns before you look at its elements, and return false where they are not those of "
                  "x"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's own softmax is not here to compare with. A test needs an answer of its own: "
                  "a formula, numbers worked out by hand, or properties that must hold"),
]

EXACT = ("compares-exactly", "what is computed in another way, or added up in another order, differs in the last "
         "digits, and no way is the right one. Compare with a tolerance: the contract says which")
PLAIN = Candidate(1, True, "the definition, with each row's largest number subtracted", "refuses-the-plain-one",
                  "try the test on a softmax of your own. Does it want more than the contract promises?")
BACK = Candidate(2, True, "an implementation that adds up each row from its end: its last digits are others",
                 *EXACT)
LONG = Candidate(3, True, "an implementation that computes with more digits than a double has", *EXACT)
RATIOS = Candidate(4, True, "an implementation that divides 1 by the sum of exp(x_j - x_i), without looking for a "
                   "maximum", *EXACT)
STREAMING = Candidate(5, True, "an implementation that goes through a row once and rescales its sum for each new "
                      "maximum", *EXACT)
LOGARITHM = Candidate(6, True, "an implementation that computes the logarithms of the probabilities first", *EXACT)
OTHER_SHIFT = Candidate(9, True, "an implementation that subtracts another number than the maximum from each row",
                        *EXACT)
ROUNDED = Candidate(10, True, "an implementation that rounds each probability to thirteen decimals", "relative-error",
                    "the contract allows an error of 1e-10, however small the probability is: a relative error, or a "
                    "tolerance smaller than that, refuses what is right")
ALL_EXCLUDED = Candidate(7, True, "an implementation that spreads the probability evenly where all of a row is "
                         "excluded", "asks-too-much", "the contract says nothing about a row in which all is "
                         "excluded, nor about NaN and plus infinity. What is not promised cannot be broken")
STRICT = Candidate(8, True, "an implementation that throws an exception for a NaN, and for a row in which all is "
                   "excluded", "asks-too-much", "the contract says nothing about such rows. What is not promised "
                   "cannot be broken")
NO_SUM = Candidate(11, False, "an implementation that does not divide by the sum", "misses-the-sum",
                   "does the test add up a row?")

VALUES = [
    PLAIN, ALL_EXCLUDED, BACK, RATIOS, NO_SUM,
    Candidate(15, False, "an implementation that gives 1 to the largest number of a row and 0 to the others",
              "properties-only", "not negative, and of sum one: that is true of many answers. The test needs "
              "numbers to compare with"),
    Candidate(16, False, "an implementation that gives all entries of a row the same probability",
              "properties-only", "not negative, and of sum one: that is true of many answers. The test needs "
              "numbers to compare with"),
    Candidate(14, False, "an implementation that takes the exponentials of -x", "no-direction",
              "does the larger number get the larger probability?"),
    Candidate(19, False, "an implementation that leaves the last column out of the sum", "misses-the-sum",
              "does the test add up a row?"),
    Candidate(13, False, "an implementation that normalises over the whole matrix: right if there is one row",
              "one-row", "one row says nothing about how rows are kept apart. Try a matrix of several, different "
              "rows"),
    Candidate(12, False, "an implementation that normalises columns instead of rows", "symmetric-input",
              "the inputs look the same along rows and along columns. Take different numbers, and more columns "
              "than rows"),
    Candidate(18, False, "an implementation that repeats the result of the first row in all rows", "one-row",
              "the rows of the inputs are too much alike. Take different numbers in each row"),
    Candidate(20, False, "an implementation that mixes up the number of rows and of columns: right for square "
              "matrices", "square-only", "try a matrix that is not square"),
    Candidate(17, False, "an implementation that sorts each row first: right if its numbers ascend", "sorted-input",
              "the rows of all inputs ascend. Try one that does not"),
]

DIGITS = [
    PLAIN, BACK, LONG, RATIOS, STREAMING, LOGARITHM, OTHER_SHIFT, ROUNDED, NO_SUM,
    Candidate(22, False, "an implementation that replaces exp(x) by a power of 1 + x / 65536: wrong in the fifth "
              "digit", "too-loose", "the tolerance is too wide. The contract says how near the probabilities must "
              "be, and right implementations are nearer than that by far"),
    Candidate(23, False, "an implementation that adds 0.00000001 to each sum, against a division by zero that "
              "cannot happen", "misses-small-terms", "the tolerance is wider than the contract says"),
    Candidate(21, False, "an implementation in single precision: wrong in the eighth digit",
              "accepts-single-precision", "the tolerance is wider than the contract says, or no input is such that "
              "single precision must round"),
]

SIZE = [
    PLAIN, RATIOS, STREAMING, LOGARITHM,
    Candidate(24, False, "an implementation that is right unless a row holds a number above 709: then NaN comes "
              "back", "no-large-numbers", "exp(710) is infinite, and infinity over infinity is NaN. Try a row with "
              "such numbers"),
    Candidate(26, False, "an implementation that replaces the NaN of an overflow by 0", "no-large-numbers",
              "try rows with numbers so large that their exponentials overflow, and compare all the numbers that "
              "come back"),
    Candidate(27, False, "an implementation that is right unless all numbers of a row lie below -745: then NaN "
              "comes back", "no-very-negative-rows", "where all exponentials vanish, the sum is 0. Try a row of "
              "large negative numbers"),
    Candidate(25, False, "an implementation that moves numbers beyond 700 to 700: finite, of sum one, and wrong",
              "finite-is-enough", "that something finite comes back is not enough: compare with the right numbers "
              "for large inputs too. They should differ within a row, as 1000 and 1001 do"),
    Candidate(28, False, "an implementation that subtracts the largest number of the whole matrix: right unless "
              "rows lie far apart", "rows-near-each-other", "try one matrix with a row around 1000 and another "
              "around -1000"),
    NO_SUM,
]

EDGES = [
    PLAIN, ALL_EXCLUDED, STRICT, STREAMING,
    Candidate(34, False, "an implementation that gives the right numbers with rows and columns swapped",
              "forgets-shape", "compare the rows and the columns of what came back with those of x"),
    Candidate(35, False, "an implementation that appends a row of zeros", "forgets-shape",
              "compare the rows and the columns of what came back with those of x"),
    Candidate(29, False, "an implementation that takes an excluded entry for a rather small number",
              "nothing-excluded", "try a row with an entry of minus infinity: its probability is 0"),
    Candidate(30, False, "an implementation that gives NaN where a row begins with an excluded entry",
              "excluded-late", "an excluded entry can be anywhere. Try one at the beginning of a row"),
    Candidate(31, False, "an implementation that gives x itself back where there is one column", "no-single-column",
              "a single number has the probability 1. Try a matrix of one column"),
    Candidate(32, False, "an implementation that throws an exception for a matrix without rows", "nothing-empty",
              "the contract promises an answer for a matrix without rows or without columns. Try them"),
    Candidate(33, False, "an implementation that gives a 0 x 0 matrix where there are rows and no columns",
              "nothing-empty", "an empty matrix can lack rows, or columns: one of 0 x 3 and one of 2 x 0 keep "
              "their shapes. Try both"),
    Candidate(36, False, "an implementation that keeps its sum from row to row and from call to call: right the "
              "first time", "one-call", "call the implementation more than once within the test"),
    NO_SUM,
]

IGNORES_NAN = Pattern("ignores-nan", "every comparison with a NaN is false, so `if (difference > tolerance) return "
                      "false` lets it pass. Ask the other way round: is the difference within the tolerance? If "
                      "not, return false", missed=(24, 27), told=(26, 25))
SHAPE_FIRST = Pattern("forgets-shape", "compare the rows and the columns of what came back with those of x",
                      missed=(34, 35))
ONE_CASE = Pattern("one-case", "the test tries a single row. A mistake that shows only beside another row, or in "
                   "another order, is not to be seen there. Ask of each input what it could bring to light, and "
                   "add those that are missing", missed=(13, 17, 18), told=(11, 15))


@part("values")
def values(student):
    try_test(student, "test_softmax", VALUES, (ONE_CASE,))


@part("digits")
def digits(student):
    try_test(student, "test_softmax", DIGITS)


@part("size")
def size(student):
    try_test(student, "test_softmax", SIZE, (IGNORES_NAN,))


@part("edges")
def edges(student):
    try_test(student, "test_softmax", EDGES, (SHAPE_FIRST,))
