package io.fjordmq.range.store;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of rows, written and read as a stream: the snapshot of a replica, or a part of a backup.
 * Backups are kept for years, so a later format must not end the support for reading format 2.
 *
 * <pre>
 * u32  magic, "FJRR"
 * u8   format, 2: since this one, the rows may contain a {@link FrozenNeighbor}
 * then chunks:
 *   u32  bytes in the chunk, more than 0
 *   u32  CRC-32C of these bytes
 *   rows: varint length, key, varint length, value
 * and at the end:
 *   u32  0
 *   u64  number of rows in the file
 * </pre>
 */
public final class RowFile {
  /** A chunk ends with the row that reaches this size. */
  static final int CHUNK_BYTES = 256 << 10;

  private static final int MAGIC = 0x464a5252;
  private static final int FORMAT = 2;

  private RowFile() {}

  /** Receives the rows of a file. */
  @FunctionalInterface
  public interface RowVisitor {
    void visit(byte[] key, byte[] value) throws IOException;
  }

  static Writer write(Path file) throws IOException {
    return new Writer(file, Files.newOutputStream(file));
  }

  /** Writes a file as a stream, which the caller makes durable. */
  public static Writer write(OutputStream stream) throws IOException {
    return new Writer(null, stream);
  }

  /** Writes one file, which is not readable before {@link #finish}. Not thread-safe. */
  public static final class Writer implements AutoCloseable {
    private final @Nullable Path file;
    private final DataOutputStream out;
    private ByteWriter chunk = new ByteWriter(CHUNK_BYTES);
    private long rows;

    private Writer(@Nullable Path file, OutputStream stream) throws IOException {
      this.file = file;
      this.out = new DataOutputStream(new BufferedOutputStream(stream));
      out.writeInt(MAGIC);
      out.writeByte(FORMAT);
    }

    public void add(byte[] key, byte[] value) throws IOException {
      chunk.writeBlock(key);
      chunk.writeBlock(value);
      rows++;
      if (chunk.length() >= CHUNK_BYTES) {
        writeChunk();
      }
    }

    private void writeChunk() throws IOException {
      byte[] bytes = chunk.toByteArray();
      out.writeInt(bytes.length);
      out.writeInt(checksum(bytes));
      out.write(bytes);
      chunk = new ByteWriter(CHUNK_BYTES);
    }

    /** Completes the file and, unless it is a stream, makes it durable. */
    public void finish() throws IOException {
      if (chunk.length() > 0) {
        writeChunk();
      }
      out.writeInt(0);
      out.writeLong(rows);
      out.flush();
      if (file != null) {
        sync(file);
      }
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /**
   * Passes all rows to the visitor in order.
   *
   * @throws IOException if the file cannot be read or is corrupt; the rows before that have been
   *     visited
   */
  public static void read(Path file, RowVisitor visitor) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      if (in.readInt() != MAGIC) {
        throw new IOException(file + " is not a row file");
      }
      requireFormat(file, in.readUnsignedByte());
      long rows = 0;
      for (int length = in.readInt(); length != 0; length = in.readInt()) {
        rows += readChunk(file, in, length, visitor);
      }
      long expected = in.readLong();
      if (expected != rows) {
        throw new IOException(
            file + " is corrupt: it has " + rows + " rows, but its trailer says " + expected);
      }
    }
  }

  private static void requireFormat(Path file, int found) throws IOException {
    try {
      NewerFormatException.require("row file " + file, FORMAT, found);
    } catch (MalformedBytesException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static long readChunk(Path file, DataInputStream in, int length, RowVisitor visitor)
      throws IOException {
    if (length < 0 || length > Files.size(file)) {
      throw new IOException(file + " is corrupt: invalid chunk size " + length);
    }
    int expected = in.readInt();
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    if (checksum(bytes) != expected) {
      throw new IOException(file + " is corrupt: chunk checksum mismatch");
    }
    ByteReader chunk = new ByteReader(bytes);
    long rows = 0;
    while (chunk.remaining() > 0) {
      visitor.visit(chunk.readBlock(), chunk.readBlock());
      rows++;
    }
    return rows;
  }

  private static int checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /** Makes a file's bytes or a directory's entries durable. */
  static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
