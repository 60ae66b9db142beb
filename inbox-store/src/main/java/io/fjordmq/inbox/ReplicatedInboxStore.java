package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.Will;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.Timers;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The inbox store on the range engine. Close it before the range client. */
public final class ReplicatedInboxStore implements InboxStore, AutoCloseable {
  /** Maximum bytes per read of messages that an ended session has left to shares. */
  private static final int MAX_LEFT_BYTES = 1 << 18;

  private final RangeClient client;
  private final InboxReplicas replicas;
  private final Predicate<RangeId> leading;
  private final InboxSettings settings;
  private final InstantSource clock;
  private final InboxObserver observer;
  private final BusyRetry busy;
  private final PendingDetaches pendingDetaches;
  private final CommitCoalescer commits;
  private final MessageInserter messageInserter;

  /** Distinguishes inboxes created in the same millisecond; a counter with a random start. */
  private final AtomicInteger salt;

  /**
   * Creates the store.
   *
   * @param client client for the store {@link InboxReplicas#STORE}
   * @param replicas the replicas of this node
   * @param leading returns true if this node leads a range
   * @param timers delays acknowledgements and retries
   * @param clock wall clock, for message expiry in {@link #fetch}
   */
  public ReplicatedInboxStore(
      RangeClient client,
      InboxReplicas replicas,
      Predicate<RangeId> leading,
      InboxSettings settings,
      Timers timers,
      InstantSource clock,
      InboxObserver observer) {
    this(
        client,
        replicas,
        leading,
        settings,
        timers,
        clock,
        observer,
        ThreadLocalRandom.current().nextInt());
  }

  /**
   * Creates the store with a given salt, for tests.
   *
   * @param firstSalt any number that differs between nodes and their incarnations
   */
  public ReplicatedInboxStore(
      RangeClient client,
      InboxReplicas replicas,
      Predicate<RangeId> leading,
      InboxSettings settings,
      Timers timers,
      InstantSource clock,
      InboxObserver observer,
      int firstSalt) {
    this.salt = new AtomicInteger(firstSalt);
    this.client = client;
    this.replicas = replicas;
    this.leading = leading;
    this.settings = settings;
    this.clock = clock;
    this.observer = observer;
    this.busy = new BusyRetry(settings, timers, observer);
    this.pendingDetaches = new PendingDetaches(settings, timers, this::retryDetach);
    this.commits = new CommitCoalescer(client, settings, timers, busy, observer);
    this.messageInserter = new MessageInserter(client, settings, observer);
  }

  /** Makes one attempt to send a pending detach. */
  private CompletableFuture<Void> retryDetach(InboxCommand command) {
    return command instanceof DetachSession detach
        ? run(detach.handle(), detach)
        : UnwrappedFutures.check(mutate(((AbandonAttach) command).id(), command), answer -> {});
  }

  @Override
  public CompletableFuture<Attachment> attach(InboxId id, AttachRequest request) {
    Will will = request.will();
    Owner owner = new Owner(request.ownerNode(), request.ownerIncarnation());
    AttachSession command =
        new AttachSession(
            id,
            request.cleanStart(),
            owner,
            request.expirySeconds(),
            Objects.requireNonNullElse(request.limits(), settings.limits()),
            salt.getAndIncrement() & (1 << AttachSession.SALT_BITS) - 1,
            will == null ? null : MessageCodec.encodeWill(will),
            request.user());
    CompletableFuture<Attachment> attached =
        UnwrappedFutures.map(
            pendingDetaches.attaching(id).thenCompose(ready -> mutate(id, command)),
            command::decodeAnswer);
    // Record the outcome before the caller sees it, because the caller may attach again
    // immediately.
    CompletableFuture<Attachment> settled =
        attached.whenComplete(
            (attachment, failure) -> {
              if (failure == null) {
                pendingDetaches.attached(id);
              } else {
                pendingDetaches.attachFailed(
                    new AbandonAttach(id, owner), UnwrappedFutures.unwrap(failure));
              }
            });
    return UnwrappedFutures.map(settled, attachment -> attachment);
  }

