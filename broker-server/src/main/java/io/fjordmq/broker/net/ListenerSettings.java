package io.fjordmq.broker.net;

import org.jspecify.annotations.Nullable;

/**
 * One listener: what a connection to it goes through, from the outside in.
 *
 * @param key of the listener in the configuration file, for messages about it
 * @param endpoint where it waits
 * @param socket its limits
 * @param proxy whether a proxy's header comes first
 * @param tls how it is encrypted; null if it is not
 * @param webSocket MQTT inside WebSocket; null for MQTT itself
 */
public record ListenerSettings(
    String key,
    Endpoint endpoint,
    SocketSettings socket,
    ProxySettings proxy,
    @Nullable TlsSettings tls,
    @Nullable WebSocketSettings webSocket) {

  /** A plain TCP listener with default limits. */
  public static ListenerSettings tcp(String host, int port) {
    return new ListenerSettings(
        "mqttServerConfig.tcpListener",
        new Endpoint.Tcp(host, port),
        SocketSettings.DEFAULTS,
        ProxySettings.NONE,
        null,
        null);
  }

  /** The key without its section: enough to tell listeners apart. */
  String name() {
    return key.substring(key.indexOf('.') + 1);
  }

  /** What clients connect to; {@code port} is the one it really has. */
  String url(int port) {
    if (endpoint instanceof Endpoint.Tcp tcp) {
      String host = tcp.host().isEmpty() ? "0.0.0.0" : tcp.host();
      return scheme()
          + "://"
          + (host.contains(":") ? "[" + host + "]" : host)
          + ":"
          + port
          + (webSocket == null ? "" : webSocket.path());
    }
    return "unix:" + ((Endpoint.Unix) endpoint).path();
  }

  private String scheme() {
    if (webSocket != null) {
      return tls == null ? "ws" : "wss";
    }
    return tls == null ? "tcp" : "tls";
  }
}
