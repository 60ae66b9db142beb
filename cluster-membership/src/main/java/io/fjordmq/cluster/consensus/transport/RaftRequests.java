package io.fjordmq.cluster.consensus.transport;

import com.alipay.sofa.jraft.rpc.Connection;
import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.impl.ConnectionClosedEventListener;
import com.alipay.sofa.jraft.rpc.impl.PingRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.AppendEntriesRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.ReadIndexRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.RequestVoteRequestProcessor;
import com.alipay.sofa.jraft.rpc.impl.core.TimeoutNowRequestProcessor;
import com.google.protobuf.Message;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusObserver.TrafficDrop;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Dispatches requests from other nodes: Raft messages and parts of snapshots. Handlers run on
 * workers, never on an event loop. Requests of one group and sender run in order on one worker,
 * except heartbeats in a {@link HeartbeatBatch}, which a later request may overtake.
 */
final class RaftRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RaftRequests.class);

  private static final int MAX_REPORTED_REFUSALS = 1_000;

  private final Map<RaftMessage, RpcProcessor<?>> processors = new EnumMap<>(RaftMessage.class);
  private final ConnectionClosedEventListener onClosed;
  private final Set<String> reportedRefusals = ConcurrentHashMap.newKeySet();
  private final RaftWorkers workers;
  private final SnapshotExports exports;
  private final ConsensusObserver observer;

  RaftRequests(RaftWorkers workers, SnapshotExports exports, ConsensusObserver observer) {
    this.workers = workers;
    this.exports = exports;
    this.observer = observer;
    AppendEntriesRequestProcessor append = new AppendEntriesRequestProcessor(null);
    onClosed = append;
    processors.put(RaftMessage.APPEND, append);
    processors.put(RaftMessage.VOTE, new RequestVoteRequestProcessor(null));
    processors.put(RaftMessage.TIMEOUT_NOW, new TimeoutNowRequestProcessor(null));
    processors.put(RaftMessage.READ_INDEX, new ReadIndexRequestProcessor(null));
    processors.put(RaftMessage.INSTALL_SNAPSHOT, new InstallSnapshotProcessor());
    processors.put(RaftMessage.PING, new PingRequestProcessor(null));
    processors.put(RaftMessage.GET_FILE, exports);
  }

  /**
   * Returns true only the first time, because repeated refusals of the same node for the same
   * reason are not logged.
   */
  boolean isNewRefusal(String refusal) {
    return reportedRefusals.size() < MAX_REPORTED_REFUSALS && reportedRefusals.add(refusal);
  }

  /**
   * Hands the request to a worker, or adds it to the batch if it is a heartbeat that may be handled
   * together with others.
   */
  @SuppressWarnings("unchecked")
  void handle(RaftFrame.Call request, RpcContext context, HeartbeatBatch batch) {
    RpcProcessor<Message> processor = (RpcProcessor<Message>) processors.get(request.type());
    if (processor == null) {
      LOG.warn(
          "Rejected a Raft message that is not a request peer={} type={}",
          context.getRemoteAddress(),
          request.type());
      context.getConnection().close();
      return;
    }
    if (RaftMessage.isHeartbeat(request.message())
        && batch.add(
            workers.workerFor(request.message()),
            () -> processor.handleRequest(context, request.message()))) {
      return;
    }
    try {
      Executor worker = workers.executorFor(request.type(), request.message());
      if (request.message() instanceof GetFileRequest part) {
        worker.execute(() -> exports.handleRequest(context, part, workers.exportExecutor()));
      } else {
        worker.execute(() -> processor.handleRequest(context, request.message()));
      }
    } catch (RejectedExecutionException e) {
      observer.onTrafficDropped(TrafficDrop.WORKER_FULL);
    }
  }

  /** Hands the heartbeats in the batch to a worker and empties the batch. */
  void handle(HeartbeatBatch batch) {
    try {
      batch.execute();
    } catch (RejectedExecutionException e) {
      observer.onTrafficDropped(TrafficDrop.WORKER_FULL);
    }
  }

  /** Makes jraft discard the response ordering that it keeps for the connection. */
  void onConnectionClosed(String remote, Connection connection) {
    onClosed.onClosed(remote, connection);
  }
}
