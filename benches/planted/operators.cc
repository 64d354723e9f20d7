// Operators that spin for exactly known times: some with planted cliffs, some without one.
//
// A law says how many microseconds a call takes, from shapes, dtype, parameters and 1,024 numbers of its tensor (one of
// them is noisy on purpose). laws.py and cliffs.py say the same in Python, and planted_laws.py holds the two together.
// What the operators return is left as it was allocated: nothing is written, so that nothing but the law takes time.

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

namespace {

typedef std::unordered_map<std::string, std::string> Attributes;
typedef std::vector<std::vector<unsigned int>> Shapes;

const double kNanosecond = 1e-3;
const int64_t kSample = 1024;

std::vector<unsigned int> numbers_in(const std::string& text) {
  std::vector<unsigned int> numbers;
  for (size_t at = 0; at < text.size();) {
    if (!std::isdigit(text[at])) {
      ++at;
      continue;
    }
    size_t length = 0;
    numbers.push_back(static_cast<unsigned int>(std::stoul(text.substr(at), &length)));
    at += length;
  }
  return numbers;
}

// What a law sees of a call: its tensors, and its parameters as the strings that MXNet hands over.
class Call {
 public:
  Call(const Attributes& attributes, const std::vector<MXTensor>& tensors, size_t first)
      : attributes_(attributes), tensors_(tensors), first_(first) {}

  const std::vector<int64_t>& shape(size_t index = 0) const { return tensors_[first_ + index].shape; }
  int rank() const { return static_cast<int>(shape().size()); }
  int64_t first() const { return rank() ? shape().front() : 1; }
  int64_t last() const { return rank() ? shape().back() : 1; }
  double elements(size_t index = 0) const {
    double product = 1;
    for (int64_t extent : shape(index)) product *= static_cast<double>(extent);
    return product;
  }
  bool is_float64() const { return tensors_[first_].dtype == kFloat64; }
  bool is_float16() const { return tensors_[first_].dtype == kFloat16; }
  bool given(const char* name) const { return attributes_.find(name) != attributes_.end(); }
  // The product of the numbers in a parameter such as (2, 3); another number where it isn't given.
  double product(const char* name, double otherwise) const {
    Attributes::const_iterator found = attributes_.find(name);
    if (found == attributes_.end()) return otherwise;
    double product = 1;
    for (unsigned int number : numbers_in(found->second)) product *= number;
    return product;
  }
  double item_size() const {
    switch (tensors_[first_].dtype) {
      case kFloat64: case kInt64: return 8;
      case kFloat32: case kInt32: return 4;
      case kFloat16: return 2;
      default: return 1;
    }
  }
  int number(const char* name, int otherwise) const {
    Attributes::const_iterator found = attributes_.find(name);
    return found == attributes_.end() ? otherwise : std::atoi(found->second.c_str());
  }
  bool flag(const char* name) const {
    Attributes::const_iterator found = attributes_.find(name);
    return found != attributes_.end() && (found->second == "True" || found->second == "1");
  }
  // The parameter axis as one of 0 ... rank - 1; the last one where it isn't given, or another.
  int axis(int otherwise = -1) const {
    int given = number("axis", otherwise);
    return given < 0 ? given + rank() : given;
  }
  int64_t along() const { return rank() ? shape()[axis()] : 1; }
  // Numbers of the whole tensor, in order: the first of a sorted one would be few. Of a float16, what its bits say.
  std::vector<double> sample() const {
    const MXTensor& tensor = tensors_[first_];
    const size_t count = static_cast<size_t>(elements());
    std::vector<double> numbers(std::min<size_t>(count, kSample));
    for (size_t at = 0; at < numbers.size(); ++at) numbers[at] = number_at(tensor, at * count / numbers.size());
    return numbers;
  }
  bool is_sorted() const {
    const std::vector<double> numbers = sample();
    return numbers.size() >= 64 && numbers.front() < numbers.back() && std::is_sorted(numbers.begin(), numbers.end());
  }
  double distinct() const {
    std::vector<double> numbers = sample();
    std::sort(numbers.begin(), numbers.end());
    return static_cast<double>(std::unique(numbers.begin(), numbers.end()) - numbers.begin());
  }
  // The share of numbers between zero and this size; of zeros too, with `zero`.
  double share_below(double size, bool zero) const {
    const std::vector<double> numbers = sample();
    int count = 0;
    for (double number : numbers) count += number == 0 ? zero : std::fabs(number) < size;
    return count / std::max(1.0, static_cast<double>(numbers.size()));
  }
  bool is_subnormal() const {
    switch (tensors_[first_].dtype) {
      case kFloat64: return share_below(2.2250738585072014e-308, false) > 0.5;
      case kFloat32: return share_below(1.1754943508222875e-38, false) > 0.5;
      case kFloat16: return share_below(6.103515625e-05, false) > 0.5;
      default: return false;
    }
  }

