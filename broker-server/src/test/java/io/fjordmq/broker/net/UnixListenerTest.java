package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.testing.LeakDetector;
import io.netty.buffer.ByteBufUtil;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners on Unix domain sockets, and the socket files they create and find. */
@ExtendWith(LeakDetector.class)
class UnixListenerTest {
  @TempDir Path folder;

  private Path socketFile() {
    return folder.resolve("mqtt");
  }

  private ListenerSettings unix(String permissions) {
    return new ListenerSettings(
        "mqttServerConfig.unixListener",
        new Endpoint.Unix(socketFile().toString(), permissions),
        SocketSettings.DEFAULTS,
        ProxySettings.NONE,
        null,
        null);
  }

  private void assertServes() throws IOException {
    try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(socketFile()))) {
      byte[] connect = ByteBufUtil.decodeHexDump(OpenListener.CONNECT.replace(" ", ""));
      client.write(ByteBuffer.wrap(connect));
      ByteBuffer answer = ByteBuffer.allocate(1);
      assertThat(client.read(answer)).isEqualTo(1);
      assertThat(answer.get(0)).isEqualTo((byte) 0x20);
    }
  }

  @Test
  void shouldCreateTheSocketFileWithTheConfiguredPermissions() throws Exception {
    try (OpenListener listener = new OpenListener(unix("0620"))) {
      assertServes();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socketFile())))
          .isEqualTo("rw--w----");
      Peer peer = OpenListener.take(listener.peers);
      assertThat(peer.displayName()).isEqualTo("unix:" + socketFile());
      assertThat(peer.address()).isNull();
      assertThat(listener.server.listeners().get(0).url()).isEqualTo("unix:" + socketFile());
    }
    assertThat(folder).as("the file is removed with the listener").isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"nio", "epoll"})
  void shouldServeOnBothTransports(String name) throws Exception {
    try (OpenListener tcpListener = new OpenListener(ListenerSettings.tcp("127.0.0.1", 0));
        MqttServer server =
            MqttServer.start(
                java.util.List.of(unix("660")),
                Transport.named(name),
                1,
                tcpListener.world.sessions,
                ListenerObserver.NONE)) {
      assertThat(server.listeners()).hasSize(1);
      assertServes();
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void shouldReplaceAStaleSocketFile() throws Exception {
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socketFile()));
    }
    assertThat(socketFile()).exists();
    try (OpenListener listener = new OpenListener(unix("660"))) {
      assertServes();
      assertThat(OpenListener.take(listener.peers).listener()).isEqualTo("unixListener");
    }
  }

  @Test
  void shouldNotReplaceTheSocketFileOfARunningProcess() throws Exception {
    try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      other.bind(UnixDomainSocketAddress.of(socketFile()));
      assertThatThrownBy(() -> new OpenListener(unix("660")))
          .hasMessageContaining(socketFile() + ": another process is listening on it; stop")
          .hasMessageContaining("mqttServerConfig.unixListener.path");
      assertThat(socketFile()).exists();
    }
  }

  @Test
  void shouldNotRemoveAFileThatIsNotASocket() throws Exception {
    Files.writeString(socketFile(), "precious");
    assertThatThrownBy(() -> new OpenListener(unix("660")))
        .hasMessageContaining("exists and is not a socket");
    assertThat(socketFile()).hasContent("precious");
  }

  @Test
  void shouldReportAMissingFolder() {
    Endpoint.Unix nowhere = new Endpoint.Unix(folder.resolve("no/such").toString(), "660");
    ListenerSettings s = unix("660");
    assertThatThrownBy(
            () ->
                new OpenListener(
                    new ListenerSettings(s.key(), nowhere, s.socket(), s.proxy(), null, null)))
        .hasMessageContaining("cannot listen on")
        .hasMessageContaining("unixListener.path");
  }
}
