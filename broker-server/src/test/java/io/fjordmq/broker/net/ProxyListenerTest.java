package io.fjordmq.broker.net;

import static io.fjordmq.broker.net.OpenListener.CONNECT;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.OpenListener.RawConnection;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients behind a proxy that speaks the PROXY protocol, version 1 or 2. */
@ExtendWith(LeakDetector.class)
class ProxyListenerTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

  /** IPv4, TCP: 198.51.100.7:1000 to 127.0.0.1:1883. */
  private static final String IPV4_ADDRESSES = "11 000c c6336407 7f000001 03e8 075b";

  private static String hex(String text) {
    return ByteBufUtil.hexDump(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  private static Peer connect(OpenListener listener, String header) throws Exception {
    try (RawConnection connection = listener.connect()) {
      connection.send(header + CONNECT);
      assertThat(connection.read()).startsWith("20");
      return OpenListener.take(listener.peers);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY TCP4 198.51.100.7 203.0.113.1 50123 1883, 198.51.100.7:50123",
    "PROXY TCP6 2001:db8::7 2001:db8::1 50123 1883, [2001:db8::7]:50123"
  })
  void shouldReadTheClientAddressFromAVersion1Header(String header, String displayName)
      throws Exception {
    try (OpenListener listener = new OpenListener(OpenListener.proxied("127.0.0.0/8"))) {
      assertThat(connect(listener, hex(header + "\r\n")).displayName()).isEqualTo(displayName);
    }
  }

  @Test
  void shouldReadTheClientAddressFromAVersion2Header() throws Exception {
    try (OpenListener listener = new OpenListener(OpenListener.proxied("127.0.0.1", "::1"))) {
      Peer four = connect(listener, SIGNATURE + "21" + IPV4_ADDRESSES);
      assertThat(four.displayName()).isEqualTo("198.51.100.7:1000");
      assertThat(four.address()).isEqualTo(InetAddress.getByName("198.51.100.7"));
      String six = "20010db8000000000000000000000007" + "00".repeat(15) + "01" + "03e8" + "075b";
      assertThat(connect(listener, SIGNATURE + "21 21 0024" + six).displayName())
          .isEqualTo("[2001:db8::7]:1000");
      // With a field of three bytes after the addresses.
      String field = IPV4_ADDRESSES.replace("000c", "0012") + "e0 0003 616263";
      assertThat(connect(listener, SIGNATURE + "21" + field).displayName())
          .isEqualTo("198.51.100.7:1000");
    }
  }

  @Test
  void shouldUseTheProxyAddressForClientsWithoutAnAddress() throws Exception {
    try (OpenListener listener = new OpenListener(OpenListener.proxied("127.0.0.1"))) {
      InetAddress proxy = InetAddress.getLoopbackAddress();
      assertThat(connect(listener, hex("PROXY UNKNOWN\r\n")).address()).isEqualTo(proxy);
      assertThat(connect(listener, SIGNATURE + "20" + IPV4_ADDRESSES).address())
          .as("LOCAL: the proxy itself")
          .isEqualTo(proxy);
      assertThat(connect(listener, SIGNATURE + "20 00 0000").address()).isEqualTo(proxy);
      assertThat(connect(listener, SIGNATURE + "21 00 0000").address()).isEqualTo(proxy);
      String unix = hex("/run/client") + "00".repeat(97) + hex("/run/proxy") + "00".repeat(98);
      assertThat(connect(listener, SIGNATURE + "21 31 00d8" + unix).address())
          .as("a client on the proxy host is not a local client")
          .isEqualTo(proxy);
    }
  }

  @Test
  void shouldAcceptAFragmentedHeaderAndAHeaderBeforeTls(@TempDir Path folder) throws Exception {
    Certs certs = new Certs(folder);
    ListenerSettings tls = OpenListener.tls(certs.settings());
    ProxySettings proxy = OpenListener.proxied("127.0.0.1").proxy();
    try (OpenListener listener =
            new OpenListener(
                new ListenerSettings(
                    tls.key(), tls.endpoint(), tls.socket(), proxy, tls.tls(), null));
        RawConnection connection = listener.connect()) {
      connection.send(SIGNATURE + "21");
      connection.send("11 000c c6336407");
      connection.send("7f000001 03e8 075b");
      SSLContext context = certs.trusting(null);
      SSLSocket socket =
          (SSLSocket)
              context
                  .getSocketFactory()
                  .createSocket(connection.socket(), "localhost", 1883, false);
      RawConnection inside = new RawConnection(socket);
      inside.send(CONNECT);
      assertThat(inside.read()).startsWith("20");
      Peer peer = OpenListener.take(listener.peers);
      assertThat(peer.displayName()).isEqualTo("198.51.100.7:1000");
      assertThat(peer.encrypted()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROXY TCP4 198.51.100.777 203.0.113.1 1 2\r\n",
        "PROXY TCP4 198.51.100.7 203.0.113.1 70000 2\r\n",
        "PROXY TCP4 198.51.100.7\r\n",
        "PROXY TCP9 a b 1 2\r\n",
        "PROXIES TCP4 198.51.100.7 203.0.113.1 1 2\r\n",
        "\u0010\u000e\u0000\u0004MQTT\u0005\u0002\u0000\u003c\u0000\u0000\u0001a\r\n",
        "\r\n\r\n\0\r\nQUIT\n\u0031\u0011\0\u000c............",
        "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\0\u0004....",
        "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\u00ff\u00ff"
      })
  void shouldRejectInvalidHeaders(String garbage) throws Exception {
    // The last one announces 64 KiB, more than the listener buffers.
    String all = garbage.endsWith("\u00ff") ? garbage + ".".repeat(4_000) : garbage;
    try (OpenListener listener = new OpenListener(OpenListener.proxied("127.0.0.1"));
        RawConnection connection = listener.connect()) {
      connection.send(hex(all));
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.PROXY_HEADER_INVALID, 1);
      assertThat(listener.peers).isEmpty();
      assertThat(listener.world.observer.refused).hasSize(1);
    }
  }

  @Test
  void shouldRejectConnectionsFromUntrustedProxies() throws Exception {
    try (OpenListener listener = new OpenListener(OpenListener.proxied("192.0.2.0/24"));
        RawConnection connection = listener.connect()) {
      connection.send(SIGNATURE + "21" + IPV4_ADDRESSES + CONNECT);
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.PROXY_NOT_TRUSTED, 1);
      assertThat(listener.peers).isEmpty();
    }
  }

  @Test
  void shouldRejectAHeaderOnAListenerWithoutProxyProtocol() throws Exception {
    try (OpenListener listener = new OpenListener(ListenerSettings.tcp("127.0.0.1", 0));
        RawConnection connection = listener.connect()) {
      connection.send(SIGNATURE + "21" + IPV4_ADDRESSES + CONNECT);
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.FIRST_PACKET_NOT_CONNECT, 1);
    }
  }

  @Test
  void shouldCloseConnectionsWithoutAHeaderAfterATimeout() throws Exception {
    SessionSettings hasty = Settings.with("connectTimeout", Duration.ofMillis(300));
    try (OpenListener listener = new OpenListener(hasty, OpenListener.proxied("127.0.0.1"));
        RawConnection connection = listener.connect()) {
      connection.send(hex("PROXY TCP4"));
      assertThat(connection.awaitClose()).isTrue();
      listener.awaitRefused(CloseReason.CONNECT_TIMEOUT, 1);
    }
  }
}
