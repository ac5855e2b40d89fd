#include "io/model_presets.hpp"

#include <algorithm>

#include "base/result.hpp"
#include "io/embedded.hpp"
#include "model/presets.hpp"

namespace sluice {
namespace {

struct Shapes {
  YamlTree file;
  std::vector<std::string> names;

  [[nodiscard]] const YamlNode* find(const std::string& name) const {
    for (const YamlTree& shape : file->find("models")->items) {
      if (shape->find("name")->scalar == name) return shape.get();
      const YamlNode* aliases = shape->find("aliases");
      if (aliases == nullptr) continue;
      for (const YamlTree& alias : aliases->items) {
        if (alias->scalar == name) return shape.get();
      }
    }
    return nullptr;
  }
};

Shapes read_shapes() {
  Shapes shapes;
  const auto files = embedded_presets();
  const auto file = std::find_if(files.begin(), files.end(),
                                 [](const EmbeddedFile& f) { return f.name == "models.yaml"; });
  SLUICE_CHECK(file != files.end());
  Result<YamlTree> tree = parse_yaml(file->text);
  SLUICE_CHECK(tree.ok());
  shapes.file = std::move(tree).value();
  for (const YamlTree& shape : shapes.file->find("models")->items)
    shapes.names.push_back(shape->find("name")->scalar);
  return shapes;
}

// Read at the first call: few scenarios name one.
const Shapes& shapes() {
  static const Shapes kShapes = read_shapes();
  return kShapes;
}

void fill(YamlNode& to, const YamlNode& from, const Place& place, const std::string& path,
          std::vector<std::string>& paths) {
  for (const YamlNode::Entry& e : from.entries) {
    if (e.key == "name" || e.key == "aliases") continue;
    const std::string at = path + "." + e.key;
    YamlNode* own = to.find(e.key);
    const bool map = e.value->kind == YamlNode::Kind::Map;
    if (own != nullptr && !(map && own->kind == YamlNode::Kind::Map)) continue;
    if (own == nullptr) {
      to.entries.push_back({e.key, place, std::make_shared<YamlNode>()});
      own = to.entries.back().value.get();
      own->kind = e.value->kind;
      own->quoted = e.value->quoted;
      own->scalar = e.value->scalar;
      own->place = place;
      paths.push_back(at);
    }
    if (map) fill(*own, *e.value, place, at, paths);
  }
}

/// A `model` that names a preset, and its path.
struct NamedModel {
  YamlNode* node = nullptr;
  std::string path;
};

void add_model(YamlNode* pipeline, const std::string& path, std::vector<NamedModel>& out) {
  YamlNode* model = pipeline == nullptr ? nullptr : pipeline->find("model");
  if (model == nullptr || model->find("preset") == nullptr) return;
  if (shapes().find(model->find("preset")->scalar) != nullptr)
    out.push_back({model, path + ".model"});
}

std::vector<NamedModel> models_of(YamlNode& root) {
  std::vector<NamedModel> out;
  add_model(root.find("pipeline"), "pipeline", out);
  YamlNode* several = root.find("pipelines");
  if (several == nullptr) return out;
  for (std::size_t i = 0; i < several->items.size(); ++i)
    add_model(several->items[i].get(), "pipelines[" + std::to_string(i) + "]", out);
  return out;
}

}  // namespace

const std::vector<std::string>& model_preset_names() {
  return shapes().names;
}

FilledModel fill_model(const YamlTree& root) {
  FilledModel out{root, {}};
  if (models_of(*root).empty()) return out;
  out.root = deep_copy(*root);
  for (const NamedModel& model : models_of(*out.root)) {
    const YamlNode& preset = *model.node->find("preset");
    fill(*model.node, *shapes().find(preset.scalar), preset.place, model.path, out.paths);
  }
  return out;
}

std::optional<Diagnostic> check_model_preset(const std::string& name) {
  if (name.empty() || shapes().find(name) != nullptr) return std::nullopt;
  return unknown_preset("model", name, shapes().names, "pipeline.model.preset");
}

}  // namespace sluice
