package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Node;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.closure.ReadIndexClosure;
import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.Task;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/** One replica, run by sofa-jraft. */
final class JRaftConsensus implements Consensus {
  private static final byte[] NO_CONTEXT = new byte[0];
  private static final long CHECKPOINT_RETRY_NANOS = 1_000_000;

  private final GroupId group;
  private final NodeImpl node;
  private final GroupServices services;
  private final JRaftStateMachine machine;
  private final ConsensusObserver observer;
  private final int maxEntryBytes;
  private final Runnable onClose;
  private final Set<PendingProposal> unsettled = ConcurrentHashMap.newKeySet();

  // Readers use the node, the writer closes it: jraft may lose what is offered while it shuts down.
  private final ReadWriteLock lifecycle = new ReentrantReadWriteLock();
  private boolean closed;

  JRaftConsensus(
      GroupId group,
      NodeImpl node,
      GroupServices services,
      JRaftStateMachine machine,
      ConsensusObserver observer,
      int maxEntryBytes,
      Runnable onClose) {
    this.group = group;
    this.node = node;
    this.services = services;
    this.machine = machine;
    this.observer = observer;
    this.maxEntryBytes = maxEntryBytes;
    this.onClose = onClose;
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
   * @throws IllegalArgumentException if the entry is larger than {@link
   *     ConsensusSettings#maxEntryBytes}
   */
  @Override
  public void propose(long expectedTerm, byte[] entry, Proposal proposal) {
    if (entry.length > maxEntryBytes) {
      throw new IllegalArgumentException(
          "an entry may have " + maxEntryBytes + " bytes, this one has " + entry.length);
    }
    lifecycle.readLock().lock();
    try {
      ConsensusException refusal = closed ? closedFailure() : machine.haltCause();
      if (refusal != null) {
        observer.proposalFailed(group, refusal.kind());
        proposal.failed(refusal);
        return;
      }
      PendingProposal pending = new PendingProposal(group, proposal, unsettled, observer);
      node.apply(new Task(ByteBuffer.wrap(entry), pending, expectedTerm));
    } finally {
      lifecycle.readLock().unlock();
    }
  }

  @Override
  public CompletableFuture<Long> readIndex() {
    CompletableFuture<Long> result = new CompletableFuture<>();
    whileOpen(
        result,
        () ->
            node.readIndex(
                NO_CONTEXT,
                new ReadIndexClosure() {
                  @Override
                  public void run(Status status, long index, byte[] context) {
                    complete(result, status, () -> index);
                  }
                }));
    return result;
  }

  @Override
  public CompletableFuture<Void> changeReplicas(ReplicaSet target) {
    CompletableFuture<Void> result = new CompletableFuture<>();
    Closure done = status -> complete(result, status, () -> null);
    whileOpen(result, () -> node.changePeers(PeerNames.configuration(target), done));
    return result;
  }

  @Override
  public CompletableFuture<Void> transferLeadership(NodeId target) {
    CompletableFuture<Void> result = machine.awaitTransferTo(target);
    whileOpen(
        result,
        () -> {
          Status status = node.transferLeadershipTo(PeerNames.peer(target));
          if (!status.isOk()) {
            machine.transferRefused(Failures.ofRequest(status));
          }
        });
    return result;
  }

  @Override
  public CompletableFuture<Long> checkpoint() {
    CompletableFuture<Long> result = new CompletableFuture<>();
    long wanted = machine.appliedIndex();
    whileOpen(result, () -> checkpoint(wanted, result));
    return result;
  }

  // jraft learns of an applied entry only after the state has told its proposer. If that one asks
  // for a checkpoint at once, jraft may find nothing new: ask again until it has noticed.
  private void checkpoint(long wanted, CompletableFuture<Long> result) {
    Closure done =
        status -> {
          if (status.isOk() && services.snapshots().coveredIndex() < wanted) {
            LockSupport.parkNanos(CHECKPOINT_RETRY_NANOS);
            whileOpen(result, () -> checkpoint(wanted, result));
          } else {
            complete(result, status, services.snapshots()::coveredIndex);
          }
        };
    node.snapshot(done);
  }

  private void whileOpen(CompletableFuture<?> result, Runnable action) {
    lifecycle.readLock().lock();
    try {
      ConsensusException refusal = closed ? closedFailure() : machine.haltCause();
      if (refusal == null) {
        action.run();
      } else {
        result.completeExceptionally(refusal);
      }
    } finally {
      lifecycle.readLock().unlock();
    }
  }

  private static <T> void complete(
      CompletableFuture<T> result, Status status, Supplier<T> onSuccess) {
    if (status.isOk()) {
      result.complete(onSuccess.get());
    } else {
      result.completeExceptionally(Failures.ofRequest(status));
    }
  }

  private ConsensusException closedFailure() {
    return new ConsensusException(Kind.CLOSED, "the replica of group " + group + " is closed");
  }

  @Override
  public GroupStatus status() {
    lifecycle.readLock().lock();
    try {
      return new GroupStatus(
          machine.leadership(),
          PeerNames.replicas(node.getCurrentConf()),
          services.log().getFirstLogIndex(),
          closed ? services.log().getLastLogIndex() : node.getLastLogIndex(),
          closed ? 0 : node.getLastCommittedIndex(),
          closed ? 0 : node.getLastAppliedLogIndex());
    } finally {
      lifecycle.readLock().unlock();
    }
  }

  /** Must not be called from a callback of the replica, for which it waits. */
  @Override
  public void close() {
    lifecycle.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
    } finally {
      lifecycle.writeLock().unlock();
    }
    machine.closing();
    node.shutdown();
    join(node);
    settleAll();
    onClose.run();
  }

  static void join(Node node) {
    boolean interrupted = false;
    while (true) {
      try {
        node.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void settleAll() {
    ConsensusException cause =
        new ConsensusException(
            Kind.OUTCOME_UNKNOWN, "group " + group + " was closed before the entry was applied");
    unsettled.forEach(proposal -> proposal.fail(cause));
    // Another thread may be in the middle of telling one.
    while (!unsettled.isEmpty()) {
      LockSupport.parkNanos(100_000);
    }
  }
}
