package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.World;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the MQTT server on real sockets. */
@ExtendWith(LeakDetector.class)
class MqttServerTest {
  private static final String CONNECT_5 = "10 0e 0004 4d515454 05 02 003c 00 0001 61";
  private static final ListenerSettings ANY_PORT = ListenerSettings.tcp("127.0.0.1", 0);

  private final World world = new World();
  private final ExecutorService stores = Executors.newSingleThreadExecutor();
  private final Map<String, IntSupplier> connections = new ConcurrentHashMap<>();
  private final ListenerObserver observer =
      new ListenerObserver() {
        @Override
        public void onListening(
            String listener, String protocol, int maxConnections, IntSupplier open) {
          connections.put(listener + " " + protocol + " " + maxConnections, open);
        }
      };

  @BeforeEach
  void runStores() {
    world.tasks.runOn(stores);
  }

  @AfterEach
  void stopStores() {
    stores.shutdown();
  }

  private MqttServer start(ListenerSettings... listeners) {
    return MqttServer.start(List.of(listeners), Transport.best(), 2, world.sessions, observer);
  }

  private static Socket open(MqttServer server) throws IOException {
    Socket socket = new Socket();
    int port = server.listeners().get(0).port();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(10_000);
    return socket;
  }

  private static void send(Socket socket, String hex) throws IOException {
    socket.getOutputStream().write(ByteBufUtil.decodeHexDump(hex.replace(" ", "")));
  }

  /** Reads one packet of less than 128 bytes. */
  private static String readPacket(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream packet = new ByteArrayOutputStream();
    packet.write(in.read());
    int length = in.read();
    packet.write(length);
    packet.write(in.readNBytes(length));
    return ByteBufUtil.hexDump(packet.toByteArray());
  }

  @Test
  @DisplayName("[MQTT-4.2.0-1] [3.1.1: MQTT-7.1.1-1] MQTT over TCP")
  void shouldListenOnAFreePortAndServe() throws IOException {
    try (MqttServer server = start(ANY_PORT);
        Socket socket = open(server)) {
      send(socket, CONNECT_5);
      assertThat(readPacket(socket)).startsWith("20").contains("0000");
      send(socket, "c000");
      assertThat(readPacket(socket)).isEqualTo("d000");
    }
  }

  @Test
  void shouldReportTheConnectionsOfEachListener() throws IOException {
    try (MqttServer server = start(ANY_PORT, OpenListener.webSocket(WebSocketSettings.DEFAULTS))) {
      int limit = ANY_PORT.socket().maxConnections();
      String tcp = "tcpListener tcp " + limit;
      assertThat(connections).containsOnlyKeys(tcp, "wsListener ws " + limit);
      IntSupplier open = Objects.requireNonNull(connections.get(tcp));
      try (Socket socket = open(server)) {
        send(socket, CONNECT_5);
        readPacket(socket);
        assertThat(open.getAsInt()).isOne();
      }
      Await.until("the connection is closed", () -> open.getAsInt() == 0);
    }
  }

  @Test
  void shouldServeOnTheNioTransport() throws IOException {
    try (MqttServer server =
            MqttServer.start(
                List.of(ANY_PORT),
                Transport.named("nio"),
                1,
                world.sessions,
                ListenerObserver.NONE);
        Socket socket = open(server)) {
      send(socket, CONNECT_5);
      assertThat(readPacket(socket)).startsWith("20");
    }
  }

  @Test
  void shouldNameAddressAndKeyWhenThePortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = taken.getLocalPort();
      assertThatThrownBy(() -> start(ANY_PORT, ListenerSettings.tcp("127.0.0.1", port)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("127.0.0.1:" + port)
          .hasMessageContaining("mqttServerConfig.tcpListener.port");
    }
  }

  @Test
  void shouldDeliverTheDisconnectReasonToAClientThatIsStillSending() throws IOException {
    try (MqttServer server = start(ANY_PORT);
        Socket socket = open(server)) {
      send(socket, CONNECT_5);
      readPacket(socket);
      // The packet announces 2 MiB, and the client sends 512 KiB of it.
      send(socket, "30 80808001");
      socket.getOutputStream().write(new byte[512 << 10]);
      assertThat(readPacket(socket)).startsWith("e0").contains("95");
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void shouldSendDisconnectAtShutdownAndWaitForTheSessions() throws IOException {
    MqttServer server = start(ANY_PORT);
    try (Socket socket = open(server)) {
      send(socket, "10 13 0004 4d515454 05 02 003c 05 11 00000064 0001 61");
      readPacket(socket);
      assertThat(server.shutdown(Duration.ofSeconds(10))).isTrue();
      assertThat(readPacket(socket)).startsWith("e0").contains("8b");
      assertThat(world.inboxes.get("a").attached).isFalse();
      assertThat(world.registry.size()).isZero();
    }
  }

  @Test
  void shouldRefuseConnectionsUntilAFileDescriptorIsFree() throws IOException {
    world.freeDescriptors.set(1);
    try (MqttServer server = start(ANY_PORT)) {
      try (Socket first = open(server)) {
        send(first, CONNECT_5);
        readPacket(first);
        try (Socket second = open(server)) {
          assertThat(second.getInputStream().read()).isEqualTo(-1);
        }
        assertThat(world.observer.refused)
            .containsOnly(Map.entry(CloseReason.NO_FILE_DESCRIPTORS, 1));
        send(first, "c000");
        assertThat(readPacket(first)).as("connected clients are not affected").isEqualTo("d000");
      }
      Await.until("the descriptor is free", () -> world.freeDescriptors.get() == 1);
      try (Socket third = open(server)) {
        send(third, CONNECT_5);
        assertThat(readPacket(third)).startsWith("20");
      }
    }
  }

  @Test
  void shouldCountFailuresToAcceptAConnection() {
    EmbeddedChannel listener =
        new EmbeddedChannel(new AcceptFailureHandler("tcpListener", world.sessions));
    listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    listener.checkException(); // throws if it was passed on
    assertThat(listener.isOpen()).isTrue();
    assertThat(world.observer.refused).containsOnly(Map.entry(CloseReason.ACCEPT_FAILED, 2));
  }

  @Test
  void shouldCloseConnectionsBeyondTheMaximum() throws IOException {
    ListenerSettings one =
        new ListenerSettings(
            "mqttServerConfig.tcpListener",
            new Endpoint.Tcp("127.0.0.1", 0),
            new SocketSettings(10, 1, 4_096, 1_024),
            ProxySettings.NONE,
            null,
            null);
    try (MqttServer server = start(one);
        Socket first = open(server)) {
      send(first, CONNECT_5);
      readPacket(first);
      try (Socket second = open(server)) {
        assertThat(second.getInputStream().read()).isEqualTo(-1);
      }
      assertThat(world.observer.refused).containsEntry(CloseReason.TOO_MANY_CONNECTIONS, 1);
      send(first, "c000");
      assertThat(readPacket(first)).isEqualTo("d000");
    }
  }
}
