package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.Closure;
import com.alipay.sofa.jraft.Iterator;
import com.alipay.sofa.jraft.Status;
import com.alipay.sofa.jraft.core.StateMachineAdapter;
import com.alipay.sofa.jraft.entity.EnumOutter.ErrorType;
import com.alipay.sofa.jraft.entity.LeaderChangeContext;
import com.alipay.sofa.jraft.error.RaftError;
import com.alipay.sofa.jraft.error.RaftException;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotReader;
import com.alipay.sofa.jraft.storage.snapshot.SnapshotWriter;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.ConsensusObserver;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.Leadership;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.SnapshotRefusedException;
import io.fjordmq.cluster.consensus.log.PeerNames;
import io.fjordmq.cluster.consensus.transport.FetchedSnapshot;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates jraft's callbacks into calls of one {@link ReplicatedState}. An exception from the
 * state halts the replica. Entries are skipped only if the state already includes them.
 *
 * <p>jraft calls from a single thread, its FSM thread; fields that other threads use are volatile.
 */
final class JRaftStateMachine extends StateMachineAdapter {
  /** An empty entry, which does not reach the state; it only advances the log. */
  static final ByteBuffer NUDGE = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private static final Logger LOG = LoggerFactory.getLogger(JRaftStateMachine.class);

  /** Limits of one {@link ReplicatedState#apply}, which bound memory and pauses. */
  private static final int MAX_ENTRIES_PER_APPLY = 256;

  private static final int MAX_BYTES_PER_APPLY = 4 << 20;

  private final GroupId group;
  private final NodeId self;
  private final ReplicatedState state;
  private final GroupSnapshots snapshots;
  private final ConsensusObserver observer;
  private final CheckpointRequests checkpoints = new CheckpointRequests();
  private final LeadershipTransfer transfer = new LeadershipTransfer();

  private final Consumer<RaftException> halt;

  private volatile Leadership leadership = new Leadership(0, null, false);
  private volatile @Nullable ConsensusException halted;
  private volatile LongConsumer leadershipEndListener = term -> {};
  private @Nullable Throwable thrown;
  private long skipUpTo;
  private volatile long appliedIndex;

  JRaftStateMachine(
      GroupId group,
      NodeId self,
      ReplicatedState state,
      GroupSnapshots snapshots,
      long appliedAtOpen,
      ConsensusObserver observer,
      Consumer<RaftException> halt) {
    this.halt = halt;
    this.group = group;
    this.self = self;
    this.state = state;
    this.snapshots = snapshots;
    this.skipUpTo = appliedAtOpen;
    this.observer = observer;
  }

  /**
   * Returns the index of the last entry passed to the state since the replica was opened; 0 if
   * none.
   */
  long appliedIndex() {
    return appliedIndex;
  }

  Leadership leadership() {
    return leadership;
  }

  /** Returns why the replica halted; null while it runs. */
  @Nullable ConsensusException haltCause() {
    return halted;
  }

  /** Sets the listener that receives the term of each leadership of this node once it ends. */
  void setLeadershipEndListener(LongConsumer listener) {
    leadershipEndListener = listener;
  }

  LeadershipTransfer transfer() {
    return transfer;
  }

  /** Fails requests that wait for the state, so that closing does not wait for them. */
  void failPendingRequests() {
    checkpoints.close();
    transfer.fail(new ConsensusException(Kind.CLOSED, "replica of group " + group + " is closing"));
  }

  @Override
  public void onApply(Iterator it) {
    List<CommittedEntry> chunk = new ArrayList<>();
    long bytes = 0;
    while (it.hasNext()) {
      if (isNudge(it.getData())) {
        if (!chunk.isEmpty() && !apply(chunk, it)) {
          return;
        }
        chunk = new ArrayList<>();
        bytes = 0;
        it.next();
        continue;
      }
      PendingProposal pending = (PendingProposal) it.done();
      long index = it.getIndex();
      long term = it.getTerm();
      ByteBuffer data = it.next();
      if (index <= skipUpTo) {
        failSkipped(pending, index);
        continue;
      }
      chunk.add(
          new CommittedEntry(
              index, term, data.asReadOnlyBuffer(), pending == null ? null : pending.take()));
      bytes += data.remaining();
      if (chunk.size() == MAX_ENTRIES_PER_APPLY || bytes >= MAX_BYTES_PER_APPLY) {
        if (!apply(chunk, it)) {
          return;
        }
        chunk = new ArrayList<>();
        bytes = 0;
      }
    }
    if (!chunk.isEmpty()) {
      apply(chunk, it);
    }
  }

