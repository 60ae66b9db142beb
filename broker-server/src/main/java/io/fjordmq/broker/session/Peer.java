package io.fjordmq.broker.session;

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
 * Who is at the other end of a connection, as far as the transport knows. The pipeline attaches it
 * to the channel and completes it (the client's own address behind a proxy, TLS) before the first
 * packet of MQTT is decoded.
 *
 * @param listener key of the listener in the configuration file, without its section
 * @param remote the client's address; behind a trusted proxy the one the proxy has told
 * @param encrypted true for TLS
 * @param certificate what the client has proved itself with in TLS, checked against the listener's
 *     {@code trustFile}; null if it has not
 */
public record Peer(
    String listener,
    SocketAddress remote,
    boolean encrypted,
    @Nullable X509Certificate certificate) {
  private static final AttributeKey<Peer> KEY = AttributeKey.valueOf(Peer.class, "peer");

  /** Before anything is known but the socket. */
  public static Peer plain(String listener, SocketAddress remote) {
    return new Peer(listener, remote, false, null);
  }

  /**
   * The peer of a client's channel. Any thread.
   *
   * @throws IllegalStateException if the channel is not a listener's
   */
  public static Peer of(Channel channel) {
    Peer peer = channel.attr(KEY).get();
    if (peer == null) {
      throw new IllegalStateException("no peer was attached to " + channel);
    }
    return peer;
  }

  /** Makes this the peer of the channel. On its event loop. */
  public void attachTo(Channel channel) {
    channel.attr(KEY).set(this);
  }

  /** The same peer at the address that a proxy has told. */
  public Peer at(SocketAddress proxied) {
    return new Peer(listener, proxied, encrypted, certificate);
  }

  /** The same peer after its TLS handshake. */
  public Peer encryptedWith(@Nullable X509Certificate proof) {
    return new Peer(listener, remote, true, proof);
  }

  /** Its address in the network; null for whoever is on this machine without one (Unix sockets). */
  public @Nullable InetAddress address() {
    return remote instanceof InetSocketAddress inet ? inet.getAddress() : null;
  }

  /** For operators: {@code 192.168.0.7:50123}, {@code [fd00::7]:50123} or {@code unix:/path}. */
  public String shown() {
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
    return shown();
  }
}
