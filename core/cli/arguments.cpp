#include "cli/arguments.hpp"

#include <algorithm>

#include "base/diagnostics.hpp"
#include "io/number.hpp"

namespace sluice::cli {

bool Arguments::has(const std::string& flag) const {
  return std::any_of(flags.begin(), flags.end(), [&](const auto& f) { return f.first == flag; });
}

std::optional<std::string> Arguments::value(const std::string& flag) const {
  const std::vector<std::string> all = values(flag);
  if (all.empty()) return std::nullopt;
  return all.back();
}

std::vector<std::string> Arguments::values(const std::string& flag) const {
  std::vector<std::string> out;
  for (const auto& [name, value] : flags) {
    if (name == flag) out.push_back(value);
  }
  return out;
}

std::optional<std::int64_t> Arguments::whole(const std::string& flag, std::int64_t low,
                                             std::int64_t high) {
  const auto text = value(flag);
  if (!text) return std::nullopt;
  const ParsedNumber parsed = parse_number(*text);
  const auto number = static_cast<std::int64_t>(parsed.value);
  if (parsed.status != NumberStatus::Ok || static_cast<double>(number) != parsed.value ||
      number < low || number > high) {
    problem = flag + " takes a whole number from " + std::to_string(low) + " to " +
              std::to_string(high) + ", not \"" + *text + "\"";
    return std::nullopt;
  }
  return number;
}

Arguments parse(const std::vector<std::string>& words, const std::vector<Flag>& known) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.size() < 2 || word[0] != '-') {
      out.files.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const bool own_value = word.starts_with("--") && equals != std::string::npos;
    const std::string name = own_value ? word.substr(0, equals) : word;
    const auto flag =
        std::find_if(known.begin(), known.end(), [&](const Flag& f) { return f.name == name; });
    if (flag == known.end()) {
      std::vector<std::string> names;
      names.reserve(known.size());
      for (const Flag& f : known) names.push_back(f.name);
      const std::string near = nearest(name, names);
      out.problem = "unknown flag " + name + (near.empty() ? "" : "; did you mean " + near + "?");
      return out;
    }
    std::string value;
    if (own_value) {
      value = word.substr(equals + 1);
    } else if (flag->value) {
      if (i + 1 == words.size()) {
        out.problem = name + " needs a value";
        return out;
      }
      value = words[++i];
    }
    if (own_value && !flag->value) {
      out.problem = name + " takes no value";
      return out;
    }
    if (name == "--set") {
      const std::size_t cut = value.find('=');
      if (cut == std::string::npos || cut == 0) {
        out.problem = "--set takes path=value, not \"" + value + "\"";
        return out;
      }
      out.settings.push_back({value.substr(0, cut), value.substr(cut + 1)});
      continue;
    }
    out.flags.emplace_back(name, value);
  }
  return out;
}

}  // namespace sluice::cli
