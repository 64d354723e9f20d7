// An operator of one's own: its input times the parameter `factor`.

#include <cstdlib>
#include <string>
#include <unordered_map>
#include <vector>

#include "mxnet/lib_api.h"

using namespace mxnet::ext;

typedef std::unordered_map<std::string, std::string> Attributes;
typedef std::vector<std::vector<unsigned int>> Shapes;

// Backward, the first input is the gradient of the output, so one function serves both.
MXReturnValue scale(const Attributes& attributes, std::vector<MXTensor>* inputs, std::vector<MXTensor>* outputs,
                    const OpResource&) {
  Attributes::const_iterator found = attributes.find("factor");
  const float factor = found == attributes.end() ? 1 : std::atof(found->second.c_str());
  for (int64_t index = 0; index < (*inputs)[0].size(); ++index)
    (*outputs)[0].data<float>()[index] = factor * (*inputs)[0].data<float>()[index];
  return MX_SUCCESS;
}

MXReturnValue one_input(const Attributes&, int* inputs, int* outputs) {
  *inputs = *outputs = 1;
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

REGISTER_OP(scaled)
    .setForward(scale, "cpu")
    .setBackward(scale, "cpu")
    .setParseAttrs(one_input)
    .setInferType(same_type)
    .setInferShape(same_shape);

MXReturnValue initialize(int) { return MX_SUCCESS; }
