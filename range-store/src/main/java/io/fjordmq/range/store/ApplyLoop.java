package io.fjordmq.range.store;

import io.fjordmq.cluster.SupportedLevels;
import io.fjordmq.cluster.consensus.CommittedEntry;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.Coprocessor;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.KvWriter;
import io.fjordmq.range.kv.WriteSet;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies committed entries: recognizes repeated batches, checks the epoch, executes the commands,
 * writes everything in one batch, then passes on effects and responses. Used by one thread at a
 * time.
 */
final class ApplyLoop {
  /*
   * Everything up to write() must be deterministic: the result depends on the state and the entry
   * only. Leaders and followers differ only after the write.
   */
  private final RangeState state;
  private final Coprocessor coprocessor;
  private final KvSpace space;
  private final long maxWriteBytes;
  private final SupportedLevels supported;
  private final RangeObserver observer;
  private final ReplicaLoad load;
  private final RangeSplit splits;
  private final RangeMerge merges;
  private final Consumer<CompletedWrite> afterWrite;

  private final KvBatch batch = new KvBatch();
  private final WriteSet rows;
  private Context context;

  private List<Outcome> outcomes = new ArrayList<>();
  private int commands;
  private int level = SupportedLevels.FIRST;
  private @Nullable RangeChange change;
  private RangeEntry.@Nullable Compare comparison;
  private boolean failed;

  /** A proposal of this leader and its result. */
  record Outcome(PendingEntry pending, RangeResult result) {}

  /**
   * The changes that one write has made to the state.
   *
   * @param change how the range has changed; null if it has not
   * @param comparison the last entry of the write, if it makes the replica hash its rows
   */
  record CompletedWrite(
      long appliedIndex,
      List<Object> effects,
      List<Outcome> outcomes,
      @Nullable RangeChange change,
      RangeEntry.@Nullable Compare comparison) {}

  /**
   * @param maxWriteBytes no further entry is added to a write that has reached this size
   * @param supported the levels at which this node can apply entries
   * @param afterWrite called after every write, on the apply thread
   */
  ApplyLoop(
      RangeState state,
      Coprocessor coprocessor,
      KvSpace space,
      long maxWriteBytes,
      SupportedLevels supported,
      RangeObserver observer,
      ReplicaLoad load,
      RangeSplit splits,
      RangeMerge merges,
      Consumer<CompletedWrite> afterWrite) {
    this.state = state;
    this.coprocessor = coprocessor;
    this.space = space;
    this.maxWriteBytes = maxWriteBytes;
    this.supported = supported;
    this.observer = observer;
    this.load = load;
    this.splits = splits;
    this.merges = merges;
    this.afterWrite = afterWrite;
    this.rows = new WriteSet(space.latest(), batch);
    this.context = new Context(new DataWriter(rows, state.descriptor().interval(), load));
  }

  /**
   * Applies entries in order.
   *
   * @throws RuntimeException from storage or coprocessor; nothing may be applied after it, because
   *     memory and storage no longer agree
   */
  void apply(List<CommittedEntry> entries) {
    if (failed) {
      throw new IllegalStateException(
          "the replica of range " + state.descriptor().id() + " has already failed");
    }
    int next = 0;
    try {
      while (next < entries.size()) {
        next = applyBatch(entries, next);
      }
    } catch (Throwable e) {
      failed = true;
      completeFailed(entries.subList(next, entries.size()), e);
      throw e;
    }
  }

  /**
   * Executes and writes some entries, starting at {@code first}; returns the position after the
   * last one.
   */
  private int applyBatch(List<CommittedEntry> entries, int first) {
    long startNanos = System.nanoTime();
    int next = first;
    int count = 0;
    boolean isRangeChange = false;
    while (next < entries.size()
        && batch.bytes() < maxWriteBytes
        && !isRangeChange
        && comparison == null) {
      CommittedEntry entry = entries.get(next);
      if (entry.index() > state.appliedIndex()) {
        isRangeChange = RangeEntry.isRangeChange(entry.data());
        if (isRangeChange && count > 0) {
          break; // an entry that changes the range starts a new write
        }
        execute(entry);
        count++;
      }
      next++;
    }
    if (count > 0) {
      write(count, startNanos);
    }
    return next;
  }

  private void execute(CommittedEntry entry) {
    if (state.needsSnapshot()) {
      throw new IllegalStateException(
          "range %s was split, so an empty replica must start from a snapshot"
              .formatted(state.descriptor().id()));
    }
    RangeEntry decoded = RangeEntry.decode(entry.data());
    RangeEntry.requireLevel(entry.data(), supported);
    level = RangeEntry.levelOf(entry.data());
    state.advance(entry.index(), decoded.clockMillis());
    RangeResult result;
    if (decoded instanceof RangeEntry.Mutations mutations) {
      result = mutate(entry.index(), mutations);
    } else if (decoded instanceof RangeEntry.Register register) {
      result = register(entry.index(), register);
    } else if (decoded instanceof RangeEntry.ResetClock reset) {
      result = resetClock(entry.index(), reset);
    } else if (decoded instanceof RangeEntry.Compare compare) {
      result = compare(entry.index(), compare);
    } else {
      change =
          decoded instanceof RangeEntry.Split split
              ? splits.apply(state, split, rows, batch)
              : merges.apply(state, decoded, rows);
      result =
          change == null
              ? new RangeResult.StaleEpoch(state.coveringRanges())
              : new RangeResult.Applied(entry.index(), List.of());
    }
    PendingEntry pending = PendingEntry.of(entry.proposal());
    if (pending != null) {
      outcomes.add(new Outcome(pending, result));
    }
  }

