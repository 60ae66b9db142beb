package io.fjordmq.range.load;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The load of a range on a real node, in the format that {@code perf.recorder.Recording} writes.
 *
 * @param store store of the range
 * @param seconds consecutive seconds
 */
public record RecordedLoad(String store, List<Second> seconds) {
  private static final String FORMAT = "fjordmq-load 1 ";
  private static final int MAX_REPETITIONS = 100_000;

  /**
   * One second.
   *
   * @param busyMicros busy time of the range's apply thread
   * @param ioNanos mean storage time per command over the ten-second period that contains this
   *     second
   * @param units a uniform sample of that period; numbers from 0 in key order
   */
  public record Second(int requests, long busyMicros, long ioNanos, List<Integer> units) {}

  /** Reads a recording from this package's test resources. */
  static RecordedLoad fromResource(String name) {
    try (InputStream in =
        Objects.requireNonNull(
            RecordedLoad.class.getResourceAsStream(name + ".load"), "no recording " + name)) {
      return read(new String(in.readAllBytes(), StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * @throws IllegalArgumentException if a line is invalid; the message contains its number
   */
  public static RecordedLoad read(String text) {
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).startsWith(FORMAT)) {
      throw new IllegalArgumentException(
          "a recording must start with '" + FORMAT + "' and a store");
    }
    List<Second> seconds = new ArrayList<>();
    List<Second> currentSeconds = new ArrayList<>();
    for (int i = 1; i < lines.size(); i++) {
      String[] words = lines.get(i).split(" ", -1);
      try {
        if (words[0].equals("s") && words.length == 3) {
          currentSeconds.add(
              new Second(Integer.parseInt(words[1]), Long.parseLong(words[2]), 0, List.of()));
        } else if (words[0].equals("t") && words.length >= 2) {
          long ioNanos = Long.parseLong(words[1]);
          List<Integer> units = Stream.of(words).skip(2).flatMap(RecordedLoad::units).toList();
          for (Second second : currentSeconds) {
            seconds.add(new Second(second.requests(), second.busyMicros(), ioNanos, units));
          }
          currentSeconds.clear();
        } else if (!words[0].startsWith("#")) {
          throw new IllegalArgumentException(
              "expected 's' (a second) or 't' (the end of ten seconds)");
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("line " + (i + 1) + " of a recording: " + e, e);
      }
    }
    return new RecordedLoad(lines.get(0).substring(FORMAT.length()), List.copyOf(seconds));
  }

  private static Stream<Integer> units(String word) {
    int star = word.indexOf('*');
    int repetitions = star < 0 ? 1 : Integer.parseInt(word.substring(star + 1));
    int unit = Integer.parseInt(star < 0 ? word : word.substring(0, star));
    if (unit < 0 || repetitions < 1 || repetitions > MAX_REPETITIONS) {
      throw new IllegalArgumentException("'" + word + "' is not a key with its count");
    }
    return IntStream.range(0, repetitions).mapToObj(i -> unit);
  }
}
