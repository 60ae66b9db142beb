package io.fjordmq.range.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.RangeTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PeerRangeTransportTest {
  private static final NodeId HERE = new NodeId("here");
  private static final NodeId THERE = new NodeId("there");
  private static final RangeId RANGE = new RangeId("words", 1);

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final LoopbackPeers.Node here = peers.start(HERE);
  private final LoopbackPeers.Node there = peers.start(THERE);
  private final RecordingTransport remote = new RecordingTransport();
  private final RangeTransport transport = new PeerRangeTransport(here, Duration.ofSeconds(1));
  private final List<RangeResult> results = new ArrayList<>();

  /** Replicas whose responses are given by the test. */
  private static final class RecordingTransport implements RangeTransport {
    final List<String> calls = new ArrayList<>();
    final List<Consumer<RangeResult>> replies = new ArrayList<>();

    @Override
    public void propose(NodeId node, RangeId range, byte[] entry, Consumer<RangeResult> reply) {
      calls.add("propose %s %s %d".formatted(node, range, entry[0]));
      replies.add(reply);
    }

    @Override
    public void query(
        NodeId node,
        RangeId range,
        long epochVersion,
        long minIndex,
        byte[] query,
        Consumer<RangeResult> reply) {
      calls.add("query %s %s %d %d %d".formatted(node, range, epochVersion, minIndex, query[0]));
      replies.add(reply);
    }
  }

  @Test
  void shouldSendAnAttemptToAnotherNodeAndReturnItsResult() {
    RangeService.serve(THERE, remote, there);
    propose(THERE);
    query(THERE);
    assertThat(remote.calls)
        .containsExactly("propose there words-1 7", "query there words-1 2 3 8");
    assertThat(results).isEmpty();
    remote.replies.get(1).accept(new RangeResult.NotLeader(HERE));
    remote.replies.get(0).accept(new RangeResult.Registered(4));
    assertThat(results)
        .containsExactly(new RangeResult.NotLeader(HERE), new RangeResult.Registered(4));
  }

  @Test
  void shouldReportUnavailableIfTheAttemptCouldNotBeSent() {
    peers.isolate(THERE);
    propose(THERE);
    query(THERE);
    assertThat(results).hasSize(2).allMatch(RangeResult.Unavailable.class::isInstance);
  }

  @Test
  void shouldReportAnUnknownOutcomeWithoutAResponse() {
    RangeService.serve(THERE, remote, there);
    propose(THERE);
    query(THERE);
    there.stop();
    assertThat(results.get(0)).isInstanceOf(RangeResult.OutcomeUnknown.class);
    assertThat(results.get(1)).isInstanceOf(RangeResult.Unavailable.class);
    remote.replies.get(0).accept(new RangeResult.Registered(4));
    assertThat(results).hasSize(2);
  }

  @Test
  void shouldReportUnavailableWhenANodeDoesNotServeRangesYet() {
    propose(THERE);
    assertThat(results)
        .singleElement()
        .isInstanceOfSatisfying(
            RangeResult.Unavailable.class,
            result -> assertThat(result.reason()).contains("does not serve 'range'"));
  }

  @Test
  void shouldReportAnUnknownOutcomeForAnUnreadableResponse() {
    there.serve(
        RangeService.NAME, (from, request) -> CompletableFuture.completedFuture(new byte[] {99}));
    propose(THERE);
    query(THERE);
    assertThat(results.get(0)).isInstanceOf(RangeResult.OutcomeUnknown.class);
    assertThat(results.get(1)).isInstanceOf(RangeResult.Unavailable.class);
  }

  @Test
  void shouldReportUnavailableToACallerOfAnotherVersion() throws Exception {
    RangeService.serve(THERE, remote, there);
    byte[] response =
        here.call(THERE, RangeService.NAME, new byte[] {99}, Duration.ofSeconds(1)).get();
    assertThat(RangeResultCodec.decode(response)).isInstanceOf(RangeResult.Unavailable.class);
    assertThat(remote.calls).isEmpty();
  }

  private void propose(NodeId node) {
    transport.propose(node, RANGE, new byte[] {7}, results::add);
  }

  private void query(NodeId node) {
    transport.query(node, RANGE, 2, 3, new byte[] {8}, results::add);
  }
}
