package io.fjordmq.broker.rest;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object with the fields of a record, and with numbers whose names cannot be names of Java
 * components, such as {@code connections.count}.
 */
final class NamedNumbers {
  private final Class<? extends Record> type;
  private final Map<String, String> numbers = new LinkedHashMap<>();

  /**
   * @param type the record; its name is the name of the schema
   */
  NamedNumbers(Class<? extends Record> type) {
    this.type = type;
  }

  /** Adds a number that may be absent. */
  NamedNumbers with(String name, String description) {
    numbers.put(name, description);
    return this;
  }

  /** The schema of the object. */
  Schema schema() {
    List<Schema.Member> members = new ArrayList<>();
    if (SchemaReader.of(type) instanceof Schema.Structure base) {
      members.addAll(base.members());
    }
    numbers.forEach(
        (name, description) ->
            members.add(
                new Schema.Member(
                    name,
                    description,
                    false,
                    "",
                    new Schema.Whole(Long.MIN_VALUE, Long.MAX_VALUE))));
    return new Schema.Structure(type, List.copyOf(members));
  }

  /** The schema of a list of objects. */
  Schema arraySchema() {
    return new Schema.Items(schema(), 0, Integer.MAX_VALUE);
  }

  /**
   * The object.
   *
   * @param first the components of the record by JSON name; null values are left out
   * @param values numbers by name; those that are not declared are left out
   */
  Map<String, Object> json(
      Map<String, ? extends @Nullable Object> first, Map<String, Long> values) {
    Map<String, Object> json = new LinkedHashMap<>();
    first.forEach(
        (name, value) -> {
          if (value != null) {
            json.put(name, value);
          }
        });
    numbers.keySet().stream()
        .filter(values::containsKey)
        .forEach(name -> json.put(name, values.get(name)));
    return json;
  }
}
