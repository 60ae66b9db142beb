package io.fjordmq.broker.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads a YAML file into a flat list of keys and values, each with its line number. It only uses
 * the syntax tree, so the file cannot instantiate Java objects.
 */
final class YamlFile {
  private final Path file;
  private final List<ConfigValue> found = new ArrayList<>();
  private final List<String> problems;

  private YamlFile(Path file, List<String> problems) {
    this.file = file;
    this.problems = problems;
  }

  static List<ConfigValue> read(Path file, List<String> problems) {
    YamlFile reader = new YamlFile(file, problems);
    reader.read();
    return reader.found;
  }

  private void read() {
    try (Reader text = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      Node root = new Yaml(new SafeConstructor(new LoaderOptions())).compose(text);
      if (root instanceof MappingNode mapping) {
        collect("", mapping);
      } else if (root != null) {
        problems.add(at(root) + ": expected 'key: value' lines");
      }
    } catch (NoSuchFileException e) {
      problems.add("cannot read the configuration file " + file + ": no such file");
    } catch (IOException e) {
      problems.add("cannot read the configuration file " + file + ": " + e);
    } catch (MarkedYAMLException e) {
      problems.add(at(e.getProblemMark().getLine()) + ": invalid YAML: " + e.getProblem());
    } catch (YAMLException e) {
      problems.add(file + ": invalid YAML: " + e.getMessage());
    }
  }

  private void collect(String prefix, MappingNode mapping) {
    for (NodeTuple tuple : mapping.getValue()) {
      if (!(tuple.getKeyNode() instanceof ScalarNode keyNode)) {
        problems.add(at(tuple.getKeyNode()) + ": a key must be a plain string");
        continue;
      }
      String key = prefix + keyNode.getValue();
      if (found.stream().anyMatch(entry -> entry.key().equals(key))) {
        problems.add(at(keyNode) + ": " + key + " is set twice; remove one");
      }
      Node value = tuple.getValueNode();
      if (value instanceof MappingNode section) {
        found.add(ConfigValue.section(key, at(keyNode)));
        collect(key + ".", section);
      } else if (value instanceof ScalarNode scalar) {
        found.add(ConfigValue.value(key, scalar.getValue(), at(keyNode)));
      } else if (value instanceof SequenceNode list) {
        collect(key, at(keyNode), list.getValue());
      }
    }
  }

  /**
   * Collects a list. A list of values becomes a single value of its key; sections in a list are
   * numbered from 0.
   */
  private void collect(String key, String at, List<Node> elements) {
    if (elements.stream().allMatch(ScalarNode.class::isInstance)) {
      List<String> values = elements.stream().map(e -> ((ScalarNode) e).getValue()).toList();
      found.add(ConfigValue.list(key, String.join(",", values), at));
      return;
    }
    for (int i = 0; i < elements.size(); i++) {
      String numbered = key + "." + i;
      if (elements.get(i) instanceof MappingNode section) {
        found.add(ConfigValue.section(numbered, at(section)));
        collect(numbered + ".", section);
      } else {
        problems.add(
            at(elements.get(i))
                + ": "
                + numbered
                + " must be a section like the other elements of the list");
      }
    }
  }

  private String at(Node node) {
    return at(node.getStartMark().getLine());
  }

  private String at(int lineFromZero) {
    return file + " line " + (lineFromZero + 1);
  }
}
