package io.fjordmq.broker.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A TCP line between a client and the broker that a test can cut, so that a connection ends without
 * a DISCONNECT.
 */
final class Link implements AutoCloseable {
  private static final int BUFFER_BYTES = 16 * 1024;

  private final int brokerPort;
  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  Link(SharedBroker.Port broker) {
    this.brokerPort = broker.number();
    try {
      this.server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon("link-accept", this::accept);
  }

  SharedBroker.Port port() {
    return new SharedBroker.Port(server.getLocalPort());
  }

  /** Ends every connection that runs through; new ones are possible. */
  void cut() {
    List<Socket> now = List.copyOf(sockets); // who is cut may be back before all are
    now.forEach(Link::quietlyClose);
    sockets.removeAll(now);
  }

  @Override
  public void close() {
    cut();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket broker = new Socket(InetAddress.getLoopbackAddress(), brokerPort);
        sockets.add(client);
        sockets.add(broker);
        daemon("link-up", () -> copy(client, broker));
        daemon("link-down", () -> copy(broker, client));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new UncheckedIOException(e);
        }
      }
    }
  }

  private static void copy(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // Cut, or closed by the other side: either way this line is done.
    } finally {
      quietlyClose(from);
      quietlyClose(to);
    }
  }

  private static void quietlyClose(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      // It is closed or on its way there.
    }
  }

  private static void daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
  }
}
