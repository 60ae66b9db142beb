package io.fjordmq.range.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.common.ManualTimers;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A split requested by an operator: A receives the request, B leads the range, C leads the metadata
 * group.
 */
class SplitRequestsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final RangeId RANGE = new RangeId("words", 300);
  private static final byte[] KEY = {7, 8};
  private static final CompletableFuture<Optional<SplitPointSearch.SplitPoint>> NOT_LED =
      CompletableFuture.completedFuture(Optional.empty());

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final List<String> performedSplits = new ArrayList<>();
  private SplitPointSearch.SplitPoint splitPoint = new SplitPointSearch.SplitPoint(KEY, "");
  private CompletableFuture<Void> split = CompletableFuture.completedFuture(null);
  private @Nullable NodeId metadataLeader = C;

  private final ManualTimers timers = new ManualTimers();
  private CompletableFuture<Optional<SplitPointSearch.SplitPoint>> localSplitPoint = NOT_LED;
  private final SplitRequests requests = startNode(A, range -> localSplitPoint);
  private final LoopbackPeers.Node otherNode = peers.start(new NodeId("d"));

  SplitRequestsTest() {
    startNode(
        B,
        range ->
            range.equals(RANGE)
                ? CompletableFuture.completedFuture(Optional.of(splitPoint))
                : NOT_LED);
    startNode(C, range -> NOT_LED);
  }

  private SplitRequests startNode(NodeId id, SplitRequests.SplitPointFinder splitPointFinder) {
    TestMembership membership = new TestMembership(id);
    List.of(A, B, C).forEach(node -> membership.set(TestMembership.up(node, 1)));
    LoopbackPeers.Node calls = peers.start(id);
    SplitRequests created =
        new SplitRequests(
            membership,
            calls,
            splitPointFinder,
            (range, key) -> {
              performedSplits.add(id + " " + range + " " + HexFormat.of().formatHex(key));
              return split;
            },
            () -> metadataLeader,
            timers,
            PlacementSettings.DEFAULTS);
    created.serve(calls);
    return created;
  }

  private void assertRefused(RangeId range, String reason) {
    assertThat(requests.split(range))
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining(reason);
  }

  @Test
  void shouldSplitAtTheKeyOfTheRangeLeaderThroughTheMetadataLeader() {
    assertThat(requests.split(RANGE).join()).containsExactly(KEY);
    assertThat(performedSplits).containsExactly("c words-300 0708");
  }

  @Test
  void shouldReportFailures() {
    assertRefused(new RangeId("words", 9), "no node has led range words-9");
    splitPoint = new SplitPointSearch.SplitPoint(null, "the range has no load");
    assertRefused(RANGE, "the range has no load");
    splitPoint = new SplitPointSearch.SplitPoint(KEY, "");
    metadataLeader = null;
    assertRefused(RANGE, "the metadata group has no leader");
    metadataLeader = C;
    assertThat(performedSplits).isEmpty();
    split = CompletableFuture.failedFuture(new IllegalStateException("its log is too long"));
    assertRefused(RANGE, "its log is too long");
  }

  @Test
  void shouldNameTheNodesThatDoNotRespondIfNoOtherLeadsTheRange() {
    peers.isolate(B);
    assertRefused(RANGE, "no response from: {b=");
  }

  @Test
  void shouldLimitTheWaitForItsOwnStorage() {
    localSplitPoint = new CompletableFuture<>();
    splitPoint = new SplitPointSearch.SplitPoint(null, "the range has no load");
    CompletableFuture<byte[]> other = requests.split(new RangeId("words", 9));
    CompletableFuture<byte[]> known = requests.split(RANGE);
    timers.advance(SECOND);
    assertThat(other).isNotDone();
    timers.advance(PlacementSettings.DEFAULTS.callTimeout());
    assertThat(other)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("range words-9 was not split")
        .withMessageContaining("no response from: {a=no response within ")
        .withMessageContaining("retry");
    assertThat(known)
        .failsWithin(Duration.ZERO)
        .withThrowableOfType(ExecutionException.class)
        .withMessageContaining("the range has no load");
  }

  @Test
  void shouldKeepTheBytesOfRequestsAndResponses() {
    assertThat(send("0101" + "05776f726473" + "ac02")).isEqualTo("01" + "01" + "020708");
    assertThat(send("0101" + "05776f726473" + "09")).isEmpty();
    splitPoint = new SplitPointSearch.SplitPoint(null, "no");
    assertThat(send("0101" + "05776f726473" + "ac02")).isEqualTo("01" + "02" + "6e6f");
    assertThat(send("0102" + "05776f726473" + "ac02" + "020708")).isEmpty();
    assertThat(performedSplits).containsExactly("b words-300 0708");
    for (String unknown : List.of("0201" + "05776f726473" + "09", "0103" + "05776f726473" + "09")) {
      assertThat(otherNode.call(B, SplitRequests.NAME, HexFormat.of().parseHex(unknown), SECOND))
          .isCompletedExceptionally();
    }
  }

  private static final Duration SECOND = Duration.ofSeconds(1);

  private String send(String request) {
    byte[] bytes = HexFormat.of().parseHex(request);
    return HexFormat.of().formatHex(otherNode.call(B, SplitRequests.NAME, bytes, SECOND).join());
  }
}
