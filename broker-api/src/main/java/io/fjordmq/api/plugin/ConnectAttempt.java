package io.fjordmq.api.plugin;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT that has not been authenticated yet.
 *
 * @param listener name of the listener, e.g. {@code tcpListener}
 * @param address IP address of the client; null if it connected over a Unix domain socket
 * @param encrypted true if the connection uses TLS
 * @param certificate client certificate, verified in the TLS handshake and trusted by the listener;
 *     null if there is none
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param clientId as sent, or as assigned by the broker
 * @param userName null if absent
 * @param password null if absent; must not be modified
 * @param options what else the client asks for
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record ConnectAttempt(
    String listener,
    @Nullable InetAddress address,
    boolean encrypted,
    @Nullable X509Certificate certificate,
    int protocolLevel,
    String clientId,
    @Nullable String userName,
    byte @Nullable [] password,
    ConnectOptions options) {

  /** Creates an attempt of a client that asks for nothing else. */
  public ConnectAttempt(
      String listener,
      @Nullable InetAddress address,
      boolean encrypted,
      @Nullable X509Certificate certificate,
      int protocolLevel,
      String clientId,
      @Nullable String userName,
      byte @Nullable [] password) {
    this(
        listener,
        address,
        encrypted,
        certificate,
        protocolLevel,
        clientId,
        userName,
        password,
        ConnectOptions.NONE);
  }

  /** Returns true if the client runs on the broker's host: a loopback address or a Unix socket. */
  public boolean isLocal() {
    return address == null || address.isLoopbackAddress();
  }

  /** Returns true if the CONNECT has neither user name nor password. */
  public boolean isWithoutCredentials() {
    return userName == null && password == null;
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return "client " + clientId + " (user " + userName + ") at " + address + " on " + listener;
  }
}
