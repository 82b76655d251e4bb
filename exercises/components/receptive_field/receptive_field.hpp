#pragma once
#include <algorithm>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// A layer along one axis, a convolution or a pooling.
struct Layer {
    int kernel;
    int stride = 1;    // places from one window to the next, at least 1
    int padding = 0;   // zeros added on each side, at least 0
    int dilation = 1;  // places from one tap of the kernel to the next, at least 1
};

// What the output of the first layers of a stack knows of the input.
struct Stage {
    int size = 0;   // outputs
    int jump = 1;   // input places from the field of one output to that of the next
    int field = 1;  // input places from the first to the last that an output sees
    int start = 0;  // the first place of the field of output 0; below 0 it lies in the padding
};

// A range of input places; first and last belong to it.
struct Range {
    int first = 0, last = 0;
};

// Stage k belongs to the output of the first k layers, so stage 0 is the input itself, which has `size` places.
// Throws std::invalid_argument if the window of a layer does not fit into its padded input.
std::vector<Stage> stages(int size, const std::vector<Layer>& layers);

// The field of one output of the last layer, not clipped: it may reach into the padding on both sides.
Range span(int size, const std::vector<Layer>& layers, int output);

// All input places on which this output of the last layer depends, in increasing order, each once.
std::vector<int> places(int size, const std::vector<Layer>& layers, int output);
