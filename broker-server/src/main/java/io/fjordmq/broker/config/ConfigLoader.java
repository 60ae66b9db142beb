package io.fjordmq.broker.config;

import io.fjordmq.broker.config.ConfigSources.Layer;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Loads the configuration. Values come from, in ascending order of precedence: the defaults, the
 * file, environment variables, system properties and the command line. All errors are reported
 * together.
 */
public final class ConfigLoader {
  private static final String COMMAND_LINE = "command line";

  /**
   * Finding the key that was meant takes long, and a request may contain very many unknown keys.
   */
  private static final int MAX_HINTS = 20;

  private final ConfigSchema schema = ConfigSchema.of(BrokerConfig.defaults());
  private final TenantKeys tenantKeys = new TenantKeys(schema);
  private final PluginKeys pluginKeys = new PluginKeys();
  private final ProviderKeys providerKeys = new ProviderKeys();
  private final List<String> problems = new ArrayList<>();
  private final List<String> warnings = new ArrayList<>();
  private int hints;

  /** Values by key; the source with the highest precedence wins. */
  private final Map<String, ConfigValue> given = new LinkedHashMap<>();

  /** Where the value of each key was set. */
  private final Map<String, Source> sources = new HashMap<>();

  /** Where a value was set. */
  record Source(ConfigOrigin origin, String text) {}

  ConfigLoader() {}

  /**
   * A valid configuration.
   *
   * @param config the complete configuration
   * @param warnings one line for each ignored environment variable and each risky value
   * @param sources everything that configures this process
   */
  public record LoadedConfig(BrokerConfig config, List<String> warnings, ConfigSources sources) {}

  /**
   * The command-line options.
   *
   * @param file the configuration file
   * @param dataDir overrides the key {@code dataDir}; null if not given
   * @param logDir overrides the key {@code logDir}; null if not given
   */
  public record CommandLine(Path file, @Nullable String dataDir, @Nullable String logDir) {}

  /** Loads the configuration of this process. */
  public static LoadedConfig load(CommandLine commandLine) throws ConfigException {
    return load(commandLine, System.getenv(), System.getProperties());
  }

  /** The socket at which systemd waits for this process to be ready; empty if it does not wait. */
  public static Optional<String> notifySocket() {
    return Optional.ofNullable(System.getenv("NOTIFY_SOCKET")).filter(path -> !path.isEmpty());
  }

  static LoadedConfig load(
      CommandLine commandLine, Map<String, String> environment, Properties properties)
      throws ConfigException {
    ConfigLoader loader = new ConfigLoader();
    List<Layer> layers = loader.read(commandLine, environment, properties);
    layers.forEach(loader::add);
    return loader.result(new ConfigSources(layers));
  }

  private List<Layer> read(
      CommandLine commandLine, Map<String, String> environment, Properties properties) {
    ProcessSettings process = new ProcessSettings(schema, tenantKeys, problems, warnings);
    List<ConfigValue> options = new ArrayList<>();
    if (commandLine.dataDir() != null) {
      options.add(ConfigValue.value("dataDir", commandLine.dataDir(), COMMAND_LINE));
    }
    if (commandLine.logDir() != null) {
      options.add(ConfigValue.value("logDir", commandLine.logDir(), COMMAND_LINE));
    }
    return List.of(
        new Layer(ConfigOrigin.FILE, YamlFile.read(commandLine.file(), problems)),
        new Layer(ConfigOrigin.ENVIRONMENT, process.fromEnvironment(environment)),
        new Layer(ConfigOrigin.SYSTEM_PROPERTY, process.fromProperties(properties)),
        new Layer(ConfigOrigin.COMMAND_LINE, options));
  }

  /** Adds values, which override those added before. */
  void add(Layer layer) {
    layer.values().forEach(entry -> add(entry, layer.origin()));
  }

  /**
   * Returns the configuration.
   *
   * @throws ConfigException if any value is invalid
   */
  BrokerConfig bind() throws ConfigException {
    ConfigBinder binder = new ConfigBinder(given, problems);
    BrokerConfig config = binder.bind(BrokerConfig.class, BrokerConfig.defaults());
    try {
      config =
          config.withNamed(
              TenantKeys.bind(given, binder, config),
              pluginKeys.values(),
              config
                  .securityConfig()
                  .withProviders(
                      providerKeys.bind(Chain.AUTHENTICATION, problems),
                      providerKeys.bind(Chain.AUTHORIZATION, problems)));
    } catch (IllegalArgumentException e) {
      problems.add("configuration: " + e.getMessage());
    }
    if (!problems.isEmpty()) {
      throw new ConfigException(problems);
    }
    return config;
  }

