package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import java.util.concurrent.CompletableFuture;

/** A node that offers snapshots. */
@FunctionalInterface
public interface SnapshotSource {

  /**
   * Requests a part. Fails with {@link SnapshotGoneException} if the snapshot is no longer offered,
   * with another exception if a retry may help. Completes on any thread.
   */
  CompletableFuture<GetFileResponse> request(GetFileRequest request);
}
