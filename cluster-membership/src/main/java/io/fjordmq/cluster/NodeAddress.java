package io.fjordmq.cluster;

/**
 * Where a node's cluster port is reached; may change while the node stays the same.
 *
 * @param host name or address, not empty
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  /**
   * @throws IllegalArgumentException if the host is empty or the port out of range
   */
  public NodeAddress {
    if (host.isBlank() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException("not an address: '" + host + "', port " + port);
    }
  }

  @Override
  public String toString() {
    return host.contains(":") ? "[" + host + "]:" + port : host + ":" + port;
  }
}
