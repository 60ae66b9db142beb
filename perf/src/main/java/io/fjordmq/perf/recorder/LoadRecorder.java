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
 * A strategy that splits and merges nothing, and writes what each range has to do, second by
 * second, into a file of its own: {@code inbox-1.load}, then {@code inbox-1.2.load} if that is
 * there. Its settings are {@code folder} and {@code seconds} (600 if not set), how long a recording
 * becomes. {@link Recording} draws the form.
 *
 * <p>A recording begins with the ten seconds in which its range has something to do for the first
 * time, and a new one whenever the range changes its shape or leader. A file is whole at any time,
 * and ends with the latest whole ten seconds. After 64 files there are no more. What cannot be
 * written is thrown, which the broker logs and counts as a strategy that failed.
 */
public final class LoadRecorder implements SplitStrategy {
  private static final int MOST_RECORDINGS = 64;
  private static final long USUAL_SECONDS = 600;
  private static final long MOST_SECONDS = 3_600;

  private final Map<String, Written> byRange = new HashMap<>();
  private Path folder = Path.of("");
  private long seconds = USUAL_SECONDS;
  private int files;

  private static final class Written {
    final Recording recording;
    @Nullable Path file;

    Written(Recording recording) {
      this.recording = recording;
    }
  }

  @Override
  public void start(Settings settings) throws IOException {
    seconds = settings.number("seconds", USUAL_SECONDS);
    if (seconds < Recording.WINDOW_SECONDS || seconds > MOST_SECONDS) {
      throw new IllegalArgumentException(
          "seconds of a recording must be "
              + Recording.WINDOW_SECONDS
              + " to "
              + MOST_SECONDS
              + ", not "
              + seconds);
    }
    folder = Files.createDirectories(Path.of(settings.text("folder")));
  }

  @Override
  public SplitAdvice advise(RangeLoad load, NodeLoad node) {
    Written written = byRange.get(load.range());
    if (written == null || !written.recording.isContinuedBy(load)) {
      written = new Written(new Recording(load.store(), seconds));
      byRange.put(load.range(), written);
    }
    if (written.recording.add(load)) {
      write(written, load.range());
    }
    return new SplitAdvice.Keep(Reason.OTHER);
  }

  private void write(Written written, String range) {
    try {
      if (written.file == null) {
        if (files == MOST_RECORDINGS) {
          return;
        }
        written.file = newFile(range);
        files++;
      }
      Path whole = written.file.resolveSibling(written.file.getFileName() + ".new");
      Files.writeString(whole, written.recording.text(), StandardCharsets.US_ASCII);
      Files.move(
          whole, written.file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("the load of " + range + " cannot be written: " + e, e);
    }
  }

  /** Another node on this machine may write into the same folder. */
  private Path newFile(String range) throws IOException {
    for (int number = 1; ; number++) {
      String name = number == 1 ? range : range + "." + number;
      try {
        return Files.createFile(folder.resolve(name + ".load"));
      } catch (FileAlreadyExistsException e) {
        // the next one
      }
    }
  }
}
