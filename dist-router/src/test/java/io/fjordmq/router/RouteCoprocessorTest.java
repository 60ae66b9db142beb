package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.range.RangeClient;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.sim.LocalRanges;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: the table equals the rows of all ranges while replicas are closed and opened. */
class RouteCoprocessorTest {
  private static final int RANGES = 3;

  private final List<RouteTable> processes = new ArrayList<>(List.of(new RouteTable(100)));
  private final Set<Long> rangesOpened = new HashSet<>();
  private final LocalRanges ranges =
      LocalRanges.of(
          new StoreSpec(
              RouteReplicas.STORE,
              RouteKeys.evenSplits(RANGES),
              range -> {
                rangesOpened.add(range.number());
                return new RouteCoprocessor(range.number(), table(), new AppliedRoutes());
              },
              (range, effects) -> {}));

  /** The table of the current process. */
  private RouteTable table() {
    return processes.get(processes.size() - 1);
  }

  @AfterEach
  void close() {
    ranges.close();
  }

  @Test
  void shouldUseEveryRange() {
    List<Route> added = addMany(60);
    assertThat(rangesOpened).hasSize(RANGES);
    assertThat(added.stream().map(RouteCoprocessorTest::rangeOf).distinct()).hasSize(RANGES);
    assertThat(table().status().routes()).isEqualTo(60);
  }

  @Test
  void shouldStartFromTheRowsInANewProcess() {
    List<Route> added = addMany(30);
    ranges.checkpoint();
    remove(added.remove(0));
    Route late = Routes.route("$share/g/late/#", new Receiver.Live("n", 1, "member"));
    add(late);
    RouteTable before = table();

    processes.add(new RouteTable(100));
    ranges.crash();

    assertThat(table().status().routes()).isEqualTo(30);
    assertThat(match("late").shares()).isEqualTo(before.match(Routes.TENANT, "late").shares());
    for (int i = 0; i < 30; i++) {
      String topic = "d/" + i + "/x";
      assertThat(match(topic)).isEqualTo(before.match(Routes.TENANT, topic));
    }
  }

  @Test
  void shouldContinueMatchingWhenAReplicaIsClosed() {
    add(Routes.toInbox("a", "c"));
    MatchedRoutes before = match("a");
    ranges.close();
    assertThat(match("a")).isSameAs(before);
  }

  @Test
  void shouldKeepTheCacheWhenAReplicaIsReopenedWithTheSameRows() {
    add(Routes.toInbox("a", "c"));
    MatchedRoutes before = match("a");
    ranges.restart();
    assertThat(match("a")).isSameAs(before);
  }

  @Test
  void shouldRemoveRoutesMissingInTheRowsWhenAReplicaIsReopened() {
    addMany(60);
    for (int i = 0; i < 60; i++) {
      table().add(Routes.toInbox("d/" + i + "/+", "lost with a failed write"));
    }
    ranges.restart();
    assertThat(table().status().routes()).isEqualTo(60);
    assertThat(match("d/7/x").inboxes()).hasSize(1);
  }

  @Test
  void shouldRemoveStaleRoutesInBatchesThroughAllRanges() {
    for (int i = 0; i < 40; i++) {
      add(Routes.route("s/" + i, new Receiver.Live("n1", 1, "")));
      add(Routes.route("$share/g/s/" + i, new Receiver.Live("n1", 2, "member")));
      add(Routes.route("s/" + i, new Receiver.Live("n1", 3, "")));
    }
    int removed = 0;
    int batches = 0;
    for (byte[] from = {}; from != null; batches++) {
      RouteCommand command = new RemoveStaleRoutes("n1", 3, 7, from);
      StaleRoutesRemoved part =
          StaleRoutesRemoved.decode(client().mutate(from, command.encode()).join());
      assertThat(part.removed()).isLessThanOrEqualTo(7);
      removed += part.removed();
      from = part.next();
    }
    assertThat(removed).isEqualTo(80);
    assertThat(batches).isBetween(120 / 7, 120 / 7 + 2 * RANGES);
    assertThat(table().status().routes()).isEqualTo(40);
    processes.add(new RouteTable(100));
    ranges.crash();
    assertThat(table().status().routes()).as("and they do not reappear").isEqualTo(40);
  }

  private RangeClient client() {
    return ranges.client(RouteReplicas.STORE);
  }

  private void add(Route route) {
    byte[] key = RouteKeys.of(route);
    byte[] value = RouteRow.encode(route.options());
    client().mutate(key, new AddRoute(key, value).encode()).join();
  }

  private void remove(Route route) {
    byte[] key = RouteKeys.of(route);
    client().mutate(key, new RemoveRoute(key).encode()).join();
  }

  private List<Route> addMany(int count) {
    List<Route> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Route route = Routes.toInbox("d/" + i + "/+", "c" + i);
      added.add(route);
      add(route);
    }
    return added;
  }

  private static int rangeOf(Route route) {
    return (RouteKeys.of(route)[0] & 0xFF) * RANGES / 256;
  }

  private MatchedRoutes match(String topic) {
    return table().match(Routes.TENANT, topic);
  }
}
