package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.tls.ClusterTls;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A node's Raft traffic with others.
 *
 * @param bind where to listen, port 0 for any; null to only call others
 * @param addresses where the others are
 * @param tls how nodes prove that they belong to the cluster; null for plain text
 */
public record ClusterPort(
    @Nullable InetSocketAddress bind,
    AddressBook addresses,
    TransportSettings settings,
    @Nullable ClusterTls tls) {

  /** In plain text. */
  public ClusterPort(
      @Nullable InetSocketAddress bind, AddressBook addresses, TransportSettings settings) {
    this(bind, addresses, settings, null);
  }
}
