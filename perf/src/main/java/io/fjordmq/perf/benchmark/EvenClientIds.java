package io.fjordmq.perf.benchmark;

import io.fjordmq.inbox.InboxId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Generates client identifiers whose inboxes are spread evenly over equal parts of the store. With
 * random identifiers, the busiest of sixteen ranges would have 50 % more inboxes than the average.
 */
final class EvenClientIds {
  /** Tenant of clients without a tenant. */
  private static final String TENANT = "";

  private EvenClientIds() {}

  /**
   * Generates client identifiers.
   *
   * @param count number of identifiers; a multiple of {@code parts}
   * @param parts number of equal parts of the store; a power of two, at most {@link
   *     InboxId#BUCKETS}
   */
  static List<String> of(String prefix, int count, int parts) {
    if (parts < 1 || count % parts != 0 || InboxId.BUCKETS % parts != 0) {
      throw new IllegalArgumentException(
          count + " client identifiers cannot be spread evenly over " + parts);
    }
    int[] wanted = new int[parts];
    Arrays.fill(wanted, count / parts);
    List<String> clientIds = new ArrayList<>();
    for (int i = 0; clientIds.size() < count; i++) {
      String name = prefix + i;
      int part = new InboxId(TENANT, name).bucket() / (InboxId.BUCKETS / parts);
      if (wanted[part] > 0) {
        wanted[part]--;
        clientIds.add(name);
      }
    }
    return clientIds;
  }
}
