package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.rpc.RaftServerService;
import com.alipay.sofa.jraft.rpc.RpcRequestClosure;
import com.alipay.sofa.jraft.rpc.RpcRequests.InstallSnapshotRequest;
import com.alipay.sofa.jraft.rpc.impl.core.InstallSnapshotRequestProcessor;
import com.alipay.sofa.jraft.util.RpcFactoryHelper;
import com.google.protobuf.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles requests to install a snapshot. If a leader repeats a request, or a new leader sends one,
 * jraft 1.4 may just have closed the download of the earlier request and then throws a
 * NullPointerException. Nothing is lost: the earlier snapshot is being installed. The response asks
 * the leader to try again, and the log contains one line instead of a stack trace.
 */
final class InstallSnapshotProcessor extends InstallSnapshotRequestProcessor {
  private static final Logger LOG = LoggerFactory.getLogger(InstallSnapshotProcessor.class);

  /** The message of jraft's exception: the name of the field that is null. */
  static final String NO_DOWNLOAD = "curCopier";

  InstallSnapshotProcessor() {
    super(null);
  }

  @Override
  public Message processRequest0(
      RaftServerService service, InstallSnapshotRequest request, RpcRequestClosure done) {
    try {
      return super.processRequest0(service, request, done);
    } catch (NullPointerException e) {
      if (!NO_DOWNLOAD.equals(e.getMessage())) {
        throw e;
      }
      LOG.info(
          "An earlier snapshot is already being installed; the leader will try again group={}"
              + " leader={} index={}",
          request.getGroupId(),
          request.getServerId(),
          request.getMeta().getLastIncludedIndex());
      return RpcFactoryHelper.responseFactory()
          .newResponse(defaultResp(), RaftError.EBUSY, "an earlier snapshot is being installed");
    }
  }
}
