#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "matrix.hpp"

// Query i stands at place first + i of a sequence and sees the keys at places 0 to first + i. Key j stands at place j.

// The weights, (queries, keys). q is (queries, d), k is (keys, d); there is at least one key, and first is at least 0.
Matrix attention_weights(const Matrix& q, const Matrix& k, int first);

// The output, (queries, width): for every query the mean of the values v (keys, width) with its weights.
Matrix causal_attention(const Matrix& q, const Matrix& k, const Matrix& v, int first);
