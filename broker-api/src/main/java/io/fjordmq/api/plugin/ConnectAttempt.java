package io.fjordmq.api.plugin;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT, before anybody has said whose it is.
 *
 * @param listener name of the listener, e.g. {@code tcpListener}
 * @param address of the client; null if it came over a Unix domain socket
 * @param encrypted true for TLS
 * @param certificate the client has proved to own and the listener trusts; null if there is none
 * @param protocolLevel 3 (MQTT 3.1), 4 (3.1.1) or 5
 * @param clientId as sent, or as assigned by the broker
 * @param userName null if absent
 * @param password null if absent; not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
public record ConnectAttempt(
    String listener,
    @Nullable InetAddress address,
    boolean encrypted,
    @Nullable X509Certificate certificate,
    int protocolLevel,
    String clientId,
    @Nullable String userName,
    byte @Nullable [] password) {

  /** True if the client runs on the machine of the broker: a loopback address or a Unix socket. */
  public boolean isLocal() {
    return address == null || address.isLoopbackAddress();
  }

  /** True if there is neither user name nor password. */
  public boolean isWithoutCredentials() {
    return userName == null && password == null;
  }

  /** Without the password. */
  @Override
  public String toString() {
    return "client " + clientId + " (user " + userName + ") at " + address + " on " + listener;
  }
}
