package io.fjordmq.cluster.metadata;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;

/**
 * The level of the cluster, stored under the key {@code level} (decision 0101). A cluster without
 * the record is at level 1. Every node reads the record, whatever its release, so the format can
 * change only at a level that all nodes support.
 *
 * <pre>
 * u8 format = 1 | u16 level | i64 raised | i64 upgrade since | u16 next | i64 next since
 * </pre>
 *
 * @param level the level; only grows
 * @param raisedMillis cluster time when it was last raised, ms since the epoch; 0 if never
 * @param upgradeSinceMillis cluster time since which a node supports a higher level; 0 if none does
 * @param next the highest level that all members support, if it is higher; otherwise 0
 * @param nextSinceMillis cluster time since which all members support it; 0 without {@code next}
 */
public record LevelRecord(
    int level, long raisedMillis, long upgradeSinceMillis, int next, long nextSinceMillis) {
  public static final String KEY = "level";

  /** The level of a cluster without the record. */
  public static final LevelRecord INITIAL = at(SupportedLevels.FIRST);

  private static final byte FORMAT = 1;
  private static final int BYTES = 1 + 2 + 8 + 8 + 2 + 8;

  /** Returns the record of a cluster that has always been at this level. */
  public static LevelRecord at(int level) {
    return new LevelRecord(level, 0, 0, 0, 0);
  }

  public static LevelRecord of(MetadataView view) {
    MetadataRecord record = view.get(KEY);
    return record == null ? INITIAL : decode(record.value());
  }

  /** Returns the change to this record, provided that it has not changed since the view. */
  public Change put(MetadataView view) {
    MetadataRecord record = view.get(KEY);
    return Change.put(KEY, encode(), record == null ? Change.ABSENT : record.version());
  }

  byte[] encode() {
    return ByteBuffer.allocate(BYTES)
        .put(FORMAT)
        .putShort((short) level)
        .putLong(raisedMillis)
        .putLong(upgradeSinceMillis)
        .putShort((short) next)
        .putLong(nextSinceMillis)
        .array();
  }

  static LevelRecord decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    NewerFormatException.require("the record of the cluster level", FORMAT, in.get());
    return new LevelRecord(
        in.getShort() & SupportedLevels.MAX,
        in.getLong(),
        in.getLong(),
        in.getShort() & SupportedLevels.MAX,
        in.getLong());
  }
}
