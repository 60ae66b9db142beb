package io.fjordmq.broker.trace;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of traces on this node, and a bounded queue of lines for them. Any thread may add
 * lines; everything else runs on the thread {@code traces}.
 */
final class TraceFiles {
  private static final Logger LOG = LoggerFactory.getLogger(TraceFiles.class);

  /** Bounds the memory of lines that are not written yet. */
  static final int MAX_QUEUED_LINES = 20_000;

  static final int MAX_QUEUED_CHARS = 8 << 20;

  /**
   * Information about one of this node's files.
   *
   * @param problem why lines of the trace are not written; null if they are, or the trace is over
   */
  record Info(String fileName, long bytes, long modifiedMillis, @Nullable String problem) {}

  /**
   * A part of a file.
   *
   * @param fileBytes the size of the file
   */
  @SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
  record Part(long fileBytes, byte[] bytes) {}

  private record Line(TraceFile file, String text) {}

  private final Path folder;
  private final String node;
  private final InstantSource clock;
  private final BooleanSupplier hasFreeDiskSpace;
  private final long maxFileBytes;
  private final Map<String, TraceFile> open = new HashMap<>();
  private final Map<String, String> failures = new HashMap<>();
  private final ConcurrentLinkedQueue<Line> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queuedLines = new AtomicInteger();
  private final AtomicLong queuedChars = new AtomicLong();

  /**
   * @param clock cluster time, so that lines of several nodes can be sorted
   */
  TraceFiles(
      Path folder,
      String node,
      InstantSource clock,
      BooleanSupplier hasFreeDiskSpace,
      long maxFileBytes) {
    this.folder = folder;
    this.node = node;
    this.clock = clock;
    this.hasFreeDiskSpace = hasFreeDiskSpace;
    this.maxFileBytes = maxFileBytes;
  }

  /** Returns an instance without traces. */
  static TraceFiles none() {
    return new TraceFiles(Path.of(""), "", InstantSource.system(), () -> false, 0);
  }

