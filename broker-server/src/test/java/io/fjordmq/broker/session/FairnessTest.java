package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.net.ListenerObserver;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.Transport;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.World;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of one event loop on real sockets: none starves the others. */
@ExtendWith(LeakDetector.class)
class FairnessTest {
  private static final int PUBLISH = 3;
  private static final int SUBSCRIBE = 8;
  private static final int UNSUBSCRIBE = 10;
  private static final int PINGREQ = 12;
  private static final int SLICE_PACKETS = 256;
  private static final int PACKETS = 4_000;
  private static final int FILTERS = 4_000;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final World world =
      new World(Settings.with(Settings.with("maxTopicLevels", 1), "maxSubscriptions", 1));
  private final ExecutorService stores = Executors.newSingleThreadExecutor();
  private final AtomicInteger publishes = new AtomicInteger();

  @BeforeEach
  void runStores() {
    world.tasks.runOn(stores);
  }

  @AfterEach
  void stopStores() {
    stores.shutdown();
  }

  private MqttServer start(String transport) {
    return MqttServer.start(
        List.of(ListenerSettings.tcp("127.0.0.1", 0)),
        Transport.named(transport),
        1,
        world.sessions,
        ListenerObserver.NONE);
  }

  private static Socket connect(MqttServer server, String id) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.listeners().get(0).port());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) TIMEOUT.toMillis());
    send(socket, "10 0e 0004 4d515454 05 02 003c 00 0001" + id);
    int length = socket.getInputStream().readNBytes(2)[1];
    socket.getInputStream().readNBytes(length);
    return socket;
  }

  private static void send(Socket socket, String hex) {
    try {
      OutputStream out = socket.getOutputStream();
      out.write(ByteBufUtil.decodeHexDump(hex.replace(" ", "")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String publishPackets() {
    return "30 04 0001 61 00".repeat(PACKETS);
  }

  /** A SUBSCRIBE or UNSUBSCRIBE with the filters prefix1000, prefix1001 and so on. */
  private static String filterPacket(int type, String prefix) {
    StringBuilder body = new StringBuilder("000100");
    for (int i = 0; i < FILTERS; i++) {
      byte[] filter = (prefix + (1000 + i)).getBytes(StandardCharsets.US_ASCII);
      body.append(String.format("%04x", filter.length)).append(ByteBufUtil.hexDump(filter));
      body.append(type == SUBSCRIBE ? "00" : "");
    }
    int length = body.length() / 2;
    int low = length & 0x7F | 0x80;
    int middle = length >> 7 & 0x7F | 0x80;
    return String.format("%x2%02x%02x%02x", type, low, middle, length >> 14) + body;
  }

  private void observePackets(IntConsumer action) {
    world.observer.metrics =
        new SessionObserver() {
          @Override
          public void onPacketReceived(int type) {
            action.accept(type);
          }
        };
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio"})
  void shouldReadFromOtherClientsBetweenSlicesOfABusyClient(String transport) throws IOException {
    AtomicInteger sentAt = new AtomicInteger();
    AtomicInteger handledAt = new AtomicInteger();
    try (MqttServer server = start(transport);
        Socket other = connect(server, "62");
        Socket busy = connect(server, "61")) {
      observePackets(
          type -> {
            // On the event loop, so the kernel holds the other client's packet meanwhile.
            if (type == PUBLISH && publishes.incrementAndGet() == PACKETS / 2) {
              sentAt.set(publishes.get());
              send(other, "c000");
            } else if (type == PINGREQ) {
              handledAt.set(publishes.get());
            }
          });
      send(busy, publishPackets());
      assertThat(other.getInputStream().readNBytes(2)).containsExactly(0xD0, 0);
      assertThat(handledAt.get() - sentAt.get()).isLessThanOrEqualTo(2 * SLICE_PACKETS);
      Await.until(publishes::toString, () -> publishes.get() == PACKETS);
      send(busy, "c000");
      assertThat(busy.getInputStream().readNBytes(2)).containsExactly(0xD0, 0);
    }
  }

  /**
   * The last filter is not valid UTF-8. If the packet were decoded as a whole, the client would be
   * disconnected before any filter is read.
   */
  @ParameterizedTest(name = "packet of type {0}")
  @ValueSource(ints = {SUBSCRIBE, UNSUBSCRIBE})
  void shouldReadFromOtherClientsWhileFiltersOfOnePacketAreDecoded(int type) throws IOException {
    AtomicInteger read = new AtomicInteger();
    AtomicInteger handledAt = new AtomicInteger();
    try (MqttServer server = start("auto");
        Socket other = connect(server, "62");
        Socket busy = connect(server, "61")) {
      world.observer.metrics =
          new SessionObserver() {
            @Override
            public void onLimitReached(Limit limit, String tenant) { // for each decoded filter
              if (read.incrementAndGet() == FILTERS / 2) {
                send(other, "c000");
              }
            }

            @Override
            public void onPacketReceived(int packet) {
              if (packet == PINGREQ) {
                handledAt.compareAndSet(0, read.get());
              }
            }
          };
      String filters = filterPacket(type, "a/");
      int last = filters.length() - (type == SUBSCRIBE ? 4 : 2);
      send(busy, filters.substring(0, last) + "ff" + filters.substring(last + 2));
      assertThat(busy.getInputStream().readNBytes(1)).containsExactly(0xE0);
      assertThat(read).hasValue(FILTERS - 1);
      assertThat(other.getInputStream().readNBytes(2)).containsExactly(0xD0, 0);
      assertThat(handledAt.get() - FILTERS / 2).isLessThanOrEqualTo(2 * SLICE_PACKETS);
    }
  }

  @ParameterizedTest(name = "packet of type {0}, filters {1}1000 to {1}4999")
  @CsvSource({SUBSCRIBE + ",''", SUBSCRIBE + ",a/", UNSUBSCRIBE + ",a/"})
  void shouldReadFromOtherClientsBetweenFiltersOfOnePacket(int type, String prefix)
      throws IOException {
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger handledAt = new AtomicInteger();
    try (MqttServer server = start("auto");
        Socket other = connect(server, "62");
        Socket busy = connect(server, "61")) {
      world.observer.metrics =
          new SessionObserver() {
            @Override
            public void onLimitReached(Limit limit, String tenant) {
              if (refused.incrementAndGet() == FILTERS / 2) {
                send(other, "c000");
              }
            }

            @Override
            public void onPacketReceived(int packet) {
              if (packet == PINGREQ) {
                handledAt.compareAndSet(0, refused.get());
              }
            }
          };
      send(busy, filterPacket(type, prefix) + "c000");
      assertThat(other.getInputStream().readNBytes(2)).containsExactly(0xD0, 0);
      assertThat(handledAt.get() - FILTERS / 2).isLessThanOrEqualTo(2 * SLICE_PACKETS);
      byte[] answer = busy.getInputStream().readNBytes(3 + 3 + FILTERS + 2);
      assertThat(answer[0] >> 4 & 0xF).isEqualTo(type + 1);
      assertThat(answer).endsWith(0xD0, 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"auto", "nio"})
  void shouldProcessAllPacketsSentBeforeTheClientCloses(String transport) throws IOException {
    observePackets(type -> publishes.addAndGet(type == PUBLISH ? 1 : 0));
    try (MqttServer server = start(transport)) {
      Socket client = connect(server, "61");
      send(client, filterPacket(SUBSCRIBE, "") + publishPackets() + "e000");
      client.close();
      Await.until(
          () -> "handled: " + publishes.get(),
          () -> !world.observer.disconnected.isEmpty() && world.observer.heldBack.get() == 0);
      assertThat(world.observer.disconnected).containsOnlyKeys(CloseReason.CLIENT_DISCONNECT);
      assertThat(publishes).hasValue(PACKETS);
    }
  }
}