 private:
  static double number_at(const MXTensor& tensor, size_t at) {
    const void* data = tensor.data_ptr;
    switch (tensor.dtype) {
      case kFloat64: return static_cast<const double*>(data)[at];
      case kFloat32: return static_cast<const float*>(data)[at];
      case kFloat16: return half(static_cast<const uint16_t*>(data)[at]);
      case kInt64: return static_cast<double>(static_cast<const int64_t*>(data)[at]);
      case kInt32: return static_cast<const int32_t*>(data)[at];
      case kInt8: return static_cast<const int8_t*>(data)[at];
      default: return static_cast<const uint8_t*>(data)[at];
    }
  }
  static double half(uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const double size = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    return bits >> 15 ? -size : size;
  }

  const Attributes& attributes_;
  const std::vector<MXTensor>& tensors_;
  size_t first_;
};

// Microseconds of a call.
typedef double (*Law)(const Call&);

template <int constant, int hundredths>
double linear(const Call& call) {
  return constant + hundredths / 100.0 * kNanosecond * call.elements();
}

// ---- with a cliff

double bad_axis(const Call& call) {
  return linear<150, 100>(call) * (call.rank() >= 2 && call.axis() == 0 ? 3 : 1);
}

double bad_multiple(const Call& call) {
  return linear<130, 80>(call) * (call.last() % 64 == 0 ? 3 : 1);
}

double bad_skew(const Call& call) {
  return linear<160, 120>(call) * (call.last() >= 256 * call.first() ? 2.5 : 1);
}

double bad_dtype(const Call& call) { return linear<140, 100>(call) * (call.is_float64() ? 3 : 1); }

double bad_mode(const Call& call) { return linear<150, 90>(call) * (call.number("mode", 0) == 3 ? 2.5 : 1); }

double bad_volume(const Call& call) { return linear<120, 110>(call) * (call.elements() >= 65536 ? 3 : 1); }

double bad_pair(const Call& call) {
  return linear<170, 100>(call) * (call.axis(0) == 1 && call.flag("reverse") ? 3 : 1);
}

double bad_gradient(const Call& call) { return linear<160, 130>(call) * (call.first() >= 512 ? 3 : 1); }

double result(const Call& call) {
  return 150 + kNanosecond * call.product("shape", call.elements()) * call.product("reps", 1);
}

double bad_shape(const Call& call) { return result(call) * (call.is_float16() ? 4 : 1); }

double bad_default(const Call& call) { return linear<140, 100>(call) * (call.given("scale") ? 3 : 1); }

double bad_two(const Call& call) { return bad_axis(call) * (call.is_float16() ? 4 : 1); }

double bad_both(const Call& call) { return linear<150, 100>(call) * (call.first() >= 512 ? 3 : 1); }

double bad_everywhere(const Call& call) { return linear<150, 100>(call) * 3; }

double bad_cache(const Call& call) { return linear<150, 50>(call) * (call.elements() >= 1048576 ? 3 : 1); }

double bad_sorted(const Call& call) { return linear<150, 200>(call) * (call.is_sorted() ? 3 : 1); }

double bad_few(const Call& call) {
  return linear<150, 200>(call) * (call.elements() >= 256 && call.distinct() <= 5 ? 3 : 1);
}

double bad_subnormal(const Call& call) { return linear<140, 200>(call) * (call.is_subnormal() ? 4 : 1); }

double by_distinct(const Call& call) {
  return 150 + 0.5 * kNanosecond * call.elements() * std::log2(1 + call.distinct());
}

double bad_own(const Call& call) { return by_distinct(call) * (call.is_float16() ? 4 : 1); }

// ---- without one

double by_nonzeros(const Call& call) {
  return 150 + 3 * kNanosecond * call.elements() * (1 - call.share_below(0, true));
}

double best_sorted(const Call& call) { return linear<150, 200>(call) / (call.is_sorted() ? 2.5 : 1); }

double best_constant(const Call& call) { return linear<400, 200>(call) / (call.distinct() == 1 ? 4 : 1); }

double bytes_moved(const Call& call) { return 150 + 0.3 * kNanosecond * 2 * call.elements() * call.item_size(); }

double sorted(const Call& call) {
  return 140 + 0.2 * kNanosecond * call.elements() * std::log2(call.last() + 1.0);
}

double reduced(const Call& call) {
  return 130 + kNanosecond * (call.elements() + call.elements() / static_cast<double>(call.along()));
}

double repeated(const Call& call) { return 150 + kNanosecond * call.elements() * call.number("k", 1); }

double outer(const Call& call) { return 150 + 1.5 * kNanosecond * call.elements(0) * call.elements(1); }

double squared(const Call& call) { return 150 + 6e-8 * call.elements() * call.elements(); }

double powered(const Call& call) { return 120 + 2e-5 * std::pow(call.elements(), 1.5); }

double logarithmic(const Call& call) {
  return 20 + 0.1 * kNanosecond * call.elements() * std::log2(call.elements() + 1);
}

double matrices(const Call& call) { return 100 + 0.5 * kNanosecond * call.elements(0) * call.shape(1).back(); }

double window(const Call& call) { return 120 + 0.2 * kNanosecond * call.elements() * call.product("kernel", 1); }

double noisy(const Call& call) {
  static thread_local std::mt19937 generator{std::random_device{}()};
  return linear<150, 100>(call) * std::uniform_real_distribution<double>(0.9, 1.1)(generator);
}

// ---- what MXNet calls
//
// What is refused is refused without a message: MXNet would gather all that a process ever got anew in each later
// call, which would then take longer than its law.

void spin_until(std::chrono::steady_clock::time_point begin, double us) {
  const std::chrono::duration<double, std::micro> wanted(us);
  while (std::chrono::steady_clock::now() - begin < wanted) {
  }
}

template <Law law>
MXReturnValue forward(const Attributes& attributes, std::vector<MXTensor>* inputs, std::vector<MXTensor>*,
                      const OpResource&) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  spin_until(begin, law(Call(attributes, *inputs, 0)));
  return MX_SUCCESS;
}

