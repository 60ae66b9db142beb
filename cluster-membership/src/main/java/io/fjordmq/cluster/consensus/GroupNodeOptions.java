package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.option.NodeOptions;
import org.jspecify.annotations.Nullable;

/**
 * Carries the host's transport to {@link GroupRpcClient}. jraft creates a group's RPC client with a
 * static factory, but initializes it with these node options.
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
