// Operators that compute data[0] * data[1] + data[0], element by element. Where MORE is set they do more work of the same
// kind, as much as their name says; exact_counts.py holds the counts of the two against each other.

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

MXReturnValue run(std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs, int64_t share) {
  const float *x = (*inputs)[0].data<float>(), *w = (*inputs)[1].data<float>();
  float* y = (*outputs)[0].data<float>();
  const int64_t n = (*outputs)[0].size();
  multiply_add(x, w, y, n);
  if (share && std::getenv("MORE")) multiply_add(x, w, y, n / share);
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

#define PLANT(KIND, SHARE)                                                                                   \
  MXReturnValue forward_##KIND(const Attributes&, std::vector<MXTensor>* inputs, std::vector<MXTensor>* out, \
                               const OpResource&) {                                                          \
    return run(inputs, out, SHARE);                                                                          \
  }                                                                                                          \
  REGISTER_OP(more_##KIND)                                                                                   \
      .setForward(forward_##KIND, "cpu")                                                                     \
      .setParseAttrs(two_inputs)                                                                             \
      .setInferType(same_type)                                                                               \
      .setInferShape(same_shape);

PLANT(percent, 100)
PLANT(thousandth, 1000)
PLANT(nothing, 0)

MXReturnValue initialize(int version) { return version >= 10700 ? MX_SUCCESS : MX_FAIL; }
