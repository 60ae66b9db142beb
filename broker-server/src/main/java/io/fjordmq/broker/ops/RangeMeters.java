package io.fjordmq.broker.ops;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.comparison.ReplicaComparisons;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.StepKind;
import io.micrometer.core.instrument.Timer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Metrics of the ranges of each store. */
final class RangeMeters implements RangeObserver {
  private static final class StoreMeters {
    private final Timer batch;
    private final LongAdder commands;
    private final LongAdder commandBytes;
    private final LongAdder busy;
    private final LongAdder retries;
    private final LongAdder redirects;
    private final LongAdder timeouts;
    private final Timer proposal;
    private final Timer apply;
    private final LongAdder appliedCommands;
    private final LongAdder appliedBytes;
    private final LongAdder duplicates;
    private final LongAdder sendersForgotten;
    private final Timer query;
    private final LongAdder halts;
    private final LongAdder rebuilds;
    private final Map<String, LongAdder> comparisons = new HashMap<>();
    private final LongAdder splits;
    private final LongAdder merges;
    private final Map<String, LongAdder> decisions = new HashMap<>();

    private StoreMeters(Meters meters, String store) {
      batch = meters.timer(RangeMetric.RANGE_BATCH, store);
      commands = meters.counter(RangeMetric.RANGE_COMMANDS, store);
      commandBytes = meters.counter(RangeMetric.RANGE_COMMAND_BYTES, store);
      busy = meters.counter(RangeMetric.RANGE_BUSY, store);
      retries = meters.counter(RangeMetric.RANGE_RETRIES, store);
      redirects = meters.counter(RangeMetric.RANGE_REDIRECTS, store);
      timeouts = meters.counter(RangeMetric.RANGE_TIMEOUTS, store);
      proposal = meters.timer(RangeMetric.RANGE_PROPOSAL, store);
      apply = meters.timer(RangeMetric.RANGE_APPLY, store);
      appliedCommands = meters.counter(RangeMetric.RANGE_APPLIED_COMMANDS, store);
      appliedBytes = meters.counter(RangeMetric.RANGE_APPLIED_BYTES, store);
      duplicates = meters.counter(RangeMetric.RANGE_DUPLICATES, store);
      sendersForgotten = meters.counter(RangeMetric.RANGE_SENDERS_FORGOTTEN, store);
      query = meters.timer(RangeMetric.RANGE_QUERY, store);
      halts = meters.counter(RangeMetric.RANGE_HALTS, store);
      rebuilds = meters.counter(RangeMetric.RANGE_REBUILDS, store);
      for (String result : ReplicaComparisons.RESULTS) {
        comparisons.put(result, meters.counter(RangeMetric.RANGE_COMPARISONS, store, result));
      }
      splits = meters.counter(RangeMetric.RANGE_SPLITS, store);
      merges = meters.counter(RangeMetric.RANGE_MERGES, store);
      for (String decision : SplitMonitor.DECISIONS) {
        decisions.put(decision, meters.counter(RangeMetric.RANGE_DECISIONS, store, decision));
      }
    }
  }

  private final Map<String, StoreMeters> stores;
  private final Timer checkpoint;

  /** Counters of steps that are done, by kind. */
  private final Map<String, LongAdder> stepsDone = new HashMap<>();

  private final Map<String, LongAdder> stepsFailed = new HashMap<>();

  RangeMeters(Meters meters, Collection<String> stores) {
    this.stores =
        stores.stream()
            .collect(
                Collectors.toUnmodifiableMap(Function.identity(), s -> new StoreMeters(meters, s)));
    checkpoint = meters.timer(RangeMetric.RANGE_CHECKPOINT);
    for (StepKind kind : StepKind.values()) {
      String step = kind.label();
      stepsDone.put(step, meters.counter(RangeMetric.PLACEMENT_STEPS, step, "done"));
      stepsFailed.put(step, meters.counter(RangeMetric.PLACEMENT_STEPS, step, "failed"));
    }
  }

  private StoreMeters of(RangeId range) {
    return Objects.requireNonNull(stores.get(range.store()), range.store());
  }

  @Override
  public void onBatchSent(RangeId range, int commands, long bytes) {
    StoreMeters store = of(range);
    store.commands.add(commands);
    store.commandBytes.add(bytes);
  }

  @Override
  public void onBatchApplied(RangeId range, long nanos) {
    of(range).batch.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onBusy(RangeId range) {
    of(range).busy.increment();
  }

  @Override
  public void onRetry(RangeId range, String reason) {
    of(range).retries.increment();
  }

  @Override
  public void onRedirect(RangeId range) {
    of(range).redirects.increment();
  }

  @Override
  public void onGiveUp(RangeId range) {
    of(range).timeouts.increment();
  }

  @Override
  public void onProposalApplied(RangeId range, long nanos) {
    of(range).proposal.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onApplied(RangeId range, int entries, int commands, long writtenBytes, long nanos) {
    StoreMeters store = of(range);
    store.apply.record(nanos, TimeUnit.NANOSECONDS);
    store.appliedCommands.add(commands);
    store.appliedBytes.add(writtenBytes);
  }

  @Override
  public void onDuplicate(RangeId range) {
    of(range).duplicates.increment();
  }

  @Override
  public void onSenderEvicted(RangeId range) {
    of(range).sendersForgotten.increment();
  }

  @Override
  public void onQuery(RangeId range, long nanos) {
    of(range).query.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void onHalted(RangeId range) {
    of(range).halts.increment();
  }

  @Override
  public void onRebuilt(RangeId range) {
    of(range).rebuilds.increment();
  }

  @Override
  public void onCompared(RangeId range, String result) {
    Objects.requireNonNull(of(range).comparisons.get(result), result).increment();
  }

  @Override
  public void onSplit(RangeId range, RangeId other) {
    of(range).splits.increment();
  }

  @Override
  public void onMerge(RangeId range, RangeId other) {
    of(range).merges.increment();
  }

  @Override
  public void onSplitDecision(RangeId range, String decision) {
    Objects.requireNonNull(of(range).decisions.get(decision), decision).increment();
  }

  @Override
  public void onPlacementStep(RangeId range, String kind, boolean succeeded) {
    Objects.requireNonNull((succeeded ? stepsDone : stepsFailed).get(kind), kind).increment();
  }

  @Override
  public void onCheckpoint(long nanos) {
    checkpoint.record(nanos, TimeUnit.NANOSECONDS);
  }
}
