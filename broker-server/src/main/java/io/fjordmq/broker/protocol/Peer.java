package io.fjordmq.broker.protocol;

import io.fjordmq.api.plugin.Identity;
import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.AttributeKey;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The remote end of a connection as known to the transport. The pipeline attaches the peer to the
 * channel, and adds the address of a client behind a proxy and the result of the TLS handshake
 * before the first MQTT packet is decoded.
 *
 * @param listener the key of the listener in the configuration file, without its section
 * @param remote the client's address; behind a trusted proxy, the address that the proxy reports
 * @param encrypted whether the connection uses TLS
 * @param certificate the client's TLS certificate, verified against the listener's {@code
 *     trustFile}; null if the client sent none
 * @param issuers the issuers of the certificate, up to one in {@code trustFile}; empty if the
 *     certificate itself is in {@code trustFile}, null if they are not known, which they are only
 *     if revocation is checked
 * @param identity who the client is, if the transport has authenticated it; null if its CONNECT
 *     must be authenticated
 */
public record Peer(
    String listener,
    SocketAddress remote,
    boolean encrypted,
    @Nullable X509Certificate certificate,
    @Nullable List<X509Certificate> issuers,
    @Nullable Identity identity) {
  private static final AttributeKey<Peer> KEY = AttributeKey.valueOf(Peer.class, "peer");

  /** Creates the peer of a connection before any proxy header or TLS handshake. */
  public static Peer plain(String listener, SocketAddress remote) {
    return new Peer(listener, remote, false, null, null, null);
  }

  /**
   * Returns the peer of a client's channel. Can be called on any thread.
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

  /** Attaches this peer to the channel. Must be called on the channel's event loop. */
  public void attachTo(Channel channel) {
    channel.attr(KEY).set(this);
  }

  /** Returns a copy with the address that a proxy reports. */
  public Peer withRemote(SocketAddress proxied) {
    return new Peer(listener, proxied, encrypted, certificate, issuers, identity);
  }

  /** Returns a copy with the result of the TLS handshake. */
  public Peer withTls(
      @Nullable X509Certificate peerCertificate, @Nullable List<X509Certificate> peerIssuers) {
    return new Peer(listener, remote, true, peerCertificate, peerIssuers, identity);
  }

  /** The client's IP address; null for Unix domain sockets. */
  public @Nullable InetAddress address() {
    return remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
  }

  /**
   * The address as shown in logs and to operators: {@code 192.168.0.7:50123}, {@code
   * [fd00::7]:50123} or {@code unix:/path}.
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
