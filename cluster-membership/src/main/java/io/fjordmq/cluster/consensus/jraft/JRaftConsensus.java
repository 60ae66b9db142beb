package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.Task;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.UseGate;
import io.fjordmq.cluster.consensus.Consensus;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.ConsensusSettings;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.log.CheckpointRecord;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.transport.StatusErrors;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A replica on sofa-jraft. */
final class JRaftConsensus implements Consensus {
  private static final Logger LOG = LoggerFactory.getLogger(JRaftConsensus.class);
  private static final byte[] NO_CONTEXT = new byte[0];
  private static final long CHECKPOINT_RETRY_NANOS = 1_000_000;

  // Replaces jraft's own read timeout, whose timer thread would wake up every millisecond.
  private static final long READ_INDEX_MILLIS = 2_000;
  private static final long UNLIMITED = -1;

  private final GroupId group;
  private final NodeImpl node;
  private final GroupServices services;
  private final JRaftStateMachine machine;
  private final FollowerProgress progress;
  private final int maxEntryBytes;
  private final int queuedProposals;
  private final long electionTimeoutMillis;
  private final ConsensusObserver observer;
  private final NodeShutdowns shutdowns;
  private final Runnable onClose;
  private final OutstandingProposals outstanding;
  // jraft may lose tasks that are submitted during its shutdown.
  private final UseGate gate = new UseGate();
  private final GroupRequests requests;
  private final ReplicaSetChanges replicaSetChanges;
  private final AtomicBoolean closed = new AtomicBoolean();

  JRaftConsensus(
      GroupId group,
      NodeImpl node,
      GroupServices services,
      JRaftStateMachine machine,
      FollowerProgress progress,
      ConsensusSettings settings,
      ConsensusObserver observer,
      NodeShutdowns shutdowns,
      Runnable onClose) {
    this.group = group;
    this.node = node;
    this.services = services;
    this.machine = machine;
    this.progress = progress;
    this.maxEntryBytes = settings.maxEntryBytes();
    this.queuedProposals = settings.queuedProposals();
    this.electionTimeoutMillis = settings.electionTimeout().toMillis();
    this.observer = observer;
    this.shutdowns = shutdowns;
    this.onClose = onClose;
    this.outstanding = new OutstandingProposals(group, queuedProposals, observer);
    this.requests = new GroupRequests(group, gate, machine);
    this.replicaSetChanges = new ReplicaSetChanges(node, requests);
    machine.setLeadershipEndListener(this::campaignAgain);
  }

  @Override
  public GroupId group() {
    return group;
  }

  @Override
  public Leadership leadership() {
    return machine.leadership();
  }

