package io.fjordmq.broker.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Configuration keys that this version does not implement. They are rejected rather than silently
 * ignored.
 */
final class UnsupportedKeys {
  private static final String UNSUPPORTED = " is not supported by this version: ";

  /** Sections and keys that are not implemented yet, each with the reason and the remedy. */
  private static final Map<String, String> UNAVAILABLE = new LinkedHashMap<>();

  static {
    String noClientCertificates =
        "the HTTP port does not verify client certificates; remove the key";
    for (String key : List.of("trustFile", "clientAuth")) {
      UNAVAILABLE.put("httpConfig." + key, noClientCertificates);
    }
  }

  private UnsupportedKeys() {}

  /**
   * Returns why the key is not supported; empty if its section already reports that, null if the
   * key is supported.
   */
  static @Nullable String refusal(String key) {
    for (Map.Entry<String, String> entry : UNAVAILABLE.entrySet()) {
      if (key.equals(entry.getKey())) {
        return key + UNSUPPORTED + entry.getValue();
      }
      if (key.startsWith(entry.getKey() + ".")) {
        return ""; // reported once, for the section
      }
    }
    return null;
  }
}
