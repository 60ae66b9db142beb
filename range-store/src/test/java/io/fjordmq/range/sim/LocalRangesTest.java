package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LocalRangesTest {
  private final List<Object> effects = new ArrayList<>();
  private final StoreSpec spec =
      new StoreSpec(
          "words",
          List.of(bytes("m")),
          id -> new AppendingCoprocessor(),
          (range, emitted) -> effects.addAll(emitted));

  @Test
  void shouldRespondImmediatelyFromTheRangeThatHoldsTheKey() {
    try (LocalRanges ranges = LocalRanges.of(spec)) {
      RangeClient client = ranges.client("words");
      assertThat(client.mutate(bytes("a"), bytes("a:1")).join()).isEqualTo(bytes("1"));
      assertThat(client.mutate(bytes("z"), bytes("z:2")).join()).isEqualTo(bytes("2"));
      assertThat(client.mutate(bytes("a"), bytes("a:3")).join()).isEqualTo(bytes("1 3"));
      assertThat(client.query(bytes("a"), bytes("a")).join()).isEqualTo(bytes("1 3"));
      assertThat(client.locate(KeyInterval.ALL)).hasSize(2);
      assertThat(effects).containsExactly("a:1", "z:2", "a:1 3");
    }
  }

  @Test
  void shouldCallTheEncoderOncePerRange() {
    try (LocalRanges ranges = LocalRanges.of(spec)) {
      List<RangeClient.GroupResponse> responses =
          ranges
              .client("words")
              .mutateGrouped(
                  List.of(bytes("a"), bytes("x"), bytes("b")),
                  positions -> bytes(positions[0] == 0 ? "a:" + positions.length : "x:9"))
              .join();
      assertThat(responses).hasSize(2);
      assertThat(responses.get(0).positions()).containsExactly(0, 2);
      assertThat(responses.get(0).response()).isEqualTo(bytes("2"));
      assertThat(responses.get(1).positions()).containsExactly(1);
    }
  }

  @Test
  void shouldKeepAcknowledgedWritesAfterACrash() {
    try (LocalRanges ranges = LocalRanges.of(spec)) {
      ranges.client("words").mutate(bytes("a"), bytes("a:1")).join();
      ranges.checkpoint();
      ranges.client("words").mutate(bytes("a"), bytes("a:2")).join();
      ranges.crash();
      ranges.client("words").mutate(bytes("a"), bytes("a:3")).join();
      ranges.restart();
      ranges.reelect();
      ranges.advance(Duration.ofSeconds(1));
      assertThat(ranges.client("words").query(bytes("a"), bytes("a")).join())
          .isEqualTo(bytes("1 2 3"));
    }
  }

  @Test
  void shouldGiveAQueryAConsistentView() {
    LocalRanges[] running = new LocalRanges[1];
    Coprocessor twice =
        new AppendingCoprocessor() {
          @Override
          public byte[] query(ByteBuffer query, KvReader state) {
            byte[] first = super.query(query.duplicate(), state);
            running[0].client("words").mutate(bytes("a"), bytes("a:2")).join();
            assertThat(super.query(query.duplicate(), state)).isEqualTo(first);
            return first;
          }
        };
    StoreSpec store = new StoreSpec("words", List.of(), id -> twice, (range, emitted) -> {});
    try (LocalRanges ranges = LocalRanges.of(store)) {
      running[0] = ranges;
      ranges.client("words").mutate(bytes("a"), bytes("a:1")).join();
      assertThat(ranges.client("words").query(bytes("a"), bytes("a")).join()).isEqualTo(bytes("1"));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
