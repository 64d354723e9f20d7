// Operators that do more work where MORE is set, as much as their name says: `more` ones compute x * w + x of more elements,
// `longer` ones a longer polynomial of each element. exact_counts.py holds the counts of the two against each other,
// power.py their times.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

namespace {

typedef std::unordered_map<std::string, std::string> Attributes;

// The first `n` elements, once more for each `share` of them where MORE is set.
__attribute__((noinline)) void multiply_add(const float* x, const float* w, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i] + x[i];
}

MXReturnValue more(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs, int64_t share) {
  const float *x = (*inputs)[0].data<float>(), *w = (*inputs)[1].data<float>();
  float* y = (*outputs)[0].data<float>();
  const int64_t n = (*outputs)[0].size();
  multiply_add(x, w, y, n);
  if (share && std::getenv("MORE")) multiply_add(x, w, y, n / share);
  return MX_SUCCESS;
}

const int64_t TERMS = 200;

volatile float one = 1.0f, zero = 0.0f;

// Horner's rule with TERMS, and a `share` more where MORE is set, which change nothing: results are compared, too.
MXReturnValue longer(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs, int64_t share) {
  const float *x = (*inputs)[0].data<float>(), *w = (*inputs)[1].data<float>();
  float* y = (*outputs)[0].data<float>();
  const int64_t n = (*outputs)[0].size(), idle = share && std::getenv("MORE") ? TERMS / share : 0;
  const float same = one, nothing = zero;
  for (int64_t i = 0; i < n; ++i) {
    float sum = 1.0f;
    for (int64_t term = 0; term < TERMS; ++term) sum = sum * x[i] + w[i];
    for (int64_t term = 0; term < idle; ++term) sum = sum * same + nothing;
    y[i] = sum;
  }
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

MXReturnValue same_shape(const Attributes&, std::vector<std::vector<unsigned int>>* inputs,
                         std::vector<std::vector<unsigned int>>* outputs) {
  (*outputs)[0] = (*inputs)[0];
  return MX_SUCCESS;
}

}  // namespace

#define PLANT(WORK, KIND, SHARE)                                                                                    \
  MXReturnValue forward_##WORK##KIND(const Attributes&, std::vector<MXTensor>* inputs, std::vector<MXTensor>* out, \
                                     const OpResource&) {                                                          \
    return WORK(inputs, out, SHARE);                                                                               \
  }                                                                                                                \
  REGISTER_OP(WORK##_##KIND)                                                                                       \
      .setForward(forward_##WORK##KIND, "cpu")                                                                     \
      .setParseAttrs(two_inputs)                                                                                   \
      .setInferType(same_type)                                                                                     \
      .setInferShape(same_shape);

PLANT(more, ten_percent, 10)
PLANT(more, five_percent, 20)
PLANT(more, three_percent, 33)
PLANT(more, two_percent, 50)
PLANT(more, percent, 100)
PLANT(more, half_percent, 200)
PLANT(more, thousandth, 1000)
PLANT(more, nothing, 0)
PLANT(longer, ten_percent, 10)
PLANT(longer, five_percent, 20)
PLANT(longer, three_percent, 33)
PLANT(longer, two_percent, 50)
PLANT(longer, percent, 100)
PLANT(longer, half_percent, 200)
PLANT(longer, nothing, 0)

MXReturnValue initialize(int version) { return version >= 10700 ? MX_SUCCESS : MX_FAIL; }
