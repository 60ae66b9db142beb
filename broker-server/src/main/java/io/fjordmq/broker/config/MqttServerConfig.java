package io.fjordmq.broker.config;

import io.fjordmq.broker.net.Endpoint;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.ProxySettings;
import io.fjordmq.broker.net.SocketSettings;
import io.fjordmq.broker.net.TlsSettings;
import io.fjordmq.broker.net.WebSocketSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Listeners for clients. Only configured listeners are opened; there can be several of each kind.
 *
 * @param transport network I/O interface: auto, epoll, nio or io_uring
 * @param workerThreads number of event loops for clients; 0 for half the number of processors
 * @param shutdownTimeout time allowed for handing over sessions at shutdown
 * @param tcpListener listeners for MQTT over TCP
 * @param tlsListener listeners for MQTT over TLS
 * @param wsListener listeners for MQTT over WebSocket
 * @param wssListener listeners for MQTT over WebSocket over TLS
 * @param unixListener listeners for MQTT over a Unix domain socket
 */
public record MqttServerConfig(
    String transport,
    int workerThreads,
    Duration shutdownTimeout,
    List<TcpListener> tcpListener,
    List<TlsListener> tlsListener,
    List<WsListener> wsListener,
    List<WssListener> wssListener,
    List<UnixListener> unixListener) {
  public MqttServerConfig {
    if (!List.of("auto", "epoll", "nio", "io_uring").contains(transport)) {
      throw new IllegalArgumentException(
          "transport must be auto, epoll, nio or io_uring, not '" + transport + "'");
    }
    if (workerThreads < 0 || workerThreads > 1024) {
      throw new IllegalArgumentException(
          "workerThreads must be between 0 and 1024, not " + workerThreads);
    }
  }

  /** A listener for MQTT over TCP. */
  public record TcpListener(
      @Flattened Endpoint.Tcp endpoint,
      @Flattened SocketSettings socket,
      @Flattened ProxySettings proxy) {}

  /** A listener for MQTT over TLS. */
  public record TlsListener(
      @Flattened Endpoint.Tcp endpoint,
      @Flattened TlsSettings tls,
      @Flattened SocketSettings socket,
      @Flattened ProxySettings proxy) {}

  /** A listener for MQTT over WebSocket. */
  public record WsListener(
      @Flattened Endpoint.Tcp endpoint,
      @Flattened WebSocketSettings webSocket,
      @Flattened SocketSettings socket,
      @Flattened ProxySettings proxy) {}

  /** A listener for MQTT over WebSocket over TLS. */
  public record WssListener(
      @Flattened Endpoint.Tcp endpoint,
      @Flattened WebSocketSettings webSocket,
      @Flattened TlsSettings tls,
      @Flattened SocketSettings socket,
      @Flattened ProxySettings proxy) {}

  /** A listener for MQTT over a Unix domain socket. */
  public record UnixListener(@Flattened Endpoint.Unix endpoint, @Flattened SocketSettings socket) {}

  /** One listener of each kind, holding the defaults for all listeners of that kind. */
  static MqttServerConfig defaults() {
    SocketSettings socket = SocketSettings.DEFAULTS;
    ProxySettings proxy = ProxySettings.NONE;
    TlsSettings tls = TlsSettings.DEFAULTS;
    WebSocketSettings web = WebSocketSettings.DEFAULTS;
    return new MqttServerConfig(
        "auto",
        0,
        Duration.ofSeconds(10),
        List.of(new TcpListener(new Endpoint.Tcp("", 1883), socket, proxy)),
        List.of(new TlsListener(new Endpoint.Tcp("", 8883), tls, socket, proxy)),
        List.of(new WsListener(new Endpoint.Tcp("", 8083), web, socket, proxy)),
        List.of(new WssListener(new Endpoint.Tcp("", 8084), web, tls, socket, proxy)),
        List.of(new UnixListener(new Endpoint.Unix("fjordmq.sock", "660"), socket)));
  }

  /** All configured listeners, with their keys. */
  public List<ListenerSettings> listeners() {
    List<ListenerSettings> all = new ArrayList<>();
    forEachListener("tcpListener", tcpListener, (key, config) -> all.add(listener(key, config)));
    forEachListener("tlsListener", tlsListener, (key, config) -> all.add(listener(key, config)));
    forEachListener("wsListener", wsListener, (key, config) -> all.add(listener(key, config)));
    forEachListener("wssListener", wssListener, (key, config) -> all.add(listener(key, config)));
    forEachListener("unixListener", unixListener, (key, config) -> all.add(listener(key, config)));
    return all;
  }

  private static ListenerSettings listener(String key, TcpListener config) {
    return new ListenerSettings(
        key, config.endpoint(), config.socket(), config.proxy(), null, null);
  }

  private static ListenerSettings listener(String key, TlsListener config) {
    return new ListenerSettings(
        key, config.endpoint(), config.socket(), config.proxy(), config.tls(), null);
  }

  private static ListenerSettings listener(String key, WsListener config) {
    return new ListenerSettings(
        key, config.endpoint(), config.socket(), config.proxy(), null, config.webSocket());
  }

  private static ListenerSettings listener(String key, WssListener config) {
    return new ListenerSettings(
        key, config.endpoint(), config.socket(), config.proxy(), config.tls(), config.webSocket());
  }

  private static ListenerSettings listener(String key, UnixListener config) {
    return new ListenerSettings(
        key, config.endpoint(), config.socket(), ProxySettings.NONE, null, null);
  }

  private interface Keyed<T> {
    void accept(String key, T listener);
  }

  /**
   * Calls the action for each listener. A listener that is the only one of its kind has a key
   * without a number.
   */
  private static <T> void forEachListener(String kind, List<T> listeners, Keyed<T> action) {
    String key = "mqttServerConfig." + kind;
    for (int i = 0; i < listeners.size(); i++) {
      action.accept(listeners.size() == 1 ? key : key + "." + i, listeners.get(i));
    }
  }
}
