package io.fjordmq.router;

import java.util.Set;
import java.util.TreeSet;

/**
 * A topic filter and the receivers of its routes.
 *
 * @param filter the filter as in SUBSCRIBE
 * @param nodes nodes with connected subscribers, sorted
 * @param inboxes number of subscribed persistent sessions
 */
public record RoutedFilter(String filter, Set<String> nodes, int inboxes) {
  static RoutedFilter of(Route route) {
    return route.receiver() instanceof Receiver.Live live
        ? new RoutedFilter(route.filter().text(), Set.of(live.node()), 0)
        : new RoutedFilter(route.filter().text(), Set.of(), 1);
  }

  RoutedFilter and(RoutedFilter other) {
    if (nodes.containsAll(other.nodes)) {
      return new RoutedFilter(filter, nodes, inboxes + other.inboxes);
    }
    Set<String> all = new TreeSet<>(nodes);
    all.addAll(other.nodes);
    return new RoutedFilter(filter, all, inboxes + other.inboxes);
  }
}
