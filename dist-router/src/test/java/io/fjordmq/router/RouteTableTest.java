package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.MatchedRoutes.ShareMatch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple3;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/**
 * Goal: the table matches like a list of routes tried one by one, after any additions, replacements
 * and removals, with a cache that is always too small.
 */
class RouteTableTest {
  private final RouteTable table = new RouteTable(1_000);

  private enum Step {
    ADD,
    REMOVE,
    MATCH_ONLY
  }

  @Provide
  Arbitrary<List<Tuple3<Step, Route, String>>> steps() {
    return Combinators.combine(Arbitraries.of(Step.class), Routes.routes(), Routes.topics())
        .as(Tuple::of)
        .list()
        .ofMaxSize(100);
  }

  @Property(tries = 200)
  void shouldKnowEndedIncarnationsLikeAListOfRoutes(
      @ForAll("steps") List<Tuple3<Step, Route, String>> steps) {
    RouteTable tested = new RouteTable(20);
    Map<RouteId, Route> model = new LinkedHashMap<>();
    for (Tuple3<Step, Route, String> step : steps) {
      Route route = step.get2();
      if (step.get1() == Step.ADD) {
        tested.add(route);
        model.put(RouteId.of(route), route);
      } else {
        tested.remove(RouteId.of(route));
        model.remove(RouteId.of(route));
      }
      Map<String, Long> expected = new HashMap<>();
      model.values().stream()
          .map(Route::receiver)
          .filter(Receiver.Live.class::isInstance)
          .map(Receiver.Live.class::cast)
          .forEach(live -> expected.merge(live.node(), live.incarnation(), Math::max));
      assertThat(tested.endedIncarnations(live -> true)).isEqualTo(expected);
      assertThat(tested.endedIncarnations(live -> false)).isEmpty();
    }
  }

  @Property(tries = 500)
  void shouldMatchLikeAListOfRoutes(@ForAll("steps") List<Tuple3<Step, Route, String>> steps) {
    RouteTable tested = new RouteTable(20);
    Map<RouteId, Route> model = new LinkedHashMap<>();
    for (Tuple3<Step, Route, String> step : steps) {
      Route route = step.get2();
      if (step.get1() == Step.ADD) {
        tested.add(route);
        model.put(RouteId.of(route), route);
      } else if (step.get1() == Step.REMOVE) {
        tested.remove(RouteId.of(route));
        model.remove(RouteId.of(route));
      }
      Topic topic = new Topic(step.get3());
      assertMatches(tested.match(route.tenant(), topic.name()), model, route.tenant(), topic);
      assertThat(tested.status().routes()).isEqualTo(model.size());
    }
    List.copyOf(model.keySet()).forEach(tested::remove);
    assertThat(tested.status())
        .returns(0L, RouteStoreStatus::routes)
        .returns(0, RouteStoreStatus::filters)
        .returns(0, RouteStoreStatus::cachedTopics);
  }

  private static void assertMatches(
      MatchedRoutes matched, Map<RouteId, Route> model, String tenant, Topic topic) {
    Set<Receiver.Live> nodes = new HashSet<>();
    Map<Receiver.Inbox, Map<String, Route>> inboxes = new HashMap<>();
    Map<String, Set<Route>> shares = new HashMap<>();
    for (Route route : model.values()) {
      if (!route.tenant().equals(tenant) || !route.filter().matches(topic)) {
        continue;
      }
      if (route.filter().isShared()) {
        shares.computeIfAbsent(route.filter().text(), text -> new HashSet<>()).add(route);
      } else if (route.receiver() instanceof Receiver.Inbox inbox) {
        inboxes.computeIfAbsent(inbox, key -> new TreeMap<>()).put(route.filter().text(), route);
      } else {
        nodes.add((Receiver.Live) route.receiver());
      }
    }
    assertThat(matched.nodes()).containsExactlyInAnyOrderElementsOf(nodes);
    assertThat(matched.inboxes())
        .containsExactlyInAnyOrderElementsOf(
            inboxes.entrySet().stream()
                .map(e -> new InboxMatch(e.getKey(), new ArrayList<>(e.getValue().values())))
                .toList());
    assertThat(matched.shares()).hasSize(shares.size());
    for (ShareMatch share : matched.shares()) {
      assertThat(share.members())
          .containsExactlyInAnyOrderElementsOf(
              shares.get("$share/" + share.shareName() + "/" + share.pattern()));
    }
    assertThat(matched.isEmpty())
        .isEqualTo(nodes.isEmpty() && inboxes.isEmpty() && shares.isEmpty());
  }

