package io.fjordmq.range.store;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The senders that a range remembers: the last batch of each and its responses, so that a repeated
 * batch gets the same responses and is not applied again.
 *
 * <p>The number of senders is limited by the latest registration; beyond the limit, the sender
 * whose last entry is oldest in the log is evicted. Replicated state: the same on all replicas.
 *
 * <pre>
 * u8   format, 1
 * u64  number of the sender's last batch, 0 if it only registered
 * u64  log index of its last entry
 * varint responses, then for each: varint length, bytes
 * </pre>
 */
final class SenderTable {
  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final Map<Long, Sender> senders = new HashMap<>();
  private long nextSender;

  /** One sender's last batch. */
  record Sender(long lastNumber, long lastIndex, List<byte[]> responses) {}

  SenderTable(RangeKeys keys, long nextSender) {
    this.keys = keys;
    this.nextSender = nextSender;
  }

  void load(KvReader rows) {
    rows.scan(
        keys.sendersFrom(),
        keys.sendersTo(),
        (key, value) -> {
          senders.put(RangeKeys.senderOf(key), decode(value));
          return true;
        });
  }

  int size() {
    return senders.size();
  }

  /** Returns the number for the next registration; numbers are never reused. */
  long nextSender() {
    return nextSender;
  }

  @Nullable Sender find(long sender) {
    return senders.get(sender);
  }

  /** Adds a new sender and returns its number. */
  long register(long index, KvWriter rows) {
    long sender = nextSender++;
    remember(sender, new Sender(0, index, List.of()), rows);
    return sender;
  }

  void remember(long sender, Sender state, KvWriter rows) {
    senders.put(sender, state);
    rows.put(keys.sender(sender), encode(state));
  }

  /**
   * Evicts the least recently used senders until at most the given number remains; returns how many
   * it evicted.
   */
  int shrink(int maxSenders, KvWriter rows) {
    int forgotten = 0;
    while (senders.size() > Math.max(maxSenders, 1)) {
      long oldest = oldest();
      senders.remove(oldest);
      rows.delete(keys.sender(oldest));
      forgotten++;
    }
    return forgotten;
  }

  /**
   * Returns the least recently used sender. Log indexes are unique, so the choice does not depend
   * on the order of the map.
   */
  private long oldest() {
    long oldest = -1;
    long oldestIndex = Long.MAX_VALUE;
    for (Map.Entry<Long, Sender> entry : senders.entrySet()) {
      if (entry.getValue().lastIndex() < oldestIndex) {
        oldestIndex = entry.getValue().lastIndex();
        oldest = entry.getKey();
      }
    }
    return oldest;
  }

  static byte[] encode(Sender sender) {
    ByteWriter out = new ByteWriter(32 + 8 * sender.responses().size());
    out.writeByte(FORMAT);
    out.writeLong(sender.lastNumber());
    out.writeLong(sender.lastIndex());
    out.writeVarint(sender.responses().size());
    sender.responses().forEach(out::writeBlock);
    return out.toByteArray();
  }

  static Sender decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("sender row", FORMAT, in);
    long number = in.readLong();
    long index = in.readLong();
    int count = in.readCount(1);
    List<byte[]> responses = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      responses.add(in.readBlock());
    }
    in.requireEnd();
    return new Sender(number, index, responses);
  }
}
