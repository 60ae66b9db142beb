package io.fjordmq.router;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoreSpec;

/**
 * The replicas of routes on this node, as created by the range engine, and the table that they
 * fill.
 */
public final class RouteReplicas {
  /** Name of the store. */
  public static final String STORE = "dist";

  private final RouteTable table;
  private final AppliedRoutes applied = new AppliedRoutes();
  private final StoreSpec spec;

  /** Creates the store specification. */
  public RouteReplicas(RouteSettings settings) {
    table = new RouteTable(settings.maxCachedTopics());
    spec =
        new StoreSpec(
            STORE,
            RouteKeys.evenSplits(settings.initialRanges()),
            this::newCoprocessor,
            (range, effects) -> {
              throw new IllegalStateException(
                  "unexpected effects of range " + range + ": " + effects);
            },
            RouteKeys::filterStart);
  }

  /** Returns the description of this store for the range engine. */
  public StoreSpec spec() {
    return spec;
  }

  private RouteCoprocessor newCoprocessor(RangeId range) {
    return new RouteCoprocessor(range.number(), table, applied);
  }

  /** Returns the routes of all replicas that were ever open on this node. */
  public RouteTable table() {
    return table;
  }

  /** Returns the progress of the replicas. */
  public AppliedRoutes applied() {
    return applied;
  }
}
