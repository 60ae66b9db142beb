package io.fjordmq.broker.net;

import org.jspecify.annotations.Nullable;

/**
 * Settings of one listener, including the protocol layers of its connections from the outermost to
 * the innermost.
 *
 * @param key the key of the listener in the configuration file, for messages
 * @param endpoint the address to listen on
 * @param socket limits of the listener and its connections
 * @param proxy settings for the PROXY protocol header at the beginning of connections
 * @param tls the TLS settings; null for connections without encryption
 * @param webSocket the WebSocket settings; null for MQTT without WebSocket
 */
public record ListenerSettings(
    String key,
    Endpoint endpoint,
    SocketSettings socket,
    ProxySettings proxy,
    @Nullable TlsSettings tls,
    @Nullable WebSocketSettings webSocket) {

  /** Creates the settings for a plain TCP listener with default limits. */
  public static ListenerSettings tcp(String host, int port) {
    return new ListenerSettings(
        "mqttServerConfig.tcpListener",
        new Endpoint.Tcp(host, port),
        SocketSettings.DEFAULTS,
        ProxySettings.NONE,
        null,
        null);
  }

  /** The key without its section, which is enough to distinguish listeners. */
  String name() {
    return key.substring(key.indexOf('.') + 1);
  }

  /** The URL that clients connect to; {@code port} is the bound port. */
  String url(int port) {
    return endpoint instanceof Endpoint.Tcp
        ? scheme() + "://" + bind(port) + (webSocket == null ? "" : webSocket.path())
        : "unix:" + bind(port);
  }

  /** The address to listen on; {@code port} is the bound port. */
  String bind(int port) {
    if (endpoint instanceof Endpoint.Tcp tcp) {
      String host = tcp.host().isEmpty() ? "0.0.0.0" : tcp.host();
      return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
    return ((Endpoint.Unix) endpoint).path();
  }

  /** The kind of listener: {@code tcp}, {@code ssl}, {@code ws}, {@code wss} or {@code unix}. */
  String type() {
    if (endpoint instanceof Endpoint.Unix) {
      return "unix";
    }
    String scheme = scheme();
    return scheme.equals("tls") ? "ssl" : scheme;
  }

  private String scheme() {
    if (webSocket != null) {
      return tls == null ? "ws" : "wss";
    }
    return tls == null ? "tcp" : "tls";
  }
}
