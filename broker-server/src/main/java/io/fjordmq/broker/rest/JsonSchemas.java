package io.fjordmq.broker.rest;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Schemas in the notation of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
final class JsonSchemas {
  private static final String SUFFIX = "Json";

  private final Map<String, Map<String, Object>> named = new TreeMap<>();
  private final Map<String, Class<?>> types = new HashMap<>();

  /** The structures that the other schemas refer to, by name. */
  Map<String, Map<String, Object>> named() {
    return named;
  }

  /** The schema of a response. */
  Map<String, Object> of(Schema schema) {
    return of(schema, false);
  }

  /** The schema of a body, in which unknown members are invalid. */
  Map<String, Object> ofBody(Schema schema) {
    return of(schema, true);
  }

  /** The schema of one page of a list. */
  Map<String, Object> ofPage(Schema element) {
    return JsonObject.of(
        "type",
        "object",
        "required",
        List.of("data", "meta"),
        "properties",
        JsonObject.of(
            "data",
            JsonObject.of("type", "array", "items", of(element)),
            "meta",
            of(SchemaReader.of(Meta.class))));
  }

  /** The schema of a parameter, whose value is always a text in the URL. */
  static Map<String, Object> ofParameter(Schema schema) {
    return schema instanceof Schema.Time
        ? JsonObject.of(
            "anyOf",
            List.of(
                JsonObject.of("type", "string", "format", "date-time"),
                JsonObject.of("type", "integer", "minimum", 0, "maximum", Parameter.MAX_MILLIS)))
        : plain(schema);
  }

  private Map<String, Object> of(Schema schema, boolean closed) {
    if (schema instanceof Schema.Items items) {
      Map<String, Object> tree = new LinkedHashMap<>();
      tree.put("type", "array");
      tree.put("items", of(items.element(), closed));
      putLimits(tree, "Items", items.minLength(), items.maxLength());
      return tree;
    }
    if (schema instanceof Schema.Entries entries) {
      Map<String, Object> values = of(entries.value(), closed);
      return entries.value() instanceof Schema.Ruled
          ? JsonObject.of("type", "object", "propertyNames", values, "additionalProperties", values)
          : JsonObject.of("type", "object", "additionalProperties", values);
    }
    if (schema instanceof Schema.AnyOf either) {
      return JsonObject.of("anyOf", either.types().stream().map(type -> of(type, closed)).toList());
    }
    if (schema instanceof Schema.Partial partial) {
      Map<String, Object> tree = new LinkedHashMap<>();
      describe(partial.whole(), tree, false);
      tree.remove("required");
      return tree;
    }
    return schema instanceof Schema.Structure structure
        ? reference(structure, closed)
        : plain(schema);
  }

  private Map<String, Object> reference(Schema.Structure structure, boolean closed) {
    String name = name(structure);
    Class<?> other = types.putIfAbsent(name, structure.type());
    if (other != null && other != structure.type()) {
      throw new IllegalStateException(
          "%s and %s need different names".formatted(other, structure.type()));
    }
    Map<String, Object> tree = named.get(name);
    if (tree == null) {
      tree = new LinkedHashMap<>();
      named.put(name, tree);
      describe(structure, tree, closed);
    } else if (closed && !tree.containsKey("additionalProperties")) {
      describe(structure, tree, true);
    }
    return JsonObject.of("$ref", "#/components/schemas/" + name);
  }

  static String name(Schema.Structure structure) {
    String name = structure.name();
    return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
  }

  private void describe(Schema.Structure structure, Map<String, Object> tree, boolean closed) {
    tree.put("type", "object");
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Schema.Member member : structure.members()) {
      Map<String, Object> property = new LinkedHashMap<>(of(member.schema(), closed));
      property.put("description", member.description());
      if (!member.example().isEmpty()) {
        property.put("examples", List.of(member.example()));
      }
      properties.put(member.name(), property);
    }
    tree.put("properties", properties);
    List<String> required =
        structure.members().stream()
            .filter(Schema.Member::required)
            .map(Schema.Member::name)
            .toList();
    if (!required.isEmpty()) {
      tree.put("required", required);
    }
    if (closed) {
      tree.put("additionalProperties", false);
    }
  }

  private static Map<String, Object> plain(Schema schema) {
    Map<String, Object> tree = new LinkedHashMap<>();
    if (schema instanceof Schema.Text text) {
      tree.put("type", "string");
      putLimits(tree, "Length", text.minLength(), text.maxLength());
      if (!text.pattern().isEmpty()) {
        tree.put("pattern", "^(?:" + text.pattern() + ")$");
      }
    } else if (schema instanceof Schema.Ruled ruled) {
      tree.put("type", "string");
      tree.put("pattern", "^(?:" + ruled.rule().pattern() + ")$");
    } else if (schema instanceof Schema.Scalar scalar) {
      tree.put("type", List.of("string", "number", "boolean"));
      putLimits(tree, "Length", 0, scalar.maxLength());
    } else if (schema instanceof Schema.TimeOrWord either) {
      tree.put(
          "anyOf",
          List.of(Map.of("type", "string", "format", "date-time"), Map.of("const", either.word())));
    } else if (schema instanceof Schema.Time) {
      tree.put("type", "string");
      tree.put("format", "date-time");
    } else if (schema instanceof Schema.Whole range) {
      tree.put("type", "integer");
      if (range.min() != Long.MIN_VALUE) {
        tree.put("minimum", range.min());
      }
      if (range.max() != Long.MAX_VALUE) {
        tree.put("maximum", range.max());
      }
    } else if (schema instanceof Schema.Decimal) {
      tree.put("type", "number");
    } else if (schema instanceof Schema.Flag) {
      tree.put("type", "boolean");
    } else if (schema instanceof Schema.Words some) {
      String word = "(?:" + String.join("|", some.words()) + ")";
      tree.put("type", "string");
      tree.put("pattern", "^%s(?:,%s)*$".formatted(word, word));
    } else if (schema instanceof Schema.Choice choice) {
      tree.put("type", "string");
      tree.put("enum", choice.words());
    } else {
      throw new IllegalStateException("not a plain schema: " + schema);
    }
    return tree;
  }

  private static void putLimits(Map<String, Object> tree, String what, int min, int max) {
    if (min > 0) {
      tree.put("min" + what, min);
    }
    if (max < Integer.MAX_VALUE) {
      tree.put("max" + what, max);
    }
  }
}
