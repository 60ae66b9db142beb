package io.fjordmq.cluster.consensus;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.sofa.jraft.error.InvokeTimeoutException;
import com.alipay.sofa.jraft.error.RemotingException;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.PingRequest;
import com.google.protobuf.Message;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.StartStamp;
import java.io.DataOutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The connection between two nodes, without Raft. */
final class RaftTransportTest {
  private static final NodeId ASKING = new NodeId("asking");
  private static final NodeId ANSWERING = new NodeId("answering");
  private static final PingRequest PING = PingRequest.newBuilder().setSendTimestamp(1).build();
  private static final TransportSettings SETTINGS =
      new TransportSettings(
          Duration.ofSeconds(1),
          Duration.ofMillis(1),
          Duration.ofMillis(200),
          Duration.ofMillis(10),
          1 << 20,
          1 << 20,
          1,
          100,
          Duration.ofSeconds(5),
          1 << 10,
          0);

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final List<RaftTransport> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(RaftTransport::close);
  }

  private static StartFence fence(NodeId self) {
    return StartFence.inMemory(self, StartStamp.NONE);
  }

  private RaftTransport listening(NodeId id) throws ConsensusException {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    RaftTransport transport =
        transport(id, new ClusterPort(any, addresses::get, SETTINGS, fence(id)));
    addresses.put(id, requireNonNull(transport.boundAddress()));
    return transport;
  }

  private RaftTransport asking() throws ConsensusException {
    return transport(ASKING, new ClusterPort(null, addresses::get, SETTINGS, fence(ASKING)));
  }

  private RaftTransport transport(NodeId id, ClusterPort port) throws ConsensusException {
    RaftTransport made =
        new RaftTransport(
            id,
            port,
            new SnapshotExports(Duration.ofSeconds(1), System::nanoTime, 0),
            ConsensusObserver.NONE);
    open.add(made);
    return made;
  }

  private static Message ask(RaftTransport from, long timeoutMillis) throws Exception {
    CompletableFuture<Message> result = new CompletableFuture<>();
    from.send(
        ANSWERING,
        PING,
        timeoutMillis,
        (response, failure) -> {
          if (response != null) {
            result.complete(response);
          } else {
            result.completeExceptionally(requireNonNull(failure));
          }
        });
    return result.get(20, TimeUnit.SECONDS);
  }

  @Test
  void shouldAnswerWhenAsked() throws Exception {
    listening(ANSWERING);
    RaftTransport asking = asking();
    assertThat(asking.isConnected(ANSWERING)).isFalse();
    assertThat(ask(asking, 5_000)).isInstanceOf(ErrorResponse.class);
    assertThat(asking.isConnected(ANSWERING)).isTrue();
    assertThat(asking.boundAddress()).as("who only asks opens no port").isNull();
  }

  @Test
  void shouldFailWhenNoAddressIsKnown() throws Exception {
    RaftTransport asking = asking();
    assertThatThrownBy(() -> ask(asking, 5_000))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RemotingException.class)
        .hasMessageContaining("no address of node answering");
  }

  @Test
  void shouldNotHearWhoWasRemoved() throws Exception {
    AtomicBoolean removed = new AtomicBoolean();
    AddressBook book =
        new AddressBook() {
          @Override
          public @Nullable InetSocketAddress addressOf(NodeId node) {
            return addresses.get(node);
          }

          @Override
          public boolean isRemoved(NodeId node) {
            return removed.get() && node.equals(ASKING);
          }
        };
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    RaftTransport answering =
        transport(ANSWERING, new ClusterPort(any, book, SETTINGS, fence(ANSWERING)));
    addresses.put(ANSWERING, requireNonNull(answering.boundAddress()));
    RaftTransport asking = asking();
    ask(asking, 5_000);
    removed.set(true);
    for (int attempt = 0; attempt < 2; attempt++) { // on the connection it has, and on a new one
      assertThatThrownBy(() -> ask(asking, 1_000)).isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void shouldConnectAnewWhenTheNodeMoved() throws Exception {
    RaftTransport first = listening(ANSWERING);
    RaftTransport asking = asking();
    ask(asking, 5_000);
    first.close();
    Await.until("lost", () -> !asking.isConnected(ANSWERING));
    listening(ANSWERING);
    Await.until("found again", () -> answers(asking));
  }

  private static boolean answers(RaftTransport asking) {
    try {
      return ask(asking, 1_000) instanceof ErrorResponse;
    } catch (Exception notYet) {
      return false;
    }
  }

  @Test
  void shouldRefuseWhenTheAddressBelongsToAnotherNode() throws Exception {
    listening(new NodeId("stranger"));
    addresses.put(ANSWERING, addresses.get(new NodeId("stranger")));
    RaftTransport asking = asking();
    assertThatThrownBy(() -> ask(asking, 5_000)).hasCauseInstanceOf(RemotingException.class);
  }

  @Test
  void shouldTimeOutAndConnectAnewWhenTheNodeFallsSilent() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      addresses.put(ANSWERING, (InetSocketAddress) silent.getLocalSocketAddress());
      RaftTransport asking = asking();
      Await.until(
          "gives the connection up",
          () -> {
            try {
              ask(asking, 60);
              return false;
            } catch (Exception e) {
              assertThat(e.getCause())
                  .isInstanceOfAny(InvokeTimeoutException.class, RemotingException.class);
              return !asking.isConnected(ANSWERING);
            }
          });
    }
  }

  @Test
  void shouldCloseTheConnectionWhenAStrangerTalks() throws Exception {
    RaftTransport answering = listening(ANSWERING);
    for (byte[] words : List.of("GET / HTTP/1.0\r\n\r\n".getBytes("US-ASCII"), new byte[0])) {
      try (Socket socket = new Socket()) {
        socket.connect(requireNonNull(answering.boundAddress()));
        socket.setSoTimeout(10_000);
        new DataOutputStream(socket.getOutputStream()).write(words);
        assertThat(socket.getInputStream().read()).as("closed").isEqualTo(-1);
      }
    }
  }

  @Test
  void shouldSayWhichPortWhenItIsTaken() throws Exception {
    RaftTransport first = listening(ANSWERING);
    InetSocketAddress taken = requireNonNull(first.boundAddress());
    assertThatThrownBy(
            () ->
                transport(
                    new NodeId("late"),
                    new ClusterPort(taken, addresses::get, SETTINGS, fence(ASKING))))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("cluster port " + taken);
  }
}