  /**
   * Opens the file of a trace, which may exist.
   *
   * @throws IOException if the directory cannot be created
   */
  TraceFile open(Trace trace) throws IOException {
    TraceFile present = open.get(trace.fileName());
    if (present != null) {
      return present;
    }
    if (!Files.isDirectory(folder)) {
      Files.createDirectory(
          folder,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
    failures.remove(trace.fileName());
    TraceFile file = new TraceFile(folder.resolve(trace.fileName()), trace.format(), maxFileBytes);
    String verb = file.isResumed() ? "resumed after a restart of this node:" : "started:";
    open.put(trace.fileName(), file);
    StringBuilder text = new StringBuilder("trace ").append(verb);
    new TraceText(text)
        .field(trace.type().label(), trace.value())
        .field("payload", trace.payload().label())
        .field("until", trace.endAt().toString());
    file.append(note(text.toString()), this::note);
    file.flush();
    return file;
  }

  /** Records that the file of a trace cannot be opened. */
  void onOpenFailed(Trace trace, IOException failure) {
    failures.put(trace.fileName(), "the file cannot be created: " + failure.getMessage());
  }

  /** Closes the files of all other traces. */
  void closeExcept(Set<String> fileNames) {
    failures.keySet().retainAll(fileNames);
    open.entrySet()
        .removeIf(
            entry -> {
              if (fileNames.contains(entry.getKey())) {
                return false;
              }
              entry.getValue().append(note("trace stopped"), this::note);
              entry.getValue().close();
              return true;
            });
  }

  /** Deletes the files of all other traces. */
  void deleteExcept(Set<String> fileNames) {
    for (Path file : list()) {
      String name = file.getFileName().toString();
      if (!fileNames.contains(name)) {
        delete(name);
      }
    }
  }

  /** Deletes the file of a trace, which is not open. */
  void delete(String fileName) {
    Path file = folder.resolve(fileName);
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("Cannot delete a trace file: {} path={}", e.toString(), file);
    }
  }

  private List<Path> list() {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
      for (Path file : stream) {
        if (Trace.FILE_NAME.matcher(file.getFileName().toString()).matches()) {
          files.add(file);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of(); // nothing has been traced yet
    } catch (IOException e) {
      LOG.warn("Cannot list the trace files: {} path={}", e.toString(), folder);
    }
    return files;
  }

  /** Adds a line, unless too many lines are waiting. Can be called on any thread. */
  void add(TraceFile file, String line) {
    if (queuedLines.get() >= MAX_QUEUED_LINES || queuedChars.get() >= MAX_QUEUED_CHARS) {
      file.countLost();
      return;
    }
    queuedLines.incrementAndGet();
    queuedChars.addAndGet(line.length());
    queue.add(new Line(file, line));
  }

  /** Writes the lines that are waiting. */
  void writeQueued() {
    boolean hasSpace = queue.isEmpty() || hasFreeDiskSpace.getAsBoolean();
    // Lines added from now on wait for the next call, which bounds the time of this one.
    for (int waiting = queuedLines.get(); waiting > 0; waiting--) {
      Line line = queue.poll();
      if (line == null) {
        break;
      }
      queuedLines.decrementAndGet();
      queuedChars.addAndGet(-line.text.length());
      if (hasSpace) {
        line.file.append(line.text, this::note);
      } else {
        line.file.countLost();
      }
    }
    for (TraceFile file : open.values()) {
      long lost = hasSpace ? file.takeLost() : 0;
      if (lost > 0) {
        file.append(note(lost + " lines lost: more than this node can write"), this::note);
      }
      file.flush();
    }
  }

  private String note(String text) {
    StringBuilder line = TraceLine.begin(clock.millis(), node, "note");
    return line.append(' ').append(text).append('\n').toString();
  }

  /** Returns the files of this node. */
  List<Info> infos() {
    List<Info> infos = new ArrayList<>();
    for (Path file : list()) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        infos.add(
            new Info(
                file.getFileName().toString(),
                attributes.size(),
                attributes.lastModifiedTime().toMillis(),
                problem(file.getFileName().toString())));
      } catch (IOException e) {
        LOG.debug("Cannot read the attributes of a trace file path={}", file, e);
      }
    }
    failures.forEach((fileName, problem) -> infos.add(new Info(fileName, 0, 0, problem)));
    return infos;
  }

  private @Nullable String problem(String fileName) {
    TraceFile file = open.get(fileName);
    if (file == null) {
      return null;
    }
    return file.problem() != null || hasFreeDiskSpace.getAsBoolean()
        ? file.problem()
        : "free disk space is below diskConfig.minFreeBytes; lines are lost until there is more";
  }

  /**
   * Reads a part of a file; empty if the file does not exist or is not that long.
   *
   * @throws IOException if the file cannot be read
   */
  Part read(String fileName, long position, int maxBytes) throws IOException {
    if (!Trace.FILE_NAME.matcher(fileName).matches()) {
      throw new IOException("not the name of a trace file");
    }
    try (FileChannel file = FileChannel.open(folder.resolve(fileName), StandardOpenOption.READ)) {
      long size = file.size();
      ByteBuffer part = ByteBuffer.allocate((int) Math.max(0, Math.min(maxBytes, size - position)));
      while (part.hasRemaining() && file.read(part, position + part.position()) >= 0) {
        // reads until the part is complete
      }
      byte[] bytes = new byte[part.position()];
      part.flip();
      part.get(bytes);
      return new Part(size, bytes);
    } catch (NoSuchFileException e) {
      return new Part(0, new byte[0]);
    }
  }

  /** Writes what is waiting and closes all files; traces continue after a restart. */
  void close() {
    writeQueued();
    open.values().forEach(TraceFile::close);
    open.clear();
  }
}
