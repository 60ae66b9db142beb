package io.fjordmq.broker.config;

import io.fjordmq.broker.session.TenantLimits;
import java.util.HashSet;
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
      List.of("sessionConfig", "tenantConfig", "userConfig", "inboxConfig.limits");

  /** Limits that apply before a client's tenant is known and therefore cannot be overridden. */
  private static final Set<String> BEFORE_TENANT_IS_KNOWN = Set.of("sessionConfig.connectTimeout");

  /** The parts of a tenant's key; the rest is empty if the key is the tenant's own section. */
  private record Split(String tenant, String rest) {}

  private final Set<String> keys = new TreeSet<>();

  TenantKeys(ConfigSchema schema) {
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

  /**
   * Finds the key that an environment variable means: the name of the tenant keeps its case, the
   * rest ignores it. Null if there is none.
   */
  @Nullable String findIgnoringCase(String anyCase) {
    if (!anyCase.regionMatches(true, 0, SECTION + ".", 0, SECTION.length() + 1)) {
      return null;
    }
    String below = anyCase.substring(SECTION.length() + 1);
    for (String key : keys) {
      int end = below.length() - key.length() - 1;
      if (end > 0 && below.regionMatches(true, end, "." + key, 0, key.length() + 1)) {
        return SECTION + "." + below.substring(0, end) + "." + key;
      }
    }
    return null;
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
    Map<String, Set<String>> sectionsByTenant = new LinkedHashMap<>();
    for (String key : given.keySet()) {
      @Nullable Split split = isTenantKey(key) ? split(key) : null;
      if (split != null && !split.rest.isEmpty()) {
        sectionsByTenant
            .computeIfAbsent(split.tenant, tenant -> new HashSet<>())
            .add(split.rest.split("\\.", 2)[0]);
      }
    }
    Map<String, TenantLimits> tenants = new LinkedHashMap<>();
    sectionsByTenant.forEach(
        (tenant, sections) ->
            tenants.put(tenant, bind(SECTION + "." + tenant + ".", sections, binder, config)));
    return tenants;
  }

  /**
   * @param sections the sections of which the tenant overrides keys; the others are shared
   */
  private static TenantLimits bind(
      String prefix, Set<String> sections, ConfigBinder binder, BrokerConfig config) {
    return new TenantLimits(
        sections.contains("sessionConfig")
            ? binder.bind(prefix + "sessionConfig.", config.sessionConfig())
            : config.sessionConfig(),
        sections.contains("tenantConfig")
            ? binder.bind(prefix + "tenantConfig.", config.tenantConfig())
            : config.tenantConfig(),
        sections.contains("userConfig")
            ? binder.bind(prefix + "userConfig.", config.userConfig())
            : config.userConfig(),
        sections.contains("inboxConfig")
            ? binder.bind(prefix + "inboxConfig.limits.", config.inboxConfig().limits())
            : config.inboxConfig().limits());
  }
}
