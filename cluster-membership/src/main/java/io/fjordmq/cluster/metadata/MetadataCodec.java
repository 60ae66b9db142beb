package io.fjordmq.cluster.metadata;

import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * The formats of log entries and checkpoints. Numbers are big-endian, keys are ASCII.
 *
 * <pre>
 * log entry (a batch):
 *   u8 format = 1
 *   u32 number of changes, each:
 *     u8 length, key
 *     i64 expected version (-1: any, 0: absent)
 *     i32 length of the value (-1: remove), value
 *
 * checkpoint:
 *   u8 format = 1
 *   i64 applied index
 *   i64 view version
 *   u32 number of records, each, in key order:
 *     u8 length, key
 *     i64 version
 *     u32 length, value
 *   u32 CRC-32C of all preceding bytes
 * </pre>
 */
final class MetadataCodec {
  private static final byte FORMAT = 1;

  private MetadataCodec() {}

  /** The complete state of a replica. */
  record Checkpoint(long appliedIndex, MetadataView view) {}

  static byte[] encodeBatch(List<Change> batch) {
    int size = 1 + 4;
    for (Change change : batch) {
      byte[] value = change.value();
      size += 1 + change.key().length() + 8 + 4 + (value == null ? 0 : value.length);
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(FORMAT).putInt(batch.size());
    for (Change change : batch) {
      putKey(out, change.key());
      out.putLong(change.expectedVersion());
      byte[] value = change.value();
      out.putInt(value == null ? -1 : value.length);
      if (value != null) {
        out.put(value);
      }
    }
    return out.array();
  }

  /**
   * @throws NewerFormatException if a newer version of FjordMQ wrote the entry
   * @throws IllegalArgumentException if the bytes are not a log entry
   */
  static List<Change> decodeBatch(ByteBuffer in) {
    NewerFormatException.require("metadata log entry", FORMAT, in.get());
    int count = in.getInt();
    List<Change> batch = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = getKey(in);
      long expectedVersion = in.getLong();
      int length = in.getInt();
      byte[] value = length < 0 ? null : new byte[length];
      if (value != null) {
        in.get(value);
      }
      batch.add(new Change(key, value, expectedVersion));
    }
    return batch;
  }

  static byte[] encodeCheckpoint(Checkpoint checkpoint) {
    Collection<MetadataRecord> records = checkpoint.view.records();
    int size = 1 + 8 + 8 + 4 + 4;
    for (MetadataRecord record : records) {
      size += 1 + record.key().length() + 8 + 4 + record.value().length;
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(FORMAT);
    out.putLong(checkpoint.appliedIndex).putLong(checkpoint.view.version());
    out.putInt(records.size());
    for (MetadataRecord record : records) {
      putKey(out, record.key());
      out.putLong(record.version()).putInt(record.value().length).put(record.value());
    }
    return out.putInt(checksum(out.array(), size - 4)).array();
  }

  /**
   * @throws IOException if the bytes are corrupt or have another format
   */
  static Checkpoint decodeCheckpoint(byte[] bytes) throws IOException {
    if (bytes.length < 25
        || ByteBuffer.wrap(bytes).getInt(bytes.length - 4) != bodyChecksum(bytes)) {
      throw new IOException("the metadata checkpoint is corrupt");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      NewerFormatException.require("the metadata checkpoint", FORMAT, in.get());
    } catch (MalformedBytesException e) {
      throw new IOException(e.getMessage(), e);
    }
    long appliedIndex = in.getLong();
    long version = in.getLong();
    int count = in.getInt();
    List<MetadataRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String key = getKey(in);
      long recordVersion = in.getLong();
      byte[] value = new byte[in.getInt()];
      in.get(value);
      records.add(new MetadataRecord(key, value, recordVersion));
    }
    return new Checkpoint(appliedIndex, MetadataView.of(version, records));
  }

  private static int bodyChecksum(byte[] bytes) {
    return checksum(bytes, bytes.length - 4);
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  private static void putKey(ByteBuffer out, String key) {
    out.put((byte) key.length()).put(key.getBytes(StandardCharsets.US_ASCII));
  }

  private static String getKey(ByteBuffer in) {
    byte[] key = new byte[in.get() & 0xff];
    in.get(key);
    return new String(key, StandardCharsets.US_ASCII);
  }
}
