package io.fjordmq.range.store;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Writes a range's rows to a snapshot file; {@link SnapshotInstaller} replaces the rows with those
 * of a file.
 */
final class ReplicaSnapshot {
  static final String FILE = "range.rows";

  private final RangeId id;
  private final RangeKeys keys;
  private final KvSpace space;

  ReplicaSnapshot(RangeId id, KvSpace space) {
    this.id = id;
    this.keys = new RangeKeys(id.number());
    this.space = space;
  }

  /**
   * Writes a consistent snapshot into the directory; returns the applied index that it contains.
   *
   * @throws IOException if it cannot be written, or the range was merged into another one
   */
  long export(Path directory) throws IOException {
    try (KvSnapshot rows = space.snapshot()) {
      if (rows.get(keys.descriptor()) == null) {
        throw new IOException("cannot export range " + id + ": it was merged into another one");
      }
      return export(directory, rows);
    }
  }

  private long export(Path directory, KvReader rows) throws IOException {
    try (RowFile.Writer file = RowFile.write(directory.resolve(FILE))) {
      byte[] progress = required(id, rows, keys.progress(), "progress");
      RangeDescriptor descriptor =
          RangeDescriptorCodec.decode(required(id, rows, keys.descriptor(), "descriptor"));
      file.add(keys.descriptor(), RangeDescriptorCodec.encode(descriptor));
      file.add(keys.progress(), progress);
      copy(rows, keys.sendersFrom(), keys.sendersTo(), file);
      copy(rows, keys.childrenFrom(), keys.childrenTo(), file);
      byte[] frozen = rows.get(keys.frozen());
      if (frozen != null) {
        file.add(keys.frozen(), frozen);
      }
      copy(rows, keys.absorbedRangesFrom(), keys.absorbedRangesTo(), file);
      for (long absorbed : AbsorbedRange.absorbedNumbers(keys, rows)) {
        new AbsorbedRange(absorbed).copyTo(file, rows);
      }
      KeyInterval interval = descriptor.interval();
      copy(rows, RangeKeys.data(interval.start()), RangeKeys.dataEnd(interval.end()), file);
      NewSplitChild.copyTo(file, RangeState.children(keys, rows), rows);
      for (FrozenNeighbor neighbor : FrozenNeighbor.of(descriptor, rows)) {
        neighbor.copyTo(file);
      }
      file.finish();
      return RangeState.appliedIndexOf(progress);
    }
  }

  /**
   * Returns a row that every replica has.
   *
   * @throws MalformedBytesException if it is missing
   */
  static byte[] required(RangeId id, KvReader rows, byte[] key, String what) {
    byte[] value = rows.get(key);
    if (value == null) {
      throw new MalformedBytesException("range " + id + " has no " + what + " on this node");
    }
    return value;
  }

  /** Adds the rows of a part of the key space to a snapshot file. */
  static void copy(KvReader rows, byte[] from, byte[] to, RowFile.Writer file) throws IOException {
    IOException[] failure = new IOException[1];
    rows.scan(
        from,
        to,
        (key, value) -> {
          try {
            file.add(key, value);
            return true;
          } catch (IOException e) {
            failure[0] = e;
            return false;
          }
        });
    if (failure[0] != null) {
      throw failure[0];
    }
  }
}