  @Override
  public CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    return detach(handle, sentBelow, expirySeconds, publishWill, 0);
  }

  @Override
  public CompletableFuture<Void> detachWithGrace(
      InboxHandle handle, long sentBelow, long expirySeconds) {
    return detach(handle, sentBelow, expirySeconds, true, settings.willGrace().toMillis());
  }

  private CompletableFuture<Void> detach(
      InboxHandle handle,
      long sentBelow,
      long expirySeconds,
      boolean publishWill,
      long graceMillis) {
    CommitCoalescer.Pending last = commits.take(handle);
    CommitDeliveries.Commit acknowledged =
        last == null ? new CommitDeliveries.Commit(handle, 0, List.of()) : last.commit();
    DetachSession command =
        new DetachSession(
            handle,
            sentBelow,
            acknowledged.upTo(),
            acknowledged.beyond(),
            expirySeconds,
            publishWill,
            graceMillis);
    CompletableFuture<Void> done = busy.call(() -> run(handle, command));
    done.whenComplete(
        (ok, failure) -> {
          if (failure != null) {
            pendingDetaches.failed(command, UnwrappedFutures.unwrap(failure));
          }
        });
    if (last != null) {
      done.whenComplete((ok, failure) -> last.settle(failure));
    }
    return done;
  }

  @Override
  public CompletableFuture<DiscardResult> discard(InboxId id) {
    return UnwrappedFutures.map(mutate(id, new DiscardSession(id)), AttachmentCodec::decodeDiscard);
  }

  @Override
  public CompletableFuture<Boolean> subscribe(
      InboxHandle handle, TopicFilter filter, SubscriptionOptions options) {
    return edit(new EditSubscription(handle, filter, options));
  }

  @Override
  public CompletableFuture<Boolean> unsubscribe(InboxHandle handle, TopicFilter filter) {
    return edit(new EditSubscription(handle, filter, null));
  }

  private CompletableFuture<Boolean> edit(EditSubscription command) {
    return call(command.handle(), command, answer -> answer.readByte() != 0);
  }

  @Override
  public CompletableFuture<List<InsertOutcome>> insert(
      Message message, List<InboxTarget> targets, @Nullable PublishId id) {
    return messageInserter.insert(message, targets, id);
  }

  @Override
  public CompletableFuture<Page> fetch(
      InboxHandle handle, long fromSequence, int maxEntries, int maxBytes) {
    final long start = System.nanoTime();
    FetchEntries query =
        new FetchEntries(handle, fromSequence, maxEntries, maxBytes, clock.millis());
    CompletableFuture<FetchEntries.Found> found =
        UnwrappedFutures.map(
            client.query(InboxKeys.routing(handle.id()), query.encode()),
            answer -> FetchEntries.decodeAnswer(Answer.check(answer, handle)));
    CompletableFuture<Page> page = new CompletableFuture<>();
    found.whenComplete(
        (entries, failure) -> {
          if (failure != null) {
            page.completeExceptionally(failure);
            return;
          }
          observer.fetched(entries.entries().size(), System.nanoTime() - start);
          deliver(handle, entries, maxEntries, maxBytes, page);
        });
    return page;
  }

  /**
   * An empty page means that no entries remain, so a result with only expired entries continues
   * with the next fetch.
   */
  private void deliver(
      InboxHandle handle,
      FetchEntries.Found found,
      int maxEntries,
      int maxBytes,
      CompletableFuture<Page> page) {
    if (!found.expired().isEmpty()) {
      // The result is ignored: if this fails, the next fetch finds the expired entries again.
      mutate(handle.id(), new DropExpired(handle, found.expired()));
    }
    if (!found.entries().isEmpty() || found.end()) {
      page.complete(new Page(found.entries(), found.nextSequence()));
      return;
    }
    fetch(handle, found.nextSequence(), maxEntries, maxBytes)
        .whenComplete(
            (next, failure) -> {
              if (failure != null) {
                page.completeExceptionally(failure);
              } else {
                page.complete(next);
              }
            });
  }

  @Override
  public CompletableFuture<Void> commit(InboxHandle handle, long upTo, List<Long> beyond) {
    return commits.commit(handle, upTo, beyond);
  }

  @Override
  public CompletableFuture<Void> release(InboxHandle handle, long sequence) {
    return run(handle, new ReleaseEntry(handle, sequence));
  }

  @Override
  public CompletableFuture<Void> recordReceived(
      InboxHandle handle, int packetIdentifier, long publishSequence) {
    return run(handle, new RecordReceived(handle, packetIdentifier, publishSequence));
  }

  @Override
  public CompletableFuture<Void> forgetReceived(InboxHandle handle, int packetIdentifier) {
    return run(handle, new ForgetReceived(handle, packetIdentifier));
  }

  @Override
  public CompletableFuture<Void> willPublished(InboxId id, long incarnation, long epoch) {
    return UnwrappedFutures.check(
        mutate(id, new ConfirmWill(id, incarnation, epoch)), answer -> {});
  }

  @Override
  public CompletableFuture<LeftMessage.Page> takeLeft(
      InboxId id, long incarnation, List<Long> given, int maxMessages) {
    CompletableFuture<TrimLeft.Trimmed> trimmed =
        UnwrappedFutures.map(
            mutate(id, new TrimLeft(id, incarnation, given)), TrimLeft::decodeAnswer);
    CompletableFuture<LeftMessage.Page> page =
        trimmed.thenCompose(
            done ->
                done.over() || maxMessages == 0
                    ? CompletableFuture.completedFuture(
                        new LeftMessage.Page(List.of(), done.over()))
                    : readLeft(id, incarnation, maxMessages, done.nowMillis()));
    return UnwrappedFutures.map(page, read -> read);
  }

  private CompletableFuture<LeftMessage.Page> readLeft(
      InboxId id, long incarnation, int maxMessages, long nowMillis) {
    ReadLeft query = new ReadLeft(id, incarnation, maxMessages, MAX_LEFT_BYTES, nowMillis);
    return UnwrappedFutures.map(
        client.query(InboxKeys.routing(id), query.encode()), ReadLeft::decodeAnswer);
  }

  @Override
  public boolean isLedHere(InboxId id) {
    return replicas.isIn(id, leading);
  }

  @Override
  public InboxStoreStatus status() {
    return replicas.status(leading);
  }

  /** Sends all waiting acknowledgements without waiting for the result. */
  @Override
  public void close() {
    pendingDetaches.close();
    commits.flush();
    commits.retry();
  }

  private CompletableFuture<Void> run(InboxHandle handle, InboxCommand command) {
    return UnwrappedFutures.check(
        mutate(handle.id(), command), answer -> Answer.check(answer, handle));
  }

  private <T> CompletableFuture<T> call(
      InboxHandle handle, InboxCommand command, Function<ByteReader, T> decode) {
    return UnwrappedFutures.map(
        mutate(handle.id(), command), answer -> decode.apply(Answer.check(answer, handle)));
  }

  private CompletableFuture<byte[]> mutate(InboxId id, InboxCommand command) {
    return client.mutate(InboxKeys.routing(id), command.encode());
  }
}
