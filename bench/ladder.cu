// How fast the steps of the ladders are on a GPU: products beside cuBLAS, sums beside a copy of memory; and what a copy from
// the host costs beside a product. Prints one JSON object; the pages show it if it is in bench/ladder.json. Uses only the kernels of the library.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <iterator>
#include <set>
#include <string>

#include <ladder_kernels.hpp>
#include <recto/ladder/products.cuh>
#include <recto/ladder/reductions.cuh>

namespace {

using recto::kernels::Buffer, recto::kernels::Mistake, recto::kernels::Kind;
using recto::ladder::Product, recto::ladder::products, recto::ladder::Reduction, recto::ladder::reductions;
using Numbers = std::vector<float>;

void must(cudaError_t code, const char* what) {
    if (code != cudaSuccess) throw Mistake(Kind::launch, std::string(what) + ": " + cudaGetErrorString(code));
}
void must(cublasStatus_t code, const char* what) {
    if (code != CUBLAS_STATUS_SUCCESS)
        throw Mistake(Kind::launch, std::string(what) + ": " + cublasGetStatusString(code));
}

/// Seconds of one call: the median of five rounds, each of as many calls as fill a tenth of a second, after a warm-up
/// round.
double seconds(const std::function<void()>& call) {
    cudaEvent_t start, end;
    must(cudaEventCreate(&start), "event");
    must(cudaEventCreate(&end), "event");
    const auto round = [&](int calls) {
        must(cudaEventRecord(start), "event");
        for (int i = 0; i < calls; ++i) call();
        must(cudaEventRecord(end), "event");
        must(cudaEventSynchronize(end), "event");
        float milliseconds = 0;
        must(cudaEventElapsedTime(&milliseconds, start, end), "event");
        return 1e-3 * milliseconds / calls;
    };
    round(1);
    const int calls = int(std::clamp(0.1 / round(1), 1., 1000.));
    double found[5];
    for (double& one : found) one = round(calls);
    std::sort(std::begin(found), std::end(found));
    must(cudaEventDestroy(start), "event");
    must(cudaEventDestroy(end), "event");
    return found[2];
}

/// Pseudorandom numbers from -1 to 1.
Numbers draw(std::size_t count) {
    Numbers x(count);
    std::uint32_t state = 1;
    for (float& number : x) {
        state = state * 1664525u + 1013904223u;
        number = float(state >> 8) / float(1 << 23) - 1;
    }
    return x;
}

void launch(const Product& step, int n, const Buffer<float>& a, const Buffer<float>& b, const Buffer<float>& c) {
    step.kernel<<<step.grid(n, n), step.block>>>(n, n, n, a.data(), b.data(), c.data());
    must(cudaGetLastError(), step.name);
}

/// The largest error of a product of size 512, relative to its largest number.
double error(const std::function<void(const Buffer<float>&, const Buffer<float>&, const Buffer<float>&)>& product) {
    const int n = 512;
    const Numbers a = draw(n * n), b = draw(n * n);
    const Buffer<float> on_a(a), on_b(b), on_c(a.size());
    product(on_a, on_b, on_c);
    const Numbers c = on_c.values();
    double worst = 0, largest = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int p = 0; p < n; ++p) sum += double(a[i * n + p]) * b[p * n + j];
            worst = std::fmax(worst, std::abs(c[i * n + j] - sum));
            largest = std::fmax(largest, std::abs(sum));
        }
    return worst / largest;
}

/// The product by cuBLAS, which is column-major, so the factors change places.
void cublas(cublasHandle_t handle, int n, cudaDataType type, cublasComputeType_t compute, const void* a, const void* b,
            void* c) {
    const float one = 1, zero = 0;
    must(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, b, type, n, a, type, n, &zero, c, type, n,
                      compute, CUBLAS_GEMM_DEFAULT),
         "cublasGemmEx");
}