  @Test
  void shouldReturnTheSameObjectUntilAMatchingRouteChanges() {
    table.add(Routes.toInbox("a/+", "c1"));
    MatchedRoutes before = match("a/b");
    table.add(Routes.toInbox("b/#", "c2"));
    table.add(Routes.toInbox("a/+", "c1"));
    assertThat(match("a/b")).as("adding an unchanged route changes nothing").isSameAs(before);
    table.add(Routes.toInbox("#", "c2"));
    assertThat(match("a/b").inboxes()).hasSize(2);
    table.remove(RouteId.of(Routes.toInbox("#", "c2")));
    assertThat(match("a/b")).isEqualTo(before);
  }

  @Test
  void shouldKeepTheOrderOfAShareWhileItDoesNotChange() {
    for (int i = 0; i < 20; i++) {
      table.add(Routes.toInbox("$share/g/a", "c" + i));
    }
    List<Route> before = match("a").shares().get(0).members();
    table.add(Routes.toInbox("#", "other"));
    table.add(Routes.toInbox("$share/h/a", "other"));
    assertThat(match("a").shares())
        .filteredOn(share -> share.shareName().equals("g"))
        .singleElement()
        .returns(before, ShareMatch::members);
  }

  @Test
  void shouldShareTheInboxListOfTopicsThatMatchTheSameFilter() {
    for (int i = 0; i < 100; i++) {
      table.add(Routes.toInbox("alarms/+", "c" + i));
    }
    table.add(Routes.toNode("#", "n1"));
    assertThat(match("alarms/1").inboxes()).isSameAs(match("alarms/2").inboxes()).hasSize(100);
  }

  @Test
  void shouldNotCacheATopicWithTooManyReceivers() {
    RouteTable small = new RouteTable(80);
    for (int i = 0; i < 20; i++) {
      small.add(Routes.toInbox("a", "c" + i));
      small.add(Routes.toInbox("+", "c" + i));
    }
    assertThat(small.match(Routes.TENANT, "a").inboxes()).hasSize(20);
    assertThat(small.status().cachedTopics()).isZero();
    assertThat(small.match(Routes.TENANT, "b").inboxes()).hasSize(20);
    assertThat(small.status().cachedTopics()).isEqualTo(1);
  }

  @Test
  void shouldReportCacheStatistics() {
    RouteTable small = new RouteTable(2);
    small.add(Routes.toInbox("#", "c"));
    for (String topic : List.of("a", "a", "b", "c", "c")) {
      small.match(Routes.TENANT, topic);
    }
    small.add(Routes.toNode("c", "n"));
    assertThat(small.status()).isEqualTo(new RouteStoreStatus(2, 2, 1, 1, 4, 1, 1, 0));
  }

  private MatchedRoutes match(String topic) {
    return table.match(Routes.TENANT, topic);
  }

  @Test
  void shouldListFiltersWithTheirReceiversPageByPage() {
    for (int i = 0; i < 50; i++) {
      String filter = "a/" + (char) ('a' + i % 25) + (i % 25 == 3 ? "/#" : "");
      table.add(route("t", filter, new Receiver.Live("n" + i % 2, 1, "")));
      table.add(route("t", filter, new Receiver.Inbox("c" + i, 1)));
    }
    table.add(route("t", "$share/g/a/b", new Receiver.Live("n7", 1, "c")));
    table.add(route("other", "x", new Receiver.Live("n7", 1, "")));
    List<String> all = new ArrayList<>();
    String after = "";
    while (true) {
      List<RoutedFilter> page = list("t", after, 4);
      if (page.isEmpty()) {
        break;
      }
      assertThat(page).hasSizeLessThanOrEqualTo(4);
      page.forEach(filter -> all.add(filter.filter()));
      after = all.get(all.size() - 1);
    }
    assertThat(all).hasSize(26).isSorted().doesNotHaveDuplicates().contains("a/d/#");
    assertThat(table.find("t", TopicFilter.parse("a/c")))
        .contains(new RoutedFilter("a/c", Set.of("n0", "n1"), 2));
    assertThat(table.find("t", TopicFilter.parse("$share/g/a/b")))
        .contains(new RoutedFilter("$share/g/a/b", Set.of("n7"), 0));
    assertThat(list("nobody", "", 10)).isEmpty();
  }

