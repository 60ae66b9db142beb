package io.fjordmq.broker.config;

import java.util.List;
import java.util.Set;

/** The keys that can change while nodes run; the others are read at startup only. */
final class ReloadableKeys {
  private static final List<String> SECTIONS =
      List.of(
          "sessionConfig.",
          "tenantConfig.",
          "userConfig.",
          "addressConfig.",
          "inboxConfig.limits.",
          "drainConfig.");

  private static final Set<String> KEYS =
      Set.of(
          "diskConfig.minFreeBytes",
          "overloadConfig.enabled",
          "overloadConfig.heapHighPercent",
          "overloadConfig.heapLowPercent",
          "overloadConfig.directHighPercent",
          "overloadConfig.directLowPercent",
          "overloadConfig.loopLagHigh",
          "overloadConfig.loopLagLow",
          "overloadConfig.recoveryTime",
          "securityConfig.maxLoginFailures",
          "securityConfig.loginFailureWindow",
          "securityConfig.maxNetworkLoginFailures",
          "securityConfig.maxUserLoginFailures");

  private ReloadableKeys() {}

  /** Whether the key can change while nodes run. All limits of single tenants can. */
  static boolean contains(String key) {
    return TenantKeys.isTenantKey(key)
        || KEYS.contains(key)
        || SECTIONS.stream().anyMatch(key::startsWith);
  }
}
