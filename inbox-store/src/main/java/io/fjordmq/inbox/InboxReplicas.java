package io.fjordmq.inbox;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The inbox replicas of this node, as created by the range engine. */
public final class InboxReplicas {
  /** Name of the store. */
  public static final String STORE = "inbox";

  private final InboxSettings settings;
  private final StoreSpec spec;
  private final Map<RangeId, InboxCoprocessor> open = new ConcurrentHashMap<>();

  /**
   * Creates the store specification.
   *
   * @param listener receives the effects of ranges that this node leads
   */
  public InboxReplicas(InboxSettings settings, InboxListener listener, InboxObserver observer) {
    this.settings = settings;
    this.spec =
        new StoreSpec(
            STORE,
            InboxKeys.evenSplits(
                settings.initialRangesOn(Runtime.getRuntime().availableProcessors())),
            this::newCoprocessor,
            new InboxEffects(listener, observer, this::keys),
            InboxKeys::bucketStartOf);
  }

  /** Returns the description of this store for the range engine. */
  public StoreSpec spec() {
    return spec;
  }

  private InboxCoprocessor newCoprocessor(RangeId id) {
    InboxCoprocessor[] self = new InboxCoprocessor[1];
    self[0] = new InboxCoprocessor(settings.cachedInboxes(), () -> open.remove(id, self[0]));
    open.put(id, self[0]);
    return self[0];
  }

  private @Nullable KeyInterval keys(RangeId range) {
    InboxCoprocessor replica = open.get(range);
    return replica == null ? null : replica.keys();
  }

  /** Returns true if the inbox belongs to one of this node's replicas that match the predicate. */
  public boolean isIn(InboxId id, Predicate<RangeId> predicate) {
    for (RangeId range : open.keySet()) {
      KeyInterval interval = keys(range);
      if (interval != null && new InboxSpan(interval).test(id) && predicate.test(range)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the combined statistics of this node's replicas that match the predicate. */
  public InboxStoreStatus status(Predicate<RangeId> predicate) {
    InboxStoreStatus sum = new InboxStoreStatus(0, 0, 0, 0);
    for (Map.Entry<RangeId, InboxCoprocessor> replica : open.entrySet()) {
      if (predicate.test(replica.getKey())) {
        sum = sum.plus(replica.getValue().status());
      }
    }
    return sum;
  }
}
