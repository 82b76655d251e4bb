"""The name of each slip of this exercise, and the sentence that a student reads about it."""

SAYS = {
    "integer-division":
        "in C++ -1 / N of two integers is an integer: 0 as soon as N is larger than 1",
    "every-class":
        "the loss takes one logarithm of every sample, that of its target: all other logarithms have no influence, so "
        "their derivative is 0",
    "mean-of-everything":
        "this is divided by samples times letters. The mean in the loss is over the N samples alone",
    "no-mean":
        "the loss is a mean: every sample counts 1/N, and so does its derivative",
    "wrong-sign":
        "the loss is minus the mean of the logarithms: where a logarithm grows, the loss falls",
    "log-passed-by":
        "this passes d.logs on as if log were missing. The derivative of log at p is not 1",
    "log-multiplied":
        "you multiply by the probability. Which function has the derivative x, and which derivative does log have?",
    "no-sum-over-row":
        "one number inverse_sum(n) multiplies a whole row of powers. A value used several times gets a gradient from "
        "each use: sum along the row",
    "reciprocal-sign":
        "the size is right, the sign is wrong: when a sum grows, its reciprocal falls",
    "reciprocal-once":
        "the derivative of 1/s is not -1/s: write 1/s as a power of s and differentiate that",
    "reciprocal-logarithm":
        "1/s is the derivative of log s. What is the derivative of 1/s?",
    "powers-one-way":
        "powers affect the loss in two ways: directly in the quotient, and through the sum in the denominator. This "
        "is the first contribution alone; gradients of several uses add up",
    "powers-other-way":
        "powers affect the loss in two ways. This is the contribution through the sum alone: was the other one "
        "overwritten? Gradients of several uses add up",
    "exp-passed-by":
        "this passes d.powers on as if exp were missing. The derivative of exp is a value that you already have",
    "exp-of-exp":
        "the derivative of exp at x is exp(x), which is powers itself; here exp was taken a second time",
    "largest-constant":
        "in the whole chain these numbers are zero up to rounding, because a softmax is invariant to a shift. But "
        "this step must work for every incoming gradient: every column of lowered contains minus largest",
    "largest-not-summed":
        "one number largest(n) is subtracted from the whole row: sum the gradients of the columns",
    "largest-sign":
        "lowered is logits minus largest: the derivative has this minus sign too",
    "logits-one-way":
        "logits are used twice: in lowered, and one of each row in largest. The second contribution is missing",
    "largest-spread":
        "d.largest was added to every column. Only one logit of a row is the largest; a small change of the others "
        "leaves largest unchanged",
    "largest-turned":
        "the gradient of the largest logit is d.lowered plus d.largest; here d.largest was subtracted. It has its "
        "minus sign already",
    "offset-through-gain":
        "the offset is added after the multiplication by the gain: the gain does not affect its gradient",
    "before-the-tanh":
        "the gradient of weights takes the values that the weights multiply; weights2 multiply hidden",
    "epsilon-forgotten":
        "inverse is 1/sqrt(variance + epsilon): the epsilon is missing. The values of inverse already contain it",
    "tanh-not-squared":
        "the derivative of tanh is 1 minus the square of tanh; the square is missing",
    "tanh-of-tanh":
        "hidden is the tanh already; here tanh was applied to it once more",
    "tanh-before":
        "this squares scaled, the input of the tanh. The derivative takes the output",
    "gain-not-summed":
        "gain has one row for the whole batch: every sample uses it, so sum over the samples",
    "gain-of-scaled":
        "gain multiplies normalised; scaled is the result, which already contains gain and offset",
    "gain-forgotten":
        "d.scaled is passed on unchanged: normalised is multiplied by the gain to give scaled",
    "inverse-not-summed":
        "one number inverse(j) multiplies a whole column of centred: sum the gradients of the samples",
    "inverse-of-normalised":
        "inverse multiplies centred; normalised already contains inverse",
    "root-forgotten":
        "this is the derivative of 1/v, but inverse is 1/sqrt(v + epsilon): a power of -1/2, not of -1",
    "root-once":
        "the derivative of a power lowers the exponent by one: -1/2 becomes -3/2, so the derivative has inverse cubed",
    "root-without-half":
        "the derivative of a power has the exponent as a factor: the half is missing",
    "root-sign":
        "when the variance grows, its inverse root falls: the minus sign is missing",
    "bessel":
        "this divides by N - 1. In network.hpp the variance is the mean of the squares, divided by N",
    "variance-no-mean":
        "the variance is a mean over the batch: every square counts 1/N",
    "squared-one-row":
        "one number of the variance belongs to a whole column: the backward pass gives its gradient to every row",
    "deviation-constant":
        "this treats the standard deviation as a constant. But inverse was computed from the same centred numbers: "
        "they affect the loss through squared as well. Gradients of several uses add up",
    "centred-other-way":
        "centred is used twice, and this is the contribution through squared alone: was the other one overwritten?",
    "two-forgotten":
        "the derivative of a square is twice the number; the 2 is missing in the contribution through squared",
    "mean-sign":
        "centred is linear minus mean: the derivative has this minus sign too",
    "mean-of-gradients":
        "every sample uses the mean once, and each use counts in full: sum the gradients, without dividing. (The 1/N "
        "comes one step later, where the mean was computed)",
    "mean-not-summed":
        "one number mean(j) is subtracted from a whole column: sum the gradients of the samples",
    "mean-constant":
        "this treats the mean as a constant. The mean was computed from the same numbers: linear affects the loss "
        "through mean as well as directly through centred",
    "mean-not-shared":
        "a mean of N numbers changes by 1/N when one of them changes by 1: the 1/N is missing in that contribution",
    "bias-not-summed":
        "the bias has one row for the whole batch: every sample adds it, so sum over the samples",
    "bias-mean":
        "this is the mean over the batch. A bias is added to every sample in full: the gradient is the sum. (The "
        "incoming gradient already contains the mean of the loss)",
    "transposed":
        "this is the right matrix with rows and columns exchanged: check the shapes of the product",
    "divided-by-n-again":
        "this is divided by N once too often: the incoming gradient already contains the mean of the loss",
    "n-times":
        "this is N times too large: the forward pass takes a mean, which divides by N",
    "opposite":
        "every number has the wrong sign",
    "zeros":
        "the shape is right, but all numbers are still zero",
    "whole-network":
        "these are the right numbers for the whole network, but not for the gradient that came in. The function must "
        "work with every gradient that it finds in d",
    "by-place":
        "the values are right, but in another order: row n T + t of embedded belongs to sample n, place t",
    "overwritten":
        "a letter that occurs several times in the batch uses its row several times. Here the last use overwrites the "
        "earlier ones: gradients of several uses add up",
    "last-place-alone":
        "only the last letter of every context was counted: all T places use the same table",
    "averaged":
        "the uses of a letter were averaged. Each use counts in full: add them up",
    "one-hot-forgotten":
        "these are the probabilities over N. The target is still missing: subtract something in its column",
    "one-hot-not-divided":
        "the mean divides both: the probability and the 1 that is subtracted at the target",
    "fused-no-mean":
        "the loss is a mean over the samples: the 1/N is missing",
    "fused-sign":
        "target minus probability has the wrong sign: a larger logit of the target must lower the loss",
    "target-alone":
        "only the target's column has a number. The other logits are in the sum of the denominator, so they count too",
    "through-the-logarithm":
        "a probability so small that it became 0 was used as a divisor or in a logarithm. The fused formula needs "
        "neither: simplify on paper first, and remember that exp may overflow",
    "statistics-constant":
        "this treats mean and variance as constants. Both were computed from the batch: two more terms are missing",
    "mean-alone":
        "the contribution through the mean is present, the contribution through the variance is missing",
    "variance-alone":
        "the contribution through the variance is present, the contribution through the mean is missing",
    "fused-bessel":
        "one of the terms is divided by N - 1. The variance of this network is divided by N",
    "fused-gain-forgotten":
        "the gain between normalised and scaled is missing: it is a factor of the whole",
    "fused-n-times":
        "this is N times too large: a formula that begins with N times d.scaled must be divided by N at the end",
    "sums-not-divided":
        "the sums over the batch must be divided by N: mean and variance are means",
}
