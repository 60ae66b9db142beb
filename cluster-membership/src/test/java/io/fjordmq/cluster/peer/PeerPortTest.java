package io.fjordmq.cluster.peer;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cluster.NodeAddress;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import io.fjordmq.cluster.peer.PeerException.Kind;
import io.fjordmq.testing.Proxy;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls between nodes over real sockets. */
class PeerPortTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final Duration TIMEOUT = TestPorts.TIMEOUT;

  private final TestPorts ports = new TestPorts();

  @AfterEach
  void close() throws Exception {
    ports.close();
  }

  @Test
  void shouldDeliverRequestsAndResponses() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    b.serve("who", (from, request) -> done(bytes(from + " said " + text(request))));
    a.serve("who", (from, request) -> done(bytes(from + " said " + text(request))));
    assertThat(text(get(a.call(B, "who", bytes("hi"), TIMEOUT)))).isEqualTo("a said hi");
    assertThat(text(get(b.call(A, "who", bytes("ho"), TIMEOUT)))).isEqualTo("b said ho");
  }

  @Test
  void shouldHandleRequestsInOrderWhileResponsesMayBeReordered() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    List<Integer> handled = new ArrayList<>();
    CompletableFuture<byte[]> late = new CompletableFuture<>();
    b.serve(
        "count",
        (from, request) -> {
          handled.add(ByteBuffer.wrap(request).getInt());
          return handled.size() == 1 ? late : done(request);
        });
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    for (int i = 0; i < 90; i++) { // nearly as many as may be pending
      calls.add(a.call(B, "count", ByteBuffer.allocate(1000).putInt(0, i).array(), TIMEOUT));
    }
    get(calls.get(89));
    assertThat(calls.get(0)).isNotDone();
    late.complete(bytes("at last"));
    assertThat(text(get(calls.get(0)))).isEqualTo("at last");
    assertThat(handled).hasSize(90).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void shouldReportToTheCallerWhyARequestFailed() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    b.serve("late", (from, r) -> CompletableFuture.failedFuture(new IllegalStateException("no")));
    b.serve("bang", (from, r) -> throwException());
    assertThat(failure(a.call(B, "late", bytes("x"), TIMEOUT)))
        .hasMessage("no")
        .extracting(PeerException::kind)
        .isEqualTo(Kind.REFUSED);
    assertThat(failure(a.call(B, "bang", bytes("x"), TIMEOUT))).hasMessage("bang");
    assertThat(failure(a.call(B, "unknown", bytes("x"), TIMEOUT)))
        .hasMessage("node b does not serve 'unknown'");
  }

  private static CompletableFuture<byte[]> throwException() {
    throw new IllegalStateException("bang");
  }

  @Test
  void shouldFailACallWithoutAResponseInTime() throws Exception {
    PeerPort a = ports.open(A);
    ports.open(B).serve("never", (from, request) -> new CompletableFuture<>());
    PeerException failure = failure(a.call(B, "never", bytes("x"), Duration.ofMillis(300)));
    assertThat(failure.kind()).isEqualTo(Kind.NO_RESPONSE);
    assertThat(failure).hasMessageContaining("'never' on node b");
  }

  @Test
  void shouldNameAnUnreachableNodeUntilItIsReachable() throws Exception {
    PeerPort a = ports.open(A);
    assertThat(failure(a.call(B, "echo", bytes("x"), TIMEOUT)))
        .hasMessage("no address of node b is known");
    PeerPort stoppedPort = ports.open(B);
    stoppedPort.close();
    PeerException failure = failure(a.call(B, "echo", bytes("x"), TIMEOUT));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
    String described = "";
    for (int i = 0; i < 1_000 && !described.endsWith("connection refused"); i++) {
      described = PeerException.describe("b", failure(a.call(B, "echo", bytes("x"), TIMEOUT)));
      Thread.sleep(5);
    }
    assertThat(described).isEqualTo("node b did not respond: connection refused");
    ports.open(B).serve("echo", (from, request) -> done(request));
    assertThat(callUntilSuccess(a)).isEqualTo("x");
  }

  @Test
  void shouldReachARestartedNodeImmediatelyOnceItHasConnected() throws Exception {
    PeerPort a = ports.open(TestPorts.CLUSTER, A, null, TestPorts.LONG_BACKOFF);
    a.serve("echo", (from, request) -> done(request));
    ports.open(B).close();
    assertThat(failure(a.call(B, "echo", bytes("x"), TIMEOUT)).kind()).isEqualTo(Kind.NOT_SENT);
    PeerPort restarted = ports.open(B);
    restarted.serve("echo", (from, request) -> done(request));
    assertThat(failure(a.call(B, "echo", bytes("x"), TIMEOUT)).kind()).isEqualTo(Kind.NOT_SENT);
    get(restarted.call(A, "echo", bytes("y"), TIMEOUT));
    assertThat(text(get(a.call(B, "echo", bytes("x"), TIMEOUT)))).isEqualTo("x");
  }

  @Test
  void shouldDetectASilentConnectionAndReconnect() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    Proxy proxy = ports.closeLater(new Proxy(b.boundAddress()));
    ports.redirect(B, proxy.address());
    b.serve("echo", (from, request) -> done(request));
    assertThat(callUntilSuccess(a)).isEqualTo("x");
    proxy.stopForwarding();
    PeerException failure = failure(a.call(B, "echo", bytes("x"), TIMEOUT));
    assertThat(failure.kind()).isEqualTo(Kind.NO_RESPONSE);
    assertThat(failure).hasMessageContaining("no message from the peer for 500 ms");
    proxy.resumeForwarding();
    assertThat(callUntilSuccess(a)).isEqualTo("x");
  }

  @Test
  void shouldHandleNoRequestsOfALostConnection() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    Proxy proxy = ports.closeLater(new Proxy(b.boundAddress()));
    ports.redirect(B, proxy.address());
    ConcurrentLinkedQueue<Integer> handled = new ConcurrentLinkedQueue<>();
    b.serve(
        "count",
        (from, request) -> {
          handled.add(ByteBuffer.wrap(request).getInt());
          return done(request);
        });
    int next = 0;
    for (int round = 0; round < 20; round++) {
      List<CompletableFuture<byte[]>> calls = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        calls.add(a.call(B, "count", ByteBuffer.allocate(4).putInt(0, next++).array(), TIMEOUT));
        if (i == round) {
          proxy.closeConnections();
        }
      }
      for (CompletableFuture<byte[]> call : calls) {
        call.handle((response, failure) -> failure).get(20, TimeUnit.SECONDS);
      }
    }
    assertThat(List.copyOf(handled)).isSorted().doesNotHaveDuplicates();
    assertThat(callUntilSuccess(a, "count")).hasSize(4);
  }

  @Test
  void shouldRejectCallsBeyondTheLimits() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    CountDownLatch slow = new CountDownLatch(1);
    b.serve(
        "slow",
        (from, request) -> {
          awaitUninterruptibly(slow);
          return done(bytes("done"));
        });
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    for (int i = 0; i < 95; i++) { // 95 x 200 kB exceed 1 MiB plus the socket buffers
      calls.add(a.call(B, "slow", new byte[200_000], TIMEOUT));
    }
    assertThat(calls.stream().filter(CompletableFuture::isCompletedExceptionally))
        .isNotEmpty()
        .allSatisfy(
            call ->
                assertThat(failure(call))
                    .hasMessageContaining("the send queue to node b is full")
                    .extracting(PeerException::kind)
                    .isEqualTo(Kind.NOT_SENT));
    slow.countDown();
    for (CompletableFuture<byte[]> call : calls) {
      if (!call.isCompletedExceptionally()) {
        assertThat(text(get(call))).isEqualTo("done");
      }
    }
    assertThatThrownBy(() -> a.call(B, "slow", new byte[300_000], TIMEOUT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("exceeds the limit of 262144 bytes");
  }

  @Test
  void shouldRefuseANodeOfAnotherCluster() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open("c2", B, null, TestPorts.SETTINGS);
    PeerException failure = failure(a.call(B, "echo", bytes("x"), TIMEOUT));
    assertThat(failure.kind()).isEqualTo(Kind.NOT_SENT);
    assertThat(failure).hasMessageContaining("node b belongs to cluster c2, node a to cluster c1");
    assertThat(failure(b.call(A, "echo", bytes("x"), TIMEOUT)))
        .hasMessageContaining("node a belongs to cluster c1, node b to cluster c2");
  }

  @Test
  void shouldRefuseACallForAnotherNode() throws Exception {
    PeerPort a = ports.open(A);
    ports.redirect(B, ports.open(new NodeId("c")).boundAddress());
    assertThat(failure(a.call(B, "echo", bytes("x"), TIMEOUT)))
        .hasMessageContaining(
            "node a tried to reach node b, but this address now belongs to node c");
  }

  @Test
  void shouldSurviveInvalidInput() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    b.serve("echo", (from, request) -> done(request));
    try (Socket stranger = new Socket(b.boundAddress().getAddress(), b.boundAddress().getPort())) {
      stranger.getOutputStream().write(bytes("GET / HTTP/1.1\r\n\r\n"));
      stranger.setSoTimeout((int) TIMEOUT.toMillis());
      assertThat(stranger.getInputStream().readAllBytes()).hasSizeLessThan(1000);
    }
    assertThat(callUntilSuccess(a)).isEqualTo("x");
  }

  @Test
  void shouldReplyToAHello() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    NodeAddress where = TestPorts.addressOf(b);
    assertThat(failure(a.sendHello(where, Hello.ANONYMOUS, TIMEOUT)))
        .hasMessageContaining("node b is still starting");
    ConcurrentLinkedQueue<Hello> hellos = new ConcurrentLinkedQueue<>();
    HelloReply helloReply =
        new HelloReply(
            "c1",
            "Test",
            B,
            StartStamp.NONE,
            where,
            Set.of(B),
            Set.of(A),
            B,
            Map.of(B, where),
            1234,
            3);
    b.setHelloHandler(
        hello -> {
          hellos.add(hello);
          return helloReply;
        });
    Hello hello = new Hello("c1", A, TestPorts.addressOf(a), StartStamp.NONE);
    assertThat(get(a.sendHello(where, hello, TIMEOUT))).isEqualTo(helloReply);
    assertThat(get(a.sendHello(where, Hello.ANONYMOUS, TIMEOUT))).isEqualTo(helloReply);
    assertThat(hellos).containsExactly(hello, Hello.ANONYMOUS);
  }

  @Test
  void shouldReportAnUnreachableAddress() throws Exception {
    PeerPort a = ports.open(A);
    PeerPort b = ports.open(B);
    NodeAddress where = TestPorts.addressOf(b);
    b.close();
    assertThat(failure(a.sendHello(where, Hello.ANONYMOUS, TIMEOUT)))
        .hasMessage(where + " cannot be reached: connection refused")
        .extracting(PeerException::kind)
        .isEqualTo(Kind.NOT_SENT);
  }

  @Test
  void shouldNameThePortThatIsInUse() throws Exception {
    PeerPort a = ports.open(A);
    assertThatThrownBy(
            () ->
                PeerPort.open(
                    new io.fjordmq.cluster.NodeIdentity(B, "c1"),
                    a.boundAddress(),
                    node -> null,
                    null,
                    TestPorts.SETTINGS,
                    StartFence.inMemory(B, StartStamp.NONE)))
        .hasMessageContaining(a.boundAddress() + " cannot be opened")
        .hasMessageContaining("in use");
  }

  private static String callUntilSuccess(PeerPort a) throws Exception {
    return callUntilSuccess(a, "echo");
  }

  private static String callUntilSuccess(PeerPort a, String service) throws Exception {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      byte[] request = service.equals("echo") ? bytes("x") : new byte[] {127, 0, 0, 0};
      try {
        return text(get(a.call(B, service, request, TIMEOUT)));
      } catch (ExecutionException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
      }
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      if (!latch.await(20, TimeUnit.SECONDS)) {
        throw new IllegalStateException("never released");
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static PeerException failure(CompletableFuture<?> call) throws Exception {
    try {
      call.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      return (PeerException) requireNonNull(e.getCause());
    }
    throw new AssertionError("the call succeeded");
  }

  private static <T> T get(CompletableFuture<T> call) throws Exception {
    return call.get(20, TimeUnit.SECONDS);
  }

  private static CompletableFuture<byte[]> done(byte[] response) {
    return CompletableFuture.completedFuture(response);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, US_ASCII);
  }
}
