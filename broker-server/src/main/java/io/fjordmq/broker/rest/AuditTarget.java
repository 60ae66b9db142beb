package io.fjordmq.broker.rest;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a request changes, as the audit log names it. */
final class AuditTarget {
  private static final int MAX_NAMES = 10;

  private AuditTarget() {}

  /** Returns the first names, and the number of the others. */
  static String names(List<String> names) {
    int others = names.size() - MAX_NAMES;
    return others <= 0
        ? String.join(", ", names)
        : String.join(", ", names.subList(0, MAX_NAMES)) + " and " + others + " others";
  }

  /** Adds the tenant that a request names; null or empty if it names none. */
  static String ofTenant(String name, @Nullable String tenant) {
    return tenant == null || tenant.isEmpty() ? name : name + " of tenant " + tenant;
  }
}
