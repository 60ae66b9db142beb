package io.fjordmq.broker.backup;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.OptionalLong;

/**
 * The files of one backup, in a directory or in object storage. Used by one thread; all methods
 * block. They throw {@link BackupException} if a retry would not help; its message says what was
 * attempted, what was found, and what to do.
 */
public interface BackupStorage extends AutoCloseable {
  /** Returns the directory or URL, for people. */
  String location();

  /**
   * Makes the storage ready for a new backup.
   *
   * @throws BackupException if it has files already, or cannot be written to
   */
  void prepare() throws IOException;

  /** Returns the size of a file in bytes; empty if there is none with this name. */
  OptionalLong size(String name) throws IOException;

  /** Opens a file to read it from its beginning to its end. */
  InputStream read(String name) throws IOException;

  /**
   * Begins a file, which replaces one with this name. Memory use does not depend on its size.
   *
   * @return a stream that expects large writes
   */
  NewFile create(String name) throws IOException;

  /** Writes a small file: after a failure, it exists as a whole or not at all. */
  void put(String name, byte[] content) throws IOException;

  /** Deletes a file; does nothing if it does not exist. */
  void delete(String name) throws IOException;

  /** Returns how many bytes can be added; {@link Long#MAX_VALUE} if there is no limit. */
  long freeBytes() throws IOException;

  /** Releases connections. Never throws. */
  @Override
  void close();

  /** A file that is being written. Closing it without a commit discards it. */
  abstract class NewFile extends OutputStream {
    /** Makes everything that was written durable. */
    public abstract void commit() throws IOException;

    @Override
    public final void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public abstract void write(byte[] bytes, int offset, int length) throws IOException;

    @Override
    public abstract void close() throws IOException;
  }
}
