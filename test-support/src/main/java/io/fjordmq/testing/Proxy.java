package io.fjordmq.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on loopback, between two nodes or between a client and a node. It can stop
 * forwarding, which simulates a network partition, or close its connections.
 */
public final class Proxy implements AutoCloseable {
  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean discarding;

  public Proxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  /** Silently discards all data from now on; new connections are accepted but get no response. */
  public void stopForwarding() {
    discarding = true;
  }

  public void resumeForwarding() {
    discarding = false;
  }

  /** Closes all connections; clients can open new ones. */
  public void closeConnections() {
    List<Socket> open = List.copyOf(sockets); // a client may reconnect before all are closed
    open.forEach(Proxy::close);
    open.forEach(sockets::remove);
  }

  private void accept() throws IOException {
    while (true) {
      Socket incoming = server.accept();
      Socket outgoing = new Socket(target.getAddress(), target.getPort());
      sockets.add(incoming);
      sockets.add(outgoing);
      start(() -> pump(incoming, outgoing));
      start(() -> pump(outgoing, incoming));
    }
  }

  private void pump(Socket from, Socket to) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] buffer = new byte[8192];
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      if (!discarding) {
        out.write(buffer, 0, n);
      }
    }
    close(from);
    close(to);
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void start(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException closed) {
                // One of the sockets was closed, which ends the thread.
              }
            },
            "test-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
    closeConnections();
  }
}
