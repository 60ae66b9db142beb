package io.fjordmq.broker.delivery;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.Will;
import io.fjordmq.broker.events.RecordedEvent;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.retain.RetainVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Goal: inbox events reach the right session on the right thread, with bounded memory. */
class InboxEventsTest {
  private static final InboxId ID = new InboxId(FakeSession.TENANT, "p");
  private static final InboxHandle HANDLE = new InboxHandle(ID, 1, 3);
  private static final PublishId WILL_ID = new PublishId(5, 1, 1);
  private static final ConnectOrder CONNECT_ORDER = new ConnectOrder(2, 40);
  private static final long NOW = DeliveryFixture.NOW;

  private final DeliveryFixture fixture = new DeliveryFixture();
  private final InboxListener events = fixture.delivery.inboxEvents();

  @Test
  void shouldDeliverEntriesOfSeveralEventsInOneCall() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onAppended("n1", HANDLE, entries(1, 2));
    events.onAppended("n1", HANDLE, entries(3, 3));
    assertThat(fixture.otherLoop.scheduledCount()).isEqualTo(1);
    fixture.otherLoop.runAll();

    assertThat(session.appended).containsExactly(1L, 2L, 3L);
    assertThat(session.appendCalls).isEqualTo(1);
    assertThat(session.flushes).isEqualTo(1);