  private LoadedConfig result(ConfigSources all) throws ConfigException {
    BrokerConfig config = bind();
    if (!config.consensusConfig().log().fsync()) {
      warnings.add(
          "consensusConfig.log.fsync is false: a host failure may lose acknowledged messages");
    }
    return new LoadedConfig(config, List.copyOf(warnings), all);
  }

  ConfigSchema schema() {
    return schema;
  }

  /** The values that were set, by key. */
  Map<String, ConfigValue> given() {
    return Collections.unmodifiableMap(given);
  }

  /** Where the values of keys, including those of plugins, were set. */
  Map<String, Source> sources() {
    return Collections.unmodifiableMap(sources);
  }

  /** The values of providers. */
  ProviderKeys providers() {
    return providerKeys;
  }

  /** Whether the key exists and has a value. */
  boolean knows(String key) {
    return isKey(key) || PluginKeys.isPluginKey(key) || ProviderKeys.isProviderKey(key);
  }

  private void add(ConfigValue entry, ConfigOrigin origin) {
    String key = entry.key();
    String refusal = UnsupportedKeys.refusal(key);
    ConfigSchema.Key known = schema.keys().get(schema.withoutIndex(key));
    if (refusal != null) {
      if (!refusal.isEmpty()) {
        problems.add(entry.origin() + ": " + refusal);
      }
    } else if (PluginKeys.isPluginKey(key)) {
      addPluginKey(entry, origin);
    } else if (ProviderKeys.isProviderKey(key)) {
      providerKeys.add(entry, origin, problems);
    } else if (isSection(entry)) {
      addSection(entry);
    } else if (!isKey(key)) {
      problems.add(unknown(entry));
    } else if (entry.section()) {
      problems.add(entry.origin() + ": " + key + " must be a single value, not a section");
    } else if (entry.kind() == ConfigValue.Kind.LIST
        && (known == null || known.type() != List.class)) {
      problems.add(entry.origin() + ": " + key + " must be a single value, not a list");
    } else {
      given.put(schema.withIndex(key), entry);
      sources.put(schema.withIndex(key), new Source(origin, entry.origin()));
    }
  }

  private void addPluginKey(ConfigValue entry, ConfigOrigin origin) {
    if (entry.kind() == ConfigValue.Kind.LIST) {
      problems.add(entry.origin() + ": " + entry.key() + " must be a single value, not a list");
    } else {
      String name = pluginKeys.add(entry);
      sources.put("plugins." + name, new Source(origin, entry.origin()));
    }
  }

  private boolean isSection(ConfigValue entry) {
    return TenantKeys.isTenantKey(entry.key())
        ? tenantKeys.isSection(entry)
        : schema.sections().contains(schema.withoutIndex(entry.key()));
  }

  private boolean isKey(String key) {
    return TenantKeys.isTenantKey(key)
        ? tenantKeys.isKey(key)
        : schema.keys().containsKey(schema.withoutIndex(key));
  }

  private void addSection(ConfigValue entry) {
    if (entry.section() || (entry.kind() == ConfigValue.Kind.VALUE && entry.text().isEmpty())) {
      given.put(schema.withIndex(entry.key()), entry);
    } else {
      problems.add(
          entry.origin() + ": " + entry.key() + " is a section, not a value; set its keys instead");
    }
  }

  private String unknown(ConfigValue entry) {
    if (++hints > MAX_HINTS) {
      return entry.origin() + ": unknown key " + entry.key();
    }
    List<String> known = new ArrayList<>();
    if (TenantKeys.isTenantKey(entry.key())) {
      known.addAll(tenantKeys.candidates(entry.key()));
    } else {
      known.addAll(schema.keys().keySet());
      known.addAll(schema.sections());
    }
    String nearest = NearestKey.to(schema.withoutIndex(entry.key()), known);
    String hint = nearest == null ? "; see conf/standalone.yml" : "; did you mean " + nearest + "?";
    return entry.origin() + ": unknown key " + entry.key() + hint;
  }
}
