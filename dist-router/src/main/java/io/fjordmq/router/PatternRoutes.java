package io.fjordmq.router;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one pattern, ordinary and of its shares; never empty. Guarded by the lock of the
 * {@link FilterTable} that holds it.
 *
 * <p>Every change makes another object, which is how the table sees that there was one. Most
 * patterns have one route; of a million such patterns none has a map.
 */
sealed interface PatternRoutes {

  static PatternRoutes of(Route route) {
    return new One(route);
  }

  /** With the route added or its options replaced; this object if it is in already. */
  PatternRoutes with(Route route);

  /** Without the route; this object if it is not in, null if none is left. */
  @Nullable PatternRoutes without(RouteId route);

  int size();

  /** What a topic receives that this pattern alone matches. */
  MatchedRoutes matched();

  void forEach(Consumer<Route> action);

  /** One route. */
  record One(Route route) implements PatternRoutes {
    @Override
    public PatternRoutes with(Route added) {
      if (added.equals(route)) {
        return this;
      }
      return isOf(RouteId.of(added)) ? new One(added) : new Many(route).with(added);
    }

    @Override
    public @Nullable PatternRoutes without(RouteId removed) {
      return isOf(removed) ? null : this;
    }

    private boolean isOf(RouteId id) {
      return id.receiver().equals(route.receiver())
          && id.filter().text().equals(route.filter().text());
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public MatchedRoutes matched() {
      List<Route> alone = List.of(route);
      String share = route.filter().shareName();
      if (share != null) {
        return new MatchedRoutes(List.of(), List.of(), List.of(shareMatch(share, alone)));
      }
      return route.receiver() instanceof Receiver.Inbox inbox
          ? new MatchedRoutes(
              List.of(), List.of(new MatchedRoutes.InboxMatch(inbox, alone)), List.of())
          : new MatchedRoutes(List.of((Receiver.Live) route.receiver()), List.of(), List.of());
    }

    @Override
    public void forEach(Consumer<Route> action) {
      action.accept(route);
    }
  }

  /**
   * Several routes. The maps are handed on from object to object and changed in place: copied, n
   * subscribers of one pattern would cost n² to add. So only the newest object may be used, which
   * is the one the table holds.
   */
  final class Many implements PatternRoutes {
    private final Map<Receiver, Route> ordinary;
    private final Map<String, Map<Receiver, Route>> shares;
    private final int size;

    /** Made when first asked for, shared by all topics that only this pattern matches. */
    private @Nullable MatchedRoutes matched;

    private Many(Route first) {
      this(new LinkedHashMap<>(), new LinkedHashMap<>(2), 1);
      membersOf(first).put(first.receiver(), first);
    }

    private Many(
        Map<Receiver, Route> ordinary, Map<String, Map<Receiver, Route>> shares, int size) {
      this.ordinary = ordinary;
      this.shares = shares;
      this.size = size;
    }

    private Map<Receiver, Route> membersOf(Route route) {
      String share = route.filter().shareName();
      return share == null
          ? ordinary
          : shares.computeIfAbsent(share, name -> new LinkedHashMap<>());
    }

    @Override
    public PatternRoutes with(Route route) {
      Route before = membersOf(route).put(route.receiver(), route);
      return route.equals(before)
          ? this
          : new Many(ordinary, shares, before == null ? size + 1 : size);
    }

    @Override
    public PatternRoutes without(RouteId route) {
      String share = route.filter().shareName();
      Map<Receiver, Route> members = share == null ? ordinary : shares.get(share);
      if (members == null || members.remove(route.receiver()) == null) {
        return this;
      }
      if (share != null && members.isEmpty()) {
        shares.remove(share);
      }
      return size == 2 ? new One(theLast()) : new Many(ordinary, shares, size - 1);
    }

    private Route theLast() {
      Map<Receiver, Route> members =
          ordinary.isEmpty() ? shares.values().iterator().next() : ordinary;
      return members.values().iterator().next();
    }

    @Override
    public int size() {
      return size;
    }

    @Override
    public MatchedRoutes matched() {
      if (matched == null) {
        List<Receiver.Live> nodes = new ArrayList<>();
        List<MatchedRoutes.InboxMatch> inboxes = new ArrayList<>(ordinary.size());
        for (Route route : ordinary.values()) {
          if (route.receiver() instanceof Receiver.Inbox inbox) {
            inboxes.add(new MatchedRoutes.InboxMatch(inbox, List.of(route)));
          } else {
            nodes.add((Receiver.Live) route.receiver());
          }
        }
        List<MatchedRoutes.ShareMatch> shared = new ArrayList<>(shares.size());
        shares.forEach((name, members) -> shared.add(shareMatch(name, members.values())));
        matched = new MatchedRoutes(List.copyOf(nodes), List.copyOf(inboxes), List.copyOf(shared));
      }
      return matched;
    }

    @Override
    public void forEach(Consumer<Route> action) {
      ordinary.values().forEach(action);
      shares.values().forEach(members -> members.values().forEach(action));
    }
  }

  private static MatchedRoutes.ShareMatch shareMatch(String share, Collection<Route> members) {
    List<Route> routes = List.copyOf(members);
    return new MatchedRoutes.ShareMatch(share, routes.get(0).filter().pattern(), routes);
  }
}