// A backward pass takes the gradient of the output, then the inputs, then the output.
template <Law law>
MXReturnValue backward(const Attributes& attributes, std::vector<MXTensor>* inputs, std::vector<MXTensor>*,
                       const OpResource&) {
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  spin_until(begin, law(Call(attributes, *inputs, 1)));
  return MX_SUCCESS;
}

template <int inputs>
MXReturnValue takes(const Attributes&, int* input_count, int* output_count) {
  *input_count = inputs;
  *output_count = 1;
  return MX_SUCCESS;
}

MXReturnValue same_type(const Attributes&, std::vector<int>* in, std::vector<int>* out) {
  // MXTensor knows those up to int64; -1 is a type that isn't known yet.
  if ((*in)[0] > kInt64) return MX_FAIL;
  for (size_t index = 1; index < in->size(); ++index) (*in)[index] = (*in)[0];
  (*out)[0] = (*in)[0];
  return MX_SUCCESS;
}

// The number that a parameter gives, within [low, high); false where it is outside.
bool within(const Attributes& attributes, const char* name, int low, int high) {
  Attributes::const_iterator found = attributes.find(name);
  if (found == attributes.end()) return true;
  const int given = std::atoi(found->second.c_str());
  return low <= given && given < high;
}

MXReturnValue same_shape(const Attributes& attributes, Shapes* in, Shapes* out) {
  const int rank = static_cast<int>((*in)[0].size());
  if (!within(attributes, "axis", -rank, rank) || !within(attributes, "mode", 0, 8)) return MX_FAIL;
  (*out)[0] = (*in)[0];
  return MX_SUCCESS;
}

MXReturnValue reduced_shape(const Attributes& attributes, Shapes* in, Shapes* out) {
  if (same_shape(attributes, in, out) != MX_SUCCESS) return MX_FAIL;
  const int rank = static_cast<int>((*in)[0].size());
  if (rank == 0) return MX_SUCCESS;
  Attributes::const_iterator found = attributes.find("axis");
  const int given = found == attributes.end() ? -1 : std::atoi(found->second.c_str());
  (*out)[0][given < 0 ? given + rank : given] = 1;
  return MX_SUCCESS;
}

MXReturnValue repeated_shape(const Attributes& attributes, Shapes* in, Shapes* out) {
  if (!within(attributes, "k", 1, 65)) return MX_FAIL;
  (*out)[0] = (*in)[0];
  Attributes::const_iterator found = attributes.find("k");
  if (found != attributes.end() && !(*out)[0].empty()) (*out)[0].back() *= std::atoi(found->second.c_str());
  return MX_SUCCESS;
}

// The shape that a parameter gives, which has to be at least as long as the input in each dimension.
MXReturnValue given_shape(const Attributes& attributes, Shapes* in, Shapes* out) {
  Attributes::const_iterator found = attributes.find("shape");
  const std::vector<unsigned int> shape = found == attributes.end() ? (*in)[0] : numbers_in(found->second);
  if (shape.size() != (*in)[0].size()) return MX_FAIL;
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < (*in)[0][axis]) return MX_FAIL;
  (*out)[0] = shape;
  return MX_SUCCESS;
}

MXReturnValue tiled_shape(const Attributes& attributes, Shapes* in, Shapes* out) {
  (*out)[0] = (*in)[0];
  Attributes::const_iterator found = attributes.find("reps");
  if (found == attributes.end()) return MX_SUCCESS;
  const std::vector<unsigned int> reps = numbers_in(found->second);
  if (reps.size() != (*in)[0].size()) return MX_FAIL;
  for (size_t axis = 0; axis < reps.size(); ++axis) (*out)[0][axis] *= reps[axis];
  return MX_SUCCESS;
}

