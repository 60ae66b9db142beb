package io.fjordmq.inbox;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.Will;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.ModelInboxes.Entry;
import io.fjordmq.inbox.ModelInboxes.Session;
import io.fjordmq.inbox.client.TestInboxes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** One random history, applied to the model and to replicas that cache differently. */
final class InboxHistory {
  private static final List<String> CLIENTS = List.of("c1", "c2", "c3");
  private static final Owner OWNER = new Owner("n", 1);
  private static final long EXPIRY_SECONDS = 100;

  private final Random random;
  private final InboxLimits limits;
  private final ModelInboxes model;
  private final SimInboxReplica warm = new SimInboxReplica(100);
  private final SimInboxReplica cold = new SimInboxReplica(1);
  private final SimInboxReplica reopened = new SimInboxReplica(100);
  private final Map<String, InboxHandle> handles = new HashMap<>();
  private final Map<Long, Long> incarnations = new HashMap<>();
  private int messages;

  // Used as salt: no two inboxes may have the same incarnation, even if created in the same
  // millisecond.
  private int attaches;

  InboxHistory(long seed, InboxLimits limits) {
    this.random = new Random(seed);
    this.limits = limits;
    this.model = new ModelInboxes(limits);
  }

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step(CLIENTS.get(random.nextInt(CLIENTS.size())));
      if (random.nextInt(4) == 0) {
        reopened.reopen();
      }
      if (random.nextInt(3) == 0) {
        apply(new CountInboxes(1 + random.nextInt(2)));
      }
      compare();
    }
    apply(new CountInboxes(CLIENTS.size()));
    assertThat(reopened.isCounting()).isFalse();
    assertThat(reopened.status()).isEqualTo(expectedStatus());
  }

  private void step(String client) {
    Session session = model.sessions.get(client);
    int choice = random.nextInt(20);
    if (choice < 9) {
      insert(client);
    } else if (session == null || !session.attached) {
      if (choice < 15) {
        attach(client);
      } else {
        advanceTime();
      }
    } else {
      stepAttached(client, session, choice);
    }
  }

  private void stepAttached(String client, Session session, int choice) {
    switch (choice) {
      case 9 -> attach(client);
      case 10 -> detach(client);
      case 11, 12, 13 -> commit(client, session);
      case 14 -> release(client, session);
      case 15 -> subscribe(client, session);
      case 16, 17 -> fetch(client, session);
      case 18 -> receive(client, session);
      default -> {
        if (random.nextInt(3) == 0) {
          crash();
        } else {
          advanceTime();
        }
      }
    }
  }

  private byte[] apply(InboxCommand command) {
    byte[] bytes = command.encode();
    byte[] response = warm.apply(bytes);
    assertThat(cold.apply(bytes)).isEqualTo(response);
    assertThat(reopened.apply(bytes)).isEqualTo(response);
    return response;
  }

  private void applyOwned(String client, InboxCommand command) {
    ResponseCodec.check(apply(command), handle(client));
  }

  private InboxHandle handle(String client) {
    return Objects.requireNonNull(handles.get(client));
  }

  private long now() {
    return warm.nowMillis();
  }

  private InboxId id(String client) {
    return new InboxId("t", client);
  }

  private void attach(String client) {
    boolean clean = random.nextInt(4) == 0;
    String will = random.nextBoolean() ? "will" + ++messages : null;
    long delaySeconds = random.nextInt(3) * 5L;
    byte[] bytes = null;
    if (will != null) {
      Will encoded = new Will(message(will, Message.NEVER), delaySeconds, Will.NO_EXPIRY);
      bytes = MessageCodec.encodeWill(encoded);
    }
    final Attachment attachment =
        AttachmentCodec.decode(
            apply(
                new AttachSession(
                    id(client), clean, OWNER, EXPIRY_SECONDS, limits, ++attaches, bytes)));
    long before = incarnationOf(client);
    Session session = model.attach(client, clean, will, delaySeconds * 1000, now());
    handles.put(client, attachment.handle());
    incarnations.putIfAbsent(session.incarnation, attachment.handle().incarnation());
    assertThat(attachment.handle().incarnation()).isEqualTo(incarnations.get(session.incarnation));
    assertThat(attachment.handle().epoch()).isEqualTo(session.epoch);
    assertThat(attachment.sessionPresent()).isEqualTo(session.incarnation == before);
    check(attachment, session);
  }

  private long incarnationOf(String client) {
    Session session = model.sessions.get(client);
    return session == null || (!session.attached && session.expiresAt <= now())
        ? -1
        : session.incarnation;
  }

  private void check(Attachment attachment, Session session) {
    assertThat(attachment.firstUndelivered()).isEqualTo(session.firstUndelivered());
    assertThat(attachment.nextSequence()).isEqualTo(session.nextSequence);
    assertThat(attachment.sentBelow()).isEqualTo(session.sentBelow);
    assertThat(attachment.released()).containsExactlyElementsOf(session.released);
    assertThat(attachment.acknowledged()).isEqualTo(session.acknowledged());
    assertThat(attachment.subscriptions())
        .extracting(subscription -> subscription.filter().text())
        .containsExactlyElementsOf(session.filters);
    assertThat(attachment.receivedQos2())
        .extracting(Attachment.ReceivedPublish::packetIdentifier)
        .containsExactlyElementsOf(session.received.keySet());
    assertThat(attachment.receivedQos2())
        .extracting(Attachment.ReceivedPublish::publishSequence)
        .containsExactlyElementsOf(session.received.values());
    assertThat(attachment.nextPublishSequence()).isEqualTo(session.nextPublish);
  }

  private void detach(String client) {
    long expirySeconds = random.nextInt(4) * 10L;
    boolean publishWill = random.nextInt(3) > 0;
    long sentBelow = 1 + random.nextLong(session(client).nextSequence);
    long upTo = random.nextLong(session(client).nextSequence + 1);
    List<Long> beyond = List.of(session(client).nextSequence - 1);
    model.commit(client, upTo, beyond);
    applyOwned(
        client,
        new DetachSession(
            handle(client),
            sentBelow,
            upTo,
            beyond,
            expirySeconds,
            publishWill,
            0,
            DetachSession.CLOSED));
    model.detach(client, sentBelow, expirySeconds * 1000, publishWill, now());
  }

  private Session session(String client) {
    return Objects.requireNonNull(model.sessions.get(client));
  }

  private void crash() {
    byte[] from = {};
    do {
      from = apply(new DetachOwner(OWNER, from, 2, 0));
    } while (from.length > 0);
    model.crash(EXPIRY_SECONDS * 1000, now());
  }

  private Message message(String payload, long expiresAt) {
    return new Message(
        new Topic("a"),
        payload.getBytes(UTF_8),
        Qos.EXACTLY_ONCE,
        false,
        MessageProperties.NONE,
        "p",
        now(),
        expiresAt);
  }

  private void insert(String client) {
    InboxHandle handle = handles.getOrDefault(client, new InboxHandle(id(client), 1, 1));
    String payload = "m" + ++messages + "x".repeat(random.nextInt(3) * 60);
    long expiresAt = random.nextInt(4) == 0 ? now() + 5000 : Message.NEVER;
    PublishId publishId = null;
    if (random.nextInt(3) == 0) {
      publishId = new PublishId(random.nextInt(2), 1 + random.nextInt(5), 1);
    }
    ByteBuffer message = ByteBuffer.wrap(MessageCodec.encode(message(payload, expiresAt)));
    byte[] response =
        apply(
            new InsertMessage(message, publishId, 1_000_000, List.of(TestInboxes.target(handle))));
    Session session = model.sessions.get(client);
    boolean right =
        session != null
            && incarnations.getOrDefault(session.incarnation, 0L) == handle.incarnation();
    InsertOutcome expected =
        right
            ? model.insert(
                client, new Entry(payload, expiresAt, message.remaining()), name(publishId), now())
            : InsertOutcome.ABSENT;
    assertThat(InsertOutcome.values()[response[0]]).isEqualTo(expected);
  }

  private static @Nullable String name(@Nullable PublishId id) {
    return id == null ? null : id.producer() + "/" + id.sequence();
  }

  private void commit(String client, Session session) {
    long upTo = session.firstUndelivered() + random.nextInt(60);
    upTo = Math.min(upTo, session.nextSequence);
    List<Long> beyond = new ArrayList<>();
    for (long s = upTo; s < session.nextSequence; s++) {
      if (random.nextInt(5) == 0) {
        beyond.add(s);
      }
    }
    byte[] response =
        apply(
            new CommitDeliveries(
                List.of(new CommitDeliveries.Commit(handle(client), upTo, beyond))));
    assertThat(response).containsExactly(CommitDeliveries.DONE);
    model.commit(client, upTo, beyond);
  }

  private void release(String client, Session session) {
    long sequence = session.firstUndelivered() + random.nextInt(4);
    if (random.nextInt(3) == 0) {
      sequence = session.nextSequence - 1;
    }
    applyOwned(client, new ReleaseEntry(handle(client), sequence));
    model.release(client, sequence);
  }

  private void subscribe(String client, Session session) {
    String filter = "f/" + random.nextInt(4);
    boolean add = random.nextInt(3) > 0;
    SubscriptionOptions options = add ? SubscriptionOptions.ofQos(Qos.AT_LEAST_ONCE) : null;
    TopicFilter parsed = TopicFilter.parse(filter);
    byte[] response = apply(new EditSubscription(handle(client), parsed, options));
    boolean present = ResponseCodec.check(response, handle(client)).readByte() == 1;
    assertThat(present).isEqualTo(session.filters.contains(filter));
    if (add) {
      session.filters.add(filter);
    } else {
      session.filters.remove(filter);
    }
  }

  private void fetch(String client, Session session) {
    long from = session.firstUndelivered() + random.nextInt(3);
    int limit = 1 + random.nextInt(5);
    FetchEntries query = new FetchEntries(handle(client), from, limit, 1 << 20, now());
    ByteReader in = ResponseCodec.check(reopened.query(query), handle(client));
    FetchEntries.Result found = FetchEntries.decodeResponse(in);
    List<String> expected =
        session.entries.tailMap(from).entrySet().stream()
            .filter(
                entry -> entry.getKey() < session.sentBelow || entry.getValue().expiresAt() > now())
            .limit(limit)
            .map(entry -> entry.getKey() + ":" + entry.getValue().payload())
            .toList();
    assertThat(found.entries()).extracting(TestInboxes::text).isEqualTo(expected);
    if (!found.expired().isEmpty()) {
      applyOwned(client, new DropExpired(handle(client), found.expired()));
      model.dropExpired(client, found.expired(), now());
    }
  }

  private void receive(String client, Session session) {
    int packet = 1 + random.nextInt(3);
    if (session.received.remove(packet) != null) {
      applyOwned(client, new ForgetReceived(handle(client), packet));
    } else {
      long sequence = session.nextPublish++;
      session.received.put(packet, sequence);
      applyOwned(client, new RecordReceived(handle(client), packet, sequence));
    }
  }

  private void advanceTime() {
    long millis = random.nextInt(12) * 1000L;
    for (SimInboxReplica rows : List.of(warm, cold, reopened)) {
      rows.advance(millis);
    }
    if (random.nextBoolean()) {
      sweep();
    }
  }

  private void sweep() {
    while (apply(new ExpireDue(2, 1_000_000))[1] != 0) {
      assertThat(warm.effects).hasSizeLessThan(100_000);
    }
    CLIENTS.forEach(client -> model.advance(client, now()));
    confirmWills();
  }

  /** Confirms due wills at once, so that none is announced twice. */
  private void confirmWills() {
    for (Object effect : List.copyOf(warm.effects)) {
      if (effect instanceof InboxEffect.WillDue due) {
        apply(new ConfirmWill(due.id(), due.incarnation(), due.epoch()));
      }
    }
  }

  private void compare() {
    confirmWills();
    assertThat(cold.hexRows()).isEqualTo(warm.hexRows());
    assertThat(reopened.hexRows()).isEqualTo(warm.hexRows());
    assertThat(cold.effects).hasSameSizeAs(warm.effects);
    assertThat(texts(warm.effects, InboxEffect.WillDue.class))
        .containsExactlyInAnyOrderElementsOf(model.wills);
    assertThat(texts(warm.effects, InboxEffect.SessionEnded.class))
        .containsExactlyInAnyOrderElementsOf(model.endedClients);
    assertThat(dropped()).isEqualTo(model.dropCounts);
    InboxStoreStatus expected = expectedStatus();
    assertThat(warm.status()).isEqualTo(expected);
    assertThat(cold.status()).isEqualTo(expected);
    if (!reopened.isCounting()) {
      assertThat(reopened.status()).isEqualTo(expected);
    }
  }

  private InboxStoreStatus expectedStatus() {
    InboxStoreStatus sum = new InboxStoreStatus(0, 0, 0, 0);
    for (Session session : model.sessions.values()) {
      sum =
          sum.plus(
              new InboxStoreStatus(
                  1, session.attached ? 1 : 0, session.filters.size(), session.entries.size()));
    }
    return sum;
  }

  private static List<String> texts(List<Object> effects, Class<?> kind) {
    List<String> texts = new ArrayList<>();
    for (Object effect : effects) {
      if (kind.isInstance(effect)) {
        texts.add(
            effect instanceof InboxEffect.WillDue due
                ? new String(due.will().message().payload(), UTF_8)
                : ((InboxEffect.SessionEnded) effect).id().clientId());
      }
    }
    return texts;
  }

  private Map<String, Long> dropped() {
    Map<String, Long> counts = new HashMap<>();
    for (Object effect : warm.effects) {
      if (effect instanceof InboxEffect.Dropped dropped) {
        counts.merge(dropped.reason(), dropped.count(), Long::sum);
      }
    }
    return counts;
  }
}
