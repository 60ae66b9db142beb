package io.fjordmq.cli.doctor;

import io.fjordmq.cli.doctor.NodeConfiguration.Port;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.stream.Stream;

/** Whether the ports of the node are free. */
final class PortsCheck implements Check {
  private final NodeConfiguration configuration;
  private final String node;

  /**
   * @param node the process id of the node; empty if it is not running
   */
  PortsCheck(NodeConfiguration configuration, String node) {
    this.configuration = configuration;
    this.node = node;
  }

  @Override
  public Stream<Finding> findings() {
    return configuration.ports().stream().filter(port -> port.port() > 0).map(this::finding);
  }

  private Finding finding(Port port) {
    String check = "port " + port.port() + " (" + port.key() + ")";
    if (!node.isEmpty()) {
      return Finding.ok(check, "used by the running node", "free");
    }
    String host = port.host().isEmpty() ? "0.0.0.0" : port.host();
    try (ServerSocket socket = new ServerSocket()) {
      InetAddress address = InetAddress.getByName(host);
      socket.bind(new InetSocketAddress(address, port.port()));
      return Finding.ok(check, "free", "free");
    } catch (IOException e) {
      return Finding.of(
          check,
          Status.PROBLEM,
          "cannot bind to " + host + ": " + e.getMessage(),
          "free",
          "the node does not start",
          "find out which process uses it: ss -ltnp sport = :" + port.port());
    }
  }
}
