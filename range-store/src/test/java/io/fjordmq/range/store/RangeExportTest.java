package io.fjordmq.range.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports of ranges, and rows that are loaded into new ranges, on sofa-jraft and RocksDB. */
class RangeExportTest {
  private static final String STORE = "words";
  private static final int KEYS = 6;

  @TempDir Path directory;

  private final StoreSpec spec =
      new StoreSpec(
          STORE, List.of(bytes("k3")), id -> new AppendingCoprocessor(), (range, effects) -> {});

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static void append(RealNode node, String word) throws Exception {
    for (int key = 0; key < KEYS; key++) {
      node.client.mutate(bytes("k" + key), bytes("k" + key + ":" + word)).get(20, TimeUnit.SECONDS);
    }
  }

  private static RangeExport open(RealNode node, long number) throws Exception {
    return node.store.exports().open(new RangeId(STORE, number)).get(20, TimeUnit.SECONDS);
  }

  private static List<String> read(RangeExport export, int maxBytes) throws IOException {
    List<String> keys = new ArrayList<>();
    boolean hasMore = true;
    while (hasMore) {
      int before = keys.size();
      hasMore = export.read(maxBytes, (key, value) -> keys.add(new String(key, UTF_8)));
      assertThat(keys.size()).isGreaterThan(before);
    }
    return keys;
  }

  @Test
  void shouldExportTheRowsOfARangeAtOneIndexWhateverTheSizeOfTheParts() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      append(node, "a");
      for (int maxBytes : new int[] {1, 9, 1 << 20}) {
        try (RangeExport export = open(node, 1)) {
          append(node, "later");
          assertThat(read(export, maxBytes)).containsExactly("k0", "k1", "k2");
          assertThat(export.descriptor().interval())
              .isEqualTo(new KeyInterval(bytes(""), bytes("k3")));
          assertThat(export.read(maxBytes, (key, value) -> {})).isFalse();
        }
      }
      try (RangeExport first = open(node, 1)) {
        append(node, "b");
        try (RangeExport second = open(node, 1)) {
          assertThat(second.appliedIndex()).isGreaterThan(first.appliedIndex());
        }
      }
    }
  }

  @Test
  void shouldNotEndEarlyIfItIsClosed() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      append(node, "a");
      RangeExport export = open(node, 1);
      assertThat(export.read(1, (key, value) -> {})).isTrue();
      export.close();
      assertThatThrownBy(() -> export.read(1, (key, value) -> {}))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("was closed before it was read completely");
    }
  }

  @Test
  void shouldFailIfThisNodeHasNoReplica() throws Exception {
    try (RealNode node = new RealNode(directory, spec)) {
      assertThat(node.store.exports().has(new RangeId(STORE, 9))).isFalse();
      assertThat(node.store.exports().open(new RangeId(STORE, 9)))
          .isCompletedExceptionally()
          .failsWithin(1, TimeUnit.SECONDS)
          .withThrowableOfType(ExecutionException.class)
          .withMessageContaining("no open replica of range words-9");
    }
  }

  @Test
  void shouldBeginWithLoadedRows() throws Exception {
    Path file = directory.resolve("rows");
    TreeMap<String, String> expected = new TreeMap<>();
    try (RealNode node = new RealNode(directory.resolve("original"), spec);
        RowFile.Writer out = RowFile.write(Files.newOutputStream(file))) {
      append(node, "a");
      append(node, "b");
      for (long number : new long[] {1, 2}) {
        try (RangeExport export = open(node, number)) {
          export.read(
              1 << 20,
              (key, value) -> {
                out.add(key, value);
                expected.put(new String(key, UTF_8), new String(value, UTF_8));
              });
        }
      }
      out.finish();
    }
    assertThat(expected).hasSize(KEYS);
    StoreSpec later =
        new StoreSpec(
            "restored", List.of(), id -> new AppendingCoprocessor(), (range, effects) -> {});
    try (RealNode node = new RealNode(directory.resolve("restored"), spec, later, file)) {
      TreeMap<String, String> found = new TreeMap<>();
      try (RangeExport export =
          node.store.exports().open(new RangeId("restored", 1)).get(20, TimeUnit.SECONDS)) {
        export.read(
            1 << 20, (key, value) -> found.put(new String(key, UTF_8), new String(value, UTF_8)));
        assertThat(export.descriptor().epoch()).isEqualTo(new RangeEpoch(50, 1));
      }
      assertThat(found).isEqualTo(expected);
    }
  }
}
