package io.fjordmq.broker.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads values from environment variables and system properties. */
final class ProcessSettings {
  private static final String PREFIX = "FJORDMQ_";

  /** Variables that configure bin/standalone.sh and are not configuration keys. */
  private static final Set<String> SCRIPT_VARIABLES =
      Set.of(
          "FJORDMQ_RESPONSE_SECONDS",
          "FJORDMQ_CLUSTER_DIR",
          "FJORDMQ_JAVA",
          "FJORDMQ_JVM_OPTS",
          "FJORDMQ_MEMORY",
          "FJORDMQ_START_SECONDS",
          "FJORDMQ_STOP_SECONDS");

  /** Alternative names for the stores' settings, as used by similar MQTT brokers. */
  private static final Pattern STORE_VARIABLE =
      Pattern.compile("(dist_worker|inbox_store|retain_store)_([a-z_]+)");

  private static final Map<String, String> STORE_SECTIONS =
      Map.of("dist_worker", "dist", "inbox_store", "inbox", "retain_store", "retain");

  private static final Map<String, String> STORE_KEYS =
      Map.of(
          "replica_voter_count", "replicaVoterCount",
          "io_nanos_limit", "ioNanosLimit",
          "max_io_density", "maxIoDensity");

  private final ConfigSchema schema;
  private final TenantKeys tenantKeys;
  private final List<String> problems;
  private final List<String> warnings;

  ProcessSettings(
      ConfigSchema schema, TenantKeys tenantKeys, List<String> problems, List<String> warnings) {
    this.schema = schema;
    this.tenantKeys = tenantKeys;
    this.problems = problems;
    this.warnings = warnings;
  }

  /** Reads variables such as {@code FJORDMQ_CLUSTERCONFIG__PORT=8899}, and the store variables. */
  List<ConfigValue> fromEnvironment(Map<String, String> environment) {
    List<ConfigValue> found = new ArrayList<>();
    environment.forEach(
        (name, value) -> {
          String origin = "environment variable " + name;
          if (name.startsWith(PREFIX) && !SCRIPT_VARIABLES.contains(name)) {
            addKey(found, name, value, origin);
          } else {
            addStoreVariable(found, name, value, origin);
          }
        });
    return found;
  }

  private void addKey(List<ConfigValue> found, String name, String value, String origin) {
    String path = name.substring(PREFIX.length()).replace("__", ".");
    @Nullable String key = schema.findIgnoringCase(path);
    if (key == null) {
      key = tenantKeys.findIgnoringCase(path);
    }
    if (key != null) {
      found.add(ConfigValue.value(key, value, origin));
    } else if (name.contains("__")) {
      found.add(ConfigValue.value(path, value, origin)); // reported with all other unknown keys
    } else {
      // Kubernetes sets FJORDMQ_PORT, FJORDMQ_SERVICE_HOST … for a service named "fjordmq".
      warnings.add(origin + " does not match any configuration key and is ignored");
    }
  }

  /** Reads properties such as {@code -DclusterConfig.port=8899}, and the store variables. */
  List<ConfigValue> fromProperties(Properties properties) {
    List<ConfigValue> found = new ArrayList<>();
    for (String name : properties.stringPropertyNames()) {
      String origin = "system property " + name;
      int dot = name.indexOf('.');
      boolean ours = schema.keys().containsKey(name);
      boolean inOurSection = dot > 0 && schema.sections().contains(name.substring(0, dot));
      if (ours || inOurSection) {
        found.add(ConfigValue.value(name, properties.getProperty(name), origin));
      } else {
        addStoreVariable(found, name, properties.getProperty(name), origin);
      }
    }
    return found;
  }

  private void addStoreVariable(List<ConfigValue> found, String name, String value, String origin) {
    Matcher matcher = STORE_VARIABLE.matcher(name);
    if (!matcher.matches()) {
      return;
    }
    @Nullable String key = STORE_KEYS.get(matcher.group(2));
    if (key != null) {
      String path = "storeConfig." + STORE_SECTIONS.get(matcher.group(1)) + "." + key;
      found.add(ConfigValue.value(path, value, origin));
    } else {
      String known = String.join(", ", new TreeSet<>(STORE_KEYS.keySet()));
      problems.add(
          origin + " is unknown; " + matcher.group(1) + "_ must be followed by one of " + known);
    }
  }
}
