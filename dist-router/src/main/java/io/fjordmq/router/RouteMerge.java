package io.fjordmq.router;

import io.fjordmq.router.FilterTable.Weighted;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Merges the routes of a topic from the patterns that match it. */
final class RouteMerge {
  private static final Weighted<MatchedRoutes> NONE = new Weighted<>(MatchedRoutes.NONE, 1);

  private static final Comparator<Route> BY_FILTER =
      Comparator.comparing(route -> route.filter().text());

  private RouteMerge() {}

  /**
   * Returns the routes of a topic. Their weight is 1, plus 1 for each receiver that is not in a
   * list shared with other topics.
   *
   * @param patterns the patterns that match
   */
  static Weighted<MatchedRoutes> of(List<PatternRoutes> patterns) {
    if (patterns.isEmpty()) {
      return NONE;
    }
    if (patterns.size() == 1) {
      return new Weighted<>(patterns.get(0).matched(), 1);
    }
    List<MatchedRoutes> parts = patterns.stream().map(PatternRoutes::matched).toList();
    List<Receiver.Live> nodes = mergeNodes(parts);
    List<InboxMatch> inboxes = mergeInboxes(parts);
    List<ShareMatch> shares = parts.stream().flatMap(part -> part.shares().stream()).toList();
    boolean inboxesAreShared = parts.stream().anyMatch(part -> part.inboxes() == inboxes);
    return new Weighted<>(
        new MatchedRoutes(nodes, inboxes, shares, mergeAtMostOnce(nodes, parts)),
        1 + nodes.size() + shares.size() + (inboxesAreShared ? 0 : inboxes.size()));
  }

  private static List<Receiver.Live> mergeNodes(List<MatchedRoutes> parts) {
    Set<Receiver.Live> nodes = new LinkedHashSet<>();
    parts.forEach(part -> nodes.addAll(part.nodes()));
    return List.copyOf(nodes);
  }

  /**
   * Returns the nodes that receive only QoS 0 messages. A node is in the list only if none of the
   * patterns sends it messages of every QoS.
   */
  private static List<Receiver.Live> mergeAtMostOnce(
      List<Receiver.Live> nodes, List<MatchedRoutes> parts) {
    if (parts.stream().allMatch(part -> part.atMostOnce().isEmpty())) {
      return List.of();
    }
    return nodes.stream()
        .filter(
            node ->
                parts.stream()
                    .allMatch(
                        part -> !part.nodes().contains(node) || part.atMostOnce().contains(node)))
        .toList();
  }

  private static List<InboxMatch> mergeInboxes(List<MatchedRoutes> parts) {
    List<List<InboxMatch>> nonEmpty =
        parts.stream().map(MatchedRoutes::inboxes).filter(list -> !list.isEmpty()).toList();
    if (nonEmpty.isEmpty()) {
      return List.of();
    }
    if (nonEmpty.size() == 1) {
      return nonEmpty.get(0);
    }
    Map<Receiver.Inbox, InboxMatch> merged = new LinkedHashMap<>();
    for (List<InboxMatch> list : nonEmpty) {
      for (InboxMatch match : list) {
        merged.merge(match.inbox(), match, RouteMerge::join);
      }
    }
    return List.copyOf(merged.values());
  }

  private static InboxMatch join(InboxMatch first, InboxMatch second) {
    List<Route> routes = new ArrayList<>(first.routes());
    routes.addAll(second.routes());
    routes.sort(BY_FILTER);
    return new InboxMatch(first.inbox(), List.copyOf(routes));
  }
}