  @Property(tries = 200)
  void shouldFindTheRoutesOfAFilterLikeInAListOfRoutes(
      @ForAll("steps") List<Tuple3<Step, Route, String>> steps) {
    RouteTable tested = new RouteTable(20);
    Map<RouteId, Route> model = new LinkedHashMap<>();
    for (Tuple3<Step, Route, String> step : steps) {
      Route route = step.get2();
      if (step.get1() == Step.ADD) {
        tested.add(route);
        model.put(RouteId.of(route), route);
      } else if (step.get1() == Step.REMOVE) {
        tested.remove(RouteId.of(route));
        model.remove(RouteId.of(route));
      }
      List<Route> everywhere =
          model.values().stream().filter(each -> each.filter().equals(route.filter())).toList();
      List<Route> expected =
          everywhere.stream().filter(each -> each.tenant().equals(route.tenant())).toList();
      assertThat(tested.routesOf(route.tenant(), route.filter()))
          .containsExactlyInAnyOrderElementsOf(expected);
      assertThat(tested.routesOf(null, route.filter()))
          .containsExactlyInAnyOrderElementsOf(everywhere);
      assertThat(tested.find(route.tenant(), route.filter()))
          .isEqualTo(expected.stream().map(RoutedFilter::of).reduce(RoutedFilter::and));
    }
  }

  private List<RoutedFilter> list(String tenant, String after, int limit) {
    RouteTable.Listing listing = table.list(tenant, after, limit, () -> false);
    assertThat(listing.complete()).isTrue();
    return listing.filters();
  }

  @Property(tries = 500)
  void shouldListFiltersLikeASortedListOfRoutes(
      @ForAll("steps") List<Tuple3<Step, Route, String>> steps,
      @ForAll @IntRange(min = 1, max = 5) int limit) {
    RouteTable tested = new RouteTable(20);
    Map<RouteId, Route> model = new LinkedHashMap<>();
    for (Tuple3<Step, Route, String> step : steps) {
      Route route = step.get2();
      if (step.get1() == Step.REMOVE) {
        tested.remove(RouteId.of(route));
        model.remove(RouteId.of(route));
      } else {
        tested.add(route);
        model.put(RouteId.of(route), route);
      }
    }
    for (String tenant : List.of(Routes.TENANT, "", "nobody")) {
      TreeMap<String, RoutedFilter> expected = new TreeMap<>();
      model.values().stream()
          .filter(route -> route.tenant().equals(tenant))
          .map(RoutedFilter::of)
          .forEach(one -> expected.merge(one.filter(), one, RoutedFilter::and));
      List<RoutedFilter> listed = new ArrayList<>();
      List<RoutedFilter> page = tested.list(tenant, "", limit, () -> false).filters();
      while (!page.isEmpty()) {
        listed.addAll(page);
        String last = page.get(page.size() - 1).filter();
        page = tested.list(tenant, last, limit, () -> false).filters();
      }
      assertThat(listed).isEqualTo(List.copyOf(expected.values()));
    }
  }

  @Test
  void shouldEndAListingWhenItsTimeIsUp() {
    for (int i = 0; i < 10_000; i++) {
      table.add(route("t", "a/" + i, new Receiver.Live("n0", 1, "")));
    }
    int[] checks = new int[1];
    RouteTable.Listing listing = table.list("t", "", 20_000, () -> ++checks[0] > 300);
    assertThat(listing.complete()).isFalse();
    assertThat(listing.filters()).hasSizeBetween(1, 300);
  }

  private static Route route(String tenant, String filter, Receiver receiver) {
    return new Route(
        tenant, TopicFilter.parse(filter), receiver, SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE));
  }
}
