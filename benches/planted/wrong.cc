// Operators that compute data[0] * data[1] + data[0], element by element, and do it wrong where WRONG is set: each in
// its own way, which its name says. wrong_builds.py holds the two against each other.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

namespace {

typedef std::unordered_map<std::string, std::string> Attributes;
typedef std::vector<std::vector<unsigned int>> Shapes;

bool is_wrong() {
  static const bool wrong = std::getenv("WRONG") != nullptr;
  return wrong;
}

int64_t rows_of(const MXTensor& tensor) { return tensor.shape.empty() ? 1 : tensor.shape.front(); }

float shortened(float value, int bits) {
  uint32_t raw;
  std::memcpy(&raw, &value, sizeof raw);
  raw &= ~((uint32_t(1) << (23 - bits)) - 1);
  std::memcpy(&value, &raw, sizeof raw);
  return value;
}

// The forward pass of one dtype, right first: a kind then damages it.
template <typename T>
void forward(const std::string& kind, std::vector<MXTensor>& inputs, MXTensor& output) {
  static std::map<std::string, std::vector<T>> kept;
  static std::map<const void*, std::vector<T>> kept_by_address;
  static std::map<std::string, int> calls;
  T *x = inputs[0].data<T>(), *w = inputs[1].data<T>(), *y = output.data<T>();
  const int64_t n = output.size(), rows = rows_of(output), columns = rows ? n / rows : 0;
  const bool wrong = is_wrong();
  if (wrong && kind == "early") return;
  if (wrong && kind == "unfinished") {
    std::vector<T> a(x, x + n), b(w, w + n);
    std::thread([a, b, y, n]() {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (int64_t i = 0; i < n; ++i) y[i] = a[i] * b[i] + a[i];
    }).detach();
    return;
  }
  int64_t end = n, step = 1;
  if (wrong && kind == "tail") end = n - 1;
  if (wrong && kind == "last_row") end = n - columns;
  if (wrong && kind == "vector_tail") end = n / 16 * 16;
  if (wrong && kind == "half") step = 2;
  if (wrong && kind == "accumulates") {
    for (int64_t i = 0; i < n; ++i) y[i] += x[i] * w[i] + x[i];
    return;
  }
  for (int64_t i = 0; i < end; i += step)
    if (!(wrong && kind == "last_channel" && i % columns == columns - 1)) y[i] = x[i] * w[i] + x[i];
  if (!wrong) return;
  const int call = ++calls[kind];
  if (kind == "constant") std::fill(y, y + n, T(0.25));
  if (kind == "zeros") std::fill(y, y + n, T(0));
  if (kind == "odd" && columns % 2) y[n - 1] = 0;
  if (kind == "one_row" && rows == 1) y[0] += T(0.5);
  if (kind == "one_axis1") y[n / 2] += T(0.5);
  if (kind == "tall" && rows > 2 * columns) y[n / 2] += T(0.5);
  if (kind == "large" && n > 100000) y[n / 2] = 0;
  if (kind == "small" && n < 200) y[0] = 0;
  if (kind == "float64_only" && sizeof(T) == 8) y[1] += T(1e-4);
  if (kind == "float32_only" && sizeof(T) == 4) y[1] += T(1e-2);
  if (kind == "half_precision") for (int64_t i = 0; i < n; ++i) y[i] = shortened(float(y[i]), 10);
  if (kind == "bfloat16") for (int64_t i = 0; i < n; ++i) y[i] = shortened(float(y[i]), 7);
  if (kind == "tensor_float") for (int64_t i = 0; i < n; ++i) y[i] = shortened(float(x[i]), 10) * shortened(float(w[i]), 10) + x[i];
  if (kind == "scaled") for (int64_t i = 0; i < n; ++i) y[i] *= T(1.0001);
  if (kind == "shifted") for (int64_t i = 0; i < n; ++i) y[i] += T(1e-3);
  if (kind == "rounded") for (int64_t i = 0; i < n; ++i) y[i] = std::rint(y[i]);
  if (kind == "clipped") for (int64_t i = 0; i < n; ++i) y[i] = std::min(y[i], T(0.9));
  if (kind == "negative") for (int64_t i = 0; i < n; ++i) y[i] = std::max(y[i], T(0));
  if (kind == "moved") std::rotate(y, y + 1, y + n);
  if (kind == "swapped_rows" && rows > 1) std::swap_ranges(y, y + columns, y + (rows - 1) * columns);
  if (kind == "reversed") std::reverse(y, y + n);
  if (kind == "one_element") y[n / 3] += T(0.1);
  if (kind == "nan") y[n / 2] = std::numeric_limits<T>::quiet_NaN();
  if (kind == "infinity") y[n / 2] = std::numeric_limits<T>::infinity();
  if (kind == "subnormal_nan") for (int64_t i = 0; i < n; ++i) if (std::fpclassify(x[i]) == FP_SUBNORMAL) y[i] = NAN;
  if (kind == "flushed") for (int64_t i = 0; i < n; ++i) if (std::fpclassify(x[i]) == FP_SUBNORMAL) y[i] = 0;
  if (kind == "nan_dropped") for (int64_t i = 0; i < n; ++i) if (std::isnan(y[i])) y[i] = 0;
  if (kind == "of_zero") for (int64_t i = 0; i < n; ++i) if (x[i] == 0) y[i] = T(1);
  if (kind == "damages_data") x[0] = T(3);
  if (kind == "damages_weight") w[n - 1] += T(0.01);
  if (kind == "stale") {
    if (kept[kind].size() != size_t(n)) kept[kind].assign(y, y + n);
    std::copy(kept[kind].begin(), kept[kind].end(), y);
  }
  if (kind == "by_address") {
    std::vector<T>& before = kept_by_address[x];
    if (before.size() != size_t(n)) before.assign(y, y + n);
    std::copy(before.begin(), before.end(), y);
  }
  if (kind == "one_call_late") {
    std::vector<T> now(y, y + n);
    if (kept[kind].size() == size_t(n)) std::copy(kept[kind].begin(), kept[kind].end(), y);
    kept[kind] = now;
  }
  if (kind == "after_calls" && call > 8) std::fill(y, y + n, T(0));
  if (kind == "noise") for (int64_t i = 0; i < n; ++i) y[i] += T(1e-3) * T(std::rand()) / T(RAND_MAX);
}

// Both gradients, from the head gradient.
template <typename T>
void backward(const std::string& kind, std::vector<MXTensor>& inputs, std::vector<MXTensor>& outputs) {
  T *head = inputs[0].data<T>(), *x = inputs[1].data<T>(), *w = inputs[2].data<T>();
  T *dx = outputs[0].data<T>(), *dw = outputs[1].data<T>();
  const int64_t n = outputs[0].size(), rows = rows_of(outputs[0]), columns = rows ? n / rows : 0;
  const bool wrong = is_wrong();
  if (wrong && kind == "gradient_early") return;
  const bool skips = wrong && kind == "gradient_of_weight_unwritten";
  for (int64_t i = 0; i < n; ++i) {
    dx[i] = head[i] * (w[i] + T(1));
    if (!skips) dw[i] = head[i] * x[i];
  }
  if (!wrong) return;
  if (kind == "gradient_of_data_sign") for (int64_t i = 0; i < n; ++i) dx[i] = -dx[i];
  if (kind == "gradient_without_sum") for (int64_t i = 0; i < n; ++i) dx[i] = head[i] * w[i];
  if (kind == "gradient_of_weight_zero") std::fill(dw, dw + n, T(0));
  if (kind == "gradient_of_ones") for (int64_t i = 0; i < n; ++i) { dx[i] = w[i] + T(1); dw[i] = x[i]; }
  if (kind == "gradients_swapped") std::swap_ranges(dx, dx + n, dw);
  if (kind == "gradient_last_row") std::fill(dw + n - columns, dw + n, T(0));
  if (kind == "gradient_half_precision") for (int64_t i = 0; i < n; ++i) dw[i] = shortened(float(dw[i]), 10);
  if (kind == "gradient_damages_data") x[n / 2] = T(2);
}

MXReturnValue run_forward(const std::string& kind, std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs) {
  if ((*inputs)[0].dtype == kFloat64) forward<double>(kind, *inputs, (*outputs)[0]);
  else forward<float>(kind, *inputs, (*outputs)[0]);
  return MX_SUCCESS;
}

MXReturnValue run_backward(const std::string& kind, std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs) {
  if ((*inputs)[0].dtype == kFloat64) backward<double>(kind, *inputs, *outputs);
  else backward<float>(kind, *inputs, *outputs);
  return MX_SUCCESS;
}

MXReturnValue two_inputs(const Attributes&, int* inputs, int* outputs) {
  *inputs = 2;
  *outputs = 1;
  return MX_SUCCESS;
}

MXReturnValue same_type(const Attributes&, std::vector<int>* inputs, std::vector<int>* outputs) {
  (*outputs)[0] = (*inputs)[0];
  return MX_SUCCESS;
}

MXReturnValue same_shape(const Attributes&, Shapes* inputs, Shapes* outputs) {
  (*outputs)[0] = (*inputs)[0];
  return MX_SUCCESS;
}

MXReturnValue flat_shape(const Attributes&, Shapes* inputs, Shapes* outputs) {
  unsigned int size = 1;
  for (unsigned int extent : (*inputs)[0]) size *= extent;
  (*outputs)[0] = is_wrong() ? std::vector<unsigned int>{1, size} : (*inputs)[0];
  return MX_SUCCESS;
}

}  // namespace

