package io.fjordmq.broker.config;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.broker.providers.ProviderCatalog;
import io.fjordmq.broker.providers.ProviderEntry;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * The keys {@code securityConfig.authentication.N.KEY} and {@code securityConfig.authorization.N.
 * KEY}. Which keys a provider has depends on its type. Because keys may come from environment
 * variables, their case is ignored; the case of names in maps, such as HTTP headers, is kept. The
 * whole map can also be one value: <code>{name: value, …}</code>.
 */
final class ProviderKeys {
  private static final int MAX_PROVIDERS = 64;
  private static final Pattern KEY =
      Pattern.compile(
          "securityConfig\\.(authentication|authorization)(?:\\.([^.]*))?(?:\\.(.*))?",
          Pattern.CASE_INSENSITIVE);

  /** A value, and the layer that it comes from. */
  private record ConfiguredValue(ConfigValue value, ConfigOrigin origin) {}

  /** A value as it can be listed. */
  record Listed(String key, String value, boolean secret, ConfigLoader.Source source) {}

  private final ProviderCatalog catalog = new ProviderCatalog();
  private final Map<Chain, TreeMap<Integer, Map<String, ConfiguredValue>>> chains = new TreeMap<>();
  private final List<Listed> listed = new ArrayList<>();

  ProviderKeys() {
    for (Chain chain : Chain.values()) {
      chains.put(chain, new TreeMap<>());
    }
  }

  private TreeMap<Integer, Map<String, ConfiguredValue>> elements(Chain chain) {
    return Objects.requireNonNull(chains.get(chain));
  }

  /** Whether the key is in one of the two lists, or is one of them. */
  static boolean isProviderKey(String key) {
    return KEY.matcher(key).matches();
  }

