package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.tls.ClusterTls;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A node's Raft traffic with others.
 *
 * @param bind where to listen, port 0 for any; null to only call others
 * @param addresses where the others are
 * @param tls how nodes prove that they belong to the cluster; null for plain text
 * @param fence knows which starts of other nodes may take part
 */
public record ClusterPort(
    @Nullable InetSocketAddress bind,
    AddressBook addresses,
    TransportSettings settings,
    @Nullable ClusterTls tls,
    StartFence fence) {

  /** In plain text. */
  public ClusterPort(
      @Nullable InetSocketAddress bind,
      AddressBook addresses,
      TransportSettings settings,
      StartFence fence) {
    this(bind, addresses, settings, null, fence);
  }
}
