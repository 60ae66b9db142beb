package io.fjordmq.inbox.client;

import static io.fjordmq.inbox.client.TestInboxes.ID;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxState;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.SessionFilter;
import io.fjordmq.inbox.SessionPosition;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.inbox.SessionQueries.EntryPage;
import io.fjordmq.inbox.SessionQueries.SessionPage;
import io.fjordmq.inbox.SessionQueries.StoredSubscription;
import io.fjordmq.inbox.SessionQueries.SubscriptionPage;
import io.fjordmq.inbox.SessionUser;
import io.fjordmq.inbox.StoredSession;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What operators can read about persistent sessions. The store has four ranges. */
class SessionQueriesTest {
  private static final SubscriptionOptions OPTIONS =
      new SubscriptionOptions(Qos.AT_LEAST_ONCE, true, false, RetainHandling.SEND_NEVER, 7);

  private final TestInboxes inboxes = new TestInboxes();
  private final SessionQueries queries = inboxes.queries();

  @AfterEach
  void close() {
    inboxes.close();
  }

  private List<InboxId> list(SessionFilter filter, int pageSize) {
    List<InboxId> all = new ArrayList<>();
    SessionPosition next = SessionPosition.START;
    while (!next.equals(SessionPosition.END)) {
      SessionPage page = queries.list(next, filter, pageSize).join();
      assertThat(page.sessions()).hasSizeLessThanOrEqualTo(pageSize);
      assertThat(page.next()).isGreaterThan(next);
      for (StoredSession session : page.sessions()) {
        assertThat(page.next().isAfter(session.id())).isTrue();
        all.add(session.id());
      }
      next = page.next();
    }
    return all;
  }

  private List<StoredSubscription> subscriptions(
      SessionPosition from, SessionPosition to, int pageSize) {
    List<StoredSubscription> all = new ArrayList<>();
    SessionPosition next = from;
    String filter = "";
    while (!next.equals(SessionPosition.END)) {
      SubscriptionPage page = queries.listSubscriptions(next, filter, to, null, pageSize).join();
      assertThat(page.subscriptions()).hasSizeLessThanOrEqualTo(pageSize);
      all.addAll(page.subscriptions());
      next = page.next();
      filter = page.nextFilter();
    }
    return all;
  }

  private InboxHandle attachAs(InboxId id, String user) {
    AttachRequest request =
        new AttachRequest(
            false, "n1", TestInboxes.INCARNATION, 3600, null, null, new SessionUser(user, false));
    return inboxes.store().attach(id, request).join().handle();
  }

  /** The bytes by which the store sorts the sessions of a bucket. */
  private static byte[] bytes(InboxId id) {
    return (id.tenant() + "\0" + id.clientId()).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldListAllSessionsInTheOrderOfTheKeysWhateverThePageSize() {
    Random random = new Random(7);
    String[] parts = {"a", "b", "\uE000", "\uD83D\uDE00", "ü", "-"};
    List<InboxId> ids = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String tenant = random.nextBoolean() ? "" : parts[random.nextInt(3)];
      ids.add(new InboxId(tenant, parts[random.nextInt(parts.length)] + random.nextInt(1_000_000)));
    }
    ids.forEach(inboxes::attach);
    List<InboxId> expected =
        ids.stream()
            .distinct()
            .sorted(
                Comparator.comparing(InboxId::bucket)
                    .thenComparing((a, b) -> Arrays.compareUnsigned(bytes(a), bytes(b))))
            .toList();
    assertThat(ids.stream().distinct().map(SessionPosition::of).sorted().toList())
        .isEqualTo(expected.stream().map(SessionPosition::of).toList());
    for (int pageSize : new int[] {1, 7, 1_000}) {
      assertThat(list(SessionFilter.ALL, pageSize)).isEqualTo(expected);
      assertThat(list(SessionFilter.ofTenant("b"), pageSize))
          .isEqualTo(expected.stream().filter(id -> id.tenant().equals("b")).toList());
    }
    assertThat(list(SessionFilter.ofTenant("no such tenant"), 10)).isEmpty();
  }

