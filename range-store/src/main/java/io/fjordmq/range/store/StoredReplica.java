package io.fjordmq.range.store;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.kv.KvReader;
import java.util.ArrayList;
import java.util.List;

/**
 * A replica in the state database of a stopped node. What its log holds beyond it is applied at the
 * next start.
 *
 * @param descriptor its range, as of the applied index
 * @param appliedIndex last log entry that the state includes; 0 if the replica has no data yet
 */
public record StoredReplica(RangeDescriptor descriptor, long appliedIndex) {
  /** Whether the replica was created to receive its data from others, and has not received it. */
  public boolean isEmpty() {
    return appliedIndex == 0;
  }

  /**
   * Reads the replicas of a store that are not being removed, in no particular order. Blocks.
   *
   * @throws MalformedBytesException if one of them cannot be read
   */
  public static List<StoredReplica> all(Kv kv, String store) {
    KvReader rows = kv.space(store).latest();
    List<StoredReplica> found = new ArrayList<>();
    RangeKeys.visitDescriptors(
        rows,
        (number, row) -> {
          RangeKeys keys = new RangeKeys(number);
          if (rows.get(keys.removing()) != null || rows.get(keys.absorbed()) != null) {
            return;
          }
          byte[] progress = rows.get(keys.progress());
          if (progress == null) {
            throw new MalformedBytesException(
                "the state of range %s is incomplete".formatted(new RangeId(store, number)));
          }
          found.add(
              new StoredReplica(
                  RangeDescriptorCodec.decode(row), RangeState.appliedIndexOf(progress)));
        });
    return found;
  }
}
