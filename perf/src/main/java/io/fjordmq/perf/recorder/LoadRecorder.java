package io.fjordmq.perf.recorder;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.Settings;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A split strategy that never splits or merges ranges but writes the load of each range, second by
 * second, to a file such as {@code inbox-1.load}, or {@code inbox-1.2.load} if that file already
 * exists. Its settings are {@code directory} and {@code seconds}, the maximum length of a recording
 * (default 600). {@link Recording} defines the format.
 *
 * <p>A recording begins with the first ten seconds in which the range has load. A new recording
 * begins whenever the key interval or the leader of the range changes. A file is valid at any time
 * and ends with the latest complete ten seconds. At most 64 files are written. A write error is
 * thrown; the broker logs and counts it as a failure of the strategy.
 */
public final class LoadRecorder implements SplitStrategy {
  private static final int MAX_RECORDINGS = 64;
  private static final long DEFAULT_SECONDS = 600;
  private static final long MAX_SECONDS = 3_600;

  private final Map<String, RecordingFile> byRange = new HashMap<>();
  private Path directory = Path.of("");
  private long seconds = DEFAULT_SECONDS;
  private int files;

  private static final class RecordingFile {
    final Recording recording;
    @Nullable Path file;

    RecordingFile(Recording recording) {
      this.recording = recording;
    }
  }

  @Override
  public void start(Settings settings) throws IOException {
    seconds = settings.number("seconds", DEFAULT_SECONDS);
    if (seconds < Recording.WINDOW_SECONDS || seconds > MAX_SECONDS) {
      throw new IllegalArgumentException(
          "seconds must be between %d and %d, not %d"
              .formatted(Recording.WINDOW_SECONDS, MAX_SECONDS, seconds));
    }
    directory = Files.createDirectories(Path.of(settings.text("directory")));
  }

  @Override
  public SplitAdvice advise(RangeLoad load, NodeLoad node) {
    RecordingFile written = byRange.get(load.range());
    if (written == null || !written.recording.isContinuedBy(load)) {
      written = new RecordingFile(new Recording(load.store(), seconds));
      byRange.put(load.range(), written);
    }
    if (written.recording.add(load)) {
      write(written, load.range());
    }
    return new SplitAdvice.Keep(Reason.OTHER);
  }

  private void write(RecordingFile written, String range) {
    try {
      if (written.file == null) {
        if (files == MAX_RECORDINGS) {
          return;
        }
        written.file = newFile(range);
        files++;
      }
      Path temporary = written.file.resolveSibling(written.file.getFileName() + ".new");
      Files.writeString(temporary, written.recording.text(), StandardCharsets.US_ASCII);
      Files.move(
          temporary,
          written.file,
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the load of " + range + ": " + e, e);
    }
  }

  /**
   * Creates a file with a name that is not taken yet, because another node on this host may write
   * to the same directory.
   */
  private Path newFile(String range) throws IOException {
    for (int number = 1; ; number++) {
      String name = number == 1 ? range : range + "." + number;
      try {
        return Files.createFile(directory.resolve(name + ".load"));
      } catch (FileAlreadyExistsException e) {
        // try the next name
      }
    }
  }
}
