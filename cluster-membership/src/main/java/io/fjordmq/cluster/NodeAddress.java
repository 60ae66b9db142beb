package io.fjordmq.cluster;

/**
 * The address at which other nodes reach a node's cluster port. It can change; the node id cannot.
 *
 * @param host host name or IP address, not empty
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  /**
   * @throws IllegalArgumentException if the host is empty or the port out of range
   */
  public NodeAddress {
    if (host.isBlank() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "node address must have a host and a port between 1 and 65535, not '"
              + host
              + "', "
              + port);
    }
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