  @Test
  void shouldCompareClientsOfOneBucketByCodePoint() {
    List<String> names = List.of("", "a", "ab", "b", "\uE000", "\uFFFD", "\uD83D\uDE00");
    for (int i = 0; i < names.size(); i++) {
      for (int j = 0; j < names.size(); j++) {
        assertThat(Integer.signum(SessionPosition.compareText(names.get(i), names.get(j))))
            .isEqualTo(Integer.compare(i, j));
      }
    }
  }

  @Test
  void shouldFilterByClientUserAndConnection() {
    InboxHandle first = attachAs(new InboxId("t", "sensor-1"), "anna");
    attachAs(new InboxId("t", "sensor-2"), "bert");
    inboxes.attach(new InboxId("t", "meter"));
    inboxes.detach(first);
    assertThat(list(new SessionFilter(null, "sensor", null, null, null), 10))
        .extracting(InboxId::clientId)
        .containsExactlyInAnyOrder("sensor-1", "sensor-2");
    assertThat(list(new SessionFilter(null, null, "anna", null, null), 10))
        .extracting(InboxId::clientId)
        .containsExactly("sensor-1");
    assertThat(list(new SessionFilter("t", null, null, "er", null), 10))
        .extracting(InboxId::clientId)
        .containsExactly("sensor-2");
    assertThat(list(new SessionFilter(null, null, null, null, false), 10))
        .extracting(InboxId::clientId)
        .containsExactly("sensor-1");
    assertThat(list(new SessionFilter(null, null, null, null, true), 10)).hasSize(2);
  }

