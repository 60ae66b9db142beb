package io.fjordmq.broker.net;

import static io.fjordmq.broker.net.OpenListener.CONNECT;
import static io.fjordmq.broker.net.OpenListener.PING;
import static io.fjordmq.broker.net.OpenListener.PONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** MQTT over WebSocket (MQTT 5.0 §6); uses the JDK's client, or raw bytes for invalid frames. */
@ExtendWith(LeakDetector.class)
class WebSocketListenerTest {
  private static final String UPGRADE =
      """
      GET %s HTTP/1.1\r
      Host: localhost\r
      Upgrade: websocket\r
      Connection: keep-alive, Upgrade\r
      Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
      Sec-WebSocket-Version: 13\r
      %s\r
      """;

  private static OpenListener open() {
    return new OpenListener(OpenListener.webSocket(WebSocketSettings.DEFAULTS));
  }

  /** Records binary frames and the close code. */
  private static final class Client implements WebSocket.Listener {
    final BlockingQueue<String> frames = new LinkedBlockingQueue<>();
    final BlockingQueue<Integer> closeCodes = new LinkedBlockingQueue<>();
    final BlockingQueue<String> pongs = new LinkedBlockingQueue<>();
    final WebSocket socket;

    Client(OpenListener listener, String subProtocol) {
      socket =
          HttpClient.newHttpClient()
              .newWebSocketBuilder()
              .subprotocols(subProtocol)
              .connectTimeout(Duration.ofSeconds(20))
              .buildAsync(URI.create(listener.server.listeners().get(0).url()), this)
              .join();
    }