  /**
   * @throws IllegalArgumentException if the entry is empty or larger than {@link
   *     ConsensusSettings#maxEntryBytes}
   */
  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    if (entry.length == 0 || entry.length > maxEntryBytes) {
      throw new IllegalArgumentException(
          "entry must have 1 to " + maxEntryBytes + " bytes, not " + entry.length);
    }
    ConsensusException refusal =
        requests.whileOpen(
            () -> {
              if (!outstanding.reserve()) {
                return tooManyProposals();
              }
              PendingProposal pending = new PendingProposal(proposal, outstanding);
              outstanding.add(pending);
              node.apply(new Task(ByteBuffer.wrap(entry), pending, expectedTerm));
              return null;
            });
    if (refusal != null) {
      observer.onProposalFailed(group, refusal.kind());
      proposal.onFailed(refusal);
    }
  }

  private ConsensusException tooManyProposals() {
    return new ConsensusException(
        Kind.BUSY, "group " + group + " has too many pending proposals: " + queuedProposals);
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    CompletableFuture<Long> read =
        requests.begin(
            result ->
                node.readIndex(
                    NO_CONTEXT,
                    new ReadIndexClosure(UNLIMITED) {
                      @Override
                      public void run(Status status, long index, byte[] context) {
                        GroupRequests.complete(result, status, () -> index);
                      }
                    }));
    // Completed with the response, so that a finished read is not retained until its timeout.
    CompletableFuture<Boolean> timeout =
        new CompletableFuture<Boolean>()
            .completeOnTimeout(true, READ_INDEX_MILLIS, TimeUnit.MILLISECONDS);
    timeout.thenAccept(
        expired -> {
          if (expired) {
            read.completeExceptionally(readTimedOut());
          }
        });
    read.whenComplete((index, failure) -> timeout.complete(false));
    return read;
  }

  private ConsensusException readTimedOut() {
    return new ConsensusException(
        Kind.BUSY, "read of group " + group + " not confirmed within " + READ_INDEX_MILLIS + " ms");
  }

  @Override
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    return replicaSetChanges.begin(status().replicas(), target);
  }

  /** Fails with {@link IllegalArgumentException} if the target is not a voter. */
  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    return requests.begin(
        result -> {
          if (!PeerNames.replicas(node.getCurrentConf()).voters().contains(target)) {
            result.completeExceptionally(
                new IllegalArgumentException(target + " is not a voter of group " + group));
          } else if (leadership().leading() && target.equals(leadership().leader())) {
            result.complete(null);
          } else if (!machine.transfer().begin(target, result)) {
            result.completeExceptionally(
                new ConsensusException(Kind.BUSY, "another leadership transfer is in progress"));
          } else {
            Status status = node.transferLeadershipTo(PeerNames.peer(target));
            if (!status.isOk()) {
              machine.transfer().fail(StatusErrors.ofRequest(status));
            }
          }
        });
  }

  @Override
  public void campaign() {
    requests.whileOpen(
        () -> {
          ElectionTrigger.begin(node, group, CheckpointRecord.FIRST_TERM);
          return null;
        });
  }

  /*
   * Works around a bug in jraft 1.4.1: a leader that steps down while a group of one gains voters
   * never starts another election. NodeImpl.handleStepDownTimeout misses the majority of the new
   * group, steps down, and then checks the majority of the old group, which is this replica alone.
   * Because the second check succeeds, it sets its last leader contact to the maximum time and
   * waits for that leader to time out. No other node can win without this replica's vote. In every
   * other case the workaround causes one superfluous election, in a term in which this replica no
   * longer has followers.
   */
  private void campaignAgain(long term) {
    long delay = 2 * electionTimeoutMillis;
    CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS)
        .execute(
            () ->
                requests.whileOpen(
                    () -> {
                      if (leadership().leader() == null) {
                        ElectionTrigger.begin(node, group, term);
                      }
                      return null;
                    }));
  }

  @Override
  public CompletableFuture<Long> checkpoint() {
    if (services.snapshots().preventsTruncation()) {
      return CompletableFuture.completedFuture(services.snapshots().coveredIndex());
    }
    long targetIndex = machine.appliedIndex();
    return requests.begin(result -> checkpoint(targetIndex, result));
  }

  // jraft updates its applied index only after the state has notified the proposer. If the proposer
  // requests a checkpoint right away, jraft may see nothing new: retry until it does.
  private void checkpoint(long targetIndex, CompletableFuture<Long> result) {
    Closure done =
        status -> {
          if (status.isOk() && services.snapshots().coveredIndex() < targetIndex) {
            LockSupport.parkNanos(CHECKPOINT_RETRY_NANOS);
            requests.start(result, again -> checkpoint(targetIndex, again));
          } else {
            GroupRequests.complete(result, status, services.snapshots()::coveredIndex);
          }
        };
    node.snapshot(done);
  }

  @Override
  public GroupStatus status() {
    boolean open = gate.enter();
    try {
      Leadership leadership = machine.leadership();
      ReplicaSet replicas = PeerNames.replicas(node.getCurrentConf());
      long lastIndex = readStatistic(open, node::getLastLogIndex, services.log().getLastLogIndex());
      NodeId leader = leadership.leader();
      return new GroupStatus(
          leadership,
          replicas,
          services.log().getFirstLogIndex(),
          lastIndex,
          readStatistic(open, node::getLastCommittedIndex, 0),
          readStatistic(open, node::getLastAppliedLogIndex, 0),
          leadership.leading() && leader != null
              ? progress.slowestLag(leader, replicas, lastIndex)
              : 0);
    } finally {
      if (open) {
        gate.leave();
      }
    }
  }

  @Override
  public boolean hasSingleVoter() {
    return node.getCurrentConf().size() == 1;
  }

  /** Reads a statistic of jraft, which throws if its node has halted in the meantime. */
  private static long readStatistic(boolean open, LongSupplier source, long fallback) {
    try {
      return open ? source.getAsLong() : fallback;
    } catch (IllegalStateException halted) {
      return fallback;
    }
  }

  /**
   * Waits for callbacks of the replica, so it must not be called from one. If a callback does not
   * return within {@link ConsensusSettings#closeTimeout}, the group cannot be opened again before
   * it does.
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    Duration timeout = shutdowns.timeout();
    if (!gate.shut(timeout)) {
      LOG.error(
          "Closing a replica with calls still running after {} s group={} calls={}",
          timeout.toSeconds(),
          group,
          gate.threadsInside());
    }
    machine.failPendingRequests();
    shutdowns.shutDown(group, node);
    services.snapshots().close(timeout);
    ConsensusException unknown =
        new ConsensusException(
            Kind.OUTCOME_UNKNOWN, "group " + group + " was closed before the entry was applied");
    if (!outstanding.failAll(unknown, timeout)) {
      LOG.error(
          "Closing a group with unresolved proposals after {} s group={}",
          timeout.toSeconds(),
          group);
    }
    requests.failAll();
    onClose.run();
  }
}
