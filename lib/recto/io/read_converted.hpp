#pragma once
/// @file
/// Numbers of a file in another type than Real.
#include <algorithm>

#include <recto/io/input_file.hpp>

namespace RECTO::io {

/// Reads numbers of the type `Stored` as Real, in pieces.
/// @param place    their first byte in the file   @param to  memory for `count` numbers
/// @param convert  makes a number of a Stored
/// @throws Error as InputFile::read()
template <class Stored, class Convert>
void read_converted(const InputFile& file, Index place, Real* to, Index count, const Convert& convert) {
    Stored piece[4096];
    for (Index done = 0; done < count;) {
        const Index n = std::min<Index>(4096, count - done);
        file.read(piece, place + done * Index(sizeof(Stored)), n * Index(sizeof(Stored)));
        for (Index i = 0; i < n; ++i) to[done + i] = Real(convert(piece[i]));
        done += n;
    }
}

}  // namespace RECTO::io
