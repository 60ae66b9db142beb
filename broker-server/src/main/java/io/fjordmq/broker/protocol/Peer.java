package io.fjordmq.broker.protocol;

import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The other end of a connection as the transport knows it. The pipeline attaches it to the channel
 * and completes it (address of a client behind a proxy, TLS) before the first MQTT packet is
 * decoded.
 *
 * @param listener key of the listener in the configuration file, without its section
 * @param remote the client's address; behind a trusted proxy, the one the proxy reports
 * @param encrypted true for TLS
 * @param certificate the client's TLS certificate, verified against the listener's {@code
 *     trustFile}; null if it sent none
 */
public record Peer(
    String listener,
    SocketAddress remote,
    boolean encrypted,
    @Nullable X509Certificate certificate) {
  private static final AttributeKey<Peer> KEY = AttributeKey.valueOf(Peer.class, "peer");

  /** Creates a peer of which only the socket is known. */
  public static Peer plain(String listener, SocketAddress remote) {
    return new Peer(listener, remote, false, null);
  }

  /**
   * The peer of a client's channel. Any thread.
   *
   * @throws IllegalStateException if the channel does not belong to a listener
   */
  public static Peer of(Channel channel) {
    Peer peer = channel.attr(KEY).get();
    if (peer == null) {
      throw new IllegalStateException("no peer attached to " + channel);
    }
    return peer;
  }

  /** Makes this the peer of the channel. On its event loop. */
  public void attachTo(Channel channel) {
    channel.attr(KEY).set(this);
  }

  /** A copy with the address that a proxy reports. */
  public Peer withRemote(SocketAddress proxied) {
    return new Peer(listener, proxied, encrypted, certificate);
  }

  /** A copy with the result of the TLS handshake. */
  public Peer withTls(@Nullable X509Certificate peerCertificate) {
    return new Peer(listener, remote, true, peerCertificate);
  }

  /** The IP address; null for Unix domain sockets. */
  public @Nullable InetAddress address() {
    return remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
  }

  /**
   * The text for logs and operators: {@code 192.168.0.7:50123}, {@code [fd00::7]:50123} or {@code
   * unix:/path}.
   */
  public String displayName() {
    if (remote instanceof InetSocketAddress inet) {
      return NetUtil.toSocketAddressString(inet);
    }
    if (remote instanceof DomainSocketAddress unix) {
      return "unix:" + unix.path();
    }
    return Objects.toString(remote);
  }

  @Override
  public String toString() {
    return displayName();
  }
}
