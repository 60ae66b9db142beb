package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** MQTT over WebSocket on the HTTP port: who may connect, and how bytes pass through. */
class MqttUpgradeTest {
  private static final int WAIT_SECONDS = 20;

  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<ServedClient> served = new LinkedBlockingQueue<>();
  private volatile boolean loggedIn = true;
  private HttpServer server;

  /** A client as the broker sees it. */
  private static final class ServedClient implements MqttClients.Connection {
    private final MqttUser user;
    private final MqttClients.Client client;
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    private ServedClient(MqttUser user, MqttClients.Client client) {
      this.user = user;
      this.client = client;
    }

    @Override
    public void receive(ByteBuffer bytes) {
      received.add(StandardCharsets.UTF_8.decode(bytes).toString());
    }

    @Override
    public void close() {
      closed.complete(null);
    }

    private String next() throws InterruptedException {
      client.demand();
      return received.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    }
  }

  /** A browser. */
  private static final class Browser implements WebSocket.Listener {
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    @Override
    public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
      received.add(StandardCharsets.UTF_8.decode(data).toString());
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onPong(WebSocket socket, ByteBuffer message) {
      received.add("pong " + StandardCharsets.UTF_8.decode(message));
      socket.request(1);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      closed.complete(status);
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      closed.completeExceptionally(error);
    }
  }

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.start(
            TestHttpSettings.defaults(),
            new Pages(format -> "", List::of, () -> CompletableFuture.completedFuture("")),
            new TestApi(
                call -> new CompletableFuture<>(),
                call -> loggedIn && call.authorization().filter("Bearer abc"::equals).isPresent()),
            this::open,
            HttpObserver.NONE);
  }

  private MqttClients.Connection open(
      MqttUser user, InetSocketAddress address, boolean encrypted, MqttClients.Client client) {
    assertThat(address.getAddress().isLoopbackAddress()).isTrue();
    assertThat(encrypted).isFalse();
    ServedClient opened = new ServedClient(user, client);
    served.add(opened);
    return opened;
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private WebSocket connect(Browser browser, String... protocols) {
    WebSocket.Builder builder = http.newWebSocketBuilder();
    if (protocols.length > 0) {
      builder.subprotocols(
          protocols[0], List.of(protocols).subList(1, protocols.length).toArray(String[]::new));
    }
    return builder
        .buildAsync(URI.create("ws://127.0.0.1:" + server.port() + "/mqtt"), browser)
        .join();
  }

  private ServedClient served() throws InterruptedException {
    return served.poll(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void shouldCarryBytesOfCallersWithAToken() throws Exception {
    Browser browser = new Browser();
    WebSocket socket = connect(browser, "mqtt", "fjordmq.bearer.abc");
    assertThat(socket.getSubprotocol()).isEqualTo("mqtt");
    ServedClient client = served();
    assertThat(client.user).isEqualTo(new MqttUser("tester", ""));
    socket.sendBinary(bytes("one"), true).join();
    assertThat(client.next()).isEqualTo("one");
    CompletableFuture<Void> sent = new CompletableFuture<>();
    client.client.send(bytes("two"), () -> sent.complete(null));
    sent.get(WAIT_SECONDS, TimeUnit.SECONDS);
    assertThat(browser.received.poll(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("two");
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
    client.client.demand(); // as a session does after each read
    client.closed.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void shouldReadNothingUntilTheBrokerDemandsIt() throws Exception {
    WebSocket socket = connect(new Browser(), "mqtt", "fjordmq.bearer.abc");
    ServedClient client = served();
    socket.sendBinary(bytes("one"), true).join();
    socket.sendBinary(bytes("two"), true).join();
    assertThat(client.next()).isEqualTo("one");
    assertThat(client.received.poll(200, TimeUnit.MILLISECONDS)).isNull();
    assertThat(client.next()).isEqualTo("two");
  }

  @Test
  void shouldAnswerPings() throws Exception {
    Browser browser = new Browser();
    WebSocket socket = connect(browser, "mqtt", "fjordmq.bearer.abc");
    served().client.demand();
    socket.sendPing(bytes("x")).join();
    assertThat(browser.received.poll(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("pong x");
  }

  @Test
  void shouldRefuseCallersWithoutAToken() {
    assertRefused(401, "mqtt");
    assertRefused(401, "mqtt", "fjordmq.bearer.other");
    assertThat(served).isEmpty();
  }

  @Test
  void shouldRefuseOtherSubProtocols() {
    assertRefused(400, "fjordmq.bearer.abc");
    assertRefused(400);
  }

  private void assertRefused(int status, String... protocols) {
    assertThatThrownBy(() -> connect(new Browser(), protocols))
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            WebSocketHandshakeException.class,
            failure -> assertThat(failure.getResponse().statusCode()).isEqualTo(status));
  }

  @Test
  void shouldExplainItselfToOtherRequests() throws Exception {
    HttpResponse<String> answer =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/mqtt"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).isEqualTo(426);
    assertThat(answer.body()).contains("MQTT over WebSocket");
  }

  @Test
  void shouldRefuseTextFrames() throws Exception {
    Browser browser = new Browser();
    WebSocket socket = connect(browser, "mqtt", "fjordmq.bearer.abc");
    ServedClient client = served();
    socket.sendText("CONNECT", true).join();
    client.client.demand();
    assertThat(browser.closed.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1003);
    client.closed.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void shouldCloseWhenTheBrokerDoes() throws Exception {
    Browser browser = new Browser();
    connect(browser, "mqtt", "fjordmq.bearer.abc");
    served().client.close();
    assertThat(browser.closed.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1000);
  }

  @Test
  void shouldEndTheConnectionWhenTheLoginEnds() throws Exception {
    Browser browser = new Browser();
    connect(browser, "mqtt", "fjordmq.bearer.abc");
    ServedClient client = served();
    loggedIn = false;
    assertThat(browser.closed.get(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo(1008);
    client.closed.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }
}
