package io.fjordmq.broker.net;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd when this process is ready and when it stops, with the protocol of sd_notify(3).
 * Without a socket, which only systemd provides, nothing is sent. Failures are logged: the process
 * works without its service manager, which ends it if it never hears that the process is ready.
 * Thread-safe.
 */
public final class SystemdNotifier {
  private static final Logger LOG = LoggerFactory.getLogger(SystemdNotifier.class);

  private final Optional<String> socket;

  /**
   * @param socket the path of a datagram socket, or {@code @} and an abstract name; empty if
   *     systemd does not wait for this process
   */
  public SystemdNotifier(Optional<String> socket) {
    this.socket = socket;
  }

  /**
   * Ends the start of the service.
   *
   * @param status one line for {@code systemctl status}
   */
  public void ready(String status) {
    send("READY=1\nSTATUS=" + status);
  }

  /**
   * Announces that the process is going to exit.
   *
   * @param status one line for {@code systemctl status}
   */
  public void stopping(String status) {
    send("STOPPING=1\nSTATUS=" + status);
  }

  private void send(String message) {
    socket.ifPresent(
        path -> {
          try {
            Epoll.ensureAvailability(); // loads the native library
            send(path, message);
          } catch (IOException | UnsatisfiedLinkError e) {
            LOG.warn("Cannot notify systemd; the service might not start: {} socket={}", e, path);
          }
        });
  }

  private static void send(String path, String message) throws IOException {
    byte[] address = path.getBytes(StandardCharsets.UTF_8);
    if (path.startsWith("@")) {
      address[0] = 0; // an abstract name
    }
    byte[] content = message.getBytes(StandardCharsets.UTF_8);
    ByteBuffer buffer = ByteBuffer.allocateDirect(content.length).put(content);
    Socket channel = Socket.newSocketDomainDgram();
    try {
      channel.sendToDomainSocket(buffer, 0, content.length, address);
    } finally {
      channel.close();
    }
  }
}