    void send(String hex, boolean last) {
      byte[] bytes = ByteBufUtil.decodeHexDump(hex.replace(" ", ""));
      socket.sendBinary(ByteBuffer.wrap(bytes), last).join();
    }

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      frames.add(ByteBufUtil.hexDump(bytes));
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
      pongs.add(StandardCharsets.UTF_8.decode(message).toString());
      from.request(1);
      return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int status, String reason) {
      closeCodes.add(status);
      return null;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mqtt", "mqttv3.1"})
  @DisplayName(
      "[MQTT-6.0.0-4] [3.1.1: MQTT-6.0.0-4] the sub-protocol the client offers is selected")
  void shouldServeBothSubProtocols(String subProtocol) throws Exception {
    try (OpenListener listener = open()) {
      Client client = new Client(listener, subProtocol);
      assertThat(client.socket.getSubprotocol()).isEqualTo(subProtocol);
      client.send(CONNECT, true);
      assertThat(OpenListener.take(client.frames)).startsWith("20");
      assertThat(OpenListener.take(listener.peers).listener()).isEqualTo("wsListener");
      client.socket.abort();
    }
  }

  @Test
  @DisplayName("[MQTT-6.0.0-2] [3.1.1: MQTT-6.0.0-2] packets need not begin and end with frames")
  void shouldReadPacketsRegardlessOfFrameBoundaries() throws Exception {
    try (OpenListener listener = open()) {
      Client client = new Client(listener, "mqtt");
      String connect = CONNECT.replace(" ", "");
      client.send(connect.substring(0, 6), false); // one message in three fragments
      client.send("", false);
      client.send(connect.substring(6, 10), true);
      client.send(connect.substring(10), true); // and the rest in another message
      assertThat(OpenListener.take(client.frames)).startsWith("20");
      client.send(PING + PING + PING.substring(0, 2), true); // two packets and a part
      client.send(PING.substring(2), true);
      StringBuilder pongs = new StringBuilder();
      while (pongs.length() < 3 * PONG.length()) {
        pongs.append(OpenListener.take(client.frames));
      }
      assertThat(pongs).hasToString(PONG.repeat(3));
      client.socket.abort();
    }
  }

  @Test
  void shouldAnswerWebSocketPings() throws Exception {
    try (OpenListener listener = open()) {
      Client client = new Client(listener, "mqtt");
      client.socket.sendPing(ByteBuffer.wrap("hello".getBytes(StandardCharsets.UTF_8))).join();
      assertThat(OpenListener.take(client.pongs)).isEqualTo("hello");
      client.socket.sendPong(ByteBuffer.allocate(0)).join();
      client.send(CONNECT, true);
      assertThat(OpenListener.take(client.frames)).startsWith("20");
      client.socket.abort();
    }
  }

  /** RFC 6455 §5.2; RSV1 belongs to negotiated compression, the other bits are unassigned. */
  @ParameterizedTest(name = "first byte {0}, compression {1}")
  @CsvSource({
    "c2, off",
    "a2, off",
    "92, off",
    "c9, off",
    "c2, possible",
    "a2, possible",
    "c9, possible",
    "a2, on",
    "d2, on",
    "e2, on",
    "c9, on",
    "aa, on"
  })
  void shouldCloseTheConnectionOnReservedBitsWithoutAnExtension(String first, String compression)
      throws Exception {
    try (OpenListener listener =
            new OpenListener(
                OpenListener.webSocket(
                    new WebSocketSettings("/mqtt", 1_024, !compression.equals("off"))));
        RawConnection connection = listener.connect()) {
      String more = "Sec-WebSocket-Protocol: mqtt\r\n";
      if (compression.equals("on")) {
        more += "Sec-WebSocket-Extensions: permessage-deflate\r\n";
      }
      String request = UPGRADE.formatted("/mqtt", more);
      connection.socket().getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      connection.send(first + "80" + "00000000");
      String answer = ByteBufUtil.hexDump(connection.socket().getInputStream().readAllBytes());
      assertThat(answer).containsPattern("88..03ea"); // close, 1002
      listener.awaitRefused(CloseReason.WEBSOCKET_ERROR, 1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"ping", "pong", "empty"})
  void shouldCountFramesWithoutPacketsInTheReadRate(String frame) throws Exception {
    try (OpenListener listener =
        new OpenListener(
            Settings.with("readBytesPerSecond", 100),
            OpenListener.webSocket(WebSocketSettings.DEFAULTS))) {
      Client client = new Client(listener, "mqtt");
      client.send(CONNECT, true);
      OpenListener.take(client.frames);
      for (int i = 0; i < 20; i++) {
        switch (frame) {
          case "ping" -> client.socket.sendPing(ByteBuffer.allocate(100)).join();
          case "pong" -> client.socket.sendPong(ByteBuffer.allocate(100)).join();
          default -> client.send("", true);
        }
      }
      Await.until(
          () -> "the read rate was reached, but " + listener.world.observer.limits,
          () -> listener.world.observer.limits.containsKey(Limit.READ_RATE.label()));
      client.socket.abort();
    }
  }

  @Test
  void shouldEndTheConnectionWhenTheClientClosesTheWebSocket() throws Exception {
    try (OpenListener listener = open()) {
      Client client = new Client(listener, "mqtt");
      client.send(CONNECT, true);
      OpenListener.take(client.frames);
      client.socket.sendClose(WebSocket.NORMAL_CLOSURE, "bye").join();
      assertThat(OpenListener.take(client.closeCodes)).isEqualTo(WebSocket.NORMAL_CLOSURE);
      Await.until(
          () -> "the connection has ended, but " + listener.world.observer.disconnected,
          () -> listener.world.observer.disconnected.containsKey(CloseReason.CONNECTION_LOST));
    }
  }

  @Test
  @DisplayName("[MQTT-6.0.0-1] [3.1.1: MQTT-6.0.0-1] a text frame ends the connection")
  void shouldEndTheConnectionOnATextFrame() throws Exception {
    try (OpenListener listener = open()) {
      Client early = new Client(listener, "mqtt");
      early.socket.sendText("CONNECT", true).join();
      assertThat(OpenListener.take(early.closeCodes)).isEqualTo(1003);
      listener.awaitRefused(CloseReason.WEBSOCKET_ERROR, 1);
      Client later = new Client(listener, "mqtt");
      later.send(CONNECT, true);
      OpenListener.take(later.frames);
      later.socket.sendText("PUBLISH", true).join();
      assertThat(OpenListener.take(later.closeCodes)).isEqualTo(1003);
      assertThat(listener.world.observer.disconnected)
          .containsEntry(CloseReason.WEBSOCKET_ERROR, 1);
    }
  }

  @Test
  void shouldSendDisconnectBeforeTheCloseFrame() throws Exception {
    try (OpenListener listener = open()) {
      Client client = new Client(listener, "mqtt");
      client.send(CONNECT, true);
      OpenListener.take(client.frames);
      client.send(CONNECT, true);
      assertThat(OpenListener.take(client.frames)).startsWith("e0").contains("82");
      assertThat(OpenListener.take(client.closeCodes)).isEqualTo(WebSocket.NORMAL_CLOSURE);
    }
  }

  @Test
  void shouldRejectAFrameThatIsTooLarge() throws Exception {
    try (OpenListener listener =
        new OpenListener(OpenListener.webSocket(new WebSocketSettings("/mqtt", 1_024, false)))) {
      Client client = new Client(listener, "mqtt");
      client.send("00".repeat(1_025), true);
      assertThat(OpenListener.take(client.closeCodes)).isEqualTo(1009);
      listener.awaitRefused(CloseReason.WEBSOCKET_ERROR, 1);
    }
  }

  @Test
  @DisplayName("[MQTT-6.0.0-3] [3.1.1: MQTT-6.0.0-3] a client that does not offer mqtt is refused")
  void shouldRefuseASubProtocolThatIsNotMqtt() throws Exception {
    try (OpenListener listener = open()) {
      assertThatThrownBy(() -> new Client(listener, "wamp"))
          .isInstanceOf(CompletionException.class)
          .cause()
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              e -> assertThat(e.getResponse().statusCode()).isEqualTo(400));
      listener.awaitRefused(CloseReason.WEBSOCKET_REFUSED, 1);
    }
  }

  private static String sendRequest(OpenListener listener, String request) throws IOException {
    try (RawConnection connection = listener.connect()) {
      connection.socket().getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(
          connection.socket().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldAnswerOtherRequestsWithAnHttpError() throws Exception {
    try (OpenListener listener = open()) {
      assertThat(sendRequest(listener, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
          .startsWith("HTTP/1.1 404 ")
          .endsWith("MQTT is served at /mqtt\n");
      assertThat(sendRequest(listener, "GET /mqtt HTTP/1.1\r\nHost: x\r\n\r\n"))
          .startsWith("HTTP/1.1 426 ")
          .containsIgnoringCase("sec-websocket-version: 13");
      assertThat(sendRequest(listener, "DELETE /mqtt HTTP/1.1\r\nHost: x\r\n\r\n"))
          .startsWith("HTTP/1.1 405 ");
      assertThat(sendRequest(listener, UPGRADE.formatted("/mqtt", ""))).startsWith("HTTP/1.1 400 ");
      String withoutKey = UPGRADE.formatted("/mqtt", "Sec-WebSocket-Protocol: mqtt\r\n");
      assertThat(sendRequest(listener, withoutKey.replaceFirst("Sec-WebSocket-Key.*\r\n", "")))
          .startsWith("HTTP/1.1 400 ");
      assertThat(sendRequest(listener, "\u0010\u000e\u0000\u0004MQTT\r\n\r\n"))
          .startsWith("HTTP/1.1 400 ");
      listener.awaitRefused(CloseReason.WEBSOCKET_REFUSED, 6);
    }
  }

  @Test
  void shouldAcceptAQueryAnOriginAndAdditionalSubProtocols() throws Exception {
    try (OpenListener listener = open();
        RawConnection connection = listener.connect()) {
      String more = "Origin: https://elsewhere.example\r\nSec-WebSocket-Protocol: a, mqtt\r\n";
      String request = UPGRADE.formatted("/mqtt?token=1", more);
      connection.socket().getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      byte[] first = connection.socket().getInputStream().readNBytes(12);
      assertThat(new String(first, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 101");
    }
  }

  @Test
  @DisplayName("[MQTT-6.0.0-4] [3.1.1: MQTT-6.0.0-4] mqtt is also found in a second header line")
  void shouldSelectMqttFromAnyHeaderLine() throws Exception {
    try (OpenListener listener = open();
        RawConnection connection = listener.connect()) {
      String more = "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: mqtt\r\n";
      connection
          .socket()
          .getOutputStream()
          .write(UPGRADE.formatted("/mqtt", more).getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      while (answer.indexOf("\r\n\r\n") < 0) {
        int next = connection.socket().getInputStream().read();
        assertThat(next).as("end of stream after " + answer).isNotNegative();
        answer.append((char) next);
      }
      assertThat(answer.toString()).containsIgnoringCase("\r\nsec-websocket-protocol: mqtt\r\n");
    }
  }

  @Test
  void shouldRejectUnmaskedFrames() throws Exception {
    try (OpenListener listener = open();
        RawConnection connection = listener.connect()) {
      String request = UPGRADE.formatted("/mqtt", "Sec-WebSocket-Protocol: mqtt\r\n");
      connection.socket().getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      connection.send("8210" + CONNECT.replace(" ", ""));
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.WEBSOCKET_ERROR, 1);
    }
  }

  @Test
  void shouldCloseConnectionsThatDoNotSendConnectInTime() throws Exception {
    try (OpenListener listener =
            new OpenListener(
                Settings.with("connectTimeout", Duration.ofMillis(300)),
                OpenListener.webSocket(WebSocketSettings.DEFAULTS));
        RawConnection half = listener.connect()) {
      half.socket().getOutputStream().write("GET /mqtt HT".getBytes(StandardCharsets.US_ASCII));
      assertThat(half.awaitClose()).isTrue();
      Client idle = new Client(listener, "mqtt");
      assertThat(OpenListener.take(idle.closeCodes)).isEqualTo(WebSocket.NORMAL_CLOSURE);
      listener.awaitRefused(CloseReason.CONNECT_TIMEOUT, 2);
    }
  }

  @Test
  void shouldServeOnAConfiguredPathWithCompression() throws Exception {
    try (OpenListener listener =
            new OpenListener(OpenListener.webSocket(new WebSocketSettings("/x", 1_024, true)));
        RawConnection connection = listener.connect()) {
      String more =
          "Sec-WebSocket-Protocol: mqtt\r\nSec-WebSocket-Extensions: permessage-deflate\r\n";
      String request = UPGRADE.formatted("/x", more);
      connection.socket().getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      StringBuilder answer = new StringBuilder();
      while (answer.indexOf("\r\n\r\n") < 0) {
        answer.append((char) connection.socket().getInputStream().read());
      }
      assertThat(answer.toString()).containsIgnoringCase("extensions: permessage-deflate");
      // 200,000 zeros compressed to about 200 bytes exceed the frame limit.
      String zeros = deflate(new byte[200_000]);
      connection.send("c2fe" + "%04x".formatted(zeros.length() / 2) + "00000000" + zeros);
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.WEBSOCKET_ERROR, 1);
    }
  }

  /** Compresses and omits the last four bytes of the flush; see RFC 7692 §7.2.1. */
  private static String deflate(byte[] content) {
    var deflater = new java.util.zip.Deflater(9, true);
    deflater.setInput(content);
    byte[] out = new byte[1_024];
    int length = deflater.deflate(out, 0, out.length, java.util.zip.Deflater.SYNC_FLUSH);
    deflater.end();
    return ByteBufUtil.hexDump(out, 0, length - 4);
  }

  @Test
  void shouldSurviveRandomBytes() throws Exception {
    java.util.Random random = new java.util.Random(7);
    try (OpenListener listener = open()) {
      for (int i = 0; i < 30; i++) {
        try (RawConnection connection = listener.connect()) {
          byte[] garbage = new byte[random.nextInt(300)];
          random.nextBytes(garbage);
          if (i % 2 == 0) {
            String request = UPGRADE.formatted("/mqtt", "Sec-WebSocket-Protocol: mqtt\r\n");
            connection
                .socket()
                .getOutputStream()
                .write(request.getBytes(StandardCharsets.US_ASCII));
          }
          connection.socket().getOutputStream().write(garbage);
        }
      }
      Await.until(
          () -> "30 refused, but " + listener.world.observer.refused,
          () -> listener.world.observer.refused.values().stream().mapToInt(n -> n).sum() == 30);
      assertThat(listener.world.observer.refused).doesNotContainKey(CloseReason.INTERNAL_ERROR);
      CompletableFuture.runAsync(() -> new Client(listener, "mqtt").socket.abort()).join();
    }
  }
}
