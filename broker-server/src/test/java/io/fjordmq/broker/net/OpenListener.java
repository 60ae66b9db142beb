package io.fjordmq.broker.net;

import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.Peer;
import io.fjordmq.broker.session.SessionSettings;
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
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Listeners on real sockets over stores in memory, and what they tell of who connects. */
final class OpenListener implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 20_000;

  static final String CONNECT = "10 0e 0004 4d515454 05 02 003c 00 0001 61";
  static final String PING = "c000";
  static final String PONG = "d000";

  final World world;
  final MqttServer server;
  final BlockingQueue<Peer> peers = new LinkedBlockingQueue<>();
  final BlockingQueue<Boolean> handshakes = new LinkedBlockingQueue<>();
  final BlockingQueue<Boolean> reloads = new LinkedBlockingQueue<>();
  private final ExecutorService stores = Executors.newSingleThreadExecutor();
  private final List<AutoCloseable> clients = new ArrayList<>();

  OpenListener(ListenerSettings... listeners) {
    this(SessionSettings.defaults(), listeners);
  }

  OpenListener(SessionSettings settings, ListenerSettings... listeners) {
    this(settings, Security.allowAll("t"), listeners);
  }

  OpenListener(TlsLibrary library, ListenerSettings... listeners) {
    this(SessionSettings.defaults(), Security.allowAll("t"), library, listeners);
  }

  OpenListener(SessionSettings settings, Security security, ListenerSettings... listeners) {
    this(settings, security, TlsLibrary.best(), listeners);
  }

  private OpenListener(
      SessionSettings settings,
      Security security,
      TlsLibrary library,
      ListenerSettings... listeners) {
    ClientEvents connections =
        new ClientEvents() {
          @Override
          public void connected(Client client) {
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
              public void handshake(boolean resumed) {
                handshakes.add(resumed);
              }

              @Override
              public void reloaded(boolean takenOver) {
                reloads.add(takenOver);
              }

              @Override
              public void certificate(String listener, Instant expires) {}
            });
  }

  static ListenerSettings tls(TlsSettings tls) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        "mqttServerConfig.tlsListener", tcp.endpoint(), tcp.socket(), tcp.proxy(), tls, null);
  }

  static ListenerSettings webSocket(WebSocketSettings webSocket) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        "mqttServerConfig.wsListener", tcp.endpoint(), tcp.socket(), tcp.proxy(), null, webSocket);
  }

  static ListenerSettings proxied(String... trusted) {
    ListenerSettings tcp = ListenerSettings.tcp("127.0.0.1", 0);
    return new ListenerSettings(
        tcp.key(),
        tcp.endpoint(),
        tcp.socket(),
        new ProxySettings(true, List.of(trusted)),
        null,
        null);
  }

  int port() {
    return server.listeners().get(0).port();
  }

  /** A connection on which nothing was said yet. */
  Line connect() throws IOException {
    return line(new Socket(InetAddress.getLoopbackAddress(), port()));
  }

  /** A connection that has made its handshake. */
  Line connect(SSLContext tls, String... protocols) throws IOException {
    SSLSocket socket =
        (SSLSocket) tls.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port());
    if (protocols.length > 0) {
      socket.setEnabledProtocols(protocols);
    }
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.startHandshake();
    return line(socket);
  }

  private Line line(Socket socket) throws IOException {
    socket.setSoTimeout(PATIENCE_MILLIS);
    socket.setTcpNoDelay(true);
    clients.add(socket);
    return new Line(socket);
  }

  /** Waits until connections were refused so often for that reason. */
  void awaitRefused(CloseReason reason, int times) {
    await(
        () -> world.observer.refused.getOrDefault(reason, 0) >= times,
        () -> reason + " " + times + " times, but " + world.observer.refused);
  }

  static void await(BooleanSupplier condition, Supplier<String> what) {
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(what.get());
      }
      try {
        TimeUnit.MILLISECONDS.sleep(5);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  static <T> T take(BlockingQueue<T> queue) {
    try {
      T next = queue.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
      if (next == null) {
        throw new AssertionError("nothing came");
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
    await(
        () -> server.listeners().stream().mapToInt(Listener::connections).sum() == 0,
        () -> "connections are left");
    server.shutdown(Duration.ofSeconds(10));
    stores.shutdown();
  }

  /** A client's connection, in hexadecimal digits. */
  record Line(Socket socket) implements AutoCloseable {
    void send(String hex) throws IOException {
      OutputStream out = socket.getOutputStream();
      out.write(ByteBufUtil.decodeHexDump(hex.replace(" ", "")));
      out.flush();
    }

    /** One packet of less than 128 bytes; empty if there is none any more. */
    String read() throws IOException {
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

    /** True if the broker has ended the connection, politely or not. */
    boolean isEnded() {
      try {
        while (socket.getInputStream().read() >= 0) {
          continue; // what it said before
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
