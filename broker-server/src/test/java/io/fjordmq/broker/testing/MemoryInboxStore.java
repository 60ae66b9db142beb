package io.fjordmq.broker.testing;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.Will;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.DiscardResult;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxSpan;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.UndeliveredShareMessage;
import io.fjordmq.range.KeyInterval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The inbox store according to its contract, in maps. */
public final class MemoryInboxStore implements InboxStore {

  /** One inbox. */
  public static final class Inbox {
    public final long incarnation;
    public long epoch;
    long expirySeconds;
    public @Nullable Will will;
    @Nullable InboxLimits limits;
    public boolean attached;
    public final Map<String, InboxSubscription> subscriptions = new LinkedHashMap<>();
    public final TreeMap<Long, InboxEntry> entries = new TreeMap<>();
    public final TreeSet<Long> released = new TreeSet<>();
    public final Map<Integer, Long> received = new LinkedHashMap<>();
    long nextSequence = 1;
    long sentBelow = 1;
    long nextPublishSequence = 1;

    Inbox(long incarnation) {
      this.incarnation = incarnation;
    }

    public long firstUndelivered() {
      long first = nextSequence;
      first = entries.isEmpty() ? first : Math.min(first, entries.firstKey());
      return released.isEmpty() ? first : Math.min(first, released.first());
    }
  }

  private final StoreTasks tasks;
  private final Map<InboxId, Inbox> inboxes = new HashMap<>();
  private final Set<PublishId> stored = new HashSet<>();
  private @Nullable InboxListener listener;
  private long incarnations;
  private long lastConnectOrder;
  public final List<String> calls = new ArrayList<>();
  public final List<PublishId> publishIds = new ArrayList<>();

  /** If set, inserts are refused as by a full inbox. */
  public boolean full;

  /** If set, the next insert is refused immediately, as by a temporarily full queue. */
  public boolean refuseNextInsert;

  /** If set, appended entries are not pushed, as if the push was lost. */
  public boolean losePushes;

  /** If set, acknowledgements are delayed for batching, as by the linger time of a real store. */
  public boolean lingeringCommits;

  /** Copies that were to be appended, stored or not. */
  public int inserts;

  /** If set, acknowledgements are confirmed but not stored, as if a crash lost them. */
  public boolean loseCommits;

  /** Runs before the response of an attach, as pushes may overtake it. */
  public Runnable beforeAttachResponse = () -> {};

  public @Nullable RuntimeException failure;

  public MemoryInboxStore(StoreTasks tasks) {
    this.tasks = tasks;
  }

  void setListener(InboxListener listener) {
    this.listener = listener;
  }

  /** Sends the event of a range that has a leader again. */
  public void announceLeader() {
    InboxListener its = listener;
    if (its != null) {
      its.onLeaderStart(new InboxSpan(KeyInterval.ALL));
    }
  }

  public @Nullable Inbox find(String clientId) {
    return inboxes.get(new InboxId("t", clientId));
  }

  public Inbox get(String clientId) {
    Inbox inbox = find(clientId);
    if (inbox == null) {
      throw new AssertionError("no inbox of " + clientId);
    }
    return inbox;
  }

  /** A connection at another node discards the inbox, and this node is notified. */
  public void takeOverElsewhere(String clientId) {
    InboxId id = new InboxId("t", clientId);
    Inbox inbox = inboxes.remove(id);
    InboxListener its = listener;
    if (inbox == null || its == null) {
      throw new AssertionError("no inbox of " + clientId);
    }
    its.onFenced("n1", new InboxHandle(id, inbox.incarnation, inbox.epoch));
  }

  private void requireWorking() {
    if (failure != null) {
      throw failure;
    }
  }

  private Inbox requireOwned(InboxHandle handle, String call) {
    requireWorking();
    calls.add(call);
    Inbox inbox = inboxes.get(handle.id());
    if (inbox == null
        || inbox.incarnation != handle.incarnation()
        || inbox.epoch != handle.epoch()) {
      throw new InboxFencedException(handle);
    }
    return inbox;
  }

  private static Attachment.@Nullable Discarded discarded(@Nullable Inbox inbox) {
    return inbox == null
        ? null
        : new Attachment.Discarded(inbox.incarnation, List.copyOf(inbox.subscriptions.values()));
  }

  /** The limits of the last attach. */
  public @Nullable InboxLimits limitsOf(String tenant, String clientId) {
    Inbox inbox = inboxes.get(new InboxId(tenant, clientId));
    return inbox == null ? null : inbox.limits;
  }

