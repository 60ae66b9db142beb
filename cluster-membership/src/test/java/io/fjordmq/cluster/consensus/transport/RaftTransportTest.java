package io.fjordmq.cluster.consensus.transport;

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
import io.fjordmq.cluster.consensus.AddressBook;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.RaftPortConfig;
import io.fjordmq.cluster.consensus.TransportSettings;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RecordBuilder;
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
  private static final NodeId CLIENT = new NodeId("client");
  private static final NodeId SERVER = new NodeId("server");
  private static final PingRequest PING = PingRequest.newBuilder().setSendTimestamp(1).build();
  private static final TransportSettings SETTINGS =
      RecordBuilder.from(TransportSettings.DEFAULT)
          .with(TransportSettings::connectTimeout, Duration.ofSeconds(1))
          .with(TransportSettings::reconnectInterval, Duration.ofMillis(1))
          .with(TransportSettings::idleTimeout, Duration.ofMillis(200))
          .with(TransportSettings::heartbeatTick, Duration.ofMillis(10))
          .with(TransportSettings::maxQueuedBytes, 1 << 20)
          .with(TransportSettings::maxFrameBytes, 1 << 20)
          .with(TransportSettings::workers, 1)
          .with(TransportSettings::queuedRequests, 100)
          .with(TransportSettings::snapshotTimeout, Duration.ofSeconds(5))
          .with(TransportSettings::snapshotChunkBytes, 1 << 10)
          .with(TransportSettings::snapshotReserveBytes, 0)
          .build();

  private final Map<NodeId, InetSocketAddress> addresses = new ConcurrentHashMap<>();
  private final List<RaftTransport> openTransports = new ArrayList<>();

  @AfterEach
  void close() {
    openTransports.forEach(RaftTransport::close);
  }

  private static StartFence fence(NodeId self) {
    return StartFence.inMemory(self, StartStamp.NONE);
  }

  private RaftTransport listening(NodeId id) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    RaftTransport transport =
        transport(id, new RaftPortConfig(any, addresses::get, SETTINGS, fence(id)));
    addresses.put(id, requireNonNull(transport.boundAddress()));
    return transport;
  }

  private RaftTransport client() {
    return transport(CLIENT, new RaftPortConfig(null, addresses::get, SETTINGS, fence(CLIENT)));
  }

  private RaftTransport transport(NodeId id, RaftPortConfig port) {
    RaftTransport created =
        new RaftTransport(
            id,
            port,
            new SnapshotExports(Duration.ofSeconds(1), System::nanoTime, 0),
            ConsensusObserver.NONE);
    openTransports.add(created);
    return created;
  }

  private static Message ping(RaftTransport from, long timeoutMillis) throws Exception {
    CompletableFuture<Message> result = new CompletableFuture<>();
    from.send(
        SERVER,
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
  void shouldRespondToARequest() throws Exception {
    listening(SERVER);
    RaftTransport client = client();
    assertThat(client.isConnected(SERVER)).isFalse();
    assertThat(ping(client, 5_000)).isInstanceOf(ErrorResponse.class);
    assertThat(client.isConnected(SERVER)).isTrue();
    assertThat(client.boundAddress()).as("a client opens no port").isNull();
  }

  @Test
  void shouldFailWhenNoAddressIsKnown() throws Exception {
    RaftTransport client = client();
    assertThatThrownBy(() -> ping(client, 5_000))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(RemotingException.class)
        .hasMessageContaining("no address of node server");
  }

  /** Such as a node that was recovered as a new cluster, at its previous address. */
  @Test
  void shouldRefuseRequestsForANodeWithAnotherId() throws Exception {
    NodeId recovered = new NodeId("recovered");
    listening(recovered);
    addresses.put(SERVER, requireNonNull(addresses.get(recovered)));
    RaftTransport client = client();
    assertThatThrownBy(() -> ping(client, 5_000)).isInstanceOf(ExecutionException.class);
    assertThat(client.isConnected(SERVER)).isFalse();
  }

  @Test
  void shouldRejectRequestsFromRemovedNodes() throws Exception {
    AtomicBoolean removed = new AtomicBoolean();
    AddressBook book =
        new AddressBook() {
          @Override
          public @Nullable InetSocketAddress addressOf(NodeId node) {
            return addresses.get(node);
          }

          @Override
          public boolean isRemoved(NodeId node) {
            return removed.get() && node.equals(CLIENT);
          }
        };
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    RaftTransport server =
        transport(SERVER, new RaftPortConfig(any, book, SETTINGS, fence(SERVER)));
    addresses.put(SERVER, requireNonNull(server.boundAddress()));
    RaftTransport client = client();
    ping(client, 5_000);
    removed.set(true);
    for (int attempt = 0; attempt < 2; attempt++) { // on the existing connection and on a new one
      assertThatThrownBy(() -> ping(client, 1_000)).isInstanceOf(ExecutionException.class);
    }
  }

  @Test
  void shouldReconnectWhenTheNodeMoves() throws Exception {
    RaftTransport first = listening(SERVER);
    RaftTransport client = client();
    ping(client, 5_000);
    first.close();
    Await.until("lost", () -> !client.isConnected(SERVER));
    listening(SERVER);
    Await.until("reconnected", () -> responds(client));
  }

  private static boolean responds(RaftTransport client) {
    try {
      return ping(client, 1_000) instanceof ErrorResponse;
    } catch (Exception notYet) {
      return false;
    }
  }

  @Test
  void shouldFailWhenTheAddressBelongsToAnotherNode() throws Exception {
    listening(new NodeId("stranger"));
    addresses.put(SERVER, addresses.get(new NodeId("stranger")));
    RaftTransport client = client();
    assertThatThrownBy(() -> ping(client, 5_000)).hasCauseInstanceOf(RemotingException.class);
  }

  @Test
  void shouldTimeOutAndReconnectWhenTheNodeStopsResponding() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      addresses.put(SERVER, (InetSocketAddress) silent.getLocalSocketAddress());
      RaftTransport client = client();
      Await.until(
          "closes the connection",
          () -> {
            try {
              ping(client, 60);
              return false;
            } catch (Exception e) {
              assertThat(e.getCause())
                  .isInstanceOfAny(InvokeTimeoutException.class, RemotingException.class);
              return !client.isConnected(SERVER);
            }
          });
    }
  }

  @Test
  void shouldCloseTheConnectionOfAnUnknownProtocol() throws Exception {
    RaftTransport server = listening(SERVER);
    for (byte[] words : List.of("GET / HTTP/1.0\r\n\r\n".getBytes("US-ASCII"), new byte[0])) {
      try (Socket socket = new Socket()) {
        socket.connect(requireNonNull(server.boundAddress()));
        socket.setSoTimeout(10_000);
        new DataOutputStream(socket.getOutputStream()).write(words);
        assertThat(socket.getInputStream().read()).as("closed").isEqualTo(-1);
      }
    }
  }

  @Test
  void shouldNameThePortThatIsInUse() throws Exception {
    RaftTransport first = listening(SERVER);
    InetSocketAddress taken = requireNonNull(first.boundAddress());
    assertThatThrownBy(
            () ->
                transport(
                    new NodeId("late"),
                    new RaftPortConfig(taken, addresses::get, SETTINGS, fence(CLIENT))))
        .isInstanceOf(ConsensusException.class)
        .hasMessageContaining("cluster port " + taken);
  }
}
