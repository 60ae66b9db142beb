package io.fjordmq.range.kv;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of every {@link Kv}. */
abstract class KvContract {
  private Kv kv;
  private KvSpace space;

  /** Opens a storage on the data left by earlier ones of this test. */
  abstract Kv open();

  /** Opens the state as a process that crashed now would leave it; the first storage stays open. */
  abstract Kv openCrashImage();

  @BeforeEach
  void openFirst() {
    kv = open();
    space = kv.space("words");
  }

  @AfterEach
  void closeLast() {
    kv.close();
  }

  @Test
  void shouldSeeWritesImmediately() {
    write("a", "1", "b", "2");
    assertThat(get(space.latest(), "a")).isEqualTo("1");
    assertThat(get(space.latest(), "c")).isNull();
    write("a", "3");
    assertThat(get(space.latest(), "a")).isEqualTo("3");
  }

  @Test
  void shouldApplyTheChangesOfABatchInOrder() {
    KvBatch batch = new KvBatch();
    batch.put(bytes("a"), bytes("1"));
    batch.put(bytes("b"), bytes("1"));
    batch.deleteRange(bytes("a"), bytes("b"));
    batch.put(bytes("aa"), bytes("2"));
    batch.delete(bytes("b"));
    batch.put(bytes("b"), bytes("3"));
    batch.deleteRange(bytes("x"), bytes("c")); // empty
    space.write(batch);
    assertThat(scan(space.latest(), "", null)).containsExactly("aa=2", "b=3");
  }

  @Test
  void shouldScanInUnsignedByteOrderWithinTheInterval() {
    write("b", "2", "a", "1", "ÿ", "5", "c", "3", "ca", "4");
    assertThat(scan(space.latest(), "b", "d")).containsExactly("b=2", "c=3", "ca=4");
    assertThat(scan(space.latest(), "c", null)).containsExactly("c=3", "ca=4", "ÿ=5");
    assertThat(scanBackwards(space.latest(), "b", "ca")).containsExactly("c=3", "b=2");
    assertThat(scanBackwards(space.latest(), "", null))
        .containsExactly("ÿ=5", "ca=4", "c=3", "b=2", "a=1");
    assertThat(scan(space.latest(), "x", "b")).isEmpty();
  }

  @Test
  void shouldStopAScanWhenTheVisitorReturnsFalse() {
    write("a", "1", "b", "2", "c", "3");
    List<String> seen = new ArrayList<>();
    space
        .latest()
        .scan(
            bytes(""),
            null,
            (key, value) -> {
              seen.add(text(key));
              return seen.size() < 2;
            });
    assertThat(seen).containsExactly("a", "b");
  }

  @Test
  void shouldNotChangeASnapshot() {
    write("a", "1", "b", "2");
    try (KvSnapshot snapshot = space.snapshot()) {
      write("a", "9", "c", "3");
      KvBatch batch = new KvBatch();
      batch.deleteRange(bytes("b"), bytes("c"));
      space.write(batch);
      assertThat(scan(snapshot, "", null)).containsExactly("a=1", "b=2");
      assertThat(get(snapshot, "a")).isEqualTo("1");
      assertThat(scan(space.latest(), "", null)).containsExactly("a=9", "c=3");
    }
  }

  @Test
  void shouldKeepSpacesApart() {
    write("a", "1");
    assertThat(get(kv.space("other").latest(), "a")).isNull();
    assertThat(kv.space("words")).isSameAs(kv.space("words"));
  }

  @Test
  void shouldReturnArraysThatBelongToTheCaller() {
    write("a", "1");
    byte[] value = Objects.requireNonNull(space.latest().get(bytes("a")));
    value[0] = 'x';
    assertThat(get(space.latest(), "a")).isEqualTo("1");
  }

  @Test
  void shouldKeepEverythingAfterACleanRestart() {
    write("a", "1");
    kv.space("other");
    kv.close();
    kv = open();
    assertThat(get(kv.space("words").latest(), "a")).isEqualTo("1");
  }

  @Test
  void shouldKeepFlushedWritesAfterACrash() {
    write("a", "1");
    kv.flush().join();
    write("b", "2");
    write("c", "3");
    try (Kv recovered = openCrashImage()) {
      List<String> found = scan(recovered.space("words").latest(), "", null);
      // A crash may only lose a suffix of the writes.
      assertThat(List.of("a=1", "b=2", "c=3")).startsWith(found.toArray(String[]::new));
      assertThat(found).contains("a=1");
    }
  }

  @Test
  void shouldFlushForAllCallers() {
    List<CompletableFuture<Void>> flushes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      write("k" + i, "v");
      flushes.add(kv.flush());
    }
    flushes.forEach(CompletableFuture::join);
    try (Kv recovered = openCrashImage()) {
      assertThat(scan(recovered.space("words").latest(), "", null)).hasSize(20);
    }
  }

  @Test
  void shouldRejectCallsAfterClose() {
    write("a", "1");
    kv.close();
    KvBatch batch = new KvBatch();
    batch.put(bytes("b"), bytes("2"));
    assertThatThrownBy(() -> space.latest().get(bytes("a"))).satisfies(KvContract::isClosed);
    assertThatThrownBy(() -> space.write(batch)).satisfies(KvContract::isClosed);
    assertThatThrownBy(() -> space.snapshot()).satisfies(KvContract::isClosed);
    assertThatThrownBy(() -> kv.flush().join()).cause().satisfies(KvContract::isClosed);
    kv = open();
  }

  private static void isClosed(Throwable error) {
    assertThat(error)
        .isInstanceOfSatisfying(
            KvException.class, e -> assertThat(e.kind()).isEqualTo(KvException.Kind.CLOSED));
  }

  Kv kv() {
    return kv;
  }

  void write(String... keysAndValues) {
    KvBatch batch = new KvBatch();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      batch.put(bytes(keysAndValues[i]), bytes(keysAndValues[i + 1]));
    }
    space.write(batch);
  }

  static @Nullable String get(KvReader reader, String key) {
    byte[] value = reader.get(bytes(key));
    return value == null ? null : text(value);
  }

  static List<String> scan(KvReader reader, String from, @Nullable String to) {
    List<String> found = new ArrayList<>();
    reader.scan(
        bytes(from),
        to == null ? null : bytes(to),
        (key, value) -> found.add(text(key) + "=" + text(value)));
    return found;
  }

  static List<String> scanBackwards(KvReader reader, String from, @Nullable String to) {
    List<String> found = new ArrayList<>();
    reader.scanBackwards(
        bytes(from),
        to == null ? null : bytes(to),
        (key, value) -> found.add(text(key) + "=" + text(value)));
    return found;
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }
}
