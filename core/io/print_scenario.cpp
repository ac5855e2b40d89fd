#include "io/print_scenario.hpp"

#include <utility>

#include "io/fields.hpp"
#include "io/number.hpp"

namespace sluice {
namespace {

bool plain_text(const std::string& text) {
  if (parse_number(text).status != NumberStatus::Syntax) return false;
  // What YAML readers, this one or others, take for something else than text.
  for (const std::string_view word :
       {"true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL",
        "yes",  "Yes",  "YES",  "no",    "No",    "NO",    "on",   "On",   "ON",
        "off",  "Off",  "OFF",  "y",     "Y",     "n",     "N",    ""}) {
    if (text == word) return false;
  }
  for (const char c : text) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.' || c == '/';
    if (!word) return false;
  }
  return text.front() != '-' && text.front() != '.';
}

std::string in_quotes(const std::string& text) {
  if (plain_text(text)) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c != '\r') {
      out += c;
    }
  }
  return out + "\"";
}

struct PrinterContext {
  std::string text;
  const Places* places = nullptr;
  const Network* network = nullptr;
  std::vector<ValueOrigin> origins;
};

class Printer : public Fields {
 public:
  Printer(PrinterContext& context, std::string path, int depth)
      : c_(context), path_(std::move(path)), depth_(depth) {}

  bool number(const Key& key, double& value, const Range&) override {
    return scalar(key, number_text(value));
  }
  bool integer(const Key& key, std::int64_t& value, const Range&) override {
    return scalar(key, std::to_string(value));
  }
  bool boolean(const Key& key, bool& value) override {
    return scalar(key, value ? "true" : "false");
  }
  bool text(const Key& key, std::string& value) override {
    if (value.empty()) return skip();
    return scalar(key, in_quotes(value));
  }
  bool choice(const Key& key, std::size_t& index, std::span<const Word> words) override {
    return scalar(key, std::string(words[index].text));
  }
  bool object(const Key& key, Members members) override {
    if (left_out()) return false;
    begin_block(key);
    Printer inner(c_, child(key), depth_ + 1);
    const std::size_t before = c_.text.size();
    members(inner);
    if (c_.text.size() == before) c_.text.insert(before - 1, " {}");
    return false;
  }
  bool list(const Key& key, std::size_t size, FunctionRef<void(std::size_t)>,
            FunctionRef<void(Fields&, std::size_t)> item) override {
    if (left_out()) return false;
    if (!key.name.empty()) begin_block(key);
    for (std::size_t i = 0; i < size; ++i) {
      const std::string path = child(key) + "[" + std::to_string(i) + "]";
      if (path.starts_with("hardware.devices[") && c_.network != nullptr) device_note(i);
      Printer inner(c_, path, depth_ + 2);
      inner.dash_ = true;
      item(inner, i);
    }
    if (size == 0) c_.text.insert(c_.text.size() - 1, " []");
    return false;
  }
  bool one_of(const Key& key, std::size_t current, std::span<const Form> forms) override {
    if (left_out()) return false;
    const Form& form = forms[current];
    if (form.shape == Shape::Scalar) {
      Printer inner(c_, child(key), depth_);
      inner.label_ = key.name;
      inner.parent_dash_ = &dash_;
      form.members(inner);
      return false;
    }
    begin_block(key);
    Printer inner(c_, child(key), depth_ + 1);
    form.members(inner);
    return false;
  }
  void exclusive(std::span<const std::string_view>, bool) override {}
  [[nodiscard]] bool documenting() const override { return false; }
  void present(bool is_set) override { unset_ = !is_set; }

 private:
  [[nodiscard]] std::string child(const Key& key) const {
    if (key.name.empty()) return path_;
    return path_.empty() ? std::string(key.name) : path_ + "." + std::string(key.name);
  }
  bool left_out() { return std::exchange(unset_, false); }
  bool skip() {
    unset_ = false;
    return false;
  }
  void indent() {
    bool& dash = parent_dash_ != nullptr ? *parent_dash_ : dash_;
    if (dash) {
      c_.text.append(2 * static_cast<std::size_t>(depth_ - 1), ' ');
      c_.text += "- ";
      dash = false;
    } else {
      c_.text.append(2 * static_cast<std::size_t>(depth_), ' ');
    }
  }
  bool scalar(const Key& key, const std::string& value) {
    if (left_out()) return false;
    indent();
    const std::string_view name = key.name.empty() ? std::string_view(label_) : key.name;
    if (!name.empty()) c_.text += std::string(name) + ": ";
    c_.text += value;
    if (c_.places != nullptr) {
      const std::string_view origin = c_.places->origin(child(key));
      if (origin != "written") c_.text += "  # " + std::string(origin);
      c_.origins.push_back({child(key), origin});
    }
    c_.text += '\n';
    return false;
  }
  void begin_block(const Key& key) {
    indent();
    c_.text += std::string(key.name) + ":\n";
  }
  void device_note(std::size_t i) {
    const Device& d = c_.network->devices()[i];
    c_.text.append(2 * static_cast<std::size_t>(depth_ + 1), ' ');
    c_.text += "# simulated with " + short_text(d.peak.value / 1e12) + " TFLOP/s, " +
               short_text(static_cast<double>(d.memory_capacity.value) / kGiB) + " GiB at " +
               short_text(d.memory_bandwidth.value / 1e9) + " GB/s, launch " +
               short_text(to_ms(d.launch)) + " ms\n";
  }

  PrinterContext& c_;
  std::string path_;
  int depth_;
  std::string label_;
  /// The first line of a list item begins with a dash.
  bool dash_ = false;
  bool* parent_dash_ = nullptr;
  bool unset_ = false;
};

PrinterContext print(const Scenario& scenario, const Places* places, const Network* network) {
  // The visitor's interface fills as well as shows; it gets a copy to hold.
  Scenario copy = scenario;
  PrinterContext context;
  context.places = places;
  context.network = network;
  Printer printer(context, "", 0);
  describe(printer, copy);
  return context;
}

}  // namespace

std::string print_scenario(const Scenario& scenario) {
  return print(scenario, nullptr, nullptr).text;
}

std::string print_resolved(const Scenario& scenario, const Places& places, const Network& network) {
  return print(scenario, &places, &network).text;
}

std::vector<ValueOrigin> value_origins(const Scenario& scenario, const Places& places) {
  std::vector<ValueOrigin> origins = print(scenario, &places, nullptr).origins;
  for (std::size_t i = 0; i < scenario.hardware.devices.size(); ++i) {
    const DeviceSpec& d = scenario.hardware.devices[i];
    const std::string path = "hardware.devices[" + std::to_string(i) + "].";
    if (!d.tflops_half && !d.tflops_fp32) origins.push_back({path + "tflops", "preset"});
    if (!d.memory_GiB) origins.push_back({path + "memory_GiB", "preset"});
    if (!d.memory_bandwidth_GBps) origins.push_back({path + "memory_bandwidth_GBps", "preset"});
  }
  return origins;
}

}  // namespace sluice
