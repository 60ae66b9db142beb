package io.fjordmq.broker.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Who a peer is to operators, limits and access rules. */
class PeerTest {
  private static final Peer FOUR =
      Peer.plain("tcpListener", new InetSocketAddress("192.0.2.7", 50_123));

  @Test
  void shouldShowAddressesAsOperatorsWriteThem() throws UnknownHostException {
    assertThat(FOUR.displayName()).isEqualTo("192.0.2.7:50123");
    InetAddress six = InetAddress.getByName("2001:db8::7");
    assertThat(FOUR.at(new InetSocketAddress(six, 1)).displayName()).isEqualTo("[2001:db8::7]:1");
    assertThat(FOUR.at(new DomainSocketAddress("/run/mqtt")).displayName())
        .isEqualTo("unix:/run/mqtt");
    assertThat(FOUR).hasToString(FOUR.displayName());
  }

  @Test
  void shouldHaveAnAddressOnlyInTheNetwork() throws UnknownHostException {
    assertThat(FOUR.address()).isEqualTo(InetAddress.getByName("192.0.2.7"));
    assertThat(FOUR.at(new DomainSocketAddress("/run/mqtt")).address()).isNull();
  }

  @Test
  void shouldStayTheSamePeerWhileMoreIsLearntOfIt() {
    Peer behindProxy = FOUR.encryptedWith(null).at(new InetSocketAddress("198.51.100.1", 9));
    assertThat(behindProxy.listener()).isEqualTo("tcpListener");
    assertThat(behindProxy.encrypted()).isTrue();
    assertThat(behindProxy.displayName()).isEqualTo("198.51.100.1:9");
  }

  @Test
  void shouldBeFoundAtItsChannel() {
    EmbeddedChannel channel = new EmbeddedChannel();
    assertThatThrownBy(() -> Peer.of(channel)).isInstanceOf(IllegalStateException.class);
    FOUR.attachTo(channel);
    assertThat(Peer.of(channel)).isSameAs(FOUR);
    channel.close();
  }
}
