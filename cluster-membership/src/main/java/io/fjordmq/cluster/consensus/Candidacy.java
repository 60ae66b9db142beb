package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.TimeoutNowRequest;
import org.jspecify.annotations.Nullable;

/**
 * Has a replica stand for election without waiting to miss a leader: it gets the request with which
 * a leader hands over.
 */
final class Candidacy {
  private Candidacy() {}

  /** Does nothing if it leads, stands already, or has come to a later term than this one. */
  static void begin(NodeImpl node, GroupId group, long term) {
    String self = node.getServerId().toString();
    node.handleTimeoutNowRequest(
        TimeoutNowRequest.newBuilder()
            .setGroupId(group.value())
            .setServerId(self)
            .setPeerId(self)
            .setTerm(term)
            .build(),
        new RpcRequestClosure(new NobodyAsks()));
  }

  /** Where the answer goes. */
  private static final class NobodyAsks implements RpcContext {
    @Override
    public void sendResponse(Object response) {
      // Who asked is this node itself, and it will see.
    }

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