    events.onAppended("n1", HANDLE, entries(4, 4));
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(1L, 2L, 3L, 4L);
  }

  @Test
  void shouldDropTheOldestEntriesWhenTheSessionFallsBehind() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    for (int i = 1; i <= 10; i++) {
      events.onAppended("n1", HANDLE, entries(i, i));
    }
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(7L, 8L, 9L, 10L);
  }

  @Test
  void shouldKeepOneEntryEvenIfItExceedsTheLimit() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onAppended("n1", HANDLE, entries(1, 1));
    String large = "x".repeat((int) DeliveryFixture.SMALL.pushedBytesPerInbox() + 1);
    events.onAppended("n1", HANDLE, List.of(entry(2, large)));
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(2L);
  }

  @Test
  void shouldDiscardEntriesOfAnOlderHandle() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onAppended("n1", HANDLE, entries(1, 1));
    events.onAppended("n1", new InboxHandle(ID, 1, 4), entries(2, 2));
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(2L);
  }

  @Test
  void shouldNotLetLateEntriesOfAnOlderHandleDisplaceThoseOfTheNewOne() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    InboxHandle epoch4 = new InboxHandle(ID, 1, 4);
    events.onAppended("n1", epoch4, entries(2, 2));
    events.onAppended("n1", HANDLE, entries(1, 1));
    events.onAppended("n1", epoch4, entries(3, 3));
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(2L, 3L);

    events.onAppended("n1", new InboxHandle(ID, 2, 1), entries(1, 1));
    events.onAppended("n1", epoch4, entries(4, 4));
    fixture.otherLoop.runAll();
    assertThat(session.appended).containsExactly(2L, 3L, 1L);
  }

  @Test
  void shouldDropTheOldestEntriesAlsoWhenTheyArriveLate() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onAppended("n1", HANDLE, entries(5, 8));
    events.onAppended("n1", HANDLE, entries(3, 6));
    fixture.otherLoop.runAll();
    assertThat(session.appended).hasSize(4).endsWith(8L);
  }

  @Test
  void shouldRefetchInboxesWhenTheirRangeHasALeaderAgain() {
    FakeSession concerned = fixture.connectPersistent("p", fixture.otherLoop);
    FakeSession other = fixture.connectPersistent("q", fixture.otherLoop);
    events.onLeaderStart(rangeOf("p"));
    fixture.otherLoop.runAll();
    assertThat(concerned.refetches).isEqualTo(1);
    assertThat(other.refetches).isZero();
  }

  @Test
  void shouldBoundTheNumberOfConcurrentRefetches() {
    List<FakeSession> sessions = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      FakeSession session = fixture.connectPersistent("p" + i, fixture.otherLoop);
      session.refetchResult = new CompletableFuture<>();
      sessions.add(session);
    }
    events.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    fixture.otherLoop.runAll();
    assertThat(sessions.stream().filter(session -> session.refetches == 1)).hasSize(256);
    sessions.forEach(session -> session.refetchResult.complete(null));
    fixture.otherLoop.runAll();
    assertThat(sessions).allMatch(session -> session.refetches == 1);
  }

  @Test
  void shouldRefetchOtherInboxesWhenManySessionsFail() {
    for (int i = 0; i < 300; i++) {
      fixture.connectPersistent("p" + i, fixture.otherLoop).broken = true;
    }
    events.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    runIgnoringFailures();
    FakeSession sound = fixture.connectPersistent("sound", fixture.otherLoop);
    events.onLeaderStart(rangeOf("sound"));
    runIgnoringFailures();
    assertThat(sound.refetches).isEqualTo(1);
  }

  private void runIgnoringFailures() {
    while (!fixture.otherLoop.isIdle()) {
      try {
        fixture.otherLoop.runAll();
      } catch (IllegalStateException e) {
        assertThat(e).hasMessage("broken session");
      }
    }
  }

  @Test
  void shouldNotifyTheSessionWhenItIsFenced() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onFenced("n1", HANDLE);
    assertThat(session.fenced).isEmpty();
    fixture.otherLoop.runAll();
    assertThat(session.fenced).containsExactly(HANDLE);
  }

  @Test
  void shouldIgnoreEventsOfClientsThatAreNotConnectedHere() {
    FakeSession session = fixture.connectPersistent("p", fixture.otherLoop);
    events.onAppended("n2", HANDLE, entries(1, 1));
    events.onFenced("n2", HANDLE);
    events.onFenced("n1", new InboxHandle(new InboxId(FakeSession.TENANT, "nobody"), 1, 1));
    fixture.otherLoop.runAll();
    assertThat(session.appended).isEmpty();
    assertThat(session.fenced).isEmpty();
  }

  @Test
  void shouldPublishAWillOnceAndReportWhenItIsDurable() {
    fixture.addInboxRoute("i", "w", AT_LEAST_ONCE);
    CompletableFuture<Void> gate = new CompletableFuture<>();
    fixture.inboxes.gate = gate;

    events.onWillDue(ID, 1, 3, will(60), CONNECT_ORDER, WILL_ID);
    events.onWillDue(ID, 1, 3, will(60), CONNECT_ORDER, WILL_ID);
    assertThat(fixture.inboxes.inserts).hasSize(1);
    assertThat(fixture.inboxes.confirmedWills).isEmpty();
    gate.complete(null);

    assertThat(fixture.inboxes.confirmedWills).containsExactly(ID);
    FakeInboxStore.Insert insert = fixture.inboxes.inserts.get(0);
    assertThat(insert.id()).isEqualTo(WILL_ID);
    assertThat(insert.message().acceptedAtMillis()).isEqualTo(NOW);
    assertThat(insert.message().expiresAtMillis()).isEqualTo(NOW + 60_000);
  }

  @Test
  void shouldRecordWillsExpiredSessionsAndDroppedMessages() {
    events.onWillDue(ID, 1, 3, will(60), CONNECT_ORDER, WILL_ID);
    events.onDropped(ID, DropReasons.INBOX_FULL, 3);
    events.onDropped(ID, DropReasons.INBOX_FULL, 2);
    events.onSessionExpired(ID);
    assertThat(fixture.history.find(ID.tenant(), ID.clientId()))
        .extracting(RecordedEvent::message)
        .containsExactly(
            "Published the will of the client to w",
            "Dropped 5 messages: the queue of the persistent session is full (inboxConfig.limits)",
            "Session expired: the client did not reconnect within its session expiry interval; its"
                + " subscriptions and queued messages were removed");
  }

  @Test
  void shouldRecordAMessageThatAFullInboxRefuses() {
    fixture.addInboxRoute("p", "a", AT_LEAST_ONCE);
    fixture.inboxes.outcomes.put("p", InboxStore.InsertOutcome.REFUSED_FULL);
    fixture.publish(Messages.message("a", AT_LEAST_ONCE, "x"));
    assertThat(fixture.history.find(ID.tenant(), "p"))
        .extracting(RecordedEvent::message)
        .containsExactly(
            "Dropped a message on topic a: the queue of the persistent session is full"
                + " (inboxConfig.limits)");
  }

  @Test
  void shouldPublishTheWillAgainIfItWasNotDurable() {
    fixture.addInboxRoute("i", "w", AT_LEAST_ONCE);
    fixture.inboxes.failure = new IllegalStateException("down");
    events.onWillDue(ID, 1, 3, will(Will.NO_EXPIRY), CONNECT_ORDER, WILL_ID);
    assertThat(fixture.inboxes.confirmedWills).isEmpty();

    fixture.inboxes.failure = null;
    events.onWillDue(ID, 1, 3, will(Will.NO_EXPIRY), CONNECT_ORDER, WILL_ID);

    assertThat(fixture.inboxes.confirmedWills).containsExactly(ID);
    assertThat(fixture.inboxes.inserts.get(1).message().expiresAtMillis()).isEqualTo(Message.NEVER);
  }

  @Test
  void shouldRetainAWillWithItsOwnVersion() {
    Will will = new Will(Messages.retained("w", AT_LEAST_ONCE, "off"), 0, Will.NO_EXPIRY);
    events.onWillDue(ID, 1, 3, will, CONNECT_ORDER, WILL_ID);
    assertThat(fixture.retained.messages).containsOnlyKeys("w");
    assertThat(fixture.retained.versions).containsExactly(new RetainVersion(2, 40));
  }

  @Test
  void shouldHandAWillOverToOtherEventLoopsImmediately() {
    FakeSession watcher = fixture.connect("watcher", fixture.otherLoop);
    fixture.subscribe(watcher, "w", AT_LEAST_ONCE);
    events.onWillDue(ID, 1, 3, will(Will.NO_EXPIRY), CONNECT_ORDER, WILL_ID);
    fixture.otherLoop.runAll();
    assertThat(watcher.texts()).containsExactly("last words");
  }

  @Test
  void shouldRemoveTheRoutesOfAnEndedSessionABoundedNumberAtATime() {
    List<InboxSubscription> subscriptions = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      fixture.addInboxRoute("p", "t/" + i, AT_LEAST_ONCE);
      subscriptions.add(
          new InboxSubscription(
              TopicFilter.parse("t/" + i), SubscriptionOptions.ofQos(AT_LEAST_ONCE)));
    }
    fixture.router.hold();

    events.onSessionEnded(ID, 1, subscriptions);

    assertThat(fixture.router.heldCalls()).isEqualTo(DeliveryFixture.SMALL.routeRemovalsInFlight());
    while (fixture.router.heldCalls() > 0) {
      fixture.router.releaseOne();
    }
    assertThat(fixture.router.filters()).isEmpty();
  }

  @Test
  void shouldCountRoutesThatCouldNotBeRemoved() {
    fixture.router.failWith(new IllegalStateException("down"));
    events.onSessionEnded(
        ID,
        1,
        List.of(
            new InboxSubscription(
                TopicFilter.parse("t"), SubscriptionOptions.ofQos(AT_LEAST_ONCE))));
    assertThat(fixture.observer.routeFailures.sum()).isEqualTo(1);
  }

  private static List<InboxEntry> entries(long from, long to) {
    return LongStream.rangeClosed(from, to).mapToObj(s -> entry(s, "m" + s)).toList();
  }

  private static InboxEntry entry(long sequence, String text) {
    return new InboxEntry(
        sequence, Messages.message("a", AT_LEAST_ONCE, text), AT_LEAST_ONCE, false, List.of());
  }

  private static Will will(long expirySeconds) {
    return new Will(Messages.message("w", AT_LEAST_ONCE, "last words"), 0, expirySeconds);
  }

  /** A small range that holds the inbox of this client. */
  private static InboxSpan rangeOf(String clientId) {
    InboxId inbox = new InboxId(FakeSession.TENANT, clientId);
    return IntStream.range(0, 255)
        .mapToObj(
            i -> new InboxSpan(new KeyInterval(new byte[] {(byte) i}, new byte[] {(byte) (i + 1)})))
        .filter(span -> span.test(inbox))
        .findFirst()
        .orElseThrow();
  }
}
