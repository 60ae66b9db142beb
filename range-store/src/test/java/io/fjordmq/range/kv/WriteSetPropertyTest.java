package io.fjordmq.range.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.jspecify.annotations.Nullable;

/**
 * A {@link WriteSet} on any space behaves like a map that is changed directly, regardless of the
 * reads in between.
 */
class WriteSetPropertyTest {
  private static final int BATCH_END = 30;

  /** One step: a change to both, or a comparison of their contents. */
  sealed interface Step {
    record Put(String key, String value) implements Step {}

    /** Only for keys without a row. */
    record Insert(String key, String value) implements Step {}

    record Delete(String key) implements Step {}

    record DeleteRange(String from, String to) implements Step {}

    record Get(String key) implements Step {}

    record Scan(String from, @Nullable String to, int limit, boolean backwards) implements Step {}

    /** The batch is written to the base. */
    record Write() implements Step {}

    /** Writes out the buffer. */
    record WriteOut() implements Step {}
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<String> key = Arbitraries.strings().withChars("abc").ofMaxLength(3);
    Arbitrary<String> value = Arbitraries.strings().withChars("xyz").ofMaxLength(2);
    Arbitrary<Step> put = Combinators.combine(key, value).as(Step.Put::new);
    Arbitrary<Step> delete = key.map(Step.Delete::new);
    Arbitrary<Step> deleteRange = Combinators.combine(key, key).as(Step.DeleteRange::new);
    Arbitrary<Step> get = key.map(Step.Get::new);
    Arbitrary<Step> scan =
        Combinators.combine(
                key,
                key.injectNull(0.3),
                Arbitraries.integers().between(1, 8),
                Arbitraries.of(true, false))
            .as(Step.Scan::new);
    Arbitrary<Step> insert = Combinators.combine(key, value).as(Step.Insert::new);
    Arbitrary<Step> write = Arbitraries.just(new Step.Write());
    Arbitrary<Step> writeOut = Arbitraries.just(new Step.WriteOut());
    return Arbitraries.frequencyOf(
            Tuple.of(4, put),
            Tuple.of(4, insert),
            Tuple.of(3, delete),
            Tuple.of(2, deleteRange),
            Tuple.of(3, get),
            Tuple.of(4, scan),
            Tuple.of(2, write),
            Tuple.of(1, writeOut))
        .list()
        .ofMinSize(1)
        .ofMaxSize(BATCH_END);
  }

  @Property(tries = 2000)
  void shouldReadLikeADirectlyChangedMap(@ForAll("steps") List<Step> steps) {
    check(steps, new SimKv(new SimKv.Disk(), Runnable::run).space("model"), () -> {});
  }

  @Property(tries = 2000)
  void shouldReadTheSameThroughABuffer(
      @ForAll("steps") List<Step> steps, @ForAll @IntRange(max = 1000) int maxBytes) {
    KvSpace underlying = new SimKv(new SimKv.Disk(), Runnable::run).space("model");
    WriteBehind behind = new WriteBehind(underlying, maxBytes);
    check(steps, behind, behind::writeOut);
    try (KvSnapshot snapshot = behind.snapshot()) {
      List<String> shown = KvContract.scan(snapshot, "", null);
      assertThat(KvContract.scan(behind.latest(), "", null)).isEqualTo(shown);
      assertThat(KvContract.scan(underlying.latest(), "", null)).isEqualTo(shown);
    }
    assertThat(behind.unwrittenBytes()).isZero();
  }

  private static void check(List<Step> steps, KvSpace space, Runnable writeOut) {
    KvBatch batch = new KvBatch();
    WriteSet writes = new WriteSet(space.latest(), batch);
    TreeMap<String, String> model = new TreeMap<>();
    for (Step step : steps) {
      run(step, writes, model);
      if (step instanceof Step.Write) {
        space.write(batch);
        batch.clear();
        writes.reset();
      } else if (step instanceof Step.WriteOut) {
        writeOut.run();
      }
    }
    space.write(batch);
    assertThat(KvContract.scan(space.latest(), "", null))
        .isEqualTo(formatRows(model, Integer.MAX_VALUE));
  }

  private static void run(Step step, WriteSet writes, TreeMap<String, String> model) {
    if (step instanceof Step.Put put) {
      writes.put(KvContract.bytes(put.key()), KvContract.bytes(put.value()));
      model.put(put.key(), put.value());
    } else if (step instanceof Step.Insert insert) {
      if (model.putIfAbsent(insert.key(), insert.value()) == null) {
        writes.insert(KvContract.bytes(insert.key()), KvContract.bytes(insert.value()));
      }
    } else if (step instanceof Step.Delete delete) {
      writes.delete(KvContract.bytes(delete.key()));
      model.remove(delete.key());
    } else if (step instanceof Step.DeleteRange range) {
      writes.deleteRange(KvContract.bytes(range.from()), KvContract.bytes(range.to()));
      if (range.from().compareTo(range.to()) < 0) {
        model.subMap(range.from(), range.to()).clear();
      }
    } else if (step instanceof Step.Get get) {
      assertThat(KvContract.get(writes, get.key())).isEqualTo(model.get(get.key()));
    } else if (step instanceof Step.Scan scan) {
      compareScan(scan, writes, model);
    }
  }

  private static void compareScan(Step.Scan scan, WriteSet writes, TreeMap<String, String> model) {
    List<String> seen = new ArrayList<>();
    KvReader.Visitor visitor =
        (key, value) -> {
          seen.add(KvContract.text(key) + "=" + KvContract.text(value));
          writes.get(key); // reading in a visitor must not disturb the scan
          return seen.size() < scan.limit();
        };
    byte[] from = KvContract.bytes(scan.from());
    byte[] to = scan.to() == null ? null : KvContract.bytes(scan.to());
    Map<String, String> part = new TreeMap<>();
    if (scan.to() == null) {
      part = model.tailMap(scan.from());
    } else if (scan.from().compareTo(scan.to()) < 0) {
      part = model.subMap(scan.from(), scan.to());
    }
    if (scan.backwards()) {
      writes.scanBackwards(from, to, visitor);
      part = new TreeMap<>(part).descendingMap();
    } else {
      writes.scan(from, to, visitor);
    }
    assertThat(seen).isEqualTo(formatRows(part, scan.limit()));
  }

  private static List<String> formatRows(Map<String, String> entries, int limit) {
    return entries.entrySet().stream()
        .limit(limit)
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .toList();
  }
}
