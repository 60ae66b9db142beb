package io.fjordmq.perf.recorder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.Settings;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.range.load.RangeMeter;
import io.fjordmq.range.load.RecordedLoad;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes the load of a real range meter in the format that the replay reads. */
class LoadRecorderTest {
  private static final NodeLoad NODE = new NodeLoad(0.2, 3, 100);
  private static final long MICROS_EACH = 700;
  private static final long IO_NANOS = 9_000;

  @TempDir private Path directory;

  private final LoadRecorder recorder = new LoadRecorder();

  private void start(String... more) throws IOException {
    Map<String, String> values = new HashMap<>(Map.of("directory", directory.toString()));
    for (int i = 0; i < more.length; i += 2) {
      values.put(more[i], more[i + 1]);
    }
    recorder.start(new Settings("plugins.load-recorder", values));
  }

  /** A range whose load is passed to the recorder every second. */
  private final class Range {
    final String name;
    final RangeMeter meter = new RangeMeter(Duration.ofSeconds(60), 3);

    Range(String name) {
      this.name = name;
    }

    /** One second with requests for these keys. */
    void recordSecond(String... keys) {
      skipSecond(keys);
      SplitAdvice advice = recorder.advise(meter.load("inbox", name, key -> key), NODE);
      assertThat(advice).isEqualTo(new SplitAdvice.Keep(Reason.OTHER));
    }

    void skipSecond(String... keys) {
      for (String key : keys) {
        meter.recordApplied(1, MICROS_EACH * 1_000, IO_NANOS);
        meter.recordAccess(key.getBytes(StandardCharsets.US_ASCII));
      }
      meter.tick(1_000_000_000L);
    }
  }

  private RecordedLoad read(String file) throws IOException {
    return RecordedLoad.read(Files.readString(directory.resolve(file)));
  }

  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static String[] repeat(String key, int times) {
    return IntStream.range(0, times).mapToObj(i -> key).toArray(String[]::new);
  }

  @Test
  void shouldWriteEverySecondAndTheKeysInOrder() throws IOException {
    start();
    Range range = new Range("inbox-1");
    for (int second = 0; second < 10; second++) {
      range.recordSecond(repeat("m", second * 3));
    }
    for (int second = 0; second < 10; second++) {
      range.recordSecond("b", "z", "m", "m");
    }
    range.recordSecond("a"); // starts ten seconds that do not complete
    RecordedLoad load = read("inbox-1.load");
    assertThat(load.store()).isEqualTo("inbox");
    assertThat(load.seconds()).hasSize(20);
    for (int second = 0; second < 20; second++) {
      RecordedLoad.Second recorded = load.seconds().get(second);
      assertThat(recorded.requests()).isEqualTo(second < 10 ? second * 3 : 4);
      assertThat(recorded.busyMicros()).isEqualTo(recorded.requests() * MICROS_EACH);
      assertThat(recorded.ioNanos()).isEqualTo(IO_NANOS);
    }
    assertThat(load.seconds().get(0).units()).hasSize(135).containsOnly(1);
    assertThat(load.seconds().get(19).units())
        .hasSize(40)
        .isSorted()
        .containsOnly(0, 1, 2)
        .filteredOn(unit -> unit == 1)
        .hasSize(20);
    assertThat(Files.readString(directory.resolve("inbox-1.load")))
        .startsWith("fjordmq-load 1 inbox\ns 0 0\ns 3 2100\n")
        .contains("\nt 9000 1*135\n")
        .endsWith("\nt 9000 0*10 1*20 2*10\n");
  }

  @Test
  void shouldStartWithTheFirstTenSecondsThatHaveRequests() throws IOException {
    start();
    Range silent = new Range("dist-1");
    Range late = new Range("inbox-1");
    for (int second = 0; second < 40; second++) {
      silent.recordSecond();
      late.recordSecond(second < 25 ? new String[0] : new String[] {"a", "b"});
    }
    assertThat(files()).containsExactly("inbox-1.load");
    assertThat(read("inbox-1.load").seconds())
        .extracting(RecordedLoad.Second::requests)
        .containsExactly(0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2);
  }

  @Test
  void shouldContinueAfterASkippedSecond() throws IOException {
    start();
    Range range = new Range("inbox-1");
    for (int second = 0; second < 30; second++) {
      if (second % 7 == 3) {
        range.skipSecond(repeat("a", 5));
      } else {
        range.recordSecond(repeat("a", 5));
      }
    }
    assertThat(files()).containsExactly("inbox-1.load");
    assertThat(read("inbox-1.load").seconds())
        .hasSize(30)
        .extracting(RecordedLoad.Second::requests)
        .containsOnly(5);
  }