  /** Adds a value, which overrides those added before. */
  void add(ConfigValue entry, ConfigOrigin origin, List<String> problems) {
    Matcher matcher = KEY.matcher(entry.key());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(entry.key());
    }
    String index = matcher.group(2);
    String rest = matcher.group(3);
    if (index == null || !index.matches("[0-9]{1,6}")) {
      // 'authentication:' without anything is an empty list.
      if (index != null || entry.section() || !entry.text().isEmpty()) {
        problems.add(
            entry.origin()
                + ": securityConfig."
                + matcher.group(1)
                + " must be a list of providers, each of which begins with '- type: '");
      }
      return;
    }
    int number = Integer.parseInt(index);
    if (number >= MAX_PROVIDERS) {
      problems.add(
          entry.origin()
              + ": "
              + entry.key()
              + " exceeds the limit of "
              + MAX_PROVIDERS
              + " providers");
      return;
    }
    Chain chain = Chain.valueOf(matcher.group(1).toUpperCase(Locale.ROOT));
    Map<String, ConfiguredValue> values =
        elements(chain).computeIfAbsent(number, none -> new LinkedHashMap<>());
    if (rest == null && !entry.section()) {
      problems.add(entry.origin() + ": " + entry.key() + " must be a section with a type");
    } else if (rest != null && !entry.section()) {
      int dot = rest.indexOf('.');
      String first = dot < 0 ? rest : rest.substring(0, dot);
      String key = first.toLowerCase(Locale.ROOT) + (dot < 0 ? "" : rest.substring(dot));
      values.put(key, new ConfiguredValue(entry, origin));
    }
  }

  /**
   * Returns the providers of a list.
   *
   * @param problems receives one line for each unknown type or key
   */
  SortedMap<Integer, ProviderEntry> bind(Chain chain, List<String> problems) {
    SortedMap<Integer, ProviderEntry> entries = new TreeMap<>();
    for (Map.Entry<Integer, Map<String, ConfiguredValue>> element : elements(chain).entrySet()) {
      String path = "securityConfig." + chain.label() + "." + element.getKey();
      if (element.getKey() != entries.size()) {
        problems.add(
            "configuration: "
                + path
                + " is set but securityConfig."
                + chain.label()
                + "."
                + entries.size()
                + " is not; number the providers from 0 without gaps");
        return entries;
      }
      ProviderEntry entry = bind(chain, element.getKey(), element.getValue(), path, problems);
      if (entry == null) {
        return entries;
      }
      entries.put(element.getKey(), entry);
    }
    return entries;
  }

  private @Nullable ProviderEntry bind(
      Chain chain,
      int index,
      Map<String, ConfiguredValue> configured,
      String path,
      List<String> problems) {
    ConfiguredValue type = configured.get("type");
    String name = type == null ? "" : type.value.text();
    List<ProviderKey> keys = type == null ? null : catalog.keys(chain, name);
    if (keys == null) {
      problems.add(
          (type == null ? "configuration: " + path + ".type is required; it " : at(type))
              + (type == null ? "" : path + ".type ")
              + catalog.unsupportedType(chain, name));
      return null;
    }
    Map<String, String> values = new LinkedHashMap<>();
    for (Map.Entry<String, ConfiguredValue> one : configured.entrySet()) {
      int dot = one.getKey().indexOf('.');
      String first = dot < 0 ? one.getKey() : one.getKey().substring(0, dot);
      ProviderKey key = find(keys, first);
      if (key == null) {
        problems.add(unknown(one.getValue(), path, first, keys, name));
      } else if ((key.kind() == ProviderKey.Kind.MAP) == (dot >= 0)) {
        put(
            values,
            path,
            key,
            one.getKey().substring(dot < 0 ? first.length() : dot),
            one.getValue());
      } else if (key.kind() == ProviderKey.Kind.MAP) {
        addMap(values, path, key, one.getValue(), problems);
      } else {
        problems.add(
            at(one.getValue()) + path + "." + key.name() + " must be a value, not a section");
      }
    }
    return new ProviderEntry(chain, index, name, values);
  }

  private void put(
      Map<String, String> values,
      String path,
      ProviderKey key,
      String suffix,
      ConfiguredValue configured) {
    String name = key.name() + suffix;
    values.put(name, configured.value.text());
    boolean secret =
        key.secret() || key.kind() == ProviderKey.Kind.MAP && key.name().equals("headers");
    listed.add(
        new Listed(
            path + "." + name,
            configured.value.text(),
            secret,
            new ConfigLoader.Source(configured.origin, configured.value.origin())));
  }

  private void addMap(
      Map<String, String> values,
      String path,
      ProviderKey key,
      ConfiguredValue configured,
      List<String> problems) {
    if (configured.value.text().isEmpty()) {
      return;
    }
    try {
      Node node =
          new Yaml(new SafeConstructor(new LoaderOptions()))
              .compose(new StringReader(configured.value.text()));
      if (node instanceof MappingNode mapping) {
        for (NodeTuple tuple : mapping.getValue()) {
          if (tuple.getKeyNode() instanceof ScalarNode name
              && tuple.getValueNode() instanceof ScalarNode value) {
            ConfigValue one =
                ConfigValue.value(
                    configured.value.key(), value.getValue(), configured.value.origin());
            put(
                values,
                path,
                key,
                "." + name.getValue(),
                new ConfiguredValue(one, configured.origin));
          } else {
            problems.add(
                at(configured) + path + "." + key.name() + " must not contain nested sections");
          }
        }
        return;
      }
    } catch (YAMLException e) {
      problems.add(at(configured) + path + "." + key.name() + " is invalid: " + e.getMessage());
      return;
    }
    problems.add(
        at(configured) + path + "." + key.name() + " must be a section of names and values");
  }

  private static String at(ConfiguredValue configured) {
    return configured.value.origin() + ": ";
  }

  private static @Nullable ProviderKey find(List<ProviderKey> keys, String name) {
    return keys.stream().filter(key -> key.name().equalsIgnoreCase(name)).findFirst().orElse(null);
  }

  private static String unknown(
      ConfiguredValue configured, String path, String name, List<ProviderKey> keys, String type) {
    List<String> known = keys.stream().map(ProviderKey::name).toList();
    String nearest = NearestKey.to(name, known);
    return at(configured)
        + "unknown key "
        + path
        + "."
        + name
        + (nearest == null
            ? "; providers of type " + type + " have the keys " + String.join(", ", known)
            : "; did you mean " + nearest + "?");
  }

  /** All values after {@link #bind}, in the order of the lists. */
  List<Listed> listed() {
    return List.copyOf(listed);
  }
}
