package io.fjordmq.router.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.router.MatchedRoutes;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;

/** Random additions, removals and matches of routes, with crashes, against a list of routes. */
class RouteModelTest {
  private enum Kind {
    ADD,
    REMOVE,
    CRASH,
    RESTART
  }

  private record Step(Kind kind, Route route) {}

  @Property(tries = 300)
  void shouldMatchLikeAList(
      @ForAll("steps") List<Step> steps,
      @ForAll("topics") List<String> topics,
      @ForAll @IntRange(min = 1, max = 5) int ranges,
      @ForAll @IntRange(min = 1, max = 3) int cachedTopics) {
    Map<String, Route> model = new LinkedHashMap<>();
    try (RouteFixture fixture = RouteFixture.of(ranges, cachedTopics)) {
      for (Step step : steps) {
        apply(step, fixture, model);
        for (String topic : topics) {
          assertThat(names(fixture.match("t", topic)))
              .as("%s after %s", topic, step)
              .isEqualTo(expected(model, "t", topic));
        }
      }
      assertThat(fixture.router().status().routes()).isEqualTo(model.size());
    }
  }

  private static void apply(Step step, RouteFixture fixture, Map<String, Route> model) {
    Route route = step.route;
    String key = route.tenant() + "|" + route.filter().text() + "|" + route.receiver();
    switch (step.kind) {
      case ADD -> {
        fixture.router().add(route).join();
        model.put(key, route);
      }
      case REMOVE -> {
        fixture.router().remove(route).join();
        model.remove(key);
      }
      case CRASH -> fixture.crash();
      case RESTART -> fixture.restart();
    }
  }

  /** The result of a match as comparable text: receivers with the filters and QoS that match. */
  private static Set<String> names(MatchedRoutes matched) {
    Set<String> names = new TreeSet<>();
    matched.nodes().forEach(node -> names.add("node " + node.node()));
    for (MatchedRoutes.InboxMatch match : matched.inboxes()) {
      assertThat(match.routes()).isNotEmpty();
      match.routes().forEach(route -> names.add(nameOf(route)));
    }
    for (MatchedRoutes.ShareMatch share : matched.shares()) {
      assertThat(share.members()).isNotEmpty();
      share.members().forEach(route -> names.add("share " + share.shareName() + nameOf(route)));
    }
    int receivers = matched.nodes().size() + matched.inboxes().size();
    assertThat(new TreeSet<>(matched.nodes().stream().map(Object::toString).toList()).size())
        .as("each node once, of " + receivers)
        .isEqualTo(matched.nodes().size());
    return names;
  }

  private static String nameOf(Route route) {
    return route.receiver() + " by " + route.filter() + " at " + route.options().maxQos();
  }

  private static Set<String> expected(Map<String, Route> model, String tenant, String topic) {
    Set<String> names = new TreeSet<>();
    for (Route route : model.values()) {
      if (!route.tenant().equals(tenant) || !route.filter().matches(new Topic(topic))) {
        continue;
      }
      if (route.filter().isShared()) {
        names.add("share " + route.filter().shareName() + nameOf(route));
      } else if (route.receiver() instanceof Receiver.Live live) {
        names.add("node " + live.node());
      } else {
        names.add(nameOf(route));
      }
    }
    return names;
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Kind> kinds =
        Arbitraries.frequency(
            Tuple.of(10, Kind.ADD),
            Tuple.of(5, Kind.REMOVE),
            Tuple.of(1, Kind.CRASH),
            Tuple.of(1, Kind.RESTART));
    Arbitrary<String> filters =
        Combinators.combine(
                Arbitraries.of("", "$share/s/", "$share/other/"),
                Arbitraries.of("a", "b", "+", "$x").list().ofMinSize(1).ofMaxSize(3),
                Arbitraries.of(true, false))
            .as((share, levels, hash) -> share + String.join("/", levels) + (hash ? "/#" : ""));
    Arbitrary<Route> routes =
        Combinators.combine(
                Arbitraries.of("t", "u"),
                filters,
                Arbitraries.of("one", "two"),
                Arbitraries.of(Qos.class),
                Arbitraries.of(true, false))
            .as(
                (tenant, filter, who, qos, live) ->
                    live
                        ? RouteFixture.live(tenant, filter, who, 1)
                        : RouteFixture.inbox(tenant, filter, who, qos));
    return Combinators.combine(kinds, routes).as(Step::new).list().ofMaxSize(20);
  }

  @Provide
  Arbitrary<List<String>> topics() {
    return Arbitraries.of("a", "b", "c", "$x")
        .list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .map(levels -> String.join("/", levels))
        .list()
        .ofMinSize(1)
        .ofMaxSize(5)
        .map(ArrayList::new);
  }
}
