package io.fjordmq.broker.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What may stand in a configuration file and this version cannot do. Such a value is refused, never
 * ignored in silence. This class shrinks.
 */
final class UnsupportedValues {
  private static final String NOT_YET = " is not available in this version; ";

  /** Sections and keys of the file format that nothing implements yet, and what to do. */
  private static final Map<String, String> UNAVAILABLE = new LinkedHashMap<>();

  static {
    String noTls = "TLS is not there yet; remove it";
    for (String key : List.of("certFile", "keyFile", "trustFile", "clientAuth")) {
      UNAVAILABLE.put("httpConfig." + key, noTls);
    }
  }

  private UnsupportedValues() {}

  /** Why the key cannot be given; null if nothing is known of it. */
  static @Nullable String refusal(String key) {
    for (Map.Entry<String, String> entry : UNAVAILABLE.entrySet()) {
      if (key.equals(entry.getKey())) {
        return key + NOT_YET + entry.getValue();
      }
      if (key.startsWith(entry.getKey() + ".")) {
        return ""; // said once, at the section
      }
    }
    return null;
  }
}