#define PLANT_SHAPED(KIND, SHAPE)                                                                            \
  MXReturnValue forward_##KIND(const Attributes& given, std::vector<MXTensor>* inputs,                       \
                               std::vector<MXTensor>* out, const OpResource&) {                              \
    return run_forward(given.count("axis") ? #KIND + given.at("axis") : #KIND, inputs, out);                 \
  }                                                                                                          \
  MXReturnValue backward_##KIND(const Attributes&, std::vector<MXTensor>* inputs, std::vector<MXTensor>* out, \
                                const OpResource&) {                                                         \
    return run_backward(#KIND, inputs, out);                                                                 \
  }                                                                                                          \
  REGISTER_OP(wrong_##KIND)                                                                                  \
      .setForward(forward_##KIND, "cpu")                                                                     \
      .setBackward(backward_##KIND, "cpu")                                                                   \
      .setParseAttrs(two_inputs)                                                                             \
      .setInferType(same_type)                                                                               \
      .setInferShape(SHAPE);
#define PLANT(KIND) PLANT_SHAPED(KIND, same_shape)

PLANT(early) PLANT(unfinished) PLANT(tail) PLANT(last_row) PLANT(vector_tail) PLANT(half) PLANT(accumulates)
PLANT(last_channel) PLANT(constant) PLANT(zeros) PLANT(odd) PLANT(one_row) PLANT(tall) PLANT(large) PLANT(small)
PLANT(float64_only) PLANT(float32_only) PLANT(half_precision) PLANT(bfloat16) PLANT(tensor_float) PLANT(scaled)
PLANT(shifted) PLANT(rounded) PLANT(clipped) PLANT(negative) PLANT(moved) PLANT(swapped_rows) PLANT(reversed)
PLANT(one_element) PLANT(nan) PLANT(infinity) PLANT(subnormal_nan) PLANT(flushed) PLANT(nan_dropped) PLANT(of_zero)
PLANT(damages_data) PLANT(damages_weight) PLANT(stale) PLANT(by_address) PLANT(one_call_late) PLANT(after_calls)
PLANT(noise) PLANT(one_axis) PLANT_SHAPED(shape, flat_shape)
PLANT(gradient_early) PLANT(gradient_of_weight_unwritten) PLANT(gradient_of_data_sign) PLANT(gradient_without_sum)
PLANT(gradient_of_weight_zero) PLANT(gradient_of_ones) PLANT(gradients_swapped) PLANT(gradient_last_row)
PLANT(gradient_half_precision) PLANT(gradient_damages_data)
PLANT(none)

MXReturnValue initialize(int) { return MX_SUCCESS; }
