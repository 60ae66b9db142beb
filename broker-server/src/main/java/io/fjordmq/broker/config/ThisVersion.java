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
      UNAVAILABLE.put("clusterConfig." + key, noTls);
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

  /** Good values that cannot be honoured: adds to problems what would break a promise. */
  static void check(Map<String, Given> given, BrokerConfig config, List<String> problems) {
    for (String store : List.of("dist", "inbox", "retain")) {
      String key = "storeConfig." + store + ".replicaVoterCount";
      Given entry = given.get(key);
      if (entry != null && voters(config, store) > 1) {
        problems.add(
            entry.origin()
                + ": "
                + key
                + " asks for "
                + voters(config, store)
                + " copies, but this version runs a single node; remove it, or set 1");
      }
    }
  }

  /** Good values that change nothing yet. */
  static List<String> warnings(Map<String, Given> given, BrokerConfig config) {
    List<String> warnings = new ArrayList<>();
    BrokerConfig.ClusterConfig cluster = config.clusterConfig();
    if (cluster.seedEndpoints().contains(",")) {
      warnings.add(
          "clusterConfig.seedEndpoints names several nodes, but joining"
              + NOT_YET
              + "this node runs alone");
    }
    if (!cluster.clusterDomainName().isBlank()) {
      warnings.add("clusterConfig.clusterDomainName" + NOT_YET + "this node runs alone");
    }
    if (!cluster.host().isBlank() || !cluster.seedEndpoints().isBlank()) {
      warnings.add("clusterConfig.port " + cluster.port() + " is not opened: this node runs alone");
    }
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

  private static int voters(BrokerConfig config, String store) {
    BrokerConfig.StoreConfig stores = config.storeConfig();
    return switch (store) {
      case "dist" -> stores.dist().replicaVoterCount();
      case "inbox" -> stores.inbox().replicaVoterCount();
      default -> stores.retain().replicaVoterCount();
    };
  }
}