  private RangeResult register(long index, RangeEntry.Register register) {
    if (state.frozen() != null) {
      return FreezeRecord.BUSY;
    }
    long sender = state.senders().register(index, rows);
    int forgotten = state.senders().shrink(register.maxSenders(), rows);
    for (int i = 0; i < forgotten; i++) {
      observer.onSenderEvicted(state.descriptor().id());
    }
    return new RangeResult.Registered(sender);
  }

  private RangeResult resetClock(long index, RangeEntry.ResetClock reset) {
    if (reset.epochVersion() != state.descriptor().epoch().version()) {
      return new RangeResult.StaleEpoch(state.coveringRanges());
    }
    long resetByMillis = state.resetClock(reset.clockMillis());
    byte[] response = ByteBuffer.allocate(Long.BYTES).putLong(resetByMillis).array();
    return new RangeResult.Applied(index, List.of(response));
  }

  /**
   * Ends the write with this entry, so that the rows are those of its index when {@link
   * #afterWrite} is called. The rows of a frozen range may already belong to its neighbor.
   */
  private RangeResult compare(long index, RangeEntry.Compare compare) {
    if (compare.epochVersion() != state.descriptor().epoch().version()) {
      return new RangeResult.StaleEpoch(state.coveringRanges());
    }
    if (state.frozen() != null) {
      return FreezeRecord.BUSY;
    }
    comparison = compare;
    return new RangeResult.Applied(index, List.of());
  }

  private RangeResult mutate(long index, RangeEntry.Mutations mutations) {
    // Duplicates are recognized before the epoch is checked: a batch that was applied before a
    // split gets its responses again. The new ranges would apply it a second time.
    SenderTable.Sender sender = state.senders().find(mutations.sender());
    if (sender == null) {
      return new RangeResult.SenderEvicted();
    }
    if (mutations.number() == sender.lastNumber()) {
      observer.onDuplicate(state.descriptor().id());
      return new RangeResult.Applied(sender.lastIndex(), sender.responses());
    }
    if (mutations.number() < sender.lastNumber()) {
      return new RangeResult.OutdatedBatch();
    }
    if (mutations.epochVersion() != state.descriptor().epoch().version()) {
      return new RangeResult.StaleEpoch(state.coveringRanges());
    }
    if (state.frozen() != null) {
      return FreezeRecord.BUSY;
    }
    List<byte[]> responses = new ArrayList<>(mutations.commands().size());
    long responseBytes = 0;
    for (ByteBuffer command : mutations.commands()) {
      byte[] response = coprocessor.apply(command, context);
      responses.add(response);
      responseBytes += response.length;
      if (responseBytes >= mutations.maxBatchResponseBytes()) {
        break; // the number of responses tells the sender how many were applied
      }
    }
    commands += responses.size();
    SenderTable.Sender now = new SenderTable.Sender(mutations.number(), index, responses);
    state.senders().remember(mutations.sender(), now, rows);
    return new RangeResult.Applied(index, responses);
  }

  private void write(int entries, long startNanos) {
    state.saveProgress(rows);
    long writeNanos = System.nanoTime();
    space.write(batch);
    writeNanos = System.nanoTime() - writeNanos;
    long bytes = batch.bytes();
    CompletedWrite written =
        new CompletedWrite(
            state.appliedIndex(), context.takeEffects(), outcomes, change, comparison);
    int executed = commands;
    batch.clear();
    rows.reset();
    outcomes = new ArrayList<>();
    commands = 0;
    comparison = null;
    if (written.change() != null) {
      onRangeChanged(written.change());
    }
    afterWrite.accept(written);
    long nanos = System.nanoTime() - startNanos;
    load.recordApplied(executed, nanos, writeNanos);
    observer.onApplied(state.descriptor().id(), entries, executed, bytes, nanos);
  }

  private void onRangeChanged(RangeChange appliedChange) {
    change = null;
    state.applyChange(appliedChange);
    context = new Context(new DataWriter(rows, appliedChange.range().interval(), load));
  }

  /**
   * Completes the proposals of entries that are committed but not applied. They will be applied
   * after the replica is reopened, so their outcome is unknown.
   */
  private static void completeFailed(List<CommittedEntry> entries, Throwable cause) {
    RangeResult result =
        cause instanceof KvException
            ? new RangeResult.StorageFailed(String.valueOf(cause.getMessage()))
            : new RangeResult.OutcomeUnknown("replica failed: " + cause);
    for (CommittedEntry entry : entries) {
      PendingEntry pending = PendingEntry.of(entry.proposal());
      if (pending != null) {
        pending.complete(result);
      }
    }
  }

  private final class Context implements ApplyContext {
    private final KvWriter data;
    private @Nullable List<Object> effects;

    Context(KvWriter data) {
      this.data = data;
    }

    @Override
    public long nowMillis() {
      return state.clockMillis();
    }

    @Override
    public int level() {
      return level;
    }

    @Override
    public long index() {
      return state.appliedIndex();
    }

    @Override
    public long epochVersion() {
      return state.descriptor().epoch().version();
    }

    @Override
    public KvWriter state() {
      return data;
    }

    @Override
    public void emit(Object effect) {
      if (effects == null) {
        effects = new ArrayList<>();
      }
      effects.add(effect);
    }

    List<Object> takeEffects() {
      List<Object> pendingEffects = effects == null ? List.of() : effects;
      effects = null;
      return pendingEffects;
    }
  }
}
