package io.fjordmq.cluster.peer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Stands between two nodes on loopback; can fall silent, as a cut cable does, or hang up. */
final class Proxy implements AutoCloseable {
  private final ServerSocket server;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean silent;

  Proxy(InetSocketAddress target) throws IOException {
    this.target = target;
    this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
  }

  /** Whatever is sent from now on does not arrive, and nobody is told; new connections hang. */
  void fallSilent() {
    silent = true;
  }

  void speakAgain() {
    silent = false;
  }

  /** Ends all connections there are. */
  void hangUp() {
    sockets.forEach(Proxy::close);
    sockets.clear();
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
      if (!silent) {
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
              } catch (IOException ended) {
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
    hangUp();
  }
}
