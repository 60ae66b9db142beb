package io.fjordmq.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks that configured ports can be bound. Every port stays bound until {@link #close}, so a port
 * that is configured twice is detected too. Used only by the thread that starts the node; blocks
 * while resolving host names.
 */
final class PortChecks implements AutoCloseable {
  private final List<ServerSocket> held = new ArrayList<>();
  private final List<String> problems;

  /**
   * Creates a checker that adds a message to the list for each problem it finds. The message states
   * the key, the problem and the remedy.
   */
  PortChecks(List<String> problems) {
    this.problems = problems;
  }

  /**
   * @param section the configuration section that contains the keys {@code host} and {@code port}
   * @param host empty to bind all addresses of this host
   */
  void check(String section, String host, int port) {
    try {
      InetSocketAddress address =
          host.isEmpty()
              ? new InetSocketAddress(port)
              : new InetSocketAddress(InetAddress.getByName(host), port);
      check(section + ".host", section + ".port", address);
    } catch (UnknownHostException e) {
      problems.add(
          "%s.host: cannot resolve '%s'; correct the name or set an IP address"
              .formatted(section, host));
    }
  }

  /**
   * @param hostKey the configuration key of the host, for messages
   * @param portKey the configuration key of the port, for messages
   */
  void check(String hostKey, String portKey, InetSocketAddress address) {
    try {
      bind(address);
    } catch (IOException e) {
      String host = address.getAddress().getHostAddress();
      problems.add(
          hasAddress(address.getAddress())
              ? "cannot listen on %s:%d: %s; change %s%s"
                  .formatted(host, address.getPort(), e.getMessage(), portKey, remedyIfInUse(e))
              : "%s: %s is not an address of this host (%s); set an address of this host"
                  .formatted(hostKey, host, e.getMessage()));
    }
  }

  private static String remedyIfInUse(IOException failure) {
    return String.valueOf(failure.getMessage()).contains("in use")
        ? ", or stop the process that uses the port"
        : "";
  }

  private boolean hasAddress(InetAddress address) {
    try {
      bind(new InetSocketAddress(address, 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void bind(InetSocketAddress address) throws IOException {
    ServerSocket socket = new ServerSocket();
    held.add(socket);
    socket.bind(address);
  }

  /** Releases all ports. */
  @Override
  public void close() {
    for (ServerSocket socket : held) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new UncheckedIOException("Cannot close a socket opened by the port check", e);
      }
    }
  }
}
