package io.fjordmq.cluster.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.testing.Seeds;
import io.fjordmq.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LoopbackPeersTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final LoopbackPeers.Node a = peers.start(A);
  private final LoopbackPeers.Node b = peers.start(B);

  @Test
  void shouldDeliverARequestAndItsResponse() {
    b.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    assertThat(a.call(B, "echo", bytes("x"), SECOND).join()).isEqualTo(bytes("x"));
  }

  @Test
  void shouldReportWhyTheNodeRefuses() {
    b.serve(
        "failing",
        (from, request) -> {
          throw new IllegalStateException("planted failure for " + from);
        });
    assertThat(failure(a.call(B, "failing", bytes("x"), SECOND)))
        .hasMessage("planted failure for a")
        .extracting(PeerException::kind)
        .isEqualTo(Kind.REFUSED);
    assertThat(failure(a.call(B, "other", bytes("x"), SECOND)).kind()).isEqualTo(Kind.REFUSED);
  }

  @Test
  void shouldHandleARequestMadeWhileOneIsHandledWhenThatReturns() {
    List<String> events = new ArrayList<>();
    b.serve(
        "log",
        (from, request) -> {
          events.add("begin " + text(request));
          if (text(request).equals("1")) {
            a.call(B, "log", bytes("2"), SECOND);
          }
          events.add("end " + text(request));
          return CompletableFuture.completedFuture(request);
        });
    a.call(B, "log", bytes("1"), SECOND);
    assertThat(events).containsExactly("begin 1", "end 1", "begin 2", "end 2");
  }

  @Test
  void shouldFailAcrossAPartitionUntilItHeals() {
    b.serve("echo", (from, request) -> CompletableFuture.completedFuture(request));
    peers.cut(A, B);
    assertThat(failure(a.call(B, "echo", bytes("x"), SECOND)).kind()).isEqualTo(Kind.NOT_SENT);
    peers.heal();
    peers.cut(B, A);
    assertThat(failure(a.call(B, "echo", bytes("x"), SECOND)).kind()).isEqualTo(Kind.NO_RESPONSE);
    peers.heal();
    assertThat(a.call(B, "echo", bytes("x"), SECOND)).isCompleted();
  }

  @Test
  void shouldFailPendingCallsWhenTheNodeStops() {
    b.serve("never", (from, request) -> new CompletableFuture<>());
    CompletableFuture<byte[]> call = a.call(B, "never", bytes("x"), SECOND);
    assertThat(call).isNotDone();
    b.stop();
    assertThat(failure(call).kind()).isEqualTo(Kind.NO_RESPONSE);
    assertThat(failure(a.call(B, "never", bytes("x"), SECOND)).kind()).isEqualTo(Kind.NOT_SENT);
  }

  @Test
  @Tag(Seeds.TAG)
  void shouldKeepTheOrderOverAFaultyNetworkAndCompleteEveryCall() {
    Seeds.withDefaultCount(50).run(LoopbackPeersTest::runOnFaultyNetwork);
  }

  private static void runOnFaultyNetwork(long seed) {
    Simulation simulation = new Simulation(seed);
    SimNetwork network = new SimNetwork(simulation);
    network.setFaults(SimNetwork.Faults.UNRELIABLE);
    LoopbackPeers simulated = LoopbackPeers.simulated(network);
    LoopbackPeers.Node caller = simulated.start(A);
    List<Integer> handled = new ArrayList<>();
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    simulated
        .start(B)
        .serve(
            "log",
            (from, request) -> {
              handled.add(Integer.valueOf(text(request)));
              return CompletableFuture.completedFuture(request);
            });
    for (int i = 0; i < 200; i++) {
      calls.add(caller.call(B, "log", bytes(Integer.toString(i)), SECOND));
      simulation.run(simulation.between(0, 30));
    }
    simulation.run(5_000);
    assertThat(handled).as("seed %d", seed).isSorted().doesNotHaveDuplicates();
    assertThat(handled.size()).isGreaterThan(20);
    assertThat(calls).as("seed %d", seed).allMatch(CompletableFuture::isDone);
  }

  private static PeerException failure(CompletableFuture<byte[]> call) {
    try {
      call.join();
    } catch (CompletionException e) {
      return (PeerException) requireNonNull(e.getCause());
    }
    throw new AssertionError("the call succeeded");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, US_ASCII);
  }
}
