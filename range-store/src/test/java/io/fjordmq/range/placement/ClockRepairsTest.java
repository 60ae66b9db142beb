package io.fjordmq.range.placement;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.AppendingCoprocessor;
import io.fjordmq.range.sim.LocalRanges;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: an operator finds a range whose clock is ahead, and resets it, from any node. */
class ClockRepairsTest {
  private static final NodeId SELF = new NodeId("local");
  private static final NodeId OTHER = new NodeId("other");
  private static final RangeId LEFT = new RangeId("words", 1);
  private static final RangeId RIGHT = new RangeId("words", 2);
  private static final Duration HOUR = Duration.ofHours(1);

  private final LocalRanges ranges = LocalRanges.of(words());
  private final LocalRanges empty = LocalRanges.of();
  private final LoopbackPeers network = LoopbackPeers.immediate();
  private final ClockRepairs here = repairs(SELF, ranges);
  private final ClockRepairs there = repairs(OTHER, empty);

  private static StoreSpec words() {
    return new StoreSpec(
        "words",
        List.of("m".getBytes(UTF_8)),
        id -> new AppendingCoprocessor(),
        (range, effects) -> {});
  }

  private ClockRepairs repairs(NodeId id, LocalRanges held) {
    TestMembership membership = new TestMembership(id);
    membership.setUp(SELF, 1);
    membership.setUp(OTHER, 1);
    LoopbackPeers.Node peers = network.start(id);
    ClockRepairs repairs =
        new ClockRepairs(
            membership, peers, held.store(), ranges.timers(), PlacementSettings.DEFAULTS);
    repairs.serve(peers);
    return repairs;
  }

  @BeforeEach
  void putOneRangeAhead() {
    append("z");
    ranges.timers().setWallClock(HOUR);
    append("a");
    ranges.timers().setWallClock(Duration.ZERO);
  }

  @AfterEach
  void close() {
    ranges.close();
    empty.close();
  }

  private void append(String key) {
    CompletableFuture<byte[]> done =
        ranges.client("words").mutate(key.getBytes(UTF_8), (key + ":1").getBytes(UTF_8));
    assertThat(done).isCompleted();
  }

  @Test
  void shouldListARangeThatIsAheadFromAnyNode() {
    assertThat(here.clocksAhead()).isCompletedWithValue(Map.of(LEFT, HOUR));
    assertThat(there.clocksAhead()).isCompletedWithValue(Map.of(LEFT, HOUR));
  }

  @Test
  void shouldResetTheClockPermanentlyFromAnyNode() {
    assertThat(there.resetClock(LEFT)).isCompletedWithValue(HOUR);
    assertThat(here.clocksAhead()).isCompletedWithValue(Map.of());
    append("a");
    ranges.crash();
    assertThat(repairs(SELF, ranges).clocksAhead()).isCompletedWithValue(Map.of());
  }

  @Test
  void shouldRejectARangeThatIsNotAheadOrHasNoLeader() {
    assertRefused(there.resetClock(RIGHT), "is not ahead of cluster time");
    assertThat(here.resetClock(LEFT)).isCompleted();
    assertRefused(here.resetClock(LEFT), "is not ahead of cluster time");
    assertRefused(
        here.resetClock(new RangeId("words", 9)), "no responding node leads range words-9");
  }

  private static void assertRefused(CompletableFuture<Duration> response, String reason) {
    assertThat(response)
        .failsWithin(Duration.ofSeconds(1))
        .withThrowableThat()
        .withMessageContaining(reason);
  }
}
