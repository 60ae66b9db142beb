package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.option.NodeOptions;
import org.jspecify.annotations.Nullable;

/**
 * jraft creates a group's RPC client by a static factory but hands it the options of the node it is
 * for: that is how {@link GroupRpcClient} finds the transport of its own host.
 */
final class GroupNodeOptions extends NodeOptions {
  private final @Nullable RaftTransport transport;

  GroupNodeOptions(@Nullable RaftTransport transport) {
    this.transport = transport;
  }

  @Nullable RaftTransport transport() {
    return transport;
  }
}
