package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import io.fjordmq.cluster.consensus.GroupId;
import org.jspecify.annotations.Nullable;

/**
 * Makes a replica start an election without waiting for the election timeout, by sending it the
 * TimeoutNow request that a leader uses to transfer leadership.
 */
final class ElectionTrigger {
  private ElectionTrigger() {}

  /** Does nothing if the replica leads, is already a candidate, or has reached a later term. */
  static void begin(NodeImpl node, GroupId group, long term) {
    String self = node.getServerId().toString();
    node.handleTimeoutNowRequest(
        TimeoutNowRequest.newBuilder()
            .setGroupId(group.value())
            .setServerId(self)
            .setPeerId(self)
            .setTerm(term)
            .build(),
        new RpcRequestClosure(new DiscardingContext()));
  }

  /** Discards the response: this node sent the request itself and observes the election. */
  private static final class DiscardingContext implements RpcContext {
    @Override
    public void sendResponse(Object response) {}

    @Override
    public @Nullable Connection getConnection() {
      return null;
    }

    @Override
    public String getRemoteAddress() {
      return "this node";
    }
  }
}
