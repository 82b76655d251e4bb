"""A test for softmax, tried on right and wrong implementations. candidates.cpp holds them, by their numbers."""
from recto.judge.judging import Misconception, part
from recto.judge.trying import Candidate, Pattern, try_test

misconceptions = [
    Misconception("indexes-blindly", outcome="wrong answer", matches="threw an exception: matrix: there is no "
                  "element", says="the result has another shape than the test assumes. Check its rows and columns before "
                                  "you read its elements, and return false if they differ from those of x"),
    Misconception("takes-the-answer", outcome="did not compile", matches="recto/.*is not among the files",
                  says="the library's softmax is not available for comparison. A test needs its own expected answer: a "
                       "formula, numbers computed by hand, or properties that must hold"),
]

EXACT = ("compares-exactly", "another formula or another order of summation changes the last digits, and all of these are "
                             "right. Compare with the tolerance of the contract")
PLAIN = Candidate(1, True, "the definition, with each row's largest number subtracted", "refuses-the-plain-one",
                  "try the test on a softmax of your own: it requires more than the contract promises")
BACK = Candidate(2, True, "an implementation that adds up each row from its end, with other last digits",
                 *EXACT)
LONG = Candidate(3, True, "an implementation that computes with more digits than a double has", *EXACT)
RATIOS = Candidate(4, True, "an implementation that divides 1 by the sum of exp(x_j - x_i), without looking for a "
                   "maximum", *EXACT)
STREAMING = Candidate(5, True, "an implementation that goes through a row once and rescales its sum for each new "
                      "maximum", *EXACT)
LOGARITHM = Candidate(6, True, "an implementation that computes the logarithms of the probabilities first", *EXACT)
OTHER_SHIFT = Candidate(9, True, "an implementation that subtracts a number other than the maximum from each row",
                        *EXACT)
ROUNDED = Candidate(10, True, "an implementation that rounds each probability to thirteen decimals", "relative-error",
                    "the contract allows an absolute error of 1e-10 for every probability: a relative error, or a smaller "
                    "tolerance, refuses right implementations")
ALL_EXCLUDED = Candidate(7, True, "an implementation that spreads the probability evenly if a whole row is "
                                  "excluded", "asks-too-much", "the contract leaves rows open in which every entry is "
                                                               "excluded, as well as NaN and plus infinity. The test must "
                                                               "accept every answer to them")
STRICT = Candidate(8, True, "an implementation that throws an exception for a NaN, and for a row in which every entry is "
                            "excluded", "asks-too-much", "the contract leaves such rows open. The test must accept every "
                                                         "answer to them")
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
              "check that the larger number gets the larger probability"),
    Candidate(19, False, "an implementation that leaves the last column out of the sum", "misses-the-sum",
              "does the test add up a row?"),
    Candidate(13, False, "an implementation that normalises over the whole matrix: right if there is one row",
              "one-row", "a single row cannot show whether rows are kept apart. Try a matrix of several different rows"),
    Candidate(12, False, "an implementation that normalises columns instead of rows", "symmetric-input",
              "the inputs are the same along rows and along columns. Take different numbers, and more columns than rows"),
    Candidate(18, False, "an implementation that repeats the result of the first row in all rows", "one-row",
              "the rows of the inputs are too similar. Take different numbers in each row"),
    Candidate(20, False, "an implementation that swaps the numbers of rows and columns: right for square "
                         "matrices", "square-only", "try a matrix that is not square"),
    Candidate(17, False, "an implementation that sorts each row first: right if the numbers ascend", "sorted-input",
              "the numbers of every row ascend. Try a row whose numbers do not"),
]