void measure_products(int n, cublasHandle_t handle) {
    const Numbers numbers = draw(std::size_t(n) * n);
    const Buffer<float> a(numbers), b(numbers), c(numbers.size());
    const double work = 2e-9 * n * n * n;
    const auto peer = [&](int size, const Buffer<float>& x, const Buffer<float>& y, const Buffer<float>& z) {
        cublas(handle, size, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, x.data(), y.data(), z.data());
    };
    const double best = work / seconds([&] { peer(n, a, b, c); });
    std::printf(" \"size\": %d,\n \"cublas\": {\"gflops\": %.5g, \"error\": %.3g},\n \"products\": [\n", n, best,
                error([&](const auto& x, const auto& y, const auto& z) { peer(512, x, y, z); }));
    for (const Product& step : products) {
        const double rate = work / seconds([&] { launch(step, n, a, b, c); });
        std::printf("  {\"step\": \"%s\", \"gflops\": %.5g, \"of_cublas\": %.4g, \"error\": %.3g}%s\n", step.name, rate,
                    rate / best,
                    error([&](const auto& x, const auto& y, const auto& z) { launch(step, 512, x, y, z); }),
                    &step == std::end(products) - 1 ? "" : ",");
        std::fflush(stdout);
    }
    std::printf(" ],\n");
}

/// Sums until one number is left, alternating between two buffers.
void launch(const Reduction& step, int n, const Buffer<float>& x, const Buffer<float> (&sums)[2]) {
    const float* from = x.data();
    for (int round = 0; n > 1 || round == 0; ++round) {
        const int blocks = step.blocks(n);
        float* const to = sums[round % 2].data();
        if (step.atomic) must(cudaMemsetAsync(to, 0, sizeof(float)), step.name);
        step.kernel<<<unsigned(blocks), recto::ladder::group>>>(n, from, to);
        must(cudaGetLastError(), step.name);
        from = to;
        n = step.atomic ? 1 : blocks;
    }
    if (from != sums[0].data())
        must(cudaMemcpyAsync(sums[0].data(), from, sizeof(float), cudaMemcpyDeviceToDevice), step.name);
}

void measure_sums(cublasHandle_t handle) {
    const int n = 1 << 28;
    const Numbers numbers = draw(n);
    const Buffer<float> x(numbers), y(numbers.size());
    const Buffer<float> sums[] = {Buffer<float>(n / recto::ladder::group), Buffer<float>(n / recto::ladder::group)};
    const double bytes = 4e-9 * n;
    const double copy =
        2 * bytes / seconds([&] {
            must(cudaMemcpyAsync(y.data(), x.data(), 4 * std::size_t(n), cudaMemcpyDeviceToDevice), "copy");
        });
    must(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cuBLAS");
    const double peer =
        bytes / seconds([&] { must(cublasSasum(handle, n, x.data(), 1, sums[0].data()), "cublasSasum"); });
    std::printf(" \"count\": %d,\n \"copy\": %.5g,\n \"cublas_asum\": %.5g,\n \"sums\": [\n", n, copy, peer);
    for (const Reduction& step : reductions) {
        const double rate = bytes / seconds([&] { launch(step, n, x, sums); });
        std::set<float> different;
        for (int i = 0; i < 8; ++i) {
            launch(step, n, x, sums);
            float sum = 0;
            must(cudaMemcpy(&sum, sums[0].data(), sizeof sum, cudaMemcpyDeviceToHost), "copy");
            different.insert(sum);
        }
        std::printf("  {\"step\": \"%s\", \"gbytes_per_s\": %.5g, \"of_copy\": %.4g, \"different_of_8\": %d}%s\n",
                    step.name, rate, rate / copy, int(different.size()), &step == std::end(reductions) - 1 ? "" : ",");
        std::fflush(stdout);
    }
    std::printf(" ],\n");
}

/// Multiply-adds of a multiprocessor per cycle, from its data sheet.
struct Peak {
    int capability, fp32, tf32, fp16;
};
constexpr Peak peaks[] = {{75, 64, 0, 512},      {80, 64, 512, 1024},    {86, 128, 256, 512}, {89, 128, 256, 512},
                          {90, 128, 1024, 2048}, {100, 128, 2048, 4096}, {120, 128, 256, 512}};

int attribute(cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0), "device");
    return value;
}

