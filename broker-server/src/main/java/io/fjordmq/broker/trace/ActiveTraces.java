package io.fjordmq.broker.trace;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The traces in progress on this node, indexed for lookups. Immutable. */
final class ActiveTraces {
  private final Map<String, List<ActiveTrace>> byClientId = new HashMap<>();
  private final List<ActiveTrace> ofAddresses = new ArrayList<>();
  private final List<ActiveTrace> ofTopics = new ArrayList<>();

  ActiveTraces(Collection<ActiveTrace> traces) {
    for (ActiveTrace active : traces) {
      switch (active.trace().type()) {
        case CLIENTID ->
            byClientId
                .computeIfAbsent(active.trace().value(), id -> new ArrayList<>(1))
                .add(active);
        case IP_ADDRESS -> ofAddresses.add(active);
        case TOPIC -> ofTopics.add(active);
      }
    }
  }

  boolean hasTopics() {
    return !ofTopics.isEmpty();
  }

  /**
   * Returns the traces of a client, whatever its tenant.
   *
   * @param clientId null if it is not known
   * @param address null if the client has none or it is not known
   */
  List<ActiveTrace> ofClient(@Nullable String clientId, @Nullable InetAddress address) {
    List<ActiveTrace> byId =
        clientId == null ? List.of() : byClientId.getOrDefault(clientId, List.of());
    if (address == null || ofAddresses.isEmpty()) {
      return byId;
    }
    List<ActiveTrace> found = new ArrayList<>(byId);
    for (ActiveTrace active : ofAddresses) {
      if (active.network() != null && active.network().contains(address)) {
        found.add(active);
      }
    }
    return found;
  }

  /** Returns the traces of a client of this tenant; see {@link ActiveTrace#mayShow}. */
  List<ActiveTrace> ofClient(
      @Nullable String tenant, @Nullable String clientId, @Nullable InetAddress address) {
    List<ActiveTrace> found = ofClient(clientId, address);
    return found.isEmpty()
        ? found
        : found.stream().filter(active -> active.mayShow(tenant)).toList();
  }

  /** Returns the traces of topics that match. */
  List<ActiveTrace> ofTopic(@Nullable String tenant, Topic topic) {
    List<ActiveTrace> found = List.of();
    for (ActiveTrace active : ofTopics) {
      TopicFilter filter = active.filter();
      if (filter != null && filter.matches(topic) && active.mayShow(tenant)) {
        found = found.isEmpty() ? new ArrayList<>(2) : found;
        found.add(active);
      }
    }
    return found;
  }

  /**
   * Returns the traces whose topic filters overlap with a topic filter or a topic.
   *
   * @param filter with or without {@code $share}
   */
  List<ActiveTrace> ofFilter(@Nullable String tenant, String filter) {
    if (ofTopics.isEmpty()) {
      return List.of();
    }
    return ofTopics.stream()
        .filter(
            active ->
                active.mayShow(tenant) && overlaps(active.trace().value(), withoutShare(filter)))
        .toList();
  }

  private static String withoutShare(String filter) {
    if (!filter.startsWith("$share/")) {
      return filter;
    }
    int slash = filter.indexOf('/', "$share/".length());
    return slash < 0 ? filter : filter.substring(slash + 1);
  }

  /** Whether two topic filters have a topic in common. */
  static boolean overlaps(String one, String other) {
    String[] left = one.split("/", -1);
    String[] right = other.split("/", -1);
    for (int i = 0; ; i++) {
      boolean leftEnds = i == left.length;
      boolean rightEnds = i == right.length;
      if (leftEnds || rightEnds) {
        return (leftEnds && rightEnds)
            || (!leftEnds && left[i].equals("#"))
            || (!rightEnds && right[i].equals("#"));
      }
      if (left[i].equals("#") || right[i].equals("#")) {
        return true;
      }
      if (!left[i].equals("+") && !right[i].equals("+") && !left[i].equals(right[i])) {
        return false;
      }
    }
  }
}
