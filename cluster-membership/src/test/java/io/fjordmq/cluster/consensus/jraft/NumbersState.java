package io.fjordmq.cluster.consensus.jraft;

import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.Proposal;
import io.fjordmq.cluster.consensus.ReplicatedState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Keeps numbers in memory only: after a restart, all of its contents come from the log. */
final class NumbersState implements ReplicatedState {
  private final LongConsumer onOwnApplied;
  private final List<Long> numbers = new ArrayList<>();

  /** Marks entries that this process proposed. */
  static final class OwnProposal implements Proposal {
    @Override
    public void onFailed(ConsensusException cause) {
      throw new IllegalStateException("a single voter refused an entry", cause);
    }
  }

  /**
   * @param onOwnApplied receives each number that this process proposed, once it is applied
   */
  NumbersState(LongConsumer onOwnApplied) {
    this.onOwnApplied = onOwnApplied;
  }

  synchronized List<Long> numbers() {
    return List.copyOf(numbers);
  }

  @Override
  public long appliedIndex() {
    return 0;
  }

  @Override
  public synchronized void apply(List<CommittedEntry> entries) {
    for (CommittedEntry entry : entries) {
      long number = WriterProcess.number(entry.data());
      numbers.add(number);
      if (entry.proposal() != null) {
        onOwnApplied.accept(number);
      }
    }
  }

  @Override
  public void onLeaderStart(long term) {}

  @Override
  public void onLeaderStop() {}

  @Override
  public void checkpoint(CheckpointRequest request) {
    request.onFailed(new UnsupportedOperationException("kept in memory only"));
  }

  @Override
  public long export(Path directory) {
    throw new UnsupportedOperationException("no replica lags");
  }

  @Override
  public void install(Path directory) {
    throw new UnsupportedOperationException("no replica is ahead");
  }

  @Override
  public void onHalted(ConsensusException cause) {
    throw new IllegalStateException(cause);
  }
}
