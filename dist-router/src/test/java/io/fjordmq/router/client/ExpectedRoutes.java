package io.fjordmq.router.client;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.range.sim.WriteHistory;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * The permitted results of a match, computed from lists of routes. The checks run hundreds of times
 * per event, so they do without AssertJ.
 */
final class ExpectedRoutes {
  private final WriteHistory<RouteId, SubscriptionOptions> history;
  private final Map<TenantTopic, List<RouteId>> writtenRoutes = new HashMap<>();
  private int lastKeyCount;

  private record TenantTopic(String tenant, String topic) {}

  ExpectedRoutes(WriteHistory<RouteId, SubscriptionOptions> history) {
    this.history = history;
  }

  /**
   * A row of the store. Computes once what the checks ask after every event. Rows are equal only if
   * they are the same object, so a set of them needs no hash code of a route.
   */
  static final class Row {
    private final String tenant;
    private final Set<Topic> topics;

    /** The entry of this row in {@link #contents}. */
    private final Object entry;

    /**
     * @param topics the topics that are matched
     */
    Row(Route route, Collection<Topic> topics) {
      this.tenant = route.tenant();
      this.topics =
          topics.stream().filter(route.filter()::matches).collect(Collectors.toUnmodifiableSet());
      this.entry = isUnsharedLive(RouteId.of(route)) ? route.receiver() : route;
    }

    @Override
    public String toString() {
      return entry.toString();
    }
  }

  /** Asserts that a match contains exactly the routes in these rows. */
  static void assertMatchesRows(
      MatchedRoutes matched, Collection<Row> rows, String tenant, Topic topic) {
    Set<Object> expected = new HashSet<>();
    for (Row row : rows) {
      if (row.tenant.equals(tenant) && row.topics.contains(topic)) {
        expected.add(row.entry);
      }
    }
    Set<Object> contents = contents(matched);
    if (!contents.equals(expected)) {
      throw new AssertionError(
          "rows and match of %s differ: expected %s, found %s"
              .formatted(topic, expected, contents));
    }
  }

  /** Returns the matched nodes and the routes of inboxes and shares. */
  private static Set<Object> contents(MatchedRoutes matched) {
    List<Object> all = new ArrayList<>(matched.nodes());
    matched.inboxes().forEach(inbox -> all.addAll(inbox.routes()));
    matched.shares().forEach(share -> all.addAll(share.members()));
    Set<Object> contents = new HashSet<>(all);
    if (contents.size() != all.size()) {
      throw new AssertionError("a match contains a route twice: " + all);
    }
    return contents;
  }

  private static boolean isUnsharedLive(RouteId route) {
    return !route.filter().isShared() && route.receiver() instanceof Receiver.Live;
  }

  /**
   * Asserts that a match contains all acknowledged routes whose removal has not been requested, and
   * none that is removed or never existed.
   *
   * @param minPosition position of the latest write to a route that must be known
   */
  void assertPermitted(
      MatchedRoutes matched, String tenant, Topic topic, ToIntFunction<RouteId> minPosition) {
    Map<RouteId, SubscriptionOptions> found = new HashMap<>();
    Set<Receiver> live = new HashSet<>();
    for (Object one : contents(matched)) {
      if (one instanceof Route route) {
        found.put(RouteId.of(route), route.options());
      } else {
        live.add((Receiver) one);
      }
    }
    Set<Receiver> explained = new HashSet<>();
    for (RouteId route : routesWrittenFor(tenant, topic)) {
      List<Optional<SubscriptionOptions>> possible =
          history.possibleValues(route, minPosition.applyAsInt(route));
      boolean allowed;
      if (isUnsharedLive(route)) {
        if (possible.stream().anyMatch(Optional::isPresent)) {
          explained.add(route.receiver());
        }
        allowed = live.contains(route.receiver()) || possible.contains(Optional.empty());
      } else {
        allowed = possible.contains(Optional.ofNullable(found.remove(route)));
      }
      if (!allowed) {
        throw new AssertionError(
            "match of %s contradicts acknowledged writes to %s: expected one of %s, found %s"
                .formatted(topic, route, possible, contents(matched)));
      }
    }
    if (!explained.containsAll(live)) {
      throw new AssertionError(
          "removed nodes are not matched by %s: found %s, expected at most %s"
              .formatted(topic, live, explained));
    }
    if (!found.isEmpty()) {
      throw new AssertionError(
          "routes that were never added match %s: %s".formatted(topic, found.keySet()));
    }
  }

  private List<RouteId> routesWrittenFor(String tenant, Topic topic) {
    if (lastKeyCount != history.keys().size()) {
      writtenRoutes.clear();
      lastKeyCount = history.keys().size();
    }
    return writtenRoutes.computeIfAbsent(
        new TenantTopic(tenant, topic.name()),
        key ->
            history.keys().stream()
                .filter(id -> id.tenant().equals(tenant) && id.filter().matches(topic))
                .toList());
  }
}