  private static boolean isNudge(@Nullable ByteBuffer data) {
    return data == null || !data.hasRemaining();
  }

  private void failSkipped(@Nullable PendingProposal pending, long index) {
    if (pending != null) {
      pending.fail(
          new ConsensusException(
              Kind.OUTCOME_UNKNOWN, "entry " + index + " was applied as part of a snapshot"));
    }
  }

  private boolean apply(List<CommittedEntry> chunk, Iterator it) {
    try {
      appliedIndex = chunk.get(chunk.size() - 1).index();
      state.apply(chunk);
      return true;
    } catch (Throwable failure) {
      thrown = failure;
      // The iterator is already past the chunk; if it is at an entry, that entry has been consumed
      // as well.
      int tail = chunk.size() + (it.hasNext() ? 1 : 0);
      it.setErrorAndRollback(tail, new Status(RaftError.ESTATEMACHINE, "%s", failure));
      return false;
    }
  }

  @Override
  public void onLeaderStart(long term) {
    transfer.fail(
        new ConsensusException(
            Kind.BUSY, "transfer target did not become leader in time; this node leads again"));
    if (leadership.leading() || halted != null) {
      return;
    }
    leadership = new Leadership(term, self, true);
    LOG.debug("Became leader group={} term={}", group, term);
    haltIfThrows(() -> state.onLeaderStart(term));
    observer.onElected(group, term);
  }

  @Override
  public void onLeaderStop(Status status) {
    if (leadership.leading()) {
      LOG.debug("Lost leadership: {} group={}", status.getErrorMsg(), group);
      long term = leadership.term();
      stepDown();
      leadershipEndListener.accept(term);
    }
  }

  private void stepDown() {
    leadership = new Leadership(leadership.term(), null, false);
    haltIfThrows(state::onLeaderStop);
    observer.onStepDown(group);
  }

  // jraft itself would ignore the exception, and might then apply entries twice.
  private void haltIfThrows(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException failure) {
      LOG.error("State machine callback threw group={}", group, failure);
      if (halted == null) {
        thrown = failure;
        RaftException error = new RaftException(ErrorType.ERROR_TYPE_STATE_MACHINE);
        error.setStatus(new Status(RaftError.ESTATEMACHINE, "%s", failure));
        halt.accept(error);
      }
    }
  }

  @Override
  public void onStartFollowing(LeaderChangeContext context) {
    NodeId leader = PeerNames.node(context.getLeaderId());
    leadership = new Leadership(context.getTerm(), leader, false);
    transfer.onLeaderKnown(leader);
  }

  @Override
  public void onStopFollowing(LeaderChangeContext context) {
    if (!leadership.leading()) {
      leadership = new Leadership(leadership.term(), null, false);
    }
  }

  @Override
  public void onSnapshotSave(SnapshotWriter writer, Closure done) {
    ((CheckpointWriter) writer).setAppliedIndex(Math.max(skipUpTo, appliedIndex));
    ReplicatedState.CheckpointRequest request = checkpoints.begin(done);
    try {
      state.checkpoint(request);
    } catch (RuntimeException e) {
      request.onFailed(e);
    }
  }

  @Override
  public boolean onSnapshotLoad(SnapshotReader reader) {
    if (!(reader instanceof FetchedSnapshot snapshot)) {
      // This replica's own checkpoint: the host has verified that the state includes it.
      return true;
    }
    try {
      skipUpTo = snapshots.install(snapshot); // lower than before if the state was ahead of the log
      return true;
    } catch (Exception failure) {
      thrown = failure;
      return false;
    }
  }

  @Override
  public void onError(RaftException error) {
    if (halted != null) {
      return;
    }
    ConsensusException cause =
        new ConsensusException(
            Kind.FAILED,
            "group " + group + " halted on this node: " + reason(error),
            thrown == null ? error : thrown);
    halted = cause;
    // The state receives the cause and logs it at the appropriate level.
    LOG.warn("Replica halted; it is inactive until it is reopened group={}", group);
    LOG.debug("Replica halted group={}", group, cause);
    if (leadership.leading()) {
      stepDown();
    }
    failPendingRequests();
    observer.onHalted(group, cause);
    haltIfThrows(() -> state.onHalted(cause));
  }

  /**
   * Returns the reason for the error. If a state refused a snapshot, jraft's status does not
   * contain the reason.
   */
  private String reason(RaftException error) {
    Throwable refusal = thrown;
    return refusal instanceof SnapshotRefusedException
        ? String.valueOf(refusal.getMessage())
        : error.getStatus().getErrorMsg();
  }
}