  @Override
  public CompletableFuture<Attachment> attach(InboxId id, AttachRequest request) {
    return tasks.call(
        () -> {
          requireWorking();
          calls.add("attach " + id.clientId());
          Inbox before = inboxes.get(id);
          boolean keep = before != null && !request.cleanStart();
          Inbox inbox = before != null && keep ? before : new Inbox(++incarnations);
          inboxes.put(id, inbox);
          inbox.epoch++;
          inbox.sentBelow = inbox.attached ? inbox.nextSequence : inbox.sentBelow;
          inbox.attached = true;
          inbox.expirySeconds = request.expirySeconds();
          inbox.will = request.will();
          inbox.limits = request.limits();
          List<Long> acknowledged = new ArrayList<>();
          for (long at = inbox.firstUndelivered(); at < inbox.nextSequence; at++) {
            if (!inbox.entries.containsKey(at) && !inbox.released.contains(at)) {
              acknowledged.add(at);
            }
          }
          Attachment attachment =
              new Attachment(
                  new InboxHandle(id, inbox.incarnation, inbox.epoch),
                  keep,
                  List.copyOf(inbox.subscriptions.values()),
                  keep ? null : discarded(before),
                  inbox.firstUndelivered(),
                  inbox.nextSequence,
                  inbox.sentBelow,
                  List.copyOf(inbox.released),
                  acknowledged,
                  inbox.received.entrySet().stream()
                      .map(one -> new Attachment.ReceivedPublish(one.getKey(), one.getValue()))
                      .toList(),
                  inbox.nextPublishSequence,
                  new ConnectOrder(1, ++lastConnectOrder));
          beforeAttachResponse.run();
          return attachment;
        });
  }

  @Override
  public CompletableFuture<Void> detachAtClose(
      InboxHandle handle, long sentBelow, long expirySeconds, Duration closesIn) {
    return detach(handle, sentBelow, expirySeconds, true);
  }

  @Override
  public CompletableFuture<Void> detachWithGrace(
      InboxHandle handle, long sentBelow, long expirySeconds) {
    return detach(handle, sentBelow, expirySeconds, true);
  }

