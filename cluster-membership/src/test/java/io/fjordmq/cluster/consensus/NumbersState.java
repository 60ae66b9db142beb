package io.fjordmq.cluster.consensus;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/** Remembers numbers in memory only: whatever it knows after a restart came from the log. */
final class NumbersState implements ReplicatedState {
  private final LongConsumer onOwn;
  private final List<Long> numbers = new ArrayList<>();

  /** Marks entries that this process proposed. */
  static final class Told implements Proposal {
    @Override
    public void failed(ConsensusException cause) {
      throw new IllegalStateException("a single voter refused an entry", cause);
    }
  }

  /**
   * @param onOwn told each number that this process proposed, once applied
   */
  NumbersState(LongConsumer onOwn) {
    this.onOwn = onOwn;
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
        onOwn.accept(number);
      }
    }
  }

  @Override
  public void leading(long term) {}

  @Override
  public void following() {}

  @Override
  public void checkpoint(CheckpointRequest request) {
    request.failed(new UnsupportedOperationException("kept in memory only"));
  }

  @Override
  public long export(Path directory) {
    throw new UnsupportedOperationException("nobody is behind");
  }

  @Override
  public void install(Path directory) {
    throw new UnsupportedOperationException("nobody is ahead");
  }

  @Override
  public void halted(ConsensusException cause) {
    throw new IllegalStateException(cause);
  }
}