  @Test
  void shouldFindTheSessionsOfAUserInAllBuckets() {
    Random random = new Random(11);
    Map<InboxId, String> users = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      InboxId id = new InboxId("t", "c" + random.nextInt(500));
      String user = "user-" + random.nextInt(40);
      InboxHandle handle = attachAs(id, user);
      users.putIfAbsent(id, user); // later users are guests, which do not own the session
      if (random.nextInt(3) == 0) {
        inboxes.store().discard(id).join();
        users.remove(id);
      } else {
        inboxes.detach(handle);
      }
    }
    for (int i = 0; i < 41; i++) {
      String user = "user-" + i;
      assertThat(list(new SessionFilter(null, null, user, null, null), 1 + random.nextInt(20)))
          .isEqualTo(
              list(SessionFilter.ALL, 1_000).stream()
                  .filter(id -> user.equals(users.get(id)))
                  .toList());
    }
    assertThat(users).hasSizeGreaterThan(200);
  }

  @Test
  void shouldDescribeASession() {
    assertThat(queries.find(ID).join()).isEmpty();
    final long created = inboxes.nowMillis();
    Attachment attachment = inboxes.attach(ID, false, 3600, inboxes.will("w", 60));
    InboxHandle handle = attachment.handle();
    for (String filter : List.of("a", "$share/g/b")) {
      inboxes.store().subscribe(handle, TopicFilter.parse(filter), OPTIONS).join();
    }
    for (int i = 1; i <= 4; i++) {
      inboxes.insert(handle, "m" + i);
    }
    inboxes.store().release(handle, 2).join();
    inboxes.commit(handle, 2);
    StoredSession connected = queries.find(ID).join().orElseThrow();
    assertThat(connected.owner()).isEqualTo(new Owner("n1", TestInboxes.INCARNATION));
    assertThat(connected.createdAtMillis()).isEqualTo(created);
    assertThat(connected.disconnectedAtMillis()).isEqualTo(-1);
    assertThat(connected.expirySeconds()).isEqualTo(3600);
    assertThat(connected.limits()).isEqualTo(InboxLimits.DEFAULT);
    assertThat(connected.subscriptions()).isEqualTo(2);
    assertThat(connected.queued()).isEqualTo(2);
    assertThat(connected.queuedBytes()).isGreaterThan(4);
    assertThat(connected.awaitingPubComp()).isEqualTo(1);
    assertThat(connected.hasWill()).isTrue();
    assertThat(connected.willDueAtMillis()).isEqualTo(InboxState.NEVER);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(5));
    final long detached = inboxes.nowMillis();
    inboxes.detach(handle);
    StoredSession offline = queries.find(ID).join().orElseThrow();
    assertThat(offline.owner()).isNull();
    assertThat(offline.disconnectedAtMillis()).isEqualTo(detached);
    assertThat(offline.expiresAtMillis()).isEqualTo(detached + 3_600_000);
    assertThat(offline.willDueAtMillis()).isEqualTo(detached + 60_000);
  }

  @Test
  void shouldNotListSessionsThatHaveEnded() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.attach(new InboxId("t", "transient"), true, 0, inboxes.will("w", 0));
    inboxes.detach(handle);
    assertThat(list(SessionFilter.ALL, 10)).containsExactly(ID);
    inboxes.advanceWithoutSweep(Duration.ofHours(2)); // expired, but still stored
    assertThat(list(SessionFilter.ALL, 10)).isEmpty();
    assertThat(queries.find(ID).join()).isEmpty();
    assertThat(queries.peek(ID, 0, 10, 10).join()).isEmpty();
  }

  @Test
  void shouldListSubscriptionsOfOneSessionAndOfAllInOrder() {
    Map<SessionPosition, List<String>> expected = new TreeMap<>();
    for (int client = 0; client < 30; client++) {
      InboxId id = new InboxId("t", "client-" + client);
      InboxHandle handle = inboxes.attach(id).handle();
      List<String> filters = new ArrayList<>();
      for (int i = 0; i < client % 5; i++) {
        filters.add("site/" + i + "/+");
        inboxes.store().subscribe(handle, TopicFilter.parse(filters.get(i)), OPTIONS).join();
      }
      expected.put(SessionPosition.of(id), filters);
    }
    for (int pageSize : new int[] {1, 3, 1_000}) {
      List<String> found = new ArrayList<>();
      for (StoredSubscription row :
          subscriptions(SessionPosition.START, SessionPosition.END, pageSize)) {
        assertThat(row.subscription().options()).isEqualTo(OPTIONS);
        assertThat(row.node()).isEqualTo("n1");
        found.add(row.id().clientId() + " " + row.subscription().filter());
      }
      List<String> all = new ArrayList<>();
      expected.forEach((at, filters) -> filters.forEach(f -> all.add(at.clientId() + " " + f)));
      assertThat(found).isEqualTo(all);
    }
    InboxId one = new InboxId("t", "client-4");
    assertThat(subscriptions(SessionPosition.of(one), SessionPosition.after(one), 3))
        .extracting(StoredSubscription::subscription)
        .extracting(InboxSubscription::filter)
        .extracting(TopicFilter::text)
        .containsExactly("site/0/+", "site/1/+", "site/2/+", "site/3/+");
  }

  @Test
  void shouldPeekWithoutRemovingMessages() {
    InboxHandle handle = inboxes.attach(ID).handle();
    inboxes.insert(handle, "first");
    inboxes.insert(handle, inboxes.message("expires", inboxes.nowMillis() + 1_000), null);
    inboxes.insert(handle, "a longer payload");
    inboxes.insert(handle, "last");
    inboxes.detach(handle);
    inboxes.advanceWithoutSweep(Duration.ofSeconds(2));
    EntryPage page = queries.peek(ID, 0, 2, 8).join().orElseThrow();
    assertThat(page.entries())
        .extracting(entry -> new String(entry.message().payload(), UTF_8))
        .containsExactly("first", "a longer");
    assertThat(page.entries().get(1).payloadBytes()).isEqualTo(16);
    assertThat(page.entries().get(1).qos()).isEqualTo(Qos.EXACTLY_ONCE);
    assertThat(page.next()).isEqualTo(4);
    EntryPage rest = queries.peek(ID, page.next(), 2, 8).join().orElseThrow();
    assertThat(rest.entries()).hasSize(1);
    assertThat(rest.next()).isZero();
    assertThat(queries.find(ID).join().orElseThrow().queued()).isEqualTo(4);
  }
}