  @Test
  void shouldCreateANewFileIfTheRangeRestartsOrTheFileExists() throws IOException {
    Files.writeString(directory.resolve("inbox-1.load"), "another's");
    start();
    for (int incarnation = 0; incarnation < 2; incarnation++) {
      Range range = new Range("inbox-1");
      for (int second = 0; second < 10 + 10 * incarnation; second++) {
        range.recordSecond("a");
      }
    }
    assertThat(files()).containsExactly("inbox-1.2.load", "inbox-1.3.load", "inbox-1.load");
    assertThat(Files.readString(directory.resolve("inbox-1.load"))).isEqualTo("another's");
    assertThat(read("inbox-1.2.load").seconds()).hasSize(10);
    assertThat(read("inbox-1.3.load").seconds()).hasSize(20);
  }

  @Test
  void shouldStopAfterTheConfiguredSeconds() throws IOException {
    start("seconds", "20");
    Range range = new Range("inbox-1");
    for (int second = 0; second < 100; second++) {
      range.recordSecond("a");
    }
    assertThat(files()).containsExactly("inbox-1.load");
    assertThat(read("inbox-1.load").seconds()).hasSize(20);
  }

  @Test
  void shouldKeepTheFileSmallUnderHighLoad() throws IOException {
    start();
    Range range = new Range("inbox-1");
    for (int second = 0; second < 60; second++) {
      range.recordSecond(
          IntStream.range(0, 2_000)
              .mapToObj(i -> "client-" + (10_000 + i * 7 % 4_000))
              .toArray(String[]::new));
    }
    assertThat(Files.size(directory.resolve("inbox-1.load"))).isLessThan(10_000);
    List<Integer> units = read("inbox-1.load").seconds().get(59).units();
    assertThat(units).hasSize(256);
    // The sample is as even as the load: its first quarter covers a quarter of the key space.
    int places = units.get(255);
    assertThat(units.get(64) / (double) places).isBetween(0.15, 0.35);
  }

  @Test
  void shouldReportInvalidSettingsAndWriteFailures() throws IOException {
    assertThatThrownBy(() -> recorder.start(new Settings("plugins.load-recorder", Map.of())))
        .hasMessageContaining("plugins.load-recorder.directory");
    assertThatThrownBy(() -> start("seconds", "5"))
        .hasMessageContaining("between 10 and 3600, not 5");
    start();
    Files.delete(directory);
    Range range = new Range("inbox-1");
    for (int second = 0; second < 9; second++) {
      range.recordSecond("a");
    }
    assertThatThrownBy(() -> range.recordSecond("a"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot write the load of inbox-1");
    Files.createDirectory(directory);
  }

  @Test
  void shouldDependOnlyOnTheApiThatPluginsSee() throws Exception {
    ClassLoader apiOnly =
        new ClassLoader(ClassLoader.getPlatformClassLoader()) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("io.fjordmq.api.")) {
              return SplitStrategy.class.getClassLoader().loadClass(name);
            }
            throw new ClassNotFoundException(name);
          }
        };
    URL classes = LoadRecorder.class.getProtectionDomain().getCodeSource().getLocation();
    try (URLClassLoader plugin = new URLClassLoader(new URL[] {classes}, apiOnly)) {
      List<SplitStrategy> found =
          ServiceLoader.load(SplitStrategy.class, plugin).stream()
              .map(ServiceLoader.Provider::get)
              .toList();
      assertThat(found).hasSize(1);
      SplitStrategy strategy = found.get(0);
      assertThat(strategy.getClass().getClassLoader()).isSameAs(plugin);
      strategy.start(new Settings("plugins.x", Map.of("directory", directory.toString())));
      RangeMeter meter = new RangeMeter(Duration.ofSeconds(60), 3);
      for (int second = 0; second < 10; second++) {
        meter.recordApplied(1, 5, 5);
        meter.tick(1_000_000_000L);
        strategy.advise(meter.load("retain", "retain-1", key -> key), NODE);
      }
      assertThat(files()).containsExactly("retain-1.load");
      assertThat(read("retain-1.load").store()).isEqualTo("retain");
    }
  }
}
