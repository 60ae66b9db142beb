package io.fjordmq.broker.net;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.testing.World;
import io.fjordmq.testing.Await;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Listeners on real sockets over in-memory stores; records the peers that connect. */
public final class OpenListener implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 20_000;

  public static final String CONNECT = "10 0e 0004 4d515454 05 02 003c 00 0001 61";
  public static final String PING = "c000";
  public static final String PONG = "d000";

  public final World world;
  public final MqttServer server;
  public final BlockingQueue<Peer> peers = new LinkedBlockingQueue<>();
  public final BlockingQueue<Boolean> handshakes = new LinkedBlockingQueue<>();
  public final BlockingQueue<Boolean> reloads = new LinkedBlockingQueue<>();
  private final ExecutorService stores = Executors.newSingleThreadExecutor();
  private final List<AutoCloseable> clients = new ArrayList<>();

  public OpenListener(ListenerSettings... listeners) {
    this(SessionSettings.defaults(), listeners);
  }

  public OpenListener(SessionSettings settings, ListenerSettings... listeners) {
    this(settings, Security.allowAll("t"), listeners);
  }

  public OpenListener(TlsLibrary library, ListenerSettings... listeners) {
    this(SessionSettings.defaults(), Security.allowAll("t"), library, listeners);
  }

  public OpenListener(SessionSettings settings, Security security, ListenerSettings... listeners) {
    this(settings, security, TlsLibrary.best(), listeners);
  }

  OpenListener(
      SessionSettings settings,
      Security security,
      TlsLibrary library,
      ListenerSettings... listeners) {
    ClientEvents connections =
        new ClientEvents() {
          @Override
          public void onConnected(Client client) {
            peers.add(client.peer());
          }
        };
    world = new World(settings, security, connections);
    world.tasks.runOn(stores);
    server =
        MqttServer.start(
            List.of(listeners),
            Transport.best(),
            library,
            2,
            world.sessions,
            new ListenerObserver() {
              @Override
              public void onHandshake(boolean resumed) {
                handshakes.add(resumed);
              }

              @Override
              public void onReload(boolean loaded) {
                reloads.add(loaded);
              }

              @Override
              public void onCertificate(String listener, Instant expires) {}
            });
  }

  public static ListenerSettings tls(TlsSettings tls) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        "mqttServerConfig.tlsListener", tcp.endpoint(), tcp.socket(), tcp.proxy(), tls, null);
  }

  public static ListenerSettings webSocket(WebSocketSettings webSocket) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        "mqttServerConfig.wsListener", tcp.endpoint(), tcp.socket(), tcp.proxy(), null, webSocket);
  }

  public static ListenerSettings proxied(String... trusted) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        tcp.key(),
        tcp.endpoint(),
        tcp.socket(),
        new ProxySettings(true, List.of(trusted)),
        null,
        null);
  }

  public int port() {
    return server.listeners().get(0).port();
  }

  /** Opens a connection without sending anything. */
  public RawConnection connect() throws IOException {
    return newConnection(new Socket(InetAddress.getLoopbackAddress(), port()));
  }

  /** Opens a connection and completes its TLS handshake. */
  public RawConnection connect(SSLContext tls, String... protocols) throws IOException {
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port());
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.startHandshake();
    return newConnection(socket);
  }

  private RawConnection newConnection(Socket socket) throws IOException {
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    clients.add(socket);
    return new RawConnection(socket);
  }

  /** Waits until this many connections have been refused for the reason. */
  public void awaitRefused(CloseReason reason, int times) {
    Await.until(
        () -> reason + " " + times + " times, but " + world.observer.refused,
        () -> world.observer.refused.getOrDefault(reason, 0) >= times);
  }

  public static <T> T take(BlockingQueue<T> queue) {
    try {
      T next = queue.poll(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        throw new AssertionError("nothing arrived");
      }
      return next;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable client : clients) {
      client.close();
    }
    Await.until(
        "all connections are closed",
        () -> server.listeners().stream().mapToInt(Listener::connectionCount).sum() == 0);
    server.shutdown(Duration.ofSeconds(10));
    stores.shutdown();
  }

  /** A client connection that sends and reads packets as hexadecimal digits. */
  public record RawConnection(Socket socket) implements AutoCloseable {
    public void send(String hex) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(ByteBufUtil.decodeHexDump(hex.replace(" ", "")));
      out.flush();
    }

    /** Reads one packet of less than 128 bytes; empty at the end of the stream. */
    public String read() throws IOException {
      InputStream in = socket.getInputStream();
      int first = in.read();
      if (first < 0) {
        return "";
      }
      ByteArrayOutputStream packet = new ByteArrayOutputStream();
      packet.write(first);
      int length = in.read();
      packet.write(length);
      packet.write(in.readNBytes(length));
      return ByteBufUtil.hexDump(packet.toByteArray());
    }

    /** Reads until the broker closes or resets the connection; false after a timeout. */
    public boolean awaitClose() {
      try {
        while (socket.getInputStream().read() >= 0) {
          continue; // a packet sent before
        }
        return true;
      } catch (java.net.SocketTimeoutException e) {
        return false;
      } catch (IOException e) {
        return true;
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
