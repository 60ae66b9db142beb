package io.fjordmq.cli.api;

import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Parses and builds JSON. Numbers keep all their digits. */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private Json() {}

  /**
   * Parses a text.
   *
   * @throws tools.jackson.core.JacksonException if it is not JSON
   */
  public static JsonNode parse(String text) {
    return MAPPER.readTree(text);
  }

  /** Returns an empty object. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }
}
