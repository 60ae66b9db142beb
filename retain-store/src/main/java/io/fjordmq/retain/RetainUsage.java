package io.fjordmq.retain;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of each tenant in one replica: their number and size. Derived from the
 * rows, so it is the same on every replica. The apply thread updates it; any thread may read it.
 */
public final class RetainUsage {
  /** Number of messages, and the size of their rows in bytes. */
  public record TenantUsage(long messages, long bytes) {
    static final TenantUsage ZERO = new TenantUsage(0, 0);

    TenantUsage plus(long moreMessages, long moreBytes) {
      return new TenantUsage(messages + moreMessages, bytes + moreBytes);
    }
  }

  private final Map<String, TenantUsage> byTenant = new ConcurrentHashMap<>();

  TenantUsage of(String tenant) {
    return byTenant.getOrDefault(tenant, TenantUsage.ZERO);
  }

  /** Records that a row of the key's tenant was added, changed or removed. */
  void update(byte[] key, int messages, long bytes) {
    byTenant.compute(tenantOf(key), (tenant, used) -> added(used, messages, bytes));
  }

  private static @Nullable TenantUsage added(@Nullable TenantUsage used, int messages, long bytes) {
    TenantUsage sum = (used == null ? TenantUsage.ZERO : used).plus(messages, bytes);
    return sum.messages == 0 ? null : sum;
  }

  private static String tenantOf(byte[] key) {
    int length = (key[1] & 0xFF) << 8 | (key[2] & 0xFF);
    return new String(key, 3, length, StandardCharsets.UTF_8);
  }

  void clear() {
    byTenant.clear();
  }
}
