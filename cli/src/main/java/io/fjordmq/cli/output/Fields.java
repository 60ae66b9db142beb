package io.fjordmq.cli.output;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Prints an object: a line for each field with its name in the API and its value. */
public final class Fields {
  private static final int GAP = 2;

  private Fields() {}

  /** Prints an object. Fields of nested objects are printed as {@code outer.inner}. */
  public static void print(JsonNode object, boolean onTerminal, PrintWriter out) {
    Map<String, String> values = new LinkedHashMap<>();
    collect(object, "", values);
    int width = values.keySet().stream().mapToInt(String::length).max().orElse(0) + GAP;
    values.forEach(
        (name, value) ->
            out.println(
                value.isEmpty()
                    ? name
                    : name
                        + (onTerminal ? " ".repeat(width - name.length()) : "\t")
                        + TerminalText.printable(value)));
  }

  private static void collect(JsonNode object, String prefix, Map<String, String> values) {
    object
        .properties()
        .forEach(
            field -> {
              String name = prefix + TerminalText.printable(field.getKey());
              if (field.getValue().isObject()) {
                collect(field.getValue(), name + ".", values);
              } else {
                values.put(name, Column.plain(field.getValue()));
              }
            });
  }
}
