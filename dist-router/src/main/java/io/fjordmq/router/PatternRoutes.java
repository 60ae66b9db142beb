package io.fjordmq.router;

import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routes of a pattern, shared and not shared. Changed by one thread at a time, under the lock
 * of the {@code FilterTable} that holds it; {@link #matched} may be called by any thread
 * concurrently.
 *
 * <p>Each change creates a new object, which is how the table detects it. Most patterns have one
 * route, which needs no map.
 */
sealed interface PatternRoutes {

  static PatternRoutes of(Route route) {
    return new SingleRoute(route);
  }

  /** Adds the route or replaces its options; returns this object if nothing changes. */
  PatternRoutes with(Route route);

  /** Removes the route; returns this object if it is absent, null if no route is left. */
  @Nullable PatternRoutes without(RouteId route);

  /** Returns whether the route is present with these options. */
  boolean has(Route route);

  int size();

  /** Returns the result for a topic that only this pattern matches. */
  MatchedRoutes matched();

  void forEach(Consumer<Route> action);

  /**
   * Returns the current routes of a share.
   *
   * @param share null for the routes that are not shared
   */
  List<Route> routesOf(@Nullable String share);

  /** Returns whether a share has routes. */
  boolean hasShare(String share);

  private static MatchedRoutes matchedNode(Route route) {
    List<Receiver.Live> node = List.of((Receiver.Live) route.receiver());
    return new MatchedRoutes(node, List.of(), List.of(), route.isAtMostOnce() ? node : List.of());
  }

  /** A pattern with one route. */
  record SingleRoute(Route route) implements PatternRoutes {
    @Override
    public PatternRoutes with(Route added) {
      if (added.equals(route)) {
        return this;
      }
      return hasId(RouteId.of(added))
          ? new SingleRoute(added)
          : new MultipleRoutes(route).with(added);
    }

    @Override
    public @Nullable PatternRoutes without(RouteId removed) {
      return hasId(removed) ? null : this;
    }

    @Override
    public boolean has(Route expected) {
      return expected.equals(route);
    }

    private boolean hasId(RouteId id) {
      return id.receiver().equals(route.receiver())
          && id.filter().text().equals(route.filter().text());
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public MatchedRoutes matched() {
      List<Route> routes = List.of(route);
      String share = route.filter().shareName();
      if (share != null) {
        return new MatchedRoutes(
            List.of(),
            List.of(),
            List.of(new MatchedRoutes.ShareMatch(share, route.filter().pattern(), routes)));
      }
      return route.receiver() instanceof Receiver.Inbox inbox
          ? new MatchedRoutes(
              List.of(), List.of(new MatchedRoutes.InboxMatch(inbox, routes)), List.of())
          : PatternRoutes.matchedNode(route);
    }

    @Override
    public void forEach(Consumer<Route> action) {
      action.accept(route);
    }

    @Override
    public List<Route> routesOf(@Nullable String share) {
      return Objects.equals(share, route.filter().shareName()) ? List.of(route) : List.of();
    }

    @Override
    public boolean hasShare(String share) {
      return share.equals(route.filter().shareName());
    }
  }

  /**
   * A pattern with several routes: a handle on members that later handles of the pattern share.
   * Copying them would make adding n subscribers to a pattern O(n²). Therefore only the newest
   * handle, which is in the table, may be changed.
   */
  final class MultipleRoutes implements PatternRoutes {
    private final PatternMembers members;
    private final int size;

    /** Created on first use, shared by all topics that only this pattern matches. */
    private volatile @Nullable MatchedRoutes matched;

    private MultipleRoutes(Route first) {
      this(new PatternMembers(), 1);
      members.put(first);
    }

    private MultipleRoutes(PatternMembers members, int size) {
      this.members = members;
      this.size = size;
    }

    @Override
    public PatternRoutes with(Route route) {
      Route before = members.put(route);
      if (route.equals(before)) {
        return this;
      }
      return new MultipleRoutes(members, before == null ? size + 1 : size);
    }

    @Override
    public PatternRoutes without(RouteId route) {
      if (!members.remove(route)) {
        return this;
      }
      return size == 2 ? new SingleRoute(members.any()) : new MultipleRoutes(members, size - 1);
    }

    @Override
    public boolean has(Route route) {
      return members.has(route);
    }

    @Override
    public int size() {
      return size;
    }

    /**
     * Returns the routes. The result of an old handle can include later changes, which is harmless.
     */
    @Override
    public MatchedRoutes matched() {
      MatchedRoutes ready = matched;
      if (ready == null) {
        ready = members.matched();
        matched = ready;
      }
      return ready;
    }

    @Override
    public void forEach(Consumer<Route> action) {
      members.forEach(action);
    }

    @Override
    public List<Route> routesOf(@Nullable String share) {
      return members.routesOf(share);
    }

    @Override
    public boolean hasShare(String share) {
      return members.hasShare(share);
    }
  }
}
