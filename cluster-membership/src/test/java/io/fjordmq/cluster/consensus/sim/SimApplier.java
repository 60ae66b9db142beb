package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicatedState;
import io.fjordmq.cluster.consensus.sim.SimLog.Entry;
import io.fjordmq.testing.Simulation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Passes committed entries to a state at random speed, and completes every proposal exactly once.
 */
final class SimApplier {
  private static final int MAX_BATCH = 16;
  private static final double SLOW_PERCENT = 2;
  private static final long SLOW_MILLIS = 150;

  private final SimProcess process;
  private final SimLog log;
  private final RaftInvariants invariants;
  private final ReplicatedState state;
  private final LongPredicate leadsIn;
  private final Consumer<RuntimeException> onFailure;
  private final NavigableMap<Long, AppendedProposal> pending = new TreeMap<>();
  private final List<ApplyWaiter> waiters = new ArrayList<>();

  private long applied;
  private long committed;
  private long announcedTerm = -1;
  private boolean scheduled;

  private record AppendedProposal(long term, Proposal proposal) {}

  private record ApplyWaiter(long index, Runnable callback) {}

  /**
   * @param leadsIn whether this replica currently leads in a term
   * @param onFailure receives an exception thrown by the state; nothing is applied afterwards
   */
  SimApplier(
      SimProcess process,
      SimLog log,
      RaftInvariants invariants,
      ReplicatedState state,
      long applied,
      LongPredicate leadsIn,
      Consumer<RuntimeException> onFailure) {
    this.process = process;
    this.log = log;
    this.invariants = invariants;
    this.state = state;
    this.applied = applied;
    this.committed = applied;
    this.leadsIn = leadsIn;
    this.onFailure = onFailure;
  }

  long applied() {
    return applied;
  }

  int pending() {
    return pending.size();
  }

  boolean hasAnnounced(long term) {
    return announcedTerm == term;
  }

  void onProposed(long index, long term, Proposal proposal) {
    pending.put(index, new AppendedProposal(term, proposal));
  }

  void onCommitted(long index) {
    committed = index;
    scheduleNext();
  }

  void whenApplied(long index, Runnable then) {
    if (applied >= index) {
      then.run();
    } else {
      waiters.add(new ApplyWaiter(index, then));
    }
  }

  /**
   * Pending proposals may still be committed by other nodes; their outcome is reported now or once
   * it is known.
   */
  void onStepDown() {
    if (announcedTerm >= 0) {
      announcedTerm = -1;
      state.onLeaderStop();
    }
    if (process.simulation().chance(50)) {
      failFrom(0, "the leader stepped down");
    }
  }

  /** Fails the proposals at and after the index. */
  void failFrom(long index, String reason) {
    List<AppendedProposal> ended = List.copyOf(pending.tailMap(index, true).values());
    pending.tailMap(index, true).clear();
    for (AppendedProposal one : ended) {
      one.proposal.onFailed(new ConsensusException(Kind.OUTCOME_UNKNOWN, reason));
    }
  }

  void onInstalled(long index) {
    applied = index;
    committed = index;
    runReadyWaiters();
  }

  private void scheduleNext() {
    if (!scheduled && applied < committed) {
      scheduled = true;
      Simulation simulation = process.simulation();
      long delay = simulation.between(0, simulation.chance(SLOW_PERCENT) ? SLOW_MILLIS : 2);
      process.schedule(delay, this::applyNextBatch);
    }
  }

  private void applyNextBatch() {
    scheduled = false;
    long limit = Math.min(committed, applied + process.simulation().between(1, MAX_BATCH));
    List<CommittedEntry> batch = new ArrayList<>();
    long last = applied;
    while (last < limit) {
      Entry entry = log.entry(last + 1);
      invariants.onApplied(process.node(), last, entry);
      last = entry.index();
      if (entry.data() != null) {
        batch.add(committedEntry(entry, entry.data()));
      } else if (entry.replicas() == null) {
        break;
      }
    }
    try {
      if (!batch.isEmpty()) {
        state.apply(List.copyOf(batch));
      }
      applied = last;
      announceLeadership(last);
    } catch (RuntimeException e) {
      onFailure.accept(e);
      return;
    }
    runReadyWaiters();
    scheduleNext();
  }

  /** Notifies the state that it leads if the applied entry starts the current term. */
  private void announceLeadership(long index) {
    if (index <= log.base().index()) {
      return;
    }
    Entry entry = log.entry(index);
    if (entry.data() == null && entry.replicas() == null && leadsIn.test(entry.term())) {
      announcedTerm = entry.term();
      state.onLeaderStart(entry.term());
    }
  }

  private CommittedEntry committedEntry(Entry entry, byte[] data) {
    AppendedProposal mine = pending.remove(entry.index());
    Proposal proposal = mine != null && mine.term == entry.term() ? mine.proposal : null;
    if (mine != null && proposal == null) {
      mine.proposal.onFailed(
          new ConsensusException(Kind.OUTCOME_UNKNOWN, "replaced by the entry of another leader"));
    }
    ByteBuffer readOnly = ByteBuffer.wrap(data).asReadOnlyBuffer();
    return new CommittedEntry(entry.index(), entry.term(), readOnly, proposal);
  }

  private void runReadyWaiters() {
    List<ApplyWaiter> ready = waiters.stream().filter(w -> w.index <= applied).toList();
    waiters.removeAll(ready);
    ready.forEach(w -> w.callback.run());
  }
}
