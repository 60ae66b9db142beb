package io.fjordmq.router;

import io.fjordmq.api.Qos;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * All receivers of a tenant's topic. Immutable and cached: the same object is returned until a
 * route that matches the topic is added or removed.
 *
 * @param nodes nodes with connected, non-shared subscribers, each once
 * @param inboxes inboxes with at least one matching non-shared subscription, each once
 * @param shares shares with a matching subscription
 * @param atMostOnce the subset of nodes that only receive messages published with QoS 0, according
 *     to their routes
 */
public record MatchedRoutes(
    List<Receiver.Live> nodes,
    List<InboxMatch> inboxes,
    List<ShareMatch> shares,
    List<Receiver.Live> atMostOnce) {

  /** No receivers. */
  public static final MatchedRoutes NONE = new MatchedRoutes(List.of(), List.of(), List.of());

  /** Creates routes whose nodes receive messages of every QoS. */
  public MatchedRoutes(
      List<Receiver.Live> nodes, List<InboxMatch> inboxes, List<ShareMatch> shares) {
    this(nodes, inboxes, shares, List.of());
  }

  /**
   * Returns whether the given one of the nodes receives messages that were published with this QoS.
   */
  public boolean shouldForward(Receiver.Live node, Qos qos) {
    return qos == Qos.AT_MOST_ONCE || atMostOnce.isEmpty() || !atMostOnce.contains(node);
  }

  public boolean isEmpty() {
    return nodes.isEmpty() && inboxes.isEmpty() && shares.isEmpty();
  }

  /**
   * An inbox and its matching routes, ordered by filter text. The inbox receives a single message
   * for all of them (MQTT 5.0 §3.3.4).
   *
   * @param routes at least one
   */
  public record InboxMatch(Receiver.Inbox inbox, List<Route> routes) {}

  /**
   * A share (name and filter) and its members. The order of the members is stable while the share
   * does not change.
   *
   * @param shareName name of the share
   * @param pattern filter without the share name
   * @param members routes of the members; at least one
   * @param connectionsByClientId client identifiers of the members that have an inbox, each with
   *     the live receivers through which the client may be connected, usually one or none
   */
  public record ShareMatch(
      String shareName,
      String pattern,
      List<Route> members,
      Map<String, List<Receiver.Live>> connectionsByClientId) {

    public ShareMatch(String shareName, String pattern, List<Route> members) {
      this(shareName, pattern, members, connectionsOf(members));
    }

    /** Computes the map once, so that no message has to search the members. */
    private static Map<String, List<Receiver.Live>> connectionsOf(List<Route> members) {
      Map<String, List<Receiver.Live>> found = Map.of();
      for (Route member : members) {
        if (member.receiver() instanceof Receiver.Inbox inbox) {
          found = found.isEmpty() ? new HashMap<>() : found;
          found.put(inbox.clientId(), List.of());
        }
      }
      if (found.isEmpty()) {
        return found;
      }
      for (Route member : members) {
        if (member.receiver() instanceof Receiver.Live live) {
          found.computeIfPresent(live.member(), (client, before) -> with(before, live));
        }
      }
      return Collections.unmodifiableMap(found);
    }

    private static List<Receiver.Live> with(List<Receiver.Live> before, Receiver.Live added) {
      return before.isEmpty()
          ? List.of(added)
          : Stream.concat(before.stream(), Stream.of(added)).toList();
    }
  }
}
