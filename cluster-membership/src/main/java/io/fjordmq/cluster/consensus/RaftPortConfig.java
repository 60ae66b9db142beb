package io.fjordmq.cluster.consensus;

import io.fjordmq.cluster.StartFence;
import io.fjordmq.cluster.tls.ClusterTls;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Configures a node's Raft traffic with other nodes.
 *
 * @param bind address to listen on, port 0 for any free port; null for outgoing connections only
 * @param addresses resolves the addresses of other nodes
 * @param tls authenticates the nodes of the cluster to each other; null for plain text
 * @param fence decides which starts of other nodes are admitted
 */
public record RaftPortConfig(
    @Nullable InetSocketAddress bind,
    AddressBook addresses,
    TransportSettings settings,
    @Nullable ClusterTls tls,
    StartFence fence) {

  /** Creates the configuration of a port without TLS. */
  public RaftPortConfig(
      @Nullable InetSocketAddress bind,
      AddressBook addresses,
      TransportSettings settings,
      StartFence fence) {
    this(bind, addresses, settings, null, fence);
  }
}
