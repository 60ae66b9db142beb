package io.fjordmq.router;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Fixed and random routes for tests. */
final class Routes {
  static final String TENANT = "acme";

  private Routes() {}

  static Route toInbox(String filter, String clientId) {
    return route(filter, new Receiver.Inbox(clientId, 1));
  }

  static Route toNode(String filter, String node) {
    return route(filter, new Receiver.Live(node, 1, ""));
  }

  static Route route(String filter, Receiver receiver) {
    return new Route(
        TENANT, TopicFilter.parse(filter), receiver, SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE));
  }

  /** Few levels, so that filters overlap and match the topics. */
  static Arbitrary<String> filters() {
    Arbitrary<List<String>> levels =
        Arbitraries.of("a", "b", "", "+", "$s", "ä").list().ofMaxSize(3);
    Arbitrary<String> share = Arbitraries.of("", "", "$share/g/", "$share/h/");
    return Combinators.combine(levels, Arbitraries.of(true, false), share)
        .as(
            (l, hash, prefix) -> {
              List<String> all = new ArrayList<>(l);
              if (hash) {
                all.add("#");
              }
              return prefix + String.join("/", all);
            })
        .filter(
            f -> !f.isEmpty() && !(f.startsWith("$share/") && f.endsWith("/") && f.length() == 9));
  }

  static Arbitrary<String> topics() {
    return Arbitraries.of("a", "b", "", "$s", "ä")
        .list()
        .ofMinSize(1)
        .ofMaxSize(3)
        .map(levels -> String.join("/", levels))
        .filter(topic -> !topic.isEmpty());
  }

  static Arbitrary<Receiver> receivers() {
    Arbitrary<Long> incarnations = Arbitraries.longs().between(1, 2);
    Arbitrary<Receiver> live =
        Combinators.combine(Arbitraries.of("n1", "n2"), incarnations, Arbitraries.of("", "c1"))
            .as(Receiver.Live::new);
    Arbitrary<Receiver> inboxes =
        Combinators.combine(Arbitraries.of("c1", "c2", "c/ü"), incarnations)
            .as(Receiver.Inbox::new);
    return Arbitraries.oneOf(live, inboxes);
  }

  static Arbitrary<SubscriptionOptions> options() {
    Arbitrary<Boolean> flags = Arbitraries.of(true, false);
    return Combinators.combine(
            Arbitraries.of(Qos.class),
            flags,
            flags,
            Arbitraries.of(RetainHandling.class),
            Arbitraries.of(0, 1, 127, 128, 268_435_455))
        .as(SubscriptionOptions::new);
  }

  static Arbitrary<Route> routes() {
    return Combinators.combine(
            Arbitraries.of(TENANT, "", "ö"),
            filters().map(TopicFilter::parse),
            receivers(),
            options())
        .as(Route::new);
  }
}
