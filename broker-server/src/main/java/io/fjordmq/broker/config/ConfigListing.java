package io.fjordmq.broker.config;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Lists the effective value of every key with its origin. Used once. */
final class ConfigListing {
  private final ConfigLoader loader;
  private final ConfigSchema schema;
  private final Map<String, String> stored;
  private final List<ConfigEntry> entries = new ArrayList<>();
  // The effective values of all keys, not redacted, because limits of tenants inherit them.
  private final Map<String, String> values = new HashMap<>();

  /**
   * @param loader has bound the configuration
   * @param stored all values set through the API, by key
   */
  ConfigListing(ConfigLoader loader, Map<String, String> stored) {
    this.loader = loader;
    this.schema = loader.schema();
    this.stored = stored;
  }

  List<ConfigEntry> of(BrokerConfig config) {
    addSection("", "", config);
    addTenants();
    addProviders();
    new TreeMap<>(config.plugins())
        .forEach((name, value) -> add("plugins." + name, "plugins." + name, value, ""));
    return List.copyOf(entries);
  }

  /**
   * Adds the keys of a section.
   *
   * @param prefix the keys as listed
   * @param internal the same with the index of a listener even if it is the only one of its kind
   */
  private void addSection(String prefix, String internal, Record section) {
    for (RecordComponent component : section.getClass().getRecordComponents()) {
      String name = component.getName();
      Object value = Records.read(section, component);
      if (value instanceof Map<?, ?>) {
        continue; // operators choose the keys; added separately
      } else if (component.isAnnotationPresent(Flattened.class)) {
        addSection(prefix, internal, (Record) value);
      } else if (value instanceof List<?> list && schema.sections().contains(prefix + name)) {
        for (int i = 0; i < list.size(); i++) {
          String listed = prefix + name + (list.size() == 1 ? "." : "." + i + ".");
          addSection(listed, internal + name + "." + i + ".", (Record) list.get(i));
        }
      } else if (value instanceof Record inner) {
        addSection(prefix + name + ".", internal + name + ".", inner);
      } else {
        ConfigSchema.@Nullable Key key = schema.keys().get(schema.withoutIndex(prefix + name));
        String text = ValueText.print(value);
        values.put(prefix + name, text);
        add(
            prefix + name,
            internal + name,
            text,
            key == null ? "" : ValueText.print(key.defaultValue()));
      }
    }
  }

  /** Adds the limits that single tenants override. */
  private void addTenants() {
    new TreeMap<>(loader.given())
        .forEach(
            (key, entry) -> {
              if (TenantKeys.isTenantKey(key) && loader.knows(key) && !entry.section()) {
                add(key, key, entry.text(), values.getOrDefault(TenantKeys.limit(key), ""));
              }
            });
  }

  /** Adds the configured values of providers; their defaults depend on the kind of provider. */
  private void addProviders() {
    for (ProviderKeys.Listed one : loader.providers().listed()) {
      String value =
          one.secret() && !one.value().isEmpty()
              ? SecretKeys.REDACTED
              : SecretKeys.redact(one.key(), one.value());
      entries.add(
          new ConfigEntry(
              one.key(), value, "", one.source().origin(), one.source().text(), false, null));
    }
  }

  private void add(String key, String internal, String value, String defaultValue) {
    ConfigLoader.@Nullable Source source = loader.sources().get(internal);
    entries.add(
        new ConfigEntry(
            key,
            SecretKeys.redact(key, value),
            SecretKeys.redact(key, defaultValue),
            source == null ? ConfigOrigin.DEFAULT : source.origin(),
            source == null || source.origin() == ConfigOrigin.API ? null : source.text(),
            ReloadableKeys.contains(key),
            stored.get(key)));
  }
}