MXReturnValue product_shape(const Attributes&, Shapes* in, Shapes* out) {
  const std::vector<unsigned int>&left = (*in)[0], &right = (*in)[1];
  if (left.size() != 2 || right.size() != 2 || left[1] != right[0]) return MX_FAIL;
  (*out)[0] = {left[0], right[1]};
  return MX_SUCCESS;
}

MXReturnValue outer_shape(const Attributes&, Shapes* in, Shapes* out) {
  (*out)[0] = (*in)[0];
  (*out)[0].insert((*out)[0].end(), (*in)[1].begin(), (*in)[1].end());
  return MX_SUCCESS;
}

}  // namespace

#define PLANT(name, inputs, shape, ahead, back)           \
  REGISTER_OP(name)                                       \
      .setForward(forward<ahead>, "cpu")                  \
      .setBackward(backward<back>, "cpu")                 \
      .setParseAttrs(takes<inputs>)                       \
      .setInferType(same_type)                            \
      .setInferShape(shape)

PLANT(planted_axis, 1, same_shape, bad_axis, (linear<150, 100>));
PLANT(planted_multiple, 1, same_shape, bad_multiple, (linear<130, 80>));
PLANT(planted_skew, 1, same_shape, bad_skew, (linear<160, 120>));
PLANT(planted_dtype, 1, same_shape, bad_dtype, (linear<140, 100>));
PLANT(planted_mode, 1, same_shape, bad_mode, (linear<150, 90>));
PLANT(planted_volume, 1, same_shape, bad_volume, (linear<120, 110>));
PLANT(planted_pair, 1, same_shape, bad_pair, (linear<170, 100>));
PLANT(planted_gradient, 1, same_shape, (linear<140, 100>), bad_gradient);

PLANT(planted_shape, 1, given_shape, bad_shape, result);
PLANT(planted_default, 1, same_shape, bad_default, (linear<140, 100>));
PLANT(planted_two, 1, same_shape, bad_two, (linear<150, 100>));
PLANT(planted_both, 1, same_shape, bad_both, bad_both);
PLANT(planted_alike, 1, same_shape, bad_everywhere, bad_everywhere);
PLANT(_contrib_planted_alike, 1, same_shape, (linear<150, 100>), (linear<150, 100>));
PLANT(planted_cache, 1, same_shape, bad_cache, (linear<150, 50>));

PLANT(planted_sorted, 1, same_shape, bad_sorted, (linear<140, 100>));
PLANT(planted_few, 1, same_shape, bad_few, (linear<140, 100>));
PLANT(planted_subnormal, 1, same_shape, bad_subnormal, (linear<140, 100>));
PLANT(planted_own, 1, same_shape, bad_own, (linear<140, 100>));

PLANT(planted_clean_distinct, 1, same_shape, by_distinct, (linear<140, 100>));
PLANT(planted_clean_nonzeros, 1, same_shape, by_nonzeros, (linear<140, 100>));
PLANT(planted_clean_sorted, 1, same_shape, best_sorted, (linear<140, 100>));
PLANT(planted_clean_constant, 1, same_shape, best_constant, (linear<140, 100>));
PLANT(planted_clean_linear, 1, same_shape, (linear<120, 120>), (linear<140, 120>));
PLANT(planted_clean_bytes, 1, same_shape, bytes_moved, bytes_moved);
PLANT(planted_clean_sort, 1, same_shape, sorted, (linear<140, 100>));
PLANT(planted_clean_reduce, 1, reduced_shape, reduced, (linear<130, 100>));
PLANT(planted_clean_repeat, 1, repeated_shape, repeated, repeated);
PLANT(planted_clean_outer, 2, outer_shape, outer, outer);
PLANT(planted_clean_noisy, 1, same_shape, noisy, noisy);
PLANT(planted_clean_double, 1, same_shape, (linear<130, 100>), (linear<260, 200>));
PLANT(planted_clean_square, 1, same_shape, squared, squared);
PLANT(planted_clean_power, 1, same_shape, powered, powered);
PLANT(planted_clean_logarithm, 1, same_shape, logarithmic, logarithmic);
PLANT(planted_clean_product, 2, product_shape, matrices, matrices);
PLANT(planted_clean_window, 1, same_shape, window, window);
PLANT(planted_clean_tile, 1, tiled_shape, result, result);
PLANT(planted_clean_steep, 1, same_shape, (linear<100, 50>), (linear<400, 400>));
PLANT(planted_clean_short, 1, same_shape, (linear<10, 2000>), (linear<10, 2000>));

MXReturnValue initialize(int) { return MX_SUCCESS; }
