package io.fjordmq.range.placement;

import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataRecord;
import io.fjordmq.cluster.metadata.MetadataView;
import java.util.List;

/**
 * The number of voters of each store's ranges: a setting of the whole cluster, so that all drivers
 * have the same goal. Metadata records {@code voters/<store>}:
 *
 * <pre>
 * u8 format, 1 | u8 voters
 * </pre>
 */
public final class VoterCounts {
  private static final String PREFIX = "voters/";
  private static final byte FORMAT = 1;

  private VoterCounts() {}

  /** Returns the write that stores the initial numbers of a new cluster. */
  public static List<Change> initialChanges(List<StorePlacement> stores) {
    return stores.stream()
        .map(store -> Change.put(PREFIX + store.store(), encode(store), Change.ABSENT))
        .toList();
  }

  /** Returns the write that changes one number. */
  public static Change change(StorePlacement store) {
    return Change.put(PREFIX + store.store(), encode(store));
  }

  private static byte[] encode(StorePlacement store) {
    return new byte[] {FORMAT, (byte) store.voters()};
  }

  /**
   * Returns the same stores with the numbers of voters that the metadata contains.
   *
   * @throws IllegalArgumentException if a newer version of FjordMQ wrote them
   */
  public static List<StorePlacement> withStoredCounts(
      MetadataView view, List<StorePlacement> stores) {
    return stores.stream().map(store -> withStoredCounts(view, store)).toList();
  }

  private static StorePlacement withStoredCounts(MetadataView view, StorePlacement store) {
    MetadataRecord record = view.get(PREFIX + store.store());
    if (record == null) {
      return store;
    }
    byte[] value = record.value();
    if (value.length != 2 || value[0] != FORMAT) {
      throw new IllegalArgumentException(
          "cannot read the number of voters of store " + store.store() + ": " + record);
    }
    return new StorePlacement(store.store(), value[1], store.onEveryNode());
  }
}
