package io.fjordmq.cluster;

import java.util.regex.Pattern;

/**
 * The address at which other nodes reach a node's cluster port. It can change; the node id cannot.
 *
 * @param host host name or IP address, not empty
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  private static final Pattern LITERAL = Pattern.compile("[0-9.]+|.*:.*");

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

  /** Returns whether the host is an IP address, which needs no lookup. */
  public boolean isLiteral() {
    return LITERAL.matcher(host).matches();
  }

  /** Returns whether the host is an IPv6 address. */
  public boolean isIpv6() {
    return host.contains(":");
  }

  @Override
  public String toString() {
    return isIpv6() ? "[" + host + "]:" + port : host + ":" + port;
  }
}
