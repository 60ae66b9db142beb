package io.fjordmq.cli.doctor;

import io.fjordmq.cli.doctor.NodeConfiguration.Port;
import java.util.OptionalLong;

/**
 * The load that the host must support.
 *
 * @param connections the number of clients
 * @param tlsConnections how many of them may use TLS
 * @param openFiles the number of table files that are open at the same time
 * @param backlog the longest accept queue of a listener
 */
record ExpectedLoad(long connections, long tlsConnections, long openFiles, long backlog) {
  private static final long KIB = 1L << 10;
  private static final long GIB = 1L << 30;

  /** Logs, jars, other nodes and the API: the same number as in the node's own warning. */
  private static final long OTHER_FILES = 200;

  /** The JVM, its code and threads, and caches and buffers of the databases. */
  private static final long BASE_BYTES = GIB;

  /**
   * Memory of an idle client with a subscription; docs/TUNING.md derives it: 6 KiB of heap, 4 KiB
   * of kernel objects, and 4 KiB for network buffers and everything else.
   */
  private static final long CONNECTION_BYTES = 14 * KIB;

  /** Additional memory of a client with TLS. */
  private static final long TLS_BYTES = 8 * KIB;

  /**
   * @param connections the number of clients; empty for the maximum that the configuration allows
   */
  static ExpectedLoad of(NodeConfiguration configuration, OptionalLong connections) {
    long most = configuration.listeners().stream().mapToLong(Port::maxConnections).sum();
    long mostTls =
        configuration.listeners().stream()
            .filter(Port::isTls)
            .mapToLong(Port::maxConnections)
            .sum();
    long expected = connections.orElse(most);
    return new ExpectedLoad(
        expected,
        Math.min(expected, mostTls),
        configuration.number("storageConfig.maxOpenFiles"),
        configuration.listeners().stream().mapToLong(Port::backlog).max().orElse(0));
  }

  /** The number of file descriptors. */
  long descriptors() {
    return connections + openFiles + OTHER_FILES;
  }

  /** The memory of the machine or the container, in bytes. */
  long memoryBytes() {
    return BASE_BYTES + connections * CONNECTION_BYTES + tlsConnections * TLS_BYTES;
  }
}
