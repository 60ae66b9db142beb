package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.kv.KvSnapshot;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Hashes a slice of a replica's rows, one part at a time: first the rows of the engine, then the
 * data. Rows that say something about this replica only are left out. Used by one thread at a time.
 */
final class SliceReader implements AutoCloseable {
  private final RangeKeys keys;
  private final byte[] dataFrom;
  private final byte[] dataEnd;
  private final long maxBytes;
  private final KvSnapshot rows;
  private final MessageDigest digest = sha256();
  private final ByteBuffer lengths = ByteBuffer.allocate(2 * Integer.BYTES);

  /** Where the next part begins. */
  private byte[] position;

  private long totalBytes;
  private long totalRows;
  private @Nullable SliceHash result;

  // Of the current part.
  private long partBytes;
  private long maxPartBytes;
  private byte @Nullable [] stoppedAt;

  /**
   * @param range the range at the index of the entry
   * @param rows closed by this object
   */
  SliceReader(RangeDescriptor range, RangeEntry.Compare slice, KvSnapshot rows) {
    KeyInterval interval = range.interval();
    this.keys = new RangeKeys(range.id().number());
    this.dataFrom = RangeKeys.data(interval.start());
    this.dataEnd = RangeKeys.dataEnd(interval.end());
    this.maxBytes = slice.maxBytes();
    this.rows = rows;
    this.position = slice.from();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /**
   * Hashes the next rows.
   *
   * @param maxReadBytes size of the keys and values at which the part ends
   * @return the number of bytes read
   * @throws io.fjordmq.range.kv.KvException if the storage fails or is closed
   */
  long readPart(int maxReadBytes) {
    partBytes = 0;
    maxPartBytes = maxReadBytes;
    stoppedAt = null;
    if (Arrays.compareUnsigned(position, keys.end()) < 0) {
      rows.scan(later(position, keys.first()), keys.end(), this::visit);
    }
    if (stoppedAt == null) {
      rows.scan(later(position, dataFrom), dataEnd, this::visit);
    }
    byte[] following = stoppedAt;
    if (following == null || totalBytes >= maxBytes) {
      result = new SliceHash(digest.digest(), totalRows, following);
    } else {
      position = following;
    }
    return partBytes;
  }

  private static byte[] later(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) < 0 ? b : a;
  }

  private boolean visit(byte[] key, byte[] value) {
    if (partBytes >= maxPartBytes || totalBytes >= maxBytes) {
      stoppedAt = key;
      return false;
    }
    if (keys.isLocal(key)) {
      return true;
    }
    lengths.clear().putInt(key.length).putInt(value.length).flip();
    digest.update(lengths);
    digest.update(key);
    digest.update(value);
    partBytes += key.length + value.length;
    totalBytes += key.length + value.length;
    totalRows++;
    return true;
  }

  /** Returns the hash of the whole slice; null until the last part is read. */
  @Nullable SliceHash result() {
    return result;
  }

  @Override
  public void close() {
    rows.close();
  }
}
