package io.fjordmq.router;

import io.fjordmq.api.Qos;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Everything that receives one topic of one tenant. Immutable and cached: the same object is
 * returned until a route that matches the topic is added or removed.
 *
 * @param nodes each node with ordinary live subscribers, once
 * @param inboxes each inbox with at least one matching ordinary subscription, once
 * @param shares each share with a matching subscription
 * @param atMostOnce those of the nodes that want only what is published with QoS 0, as their routes
 *     say
 */
public record MatchedRoutes(
    List<Receiver.Live> nodes,
    List<InboxMatch> inboxes,
    List<ShareMatch> shares,
    List<Receiver.Live> atMostOnce) {

  /** Nobody. */
  public static final MatchedRoutes NONE = new MatchedRoutes(List.of(), List.of(), List.of());

  /** Whose nodes want everything. */
  public MatchedRoutes(
      List<Receiver.Live> nodes, List<InboxMatch> inboxes, List<ShareMatch> shares) {
    this(nodes, inboxes, shares, List.of());
  }

  /** Whether the node, one of those here, gets a message that is published with this QoS. */
  public boolean isWanted(Receiver.Live node, Qos qos) {
    return qos == Qos.AT_MOST_ONCE || atMostOnce.isEmpty() || !atMostOnce.contains(node);
  }

  public boolean isEmpty() {
    return nodes.isEmpty() && inboxes.isEmpty() && shares.isEmpty();
  }

  /**
   * An inbox and its routes that match, in the order of their filters' text. They are delivered as
   * one message (MQTT 5.0 §3.3.4).
   *
   * @param routes at least one
   */
  public record InboxMatch(Receiver.Inbox inbox, List<Route> routes) {}

  /**
   * A share (name and filter) and its members. The list keeps its order while the share does not
   * change.
   *
   * @param shareName the share
   * @param pattern filter without the share
   * @param members the route of each member; at least one
   * @param withInbox client identifiers of those members that have an inbox, each with where the
   *     client may be connected: its live receivers in the share, usually one or none
   */
  public record ShareMatch(
      String shareName,
      String pattern,
      List<Route> members,
      Map<String, List<Receiver.Live>> withInbox) {

    public ShareMatch(String shareName, String pattern, List<Route> members) {
      this(shareName, pattern, members, connectionsOf(members));
    }

    /** Found once: no message may cost a look at all members for each of them. */
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

    private static List<Receiver.Live> with(List<Receiver.Live> before, Receiver.Live one) {
      return before.isEmpty()
          ? List.of(one)
          : Stream.concat(before.stream(), Stream.of(one)).toList();
    }
  }
}
