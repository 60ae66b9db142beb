package io.fjordmq.broker.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What may stand in a configuration file and this version cannot do. Such a value is refused, or
 * warned of if the node does its work without it; never ignored in silence. This class shrinks.
 */
final class ThisVersion {
  private static final String NOT_YET = " is not available in this version; ";

  /** Sections and keys of the file format that nothing implements yet, and what to do. */
  private static final Map<String, String> UNAVAILABLE = new LinkedHashMap<>();

  static {
    String noTls = "TLS is not there yet; remove it";
    for (String key : List.of("certFile", "keyFile", "trustFile", "clientAuth")) {
      UNAVAILABLE.put("httpConfig." + key, noTls);
    }
  }

  private ThisVersion() {}

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

  /** Good values that change nothing yet. */
  static List<String> warnings(Map<String, Given> given) {
    List<String> warnings = new ArrayList<>();
    given.forEach(
        (key, entry) -> {
          if (isSplitTrigger(key) && !isDefault(key, entry)) {
            warnings.add(key + " has no effect: splitting under load" + NOT_YET + "it is kept");
          }
        });
    return warnings;
  }

  private static boolean isSplitTrigger(String key) {
    return key.endsWith(".ioNanosLimit") || key.endsWith(".maxIoDensity");
  }

  private static boolean isDefault(String key, Given entry) {
    Schema.Key known = Schema.of(BrokerConfig.defaults()).keys().get(key);
    return known != null && ValueText.print(known.defaultValue()).equals(entry.text());
  }
}
