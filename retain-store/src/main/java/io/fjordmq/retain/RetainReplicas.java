package io.fjordmq.retain;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/** The replicas of retained messages on this node, as created by the range engine. */
public final class RetainReplicas {
  /** Name of the store. */
  public static final String STORE = "retain";

  private final IndexMemory budget;
  private final StoreSpec spec;
  private final Map<RangeId, RetainCoprocessor> open = new ConcurrentHashMap<>();

  /** Creates the store specification. */
  public RetainReplicas(RetainSettings settings) {
    this.budget = new IndexMemory(settings.maxIndexBytes());
    this.spec =
        new StoreSpec(
            STORE,
            RetainKeys.evenSplits(settings.initialRanges()),
            this::newCoprocessor,
            (range, effects) -> {
              throw new IllegalStateException(
                  "unexpected effects of range " + range + ": " + effects);
            });
  }

  /** Returns the description of this store for the range engine. */
  public StoreSpec spec() {
    return spec;
  }

  private RetainCoprocessor newCoprocessor(RangeId id) {
    RetainCoprocessor[] self = new RetainCoprocessor[1];
    self[0] = new RetainCoprocessor(budget, () -> open.remove(id, self[0]));
    open.put(id, self[0]);
    return self[0];
  }

  /** Returns the usage of a tenant in all replicas of this node. */
  public RetainUsage.TenantUsage used(String tenant) {
    RetainUsage.TenantUsage sum = RetainUsage.TenantUsage.ZERO;
    for (RetainCoprocessor replica : open.values()) {
      RetainUsage.TenantUsage part = replica.memory().used(tenant);
      sum = sum.plus(part.messages(), part.bytes());
    }
    return sum;
  }

  /** Returns the number of messages in all replicas of this node. */
  public long count() {
    long sum = 0;
    for (RetainCoprocessor replica :
        open.values()) { // not a stream: every publish calls this method
      sum += replica.memory().count();
    }
    return sum;
  }

  /** Returns the number of messages in the replicas of some ranges. */
  public long count(Predicate<RangeId> ranges) {
    return open.entrySet().stream()
        .filter(entry -> ranges.test(entry.getKey()))
        .mapToLong(entry -> entry.getValue().memory().count())
        .sum();
  }

  /** Returns the first keys of the ranges in which a message or clear marker has expired. */
  public List<byte[]> rangesDueAt(long nowMillis) {
    return open.values().stream()
        .map(RetainCoprocessor::memory)
        .filter(memory -> memory.isDueAt(nowMillis))
        .map(memory -> memory.interval().start())
        .toList();
  }
}
