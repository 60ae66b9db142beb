package io.fjordmq.router;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Topic;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/**
 * Goal: while several threads add and remove routes and the cache is too small, no match misses a
 * route whose addition was complete before it began, and none contains a route whose removal was.
 *
 * <p>Method: each route has a phase, incremented before and after each of its changes by the single
 * thread that changes it. A match during which the phase did not change must agree with it.
 */
class RouteTableStressTest {
  private static final int ADDED = 2;
  private static final int PHASE_COUNT = 4; // absent, being added, added, being removed

  private static final int READERS = 3;
  private static final int MATCHES_PER_READER = 5_000;
  private static final String[] TOPICS = {"a/1", "a/2", "b/1", "b/2/x", "c"};

  private final RouteTable table = new RouteTable(4);
  private final List<Route> routes = new ArrayList<>();
  private final AtomicIntegerArray phases;
  private final LongAdder checks = new LongAdder();
  private final AtomicBoolean done = new AtomicBoolean();

  RouteTableStressTest() {
    String[] filters = {"a/1", "a/+", "a/#", "#", "+/1", "b/+/x", "b/2/#", "c", "+", "c/#"};
    for (String filter : filters) {
      for (int i = 0; i < 4; i++) {
        routes.add(Routes.toInbox(filter, "c" + i));
      }
      routes.add(Routes.toInbox("$share/g/" + filter, "member of " + filter));
    }
    phases = new AtomicIntegerArray(routes.size());
  }

  @Test
  void shouldNeverMatchRemovedRoutesNorMissExistingOnes() throws Exception {
    int writers = 3;
    ExecutorService threads = Executors.newFixedThreadPool(writers + READERS);
    try {
      List<Future<?>> writing = new ArrayList<>();
      List<Future<?>> reading = new ArrayList<>();
      for (int i = 0; i < writers; i++) {
        int each = i;
        writing.add(threads.submit(() -> writeUntilDone(each, writers)));
      }
      for (int i = 0; i < READERS; i++) {
        Random random = new Random(i);
        reading.add(threads.submit(() -> read(random)));
      }
      for (Future<?> reader : reading) {
        reader.get(60, TimeUnit.SECONDS);
      }
      done.set(true);
      for (Future<?> writer : writing) {
        writer.get(60, TimeUnit.SECONDS);
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
    assertThat(checks.sum()).isGreaterThan(20_000);
    RouteStoreStatus status = table.status();
    assertThat(status.cacheHits()).as("the cache was used").isPositive();
    assertThat(status.cacheInvalidations()).isPositive();
    for (int i = 0; i < routes.size(); i++) {
      if (phases.get(i) % PHASE_COUNT == ADDED) {
        table.remove(RouteId.of(routes.get(i)));
      }
    }
    assertThat(table.status().routes()).isZero();
  }

  /** Changes every {@code step}-th route repeatedly. */
  private void writeUntilDone(int first, int step) {
    Random random = new Random(first);
    while (!done.get()) {
      int index = first + step * random.nextInt((routes.size() - first + step - 1) / step);
      Route route = routes.get(index);
      boolean add = phases.getAndIncrement(index) % PHASE_COUNT != ADDED;
      if (add) {
        table.add(route);
      } else {
        table.remove(RouteId.of(route));
      }
      phases.getAndIncrement(index);
      if (random.nextInt(8) == 0) {
        Thread.yield(); // otherwise hardly any route would be stable long enough to be checked
      }
    }
  }

  private void read(Random random) {
    int[] before = new int[routes.size()];
    for (int n = 0; n < MATCHES_PER_READER; n++) {
      String topic = TOPICS[random.nextInt(TOPICS.length)];
      for (int i = 0; i < before.length; i++) {
        before[i] = phases.get(i);
      }
      List<Route> matched = routesOf(table.match(Routes.TENANT, topic));
      for (int i = 0; i < before.length; i++) {
        Route route = routes.get(i);
        boolean unchanged = before[i] % 2 == 0 && phases.get(i) == before[i];
        if (unchanged && route.filter().matches(new Topic(topic))) {
          checks.increment();
          assertThat(matched.contains(route))
              .as("%s in the match of %s", route, topic)
              .isEqualTo(before[i] % PHASE_COUNT == ADDED);
        }
      }
    }
  }

  private static List<Route> routesOf(MatchedRoutes matched) {
    List<Route> all = new ArrayList<>();
    matched.inboxes().forEach(inbox -> all.addAll(inbox.routes()));
    matched.shares().forEach(share -> all.addAll(share.members()));
    return all;
  }
}
