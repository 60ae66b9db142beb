package io.fjordmq.broker.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of one trace on this node, which only its owner can read. It has a maximum size, at
 * which it ends with a note. Used on the thread {@code traces}, except where stated otherwise.
 */
final class TraceFile {
  private static final Logger LOG = LoggerFactory.getLogger(TraceFile.class);
  private static final int BUFFER_BYTES = 64 << 10;

  /** Space reserved for the note that explains why a file ends. */
  private static final int RESERVED_BYTES = 1 << 10;

  private final Path path;
  private final TraceFormat format;
  private final long maxBytes;
  private final AtomicLong lost = new AtomicLong();
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private @Nullable FileChannel channel;
  private long size;
  private volatile boolean accepting = true;
  private @Nullable String problem;

  TraceFile(Path path, TraceFormat format, long maxBytes) {
    this.path = path;
    this.format = format;
    this.maxBytes = maxBytes;
  }

  Path path() {
    return path;
  }

  /** Whether lines are still written. Can be called on any thread. */
  boolean isAccepting() {
    return accepting;
  }

  /** Returns why the file has ended before the trace; null if it has not. */
  @Nullable String problem() {
    return problem;
  }

  /** Counts a line that cannot be written. Can be called on any thread. */
  void countLost() {
    lost.incrementAndGet();
  }

  /** Returns the number of lines lost since the last call. */
  long takeLost() {
    return lost.get() == 0 ? 0 : lost.getAndSet(0);
  }

  /** Whether the file existed before it was opened. */
  boolean isResumed() {
    return Files.exists(path);
  }

  /**
   * Appends a line.
   *
   * @param line ends with a line break
   * @param note supplies the text and end of a note, which explains why the file ends
   */
  void append(String line, NoteFormat note) {
    if (!accepting) {
      return;
    }
    byte[] bytes = format.of(line).getBytes(StandardCharsets.UTF_8);
    try {
      open();
      if (size + buffer.position() + bytes.length > maxBytes - RESERVED_BYTES) {
        String reason = "the file has reached traceConfig.maxFileBytes (" + maxBytes + ")";
        put(format.of(note.line(reason + "; stopped")).getBytes(StandardCharsets.UTF_8));
        flush();
        problem = reason;
        accepting = false;
        return;
      }
      put(bytes);
    } catch (IOException e) {
      fail(e);
    }
  }

  /** Formats the line of a note. */
  @FunctionalInterface
  interface NoteFormat {
    String line(String text);
  }

  private void open() throws IOException {
    if (channel != null) {
      return;
    }
    boolean isTorn = endsInLine();
    channel =
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    size = channel.size();
    if (isTorn) {
      buffer.put((byte) '\n');
    }
  }

  /** Whether the file ends within a line, because the process or the host was killed. */
  private boolean endsInLine() throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer last = ByteBuffer.allocate(1);
      return file.size() > 0 && file.read(last, file.size() - 1) == 1 && last.get(0) != '\n';
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private void put(byte[] bytes) throws IOException {
    if (bytes.length > buffer.remaining()) {
      flushBuffer();
    }
    if (bytes.length > buffer.capacity()) {
      write(ByteBuffer.wrap(bytes));
    } else {
      buffer.put(bytes);
    }
  }

  /** Writes buffered lines to the file. */
  void flush() {
    try {
      flushBuffer();
    } catch (IOException e) {
      fail(e);
    }
  }

  private void flushBuffer() throws IOException {
    if (buffer.position() > 0) {
      buffer.flip();
      write(buffer);
      buffer.clear();
    }
  }

  private void write(ByteBuffer bytes) throws IOException {
    FileChannel open = channel;
    if (open == null) {
      throw new IOException("the file is closed");
    }
    while (bytes.hasRemaining()) {
      size += open.write(bytes);
    }
  }

  private void fail(IOException cause) {
    buffer.clear(); // a part of it may be written already
    if (accepting) {
      accepting = false;
      problem = "the file cannot be written: " + cause.getMessage();
      LOG.warn(
          "Cannot write a trace file; the trace ends on this node: {} path={}",
          cause.toString(),
          path);
    }
  }

  /** Closes the file. Further lines are lost. */
  void close() {
    accepting = false;
    flush();
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      LOG.debug("Cannot close a trace file path={}", path, e);
    }
  }
}
