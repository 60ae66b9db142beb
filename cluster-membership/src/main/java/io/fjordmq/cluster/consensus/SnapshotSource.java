package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import java.util.concurrent.CompletableFuture;

/** Another node that offers a copy. */
@FunctionalInterface
interface SnapshotSource {

  /**
   * Asks for a part. Fails with {@link SnapshotGoneException} if the copy is not offered any more,
   * with another exception if asking again may help; on any thread.
   */
  CompletableFuture<GetFileResponse> ask(GetFileRequest request);
}
