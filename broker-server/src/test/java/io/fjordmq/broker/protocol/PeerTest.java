package io.fjordmq.broker.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Tests how a peer appears to operators, limits and access rules. */
class PeerTest {
  private static final Peer IPV4_PEER =
      Peer.plain("tcpListener", new InetSocketAddress("192.0.2.7", 50_123));

  @Test
  void shouldFormatAddressesAsOperatorsWriteThem() throws UnknownHostException {
    assertThat(IPV4_PEER.displayName()).isEqualTo("192.0.2.7:50123");
    InetAddress six = InetAddress.getByName("2001:db8::7");
    assertThat(IPV4_PEER.withRemote(new InetSocketAddress(six, 1)).displayName())
        .isEqualTo("[2001:db8::7]:1");
    assertThat(IPV4_PEER.withRemote(new DomainSocketAddress("/run/mqtt")).displayName())
        .isEqualTo("unix:/run/mqtt");
    assertThat(IPV4_PEER).hasToString(IPV4_PEER.displayName());
  }

  @Test
  void shouldHaveNoAddressOnAUnixDomainSocket() throws UnknownHostException {
    assertThat(IPV4_PEER.address()).isEqualTo(InetAddress.getByName("192.0.2.7"));
    assertThat(IPV4_PEER.withRemote(new DomainSocketAddress("/run/mqtt")).address()).isNull();
  }

  @Test
  void shouldKeepItsListenerAndTlsStateWhenItsAddressChanges() {
    Peer behindProxy =
        IPV4_PEER.withTls(null, null).withRemote(new InetSocketAddress("198.51.100.1", 9));
    assertThat(behindProxy.listener()).isEqualTo("tcpListener");
    assertThat(behindProxy.encrypted()).isTrue();
    assertThat(behindProxy.displayName()).isEqualTo("198.51.100.1:9");
  }

  @Test
  void shouldBeAttachedToItsChannel() {
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThatThrownBy(() -> Peer.of(channel)).isInstanceOf(IllegalStateException.class);
    IPV4_PEER.attachTo(channel);
    assertThat(Peer.of(channel)).isSameAs(IPV4_PEER);
    channel.close();
  }
}
