package io.fjordmq.broker.config;

import io.fjordmq.broker.session.TenantLimits;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The keys {@code tenants.NAME.KEY}: limits of one tenant. KEY is the full path, including the
 * section, of the limit that it overrides.
 */
final class TenantKeys {
  static final String SECTION = "tenants";

  /** Sections whose keys a tenant can override. */
  private static final List<String> SECTIONS =
      List.of("sessionConfig", "tenantConfig", "inboxConfig.limits");

  /** Limits that apply before a client's tenant is known and therefore cannot be overridden. */
  private static final Set<String> BEFORE_TENANT_IS_KNOWN = Set.of("sessionConfig.connectTimeout");

  /** The parts of a tenant's key; the rest is empty if the key is the tenant's own section. */
  private record Split(String tenant, String rest) {}

  private final Set<String> keys = new TreeSet<>();

  TenantKeys(Schema schema) {
    for (String key : schema.keys().keySet()) {
      if (SECTIONS.stream().anyMatch(section -> key.startsWith(section + "."))
          && !BEFORE_TENANT_IS_KNOWN.contains(key)) {
        keys.add(key);
      }
    }
  }

  /** Whether the key is in the section {@code tenants}. */
  static boolean isTenantKey(String key) {
    return key.startsWith(SECTION + ".");
  }

  /** Whether the key names a tenant or a section of its limits. */
  boolean isSection(ConfigValue entry) {
    Split split = split(entry.key());
    return split.rest.isEmpty()
        ? entry.section() || split.tenant.indexOf('.') < 0
        : keys.stream().anyMatch(known -> known.startsWith(split.rest + "."));
  }

  /** Whether the key is a limit that a tenant can override. */
  boolean isKey(String key) {
    return keys.contains(split(key).rest);
  }

  /** The shared limit that the key of a tenant overrides; empty if it names a section. */
  static String limit(String key) {
    return split(key).rest;
  }

  /** All valid keys and sections of the tenant that the key appears to name. */
  List<String> candidates(String key) {
    String name = key.substring(SECTION.length() + 1).split("\\.", 2)[0];
    Set<String> known = new TreeSet<>(SECTIONS);
    known.addAll(keys);
    return known.stream().map(rest -> SECTION + "." + name + "." + rest).toList();
  }

  /**
   * Splits a key into tenant and rest. A tenant name may contain dots, so it extends up to the
   * first known section.
   */
  private static Split split(String key) {
    String below = key.substring(SECTION.length() + 1);
    for (String section : SECTIONS) {
      String first = "." + section.split("\\.", 2)[0];
      int at = below.indexOf(first);
      int end = at + first.length();
      if (at > 0 && (end == below.length() || below.charAt(end) == '.')) {
        return new Split(below.substring(0, at), below.substring(at + 1));
      }
    }
    return new Split(below, "");
  }

  /** Returns the limits of each tenant that overrides any. */
  static Map<String, TenantLimits> bind(
      Map<String, ConfigValue> given, ConfigBinder binder, BrokerConfig config) {
    Map<String, TenantLimits> tenants = new LinkedHashMap<>();
    for (String key : given.keySet()) {
      @Nullable Split split = isTenantKey(key) ? split(key) : null;
      if (split == null || split.rest.isEmpty() || tenants.containsKey(split.tenant)) {
        continue;
      }
      String prefix = SECTION + "." + split.tenant + ".";
      tenants.put(
          split.tenant,
          new TenantLimits(
              binder.bind(prefix + "sessionConfig.", config.sessionConfig()),
              binder.bind(prefix + "tenantConfig.", config.tenantConfig()),
              binder.bind(prefix + "inboxConfig.limits.", config.inboxConfig().limits())));
    }
    return tenants;
  }
}