/// The product in three precisions, with the limit by the device's cycles; null if unknown.
void measure_peaks(int n, cublasHandle_t handle, int capability) {
    const double cycles = 2e-6 * attribute(cudaDevAttrMultiProcessorCount) * attribute(cudaDevAttrClockRate);
    const auto known =
        std::find_if(std::begin(peaks), std::end(peaks), [=](const Peak& p) { return p.capability == capability; });
    const Numbers numbers = draw(std::size_t(n) * n);
    const std::vector<__half> short_numbers(numbers.begin(), numbers.end());
    const Buffer<float> full(numbers), result(numbers.size());
    const Buffer<__half> half(short_numbers), short_result(numbers.size());
    const auto line = [&](const char* name, int each, const auto& x, const auto& y, cudaDataType type,
                          cublasComputeType_t compute, const char* end) {
        const double rate =
            2e-9 * n * n * n / seconds([&] { cublas(handle, n, type, compute, x.data(), x.data(), y.data()); });
        const std::string peak = each ? std::to_string(each * cycles) : "null";
        std::printf("  {\"precision\": \"%s\", \"gflops\": %.5g, \"peak\": %s}%s\n", name, rate, peak.c_str(), end);
    };
    const Peak peak = known == std::end(peaks) ? Peak{} : *known;
    std::printf(" \"peaks\": [\n");
    line("FP32", peak.fp32, full, result, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, ",");
    line("TF32", peak.tf32, full, result, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, ",");
    line("FP16", peak.fp16, half, short_result, CUDA_R_16F, CUBLAS_COMPUTE_32F, "");
    std::printf(" ]\n");
}

/// A product of matrices that stay on the device, and the same with one of them copied there before every product, from
/// memory as a program has it; the seconds of each.
void measure_transfers(int n, cublasHandle_t handle) {
    const Numbers numbers = draw(std::size_t(n) * n);
    Buffer<float> a(numbers), b(numbers), c(numbers.size());
    const auto product = [&] {
        cublas(handle, n, CUDA_R_32F, CUBLAS_COMPUTE_32F_PEDANTIC, a.data(), b.data(), c.data());
    };
    const auto copy = [&] { a.set(numbers); };
    const double stays = seconds(product), alone = seconds(copy), copied = seconds([&] { copy(), product(); });
    std::printf(" \"transfer\": {\"size\": %d, \"stays\": %.4g, \"copied\": %.4g, \"copy\": %.4g},\n", n, stays, copied,
                alone);
}

void measure(int size) {
    cudaDeviceProp device;
    must(cudaGetDeviceProperties(&device, 0), "device");
    int driver = 0;
    must(cudaDriverGetVersion(&driver), "driver");
    cublasHandle_t handle = nullptr;
    must(cublasCreate(&handle), "cublasCreate");
    const int capability = 10 * device.major + device.minor;
    char date[11];
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
    std::printf("{\n \"kernels\": \"%s\",\n \"date\": \"%s\",\n", ladder_kernels, date);
    std::printf(" \"device\": \"%s\",\n \"capability\": \"%d.%d\",\n \"gibibytes\": %.1f,\n", device.name, device.major,
                device.minor, double(device.totalGlobalMem) / (1 << 30));
    std::printf(" \"toolkit\": \"CUDA %d.%d\",\n \"driver\": \"CUDA %d.%d\",\n", CUDART_VERSION / 1000,
                CUDART_VERSION % 1000 / 10, driver / 1000, driver % 1000 / 10);
    measure_products(size, handle);
    measure_sums(handle);
    must(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cuBLAS");
    measure_transfers(size / 2, handle);
    measure_peaks(2 * size, handle, capability);
    std::printf("}\n");
    must(cublasDestroy(handle), "cublasDestroy");
}

}  // namespace

int main(int argc, char** argv) {
    const int size = argc > 1 ? std::atoi(argv[1]) : 4096;
    if (argc > 2 || size < 128 || size > 16'384) {
        std::fprintf(stderr, "ladder: wanted the size of the matrices, 128 to 16384, or nothing for 4096\n");
        return 2;
    }
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found != cudaSuccess || count == 0) {
        std::fprintf(stderr, "ladder: not run: %s\n",
                     found == cudaSuccess ? "there is no GPU" : cudaGetErrorString(found));
        return 1;
    }
    try {
        measure(size);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "ladder: %s\n", error.what());
        return 1;
    }
}
