package io.fjordmq.broker.rest;

import java.util.LinkedHashMap;
import java.util.Map;

/** Creates JSON objects whose members keep their order, unlike those of {@link Map#of}. */
final class JsonObject {
  private JsonObject() {}

  /**
   * An object that can be changed.
   *
   * @param namesAndValues alternately the name and the value of each member
   */
  static Map<String, Object> of(Object... namesAndValues) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      object.put((String) namesAndValues[i], namesAndValues[i + 1]);
    }
    return object;
  }
}
