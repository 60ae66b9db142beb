package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.SessionPosition;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Goal: one connection per client; a new one waits until the older one has released its state. */
class SessionRegistryTest {
  private final SessionRegistry registry = new SessionRegistry(new NodeStreams());
  private final ManualLoop loop = new ManualLoop();
  private final FakeSession older = new FakeSession("c", loop, false);
  private final FakeSession newer = new FakeSession("c", loop, false);

  @Test
  void shouldMakeANewConnectionWaitForTheOlderOne() {
    SessionRegistry.Registration first = registry.register(older);
    assertThat(first.previousReleased()).isDone();

    SessionRegistry.Registration second = registry.register(newer);
    assertThat(second.previousReleased()).isNotDone();
    assertThat(older.closed).as("notified on its own event loop").isFalse();
    loop.runAll();
    assertThat(older.closed).isTrue();
    registry.unregister(first);

    assertThat(second.previousReleased()).isDone();
    assertThat(registry.find(FakeSession.TENANT, "c")).isSameAs(newer);
    assertThat(registry.size()).isEqualTo(1);
  }

  @Test
  void shouldMakeAThirdConnectionWaitForTheSecondOnly() {
    SessionRegistry.Registration first = registry.register(older);
    SessionRegistry.Registration second = registry.register(newer);
    SessionRegistry.Registration third = registry.register(new FakeSession("c", loop, false));
    registry.unregister(first);
    assertThat(third.previousReleased()).isNotDone();
    registry.unregister(second);
    assertThat(third.previousReleased()).isDone();
  }

  @Test
  void shouldRemoveAClientWhenItsLastConnectionIsReleased() {
    SessionRegistry.Registration only = registry.register(older);
    registry.unregister(only);
    registry.unregister(only);
    assertThat(registry.find(FakeSession.TENANT, "c")).isNull();
    assertThat(registry.size()).isZero();
    assertThat(registry.find("other tenant", "c")).isNull();
  }

  private List<String> scan(SessionPosition from, @Nullable String tenant, int limit) {
    List<String> found = new ArrayList<>();
    registry.scan(
        from,
        tenant,
        Integer.MAX_VALUE,
        session -> found.size() < limit && found.add(session.clientId()));
    return found;
  }

  @Test
  void shouldListAPageOfManyClientsWithoutLookingAtTheOthers() {
    for (int i = 0; i < 100_000; i++) {
      registry.register(new FakeSession("client-" + i, loop, false));
    }
    SessionPosition from = SessionPosition.START;
    List<SessionPosition> all = new ArrayList<>();
    for (int page = 0; page < 3; page++) {
      int[] visited = new int[1];
      from =
          registry.scan(
              from,
              null,
              Integer.MAX_VALUE,
              session -> {
                if (visited[0]++ == 100) {
                  return false;
                }
                InboxId id = new InboxId(session.tenant(), session.clientId());
                return all.add(SessionPosition.of(id));
              });
      assertThat(visited[0]).isEqualTo(101);
      assertThat(all).hasSize(100 * (page + 1)).isSorted();
      assertThat(from).isGreaterThan(all.get(all.size() - 1));
    }
    int[] visited = new int[1];
    SessionPosition next =
        registry.scan(
            SessionPosition.START,
            null,
            500,
            session -> {
              visited[0]++;
              return true;
            });
    assertThat(visited[0]).isEqualTo(500);
    assertThat(next).isLessThan(SessionPosition.END);
  }

  @Test
  void shouldListOnlyTheClientsOfATenant() {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      FakeSession session = new FakeSession("client-" + i, loop, false);
      session.tenant = "tenant-" + i % 3;
      registry.register(session);
      if (i % 3 == 1) {
        expected.add("client-" + i);
      }
    }
    assertThat(scan(SessionPosition.START, "tenant-1", 1_000))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(scan(SessionPosition.START, "tenant-9", 1_000)).isEmpty();
    assertThat(scan(SessionPosition.START, null, 1_000)).hasSize(300);
  }

  @Test
  void shouldKeepAClientInTheListUntilItsLastConnectionIsReleased() {
    SessionRegistry.Registration first = registry.register(older);
    SessionRegistry.Registration second = registry.register(newer);
    registry.unregister(first);
    assertThat(scan(SessionPosition.START, null, 10)).containsExactly("c");
    registry.unregister(second);
    assertThat(scan(SessionPosition.START, null, 10)).isEmpty();
  }
}
