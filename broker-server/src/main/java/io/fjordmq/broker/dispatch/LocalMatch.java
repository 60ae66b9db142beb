package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The filters on this node that match a topic; cached per topic. If exactly one filter matches,
 * that filter caches the fan-out plan. If several filters match and have few subscribers, this
 * class caches the merged plan.
 */
public final class LocalMatch {

  /** The merged subscribers, with the versions of the filters from which they were computed. */
  @SuppressWarnings("ArrayRecordComponent") // private and never compared
  private record MergedFanOut(int[] versions, FanOutPlan fanOutPlan) {}

  private final LocalFilter[] filters;
  private final int maxCached;
  private volatile @Nullable MergedFanOut merged;

  /**
   * @param maxCached the maximum size of a merge that is cached
   */
  LocalMatch(List<LocalFilter> filters, int maxCached) {
    this.filters =
        filters.stream()
            .sorted(Comparator.comparing(LocalFilter::pattern))
            .toArray(LocalFilter[]::new);
    this.maxCached = maxCached;
  }

  public FanOutPlan fanOut() {
    if (filters.length == 1) {
      return filters[0].fanOut();
    }
    if (filters.length == 0) {
      return FanOutPlan.EMPTY;
    }
    MergedFanOut cached = merged;
    return cached != null && isCurrent(cached.versions) ? cached.fanOutPlan : merge();
  }

  private boolean isCurrent(int[] versions) {
    for (int i = 0; i < filters.length; i++) {
      if (filters[i].version() != versions[i]) {
        return false;
      }
    }
    return true;
  }

  private FanOutPlan merge() {
    Map<LocalSubscriber, List<SubscriptionOptions>> overlapping = new LinkedHashMap<>();
    int[] versions = new int[filters.length];
    for (int i = 0; i < filters.length; i++) {
      versions[i] =
          filters[i].forEach(
              (localSubscriber, options) ->
                  overlapping
                      .computeIfAbsent(localSubscriber, s -> new ArrayList<>(2))
                      .add(options));
    }
    FanOutPlan.Builder builder = new FanOutPlan.Builder();
    overlapping.forEach(builder::add);
    FanOutPlan fanOutPlan = builder.build();
    merged = fanOutPlan.size() <= maxCached ? new MergedFanOut(versions, fanOutPlan) : null;
    return fanOutPlan;
  }
}
