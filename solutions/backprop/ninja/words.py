"""What each slip of this exercise is called, and what a student is told about it."""

SAYS = {
    "integer-division":
        "in C++ -1 / N of two whole numbers is a whole number: 0, as soon as N is larger than 1",
    "every-class":
        "the loss takes one logarithm of every sample, that of its target: all the others have no influence, so their"
        " derivative is 0",
    "mean-of-everything":
        "this is divided by samples times letters. The mean in the loss runs over the N samples alone",
    "no-mean":
        "the loss is a mean: every sample counts 1/N, and so does its derivative",
    "wrong-sign":
        "the loss is minus the mean of the logarithms: where a logarithm grows, the loss falls",
    "log-passed-by":
        "this hands d.logs on as if log were not there. Its slope at p is not 1",
    "log-multiplied":
        "you multiply by the probability. Which function has x as its slope, and which has log?",
    "no-sum-over-row":
        "one number inverse_sum(n) multiplies a whole row of powers. Whatever is used several times collects from all"
        " its uses: sum along the row",
    "reciprocal-sign":
        "size right, sign wrong: when a sum grows, its reciprocal falls",
    "reciprocal-once":
        "the slope of 1/s is not -1/s: write it as a power of s and derive that",
    "reciprocal-logarithm":
        "1/s is the slope of log s. What is the slope of 1/s?",
    "powers-one-way":
        "powers lead to the loss on two ways: straight into the quotient, and through the sum that divides. This is "
        "the first one alone; gradients of several ways add up",
    "powers-other-way":
        "powers lead to the loss on two ways. This is the one through the sum alone: was the other one overwritten? "
        "Gradients of several ways add up",
    "exp-passed-by":
        "this hands d.powers on as if exp were not there. The slope of exp is a value that you have already",
    "exp-of-exp":
        "the slope of exp at x is exp(x), and that is powers itself; here exp was taken a second time",
    "largest-constant":
        "in the whole chain these numbers come out as zero up to rounding, because a softmax does not care for a "
        "shift. But this step does not know what follows: whatever comes in, every column of lowered has minus "
        "largest in it",
    "largest-not-summed":
        "one number largest(n) is taken off the whole row: sum what the columns hand back",
    "largest-sign":
        "lowered is logits minus largest: the minus belongs to the derivative too",
    "logits-one-way":
        "logits lead on twice: into lowered, and one of each row into largest. The second way is missing",
    "largest-spread":
        "d.largest was added to every column. Only one logit of a row is the largest one; the others can move a "
        "little and largest stays what it is",
    "largest-turned":
        "the gradient of the largest logit is lowered plus largest; here d.largest was taken off. It has its minus already",
    "offset-through-gain":
        "the offset is added after the gain has multiplied: the gain does not reach it",
    "before-the-tanh":
        "the gradient of weights takes what they were multiplied with; weights2 were multiplied with hidden",
    "epsilon-forgotten":
        "inverse is 1/sqrt(variance + epsilon): the epsilon is missing. The values of inverse hold it already",
    "tanh-not-squared":
        "the slope of tanh is 1 minus the square of tanh; the square is missing",
    "tanh-of-tanh":
        "hidden is the tanh already; here tanh was taken of it once more",
    "tanh-before":
        "this squares scaled, what goes into the tanh. The slope is told by what comes out",
    "gain-not-summed":
        "gain has one row for the whole batch: every sample uses it, so it collects from every sample",
    "gain-of-scaled":
        "gain multiplies normalised; scaled is what comes out, with gain and offset in it already",
    "gain-forgotten":
        "d.scaled is handed on unchanged: between normalised and scaled stands the gain",
    "inverse-not-summed":
        "one number inverse(j) multiplies a whole column of centred: sum what the samples hand back",
    "inverse-of-normalised":
        "inverse multiplies centred; normalised has inverse in it already",
    "root-forgotten":
        "this is the slope of 1/v, but inverse is 1/sqrt(v + epsilon): a power of -1/2, not of -1",
    "root-once":
        "the slope of a power has the exponent minus one: from -1/2 that is -3/2, so inverse stands there cubed",
    "root-without-half":
        "the exponent comes to the front when a power is derived: the half is missing",
    "root-sign":
        "when the variance grows, its inverse root falls: where has the minus gone?",
    "bessel":
        "this divides by N - 1. Look at the variance in network.hpp: it is the mean of the squares, divided by N",
    "variance-no-mean":
        "the variance is a mean over the batch: every square counts 1/N",
    "squared-one-row":
        "one number of the variance stands for a whole column: on the way back it is handed to every row",
    "deviation-constant":
        "this takes the deviation for a constant. But inverse was made from the same centred numbers: they lead on "
        "through squared as well. Gradients of several ways add up",
    "centred-other-way":
        "centred leads on twice, and this is the way through squared alone: was the other one overwritten?",
    "two-forgotten":
        "the slope of a square is twice the number; the 2 is missing on the way through squared",
    "mean-sign":
        "centred is linear minus mean: the minus belongs to the derivative too",
    "mean-of-gradients":
        "the mean is used once by every sample, and each use counts in full: sum them, and do not divide. (The 1/N "
        "comes one step later, where the mean was taken)",
    "mean-not-summed":
        "one number mean(j) is taken off a whole column: sum what the samples hand back",
    "mean-constant":
        "this takes the mean for a constant. It was made from the same numbers: linear leads on through mean as well "
        "as straight into centred",
    "mean-not-shared":
        "a mean of N numbers changes by 1/N when one of them changes by 1: the 1/N is missing on that way",
    "bias-not-summed":
        "one row for the whole batch: every sample adds it, so it collects from every sample",
    "bias-mean":
        "this is the mean over the batch. A bias is added to every sample in full: the gradient is the sum. (The mean"
        " of the loss is in what comes in already)",
    "transposed":
        "this is the right matrix with rows and columns exchanged: look at the shapes of the product",
    "divided-by-n-again":
        "this is divided by N once too often: the mean of the loss is in what comes in already",
    "n-times":
        "this is N times too large: a mean was taken on the way forwards",
    "opposite":
        "every number has the wrong sign",
    "zeros":
        "it has the right shape, but nothing was ever written into it",
    "whole-network":
        "these are the right numbers for the whole network, but not for what was handed in. The function must work "
        "with the gradient that it finds in d, whatever that is",
    "by-place":
        "the pieces are right, but in another order: row n T + t of embedded belongs to sample n, place t",
    "overwritten":
        "a letter that occurs several times in the batch uses its row several times. Here the last use overwrites "
        "those before: gradients of several uses add up",
    "last-place-alone":
        "only the last letter of every context was counted: all T places look into the same table",
    "averaged":
        "the uses of a letter were averaged. Each use counts in full: add them up",
    "one-hot-forgotten":
        "these are the probabilities over N. The target is still missing: something is to be taken off there",
    "one-hot-not-divided":
        "the mean divides both: the probability and the 1 that is taken off at the target",
    "fused-no-mean":
        "the loss is a mean over the samples: the 1/N is missing",
    "fused-sign":
        "target minus probability has the wrong sign: raising the target's logit must lower the loss",
    "target-alone":
        "only the target's column has a number. The other logits stand in the sum that divides, so they count too",
    "through-the-logarithm":
        "a probability so small that it became 0 was divided by or put into a logarithm. The fused formula needs "
        "neither: simplify on paper first, and mind that exp may overflow",
    "statistics-constant":
        "this takes mean and variance for constants. Both were made from the batch: two more terms are due",
    "mean-alone":
        "the way through the mean is there, that through the variance is missing",
    "variance-alone":
        "the way through the variance is there, that through the mean is missing",
    "fused-bessel":
        "one of the terms is divided by N - 1. The variance of this network is divided by N",
    "fused-gain-forgotten":
        "between normalised and scaled stands the gain: it is a factor of the whole",
    "fused-n-times":
        "this is N times too large: a formula with N times d.scaled in front must be divided by N in the end",
    "sums-not-divided":
        "the sums over the batch must be divided by N: mean and variance are means",
}