DIGITS = [
    PLAIN, BACK, LONG, RATIOS, STREAMING, LOGARITHM, OTHER_SHIFT, ROUNDED, NO_SUM,
    Candidate(22, False, "an implementation that replaces exp(x) by a power of 1 + x / 65536: wrong in the fifth "
              "digit", "too-loose", "the tolerance is too large. Use the tolerance of the contract; right implementations "
                                    "are far more accurate"),
    Candidate(23, False, "an implementation that adds 0.00000001 to each sum, to prevent a division by zero that cannot "
                         "happen", "misses-small-terms", "the tolerance is larger than that of the contract"),
    Candidate(21, False, "an implementation in single precision: wrong in the eighth digit",
              "accepts-single-precision", "the tolerance is larger than that of the contract, or no input requires "
                                          "rounding in single precision"),
]

SIZE = [
    PLAIN, RATIOS, STREAMING, LOGARITHM,
    Candidate(24, False, "an implementation that is right unless a row holds a number above 709: then it returns "
                         "NaN", "no-large-numbers", "exp(710) is infinite, and infinity over infinity is NaN. Try a row with "
              "such numbers"),
    Candidate(26, False, "an implementation that replaces the NaN of an overflow by 0", "no-large-numbers",
              "try rows with numbers so large that their exponentials overflow, and compare all numbers of the result"),
    Candidate(27, False, "an implementation that is right unless all numbers of a row lie below -745: then it returns "
                         "NaN", "no-very-negative-rows", "if all exponentials underflow, the sum is 0. Try a row of large "
                                                         "negative numbers"),
    Candidate(25, False, "an implementation that clamps numbers beyond 700 to 700: finite, with sum one, and wrong",
              "finite-is-enough", "a finite result is not enough: compare with the right numbers for large inputs too. The "
                                  "numbers of a row should differ, like 1000 and 1001"),
    Candidate(28, False, "an implementation that subtracts the largest number of the whole matrix: right unless rows have "
                         "very different sizes", "rows-near-each-other", "try one matrix with a row around 1000 and another "
              "around -1000"),
    NO_SUM,
]

EDGES = [
    PLAIN, ALL_EXCLUDED, STRICT, STREAMING,
    Candidate(34, False, "an implementation that gives the right numbers with rows and columns swapped",
              "forgets-shape", "compare the rows and the columns of the result with those of x"),
    Candidate(35, False, "an implementation that appends a row of zeros", "forgets-shape",
              "compare the rows and the columns of the result with those of x"),
    Candidate(29, False, "an implementation that treats an excluded entry as a small number",
              "nothing-excluded", "try a row with an entry of minus infinity: its probability is 0"),
    Candidate(30, False, "an implementation that gives NaN if a row begins with an excluded entry",
              "excluded-late", "an excluded entry can be anywhere. Try an entry at the beginning of a row"),
    Candidate(31, False, "an implementation that returns x itself if it has one column", "no-single-column",
              "a single number has the probability 1. Try a matrix of one column"),
    Candidate(32, False, "an implementation that throws an exception for a matrix without rows", "nothing-empty",
              "the contract promises an answer for a matrix without rows or without columns. Try them"),
    Candidate(33, False, "an implementation that returns a 0 x 0 matrix for rows without columns",
              "nothing-empty", "an empty matrix can lack rows, or columns: one of 0 x 3 and one of 2 x 0 keep "
              "their shapes. Try both"),
    Candidate(36, False, "an implementation that keeps its sum from row to row and from call to call: right the "
              "first time", "one-call", "call the implementation more than once within the test"),
    NO_SUM,
]

IGNORES_NAN = Pattern("ignores-nan", "every comparison with a NaN is false, so `if (difference > tolerance) return false` "
                                     "lets it pass. Write `if (!(difference <= tolerance)) return false` "
                                     "instead", missed=(24, 27), told=(26, 25))
SHAPE_FIRST = Pattern("forgets-shape", "compare the rows and the columns of the result with those of x",
                      missed=(34, 35))
ONE_CASE = Pattern("one-case", "the test tries a single row, which cannot show a mistake that needs a second row or "
                               "another order. List the mistakes that each input can show, and add the missing "
                               "inputs", missed=(13, 17, 18), told=(11, 15))


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
