package io.fjordmq.router;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one pattern, ordinary and of its shares. Changed by one thread at a time, under the
 * lock of the {@link FilterTable} that holds it; {@link #matched} may be called by any thread
 * meanwhile.
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

  /** Whether it is in, with these options. */
  boolean has(Route route);

  int size();

  /** What a topic receives that this pattern alone matches. */
  MatchedRoutes matched();

  void forEach(Consumer<Route> action);

  private static MatchedRoutes toNode(Route route) {
    List<Receiver.Live> node = List.of((Receiver.Live) route.receiver());
    return new MatchedRoutes(node, List.of(), List.of(), route.isAtMostOnce() ? node : List.of());
  }

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

    @Override
    public boolean has(Route asked) {
      return asked.equals(route);
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
        return new MatchedRoutes(
            List.of(),
            List.of(),
            List.of(new MatchedRoutes.ShareMatch(share, route.filter().pattern(), alone)));
      }
      return route.receiver() instanceof Receiver.Inbox inbox
          ? new MatchedRoutes(
              List.of(), List.of(new MatchedRoutes.InboxMatch(inbox, alone)), List.of())
          : PatternRoutes.toNode(route);
    }

    @Override
    public void forEach(Consumer<Route> action) {
      action.accept(route);
    }
  }

  /**
   * Several routes: a handle on members that all later handles of the pattern share. Copied
   * instead, n subscribers of one pattern would cost n² to add. So only the newest handle may be
   * changed, which is the one the table holds.
   */
  final class Many implements PatternRoutes {
    private final PatternMembers members;
    private final int size;

    /** Made when first asked for, shared by all topics that only this pattern matches. */
    private volatile @Nullable MatchedRoutes matched;

    private Many(Route first) {
      this(new PatternMembers(), 1);
      members.put(first);
    }

    private Many(PatternMembers members, int size) {
      this.members = members;
      this.size = size;
    }

    @Override
    public PatternRoutes with(Route route) {
      Route before = members.put(route);
      if (route.equals(before)) {
        return this;
      }
      return new Many(members, before == null ? size + 1 : size);
    }

    @Override
    public PatternRoutes without(RouteId route) {
      if (!members.remove(route)) {
        return this;
      }
      return size == 2 ? new One(members.any()) : new Many(members, size - 1);
    }

    @Override
    public boolean has(Route route) {
      return members.has(route);
    }

    @Override
    public int size() {
      return size;
    }

    /** Of an old handle it may know later changes, which harms nobody: they are true. */
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
  }
}
