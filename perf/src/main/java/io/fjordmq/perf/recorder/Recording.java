package io.fjordmq.perf.recorder;

import io.fjordmq.api.plugin.RangeLoad;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** The load of one range while its key interval and leader stay the same. Used by one thread. */
final class Recording {
  /*
   * The format is text, 200 to 2,000 bytes for ten seconds:
   *
   *   fjordmq-load 1 inbox             format version, store
   *   # remarks
   *   s 812 31500                      one second: requests, busy microseconds of its thread
   *   …
   *   t 9800 0 0 3 17*40 204           end of about ten seconds: mean nanoseconds that their
   *                                    commands waited for storage; an even sample of the keys
   *                                    they used, ascending; 17*40 means key 17, 40 times
   *
   * A key is written as the rank of its split point among all split points of the recording. That
   * is enough for a strategy to choose where to split, and the file contains no names of clients.
   * Seconds after the last complete ten seconds are not written.
   */
  static final int WINDOW_SECONDS = 10;

  private static final int VERSION = 1;
  private static final int MAX_KEYS = 256;

  private final String store;
  private final long maxSeconds;
  private final WindowSeconds requests = new WindowSeconds(WINDOW_SECONDS);
  private final WindowSeconds busy = new WindowSeconds(WINDOW_SECONDS);
  private final List<TenSecondWindow> windows = new ArrayList<>();
  private List<Second> currentWindow = new ArrayList<>();
  private long age;
  private int seconds;

  private record Second(double requests, double busy) {}

  private record TenSecondWindow(List<Second> seconds, double ioNanos, List<byte[]> keys) {}

  /**
   * Creates an empty recording.
   *
   * @param maxSeconds length at which the recording ends; the ten seconds that reach it are still
   *     recorded
   */
  Recording(String store, long maxSeconds) {
    this.store = store;
    this.maxSeconds = maxSeconds;
  }

  /**
   * Returns whether the load continues this recording, that is, whether it was measured shortly
   * afterwards and the key interval and leader are still the same.
   */
  boolean isContinuedBy(RangeLoad load) {
    long passed = load.age().toSeconds() - age;
    return passed >= 0 && (age == 0 || passed <= WINDOW_SECONDS);
  }

  /**
   * Adds the seconds since the previous call.
   *
   * @param load a load that continues this recording
   * @return whether the file must be written again
   */
  boolean add(RangeLoad load) {
    long before = age;
    age = load.age().toSeconds();
    int passed = (int) Math.min(WINDOW_SECONDS, age - before);
    double[] newRequests = requests.next(passed, load.requests().mean());
    double[] newBusy = busy.next(passed, load.busy().mean());
    for (int i = 0; i < passed; i++) {
      currentWindow.add(new Second(newRequests[i], newBusy[i]));
    }
    if (age / WINDOW_SECONDS == before / WINDOW_SECONDS) {
      return false;
    }
    // The ten seconds are complete; the next window starts empty.
    List<Second> completed = currentWindow;
    currentWindow = new ArrayList<>();
    boolean noRequests = completed.stream().noneMatch(second -> second.requests() > 0);
    if (seconds >= maxSeconds || (windows.isEmpty() && noRequests)) {
      return false;
    }
    windows.add(new TenSecondWindow(completed, load.ioNanos(), thinOut(load.keys())));
    seconds += completed.size();
    return true;
  }

  /**
   * Returns at most {@link #MAX_KEYS} elements of the sorted sample, evenly spaced, which preserves
   * the distribution.
   */
  private static List<byte[]> thinOut(List<byte[]> keys) {
    int count = Math.min(MAX_KEYS, keys.size());
    return IntStream.range(0, count)
        .mapToObj(i -> keys.get((int) ((long) i * keys.size() / count)))
        .toList();
  }

  /** Returns the contents of the file. */
  String text() {
    TreeMap<byte[], Integer> ranks = new TreeMap<>(Arrays::compareUnsigned);
    windows.forEach(tenSeconds -> tenSeconds.keys().forEach(key -> ranks.put(key, 0)));
    int next = 0;
    for (var entry : ranks.entrySet()) {
      entry.setValue(next++);
    }
    StringBuilder out = new StringBuilder("fjordmq-load " + VERSION + " " + store + "\n");
    for (TenSecondWindow tenSeconds : windows) {
      for (Second second : tenSeconds.seconds()) {
        out.append("s ").append(Math.round(second.requests()));
        out.append(' ').append(Math.round(second.busy() * 1e6)).append('\n');
      }
      out.append("t ").append(Math.round(tenSeconds.ioNanos()));
      int[] keys = tenSeconds.keys().stream().mapToInt(ranks::get).toArray();
      for (int i = 0; i < keys.length; ) {
        int repetitions = 1;
        while (i + repetitions < keys.length && keys[i + repetitions] == keys[i]) {
          repetitions++;
        }
        out.append(' ').append(keys[i]).append(repetitions == 1 ? "" : "*" + repetitions);
        i += repetitions;
      }
      out.append('\n');
    }
    return out.toString();
  }
}