  @Override
  public CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    return tasks.call(
        () -> {
          Inbox inbox =
              requireOwned(handle, "detach " + expirySeconds + (publishWill ? " will" : ""));
          inbox.attached = false;
          inbox.sentBelow = Math.max(inbox.sentBelow, sentBelow);
          inbox.expirySeconds = expirySeconds;
          if (expirySeconds == 0) {
            inboxes.remove(handle.id());
            if (publishWill) {
              publishWill(handle, inbox.will);
            }
          }
          return null;
        });
  }

  private void publishWill(InboxHandle handle, @Nullable Will will) {
    InboxListener its = listener;
    if (will != null && its != null) {
      InboxId id = handle.id();
      PublishId publishId =
          PublishId.ofWill(id, handle.incarnation(), handle.epoch(), handle.epoch());
      its.onWillDue(
          id,
          handle.incarnation(),
          handle.epoch(),
          will,
          new ConnectOrder(1, lastConnectOrder),
          publishId);
    }
  }

  @Override
  public CompletableFuture<DiscardResult> discard(InboxId id) {
    return tasks.call(
        () ->
            new DiscardResult(
                new ConnectOrder(1, ++lastConnectOrder), discarded(inboxes.remove(id))));
  }

  @Override
  public CompletableFuture<Boolean> subscribe(
      InboxHandle handle, TopicFilter filter, SubscriptionOptions options) {
    return tasks.call(
        () ->
            requireOwned(handle, "subscribe " + filter)
                    .subscriptions
                    .put(filter.text(), new InboxSubscription(filter, options))
                != null);
  }

  @Override
  public CompletableFuture<Boolean> unsubscribe(InboxHandle handle, TopicFilter filter) {
    return tasks.call(
        () ->
            requireOwned(handle, "unsubscribe " + filter).subscriptions.remove(filter.text())
                != null);
  }

  @Override
  public CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id) {
    if (refuseNextInsert) {
      refuseNextInsert = false;
      return CompletableFuture.failedFuture(new IllegalStateException("busy"));
    }
    return tasks.call(
        () -> {
          requireWorking();
          if (id != null) {
            publishIds.add(id);
          }
          boolean repeated =
              id != null && !stored.add(new PublishId(id.producer(), id.sequence(), 0));
          return targets.stream().map(target -> insert(message, target, repeated)).toList();
        });
  }

  /** Appends a message to the client's inbox as a publisher would. */
  public void append(String clientId, Message message) {
    InboxId id = new InboxId("t", clientId);
    insert(
        message,
        new InboxTarget(id, get(clientId).incarnation, message.qos(), false, List.of()),
        false);
  }

  private InsertOutcome insert(Message message, InboxTarget target, boolean repeated) {
    Inbox inbox = inboxes.get(target.id());
    if (inbox == null || inbox.incarnation != target.incarnation()) {
      return InsertOutcome.ABSENT;
    }
    if (repeated) {
      return InsertOutcome.DUPLICATE;
    }
    inserts++;
    if (full || !makeRoom(inbox, bytes(message))) {
      return InsertOutcome.REFUSED_FULL;
    }
    InboxEntry entry =
        new InboxEntry(
            inbox.nextSequence++,
            message,
            target.qos(),
            target.retain(),
            target.subscriptionIdentifiers());
    inbox.entries.put(entry.sequence(), entry);
    InboxListener its = listener;
    if (inbox.attached && !losePushes && its != null) {
      its.onAppended(
          "n1", new InboxHandle(target.id(), inbox.incarnation, inbox.epoch), List.of(entry));
      its.onAppendsComplete();
    }
    return InsertOutcome.STORED;
  }

  private static long bytes(Message message) {
    return MessageCodec.encode(message).length;
  }

  /** Makes room according to the limits that the inbox was attached with. */
  private static boolean makeRoom(Inbox inbox, long bytes) {
    InboxLimits limits = inbox.limits;
    if (limits == null || fits(inbox, bytes, limits)) {
      return true;
    }
    if (bytes > limits.maxBytes() || limits.whenFull() == InboxLimits.WhenFull.REFUSE) {
      return false;
    }
    while (!fits(inbox, bytes, limits)) {
      inbox.entries.pollFirstEntry();
    }
    return true;
  }

  private static boolean fits(Inbox inbox, long bytes, InboxLimits limits) {
    long held = inbox.entries.values().stream().mapToLong(one -> bytes(one.message())).sum();
    return inbox.entries.size() < limits.maxMessages() && held + bytes <= limits.maxBytes();
  }

  @Override
  public CompletableFuture<Page> fetch(
      InboxHandle handle, long fromSequence, int maxEntries, int maxBytes) {
    return tasks.call(
        () -> {
          Inbox inbox = requireOwned(handle, "fetch " + fromSequence);
          List<InboxEntry> page =
              inbox.entries.tailMap(fromSequence).values().stream().limit(maxEntries).toList();
          long next = page.isEmpty() ? fromSequence : page.get(page.size() - 1).sequence() + 1;
          return new Page(page, next);
        });
  }

  @Override
  public CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond) {
    return lingeringCommits
        ? tasks.call(() -> true).thenCompose(lingered -> commitNow(handle, upTo, beyond))
        : commitNow(handle, upTo, beyond);
  }

  private CompletableFuture<Void> commitNow(InboxHandle handle, long upTo, List<Long> beyond) {
    return tasks.call(
        () -> {
          Inbox inbox = requireOwned(handle, "commit " + upTo + " " + beyond);
          if (loseCommits) {
            return null;
          }
          inbox.entries.headMap(upTo).clear();
          inbox.released.headSet(upTo).clear();
          beyond.forEach(inbox.entries::remove);
          beyond.forEach(inbox.released::remove);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> release(InboxHandle handle, long sequence) {
    return tasks.call(
        () -> {
          Inbox inbox = requireOwned(handle, "release " + sequence);
          inbox.entries.remove(sequence);
          inbox.released.add(sequence);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> recordReceived(
      InboxHandle handle, int packetIdentifier, long publishSequence) {
    return tasks.call(
        () -> {
          Inbox inbox = requireOwned(handle, "record " + packetIdentifier);
          inbox.received.put(packetIdentifier, publishSequence);
          inbox.nextPublishSequence = Math.max(inbox.nextPublishSequence, publishSequence + 1);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> forgetReceived(InboxHandle handle, int packetIdentifier) {
    return tasks.call(
        () -> {
          requireOwned(handle, "forget " + packetIdentifier).received.remove(packetIdentifier);
          return null;
        });
  }

  @Override
  public CompletableFuture<Void> confirmWill(InboxId id, long incarnation, long epoch) {
    return CompletableFuture.completedFuture(null);
  }

  /** Share messages are discarded with their session here. */
  @Override
  public CompletableFuture<UndeliveredShareMessage.Page> processUndelivered(
      InboxId id, long incarnation, List<Long> given, int maxMessages) {
    return CompletableFuture.completedFuture(new UndeliveredShareMessage.Page(List.of(), true));
  }

  @Override
  public boolean isLocalLeader(InboxId id) {
    return true;
  }

  @Override
  public InboxStoreStatus status() {
    return new InboxStoreStatus(inboxes.size(), 0, 0, 0);
  }
}
