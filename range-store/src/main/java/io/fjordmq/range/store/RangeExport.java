package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The data of one range at one applied index, read in parts for a backup. Writes and splits of the
 * range do not affect it. It keeps overwritten rows on the disk until it is closed. Thread-safe;
 * reads block on the disk.
 */
public final class RangeExport implements AutoCloseable {
  private final RangeDescriptor descriptor;
  private final long appliedIndex;
  private final KvSnapshot rows;

  /** Where the next part begins; null at the end. */
  private byte @Nullable [] next;

  private boolean closed;

  private RangeExport(RangeDescriptor descriptor, long appliedIndex, KvSnapshot rows) {
    this.descriptor = descriptor;
    this.appliedIndex = appliedIndex;
    this.rows = rows;
    this.next = RangeKeys.data(descriptor.interval().start());
  }

  /**
   * Opens the current data of a replica on this node.
   *
   * @throws IOException if the replica has been removed or merged, or a snapshot is being installed
   */
  static RangeExport open(RangeId id, KvSpace space) throws IOException {
    RangeKeys keys = new RangeKeys(id.number());
    KvSnapshot rows = space.snapshot();
    try {
      byte[] descriptor = rows.get(keys.descriptor());
      byte[] progress = rows.get(keys.progress());
      if (descriptor == null || progress == null || rows.get(keys.removing()) != null) {
        throw new IOException("range " + id + " was merged or its replica was removed");
      }
      if (rows.get(keys.installing()) != null) {
        throw new IOException("the replica of range " + id + " is installing a snapshot");
      }
      return new RangeExport(
          RangeDescriptorCodec.decode(descriptor), RangeState.appliedIndexOf(progress), rows);
    } catch (IOException | RuntimeException e) {
      rows.close();
      throw e;
    }
  }

  /** The range at this index; its interval is that of the exported rows. */
  public RangeDescriptor descriptor() {
    return descriptor;
  }

  /** The index of the last log entry whose changes are included. */
  public long appliedIndex() {
    return appliedIndex;
  }

  /**
   * Passes the next rows to the visitor, in key order. Keys are those of the store.
   *
   * @param maxBytes maximum size of the keys and values; exceeded only by a single row
   * @return whether more rows follow
   * @throws IOException if the visitor throws it
   * @throws IllegalStateException if this export is closed
   * @throws io.fjordmq.range.kv.KvException if the storage fails or is closed
   */
  public synchronized boolean read(int maxBytes, RowFile.RowVisitor visitor) throws IOException {
    if (closed) {
      throw new IllegalStateException(
          "the export of range " + descriptor.id() + " was closed before it was read completely");
    }
    byte[] from = next;
    if (from == null) {
      return false;
    }
    KeyInterval interval = descriptor.interval();
    Part part = new Part(maxBytes, visitor);
    rows.scan(from, RangeKeys.dataEnd(interval.end()), part::visit);
    if (part.failure != null) {
      throw part.failure;
    }
    next = part.following;
    return next != null;
  }

  private static final class Part {
    private final int maxBytes;
    private final RowFile.RowVisitor visitor;
    private long bytes;
    private byte @Nullable [] following;
    private @Nullable IOException failure;

    Part(int maxBytes, RowFile.RowVisitor visitor) {
      this.maxBytes = maxBytes;
      this.visitor = visitor;
    }

    boolean visit(byte[] key, byte[] value) {
      long size = key.length + value.length;
      if (bytes > 0 && bytes + size > maxBytes) {
        following = key;
        return false;
      }
      bytes += size;
      try {
        visitor.visit(Arrays.copyOfRange(key, 1, key.length), value);
        return true;
      } catch (IOException e) {
        failure = e;
        return false;
      }
    }
  }

  /** Waits for a read in progress. */
  @Override
  public synchronized void close() {
    closed = true;
    rows.close();
  }
}
