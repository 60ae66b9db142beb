package io.fjordmq.inbox.client;

import io.fjordmq.api.Message;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.Will;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.common.OperationException;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.AbandonAttach;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.AttachSession;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.AttachmentCodec;
import io.fjordmq.inbox.CommitDeliveries;
import io.fjordmq.inbox.ConfirmWill;
import io.fjordmq.inbox.DetachSession;
import io.fjordmq.inbox.DiscardResult;
import io.fjordmq.inbox.DiscardSession;
import io.fjordmq.inbox.DropExpired;
import io.fjordmq.inbox.EditSubscription;
import io.fjordmq.inbox.FetchEntries;
import io.fjordmq.inbox.ForgetReceived;
import io.fjordmq.inbox.InboxCommand;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStoreStatus;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.inbox.ReadUndelivered;
import io.fjordmq.inbox.RecordReceived;
import io.fjordmq.inbox.ReleaseEntry;
import io.fjordmq.inbox.ResponseCodec;
import io.fjordmq.inbox.TrimUndelivered;
import io.fjordmq.inbox.UndeliveredShareMessage;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.RangeId;
import java.time.Duration;
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
  /** Maximum bytes per read of undelivered share messages. */
  private static final int MAX_UNDELIVERED_BYTES = 1 << 18;

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
        : FutureUnwrapper.check(mutate(((AbandonAttach) command).id(), command), response -> {});
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
        FutureUnwrapper.map(
            pendingDetaches.onAttachStarting(id).thenCompose(ready -> mutate(id, command)),
            command::decodeResponse);
    // Record the outcome before the caller sees it, because the caller may attach again
    // immediately.
    CompletableFuture<Attachment> recorded =
        attached.whenComplete(
            (attachment, failure) -> {
              if (failure == null) {
                pendingDetaches.onAttached(id);
              } else {
                pendingDetaches.onAttachFailed(
                    new AbandonAttach(id, owner), OperationException.unwrap(failure));
              }
            });
    return FutureUnwrapper.map(recorded, attachment -> attachment);
  }

  @Override
  public CompletableFuture<Void> detach(
      InboxHandle handle, long sentBelow, long expirySeconds, boolean publishWill) {
    return detach(handle, sentBelow, expirySeconds, publishWill, 0, DetachSession.CLOSED);
  }

  @Override
  public CompletableFuture<Void> detachWithGrace(
      InboxHandle handle, long sentBelow, long expirySeconds) {
    long grace = settings.willGrace().toMillis();
    return detach(handle, sentBelow, expirySeconds, true, grace, DetachSession.CLOSED);
  }

  @Override
  public CompletableFuture<Void> detachAtClose(
      InboxHandle handle, long sentBelow, long expirySeconds, Duration closesIn) {
    long grace = settings.willGrace().toMillis();
    return detach(handle, sentBelow, expirySeconds, true, grace, closesIn.toMillis());
  }

  private CompletableFuture<Void> detach(
      InboxHandle handle,
      long sentBelow,
      long expirySeconds,
      boolean publishWill,
      long graceMillis,
      long closesInMillis) {
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
            graceMillis,
            closesInMillis);
    CompletableFuture<Void> done = busy.call(() -> run(handle, command));
    done.whenComplete(
        (ok, failure) -> {
          if (failure != null) {
            pendingDetaches.onDetachFailed(command, OperationException.unwrap(failure));
          }
        });
    if (last != null) {
      done.whenComplete((ok, failure) -> last.complete(failure));
    }
    return done;
  }

  @Override
  public CompletableFuture<DiscardResult> discard(InboxId id) {
    return FutureUnwrapper.map(mutate(id, new DiscardSession(id)), AttachmentCodec::decodeDiscard);
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
    return call(command.handle(), command, response -> response.readByte() != 0);
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
    CompletableFuture<FetchEntries.Result> found =
        FutureUnwrapper.map(
            client.query(handle.id().routingKey(), query.encode()),
            response -> FetchEntries.decodeResponse(ResponseCodec.check(response, handle)));
    CompletableFuture<Page> page = new CompletableFuture<>();
    found.whenComplete(
        (entries, failure) -> {
          if (failure != null) {
            page.completeExceptionally(failure);
            return;
          }
          observer.onFetched(entries.entries().size(), System.nanoTime() - start);
          completePage(handle, entries, maxEntries, maxBytes, page);
        });
    return page;
  }

  /**
   * Completes the page. An empty page means that no entries remain, so if all entries of a result
   * have expired, another fetch follows.
   */
  private void completePage(
      InboxHandle handle,
      FetchEntries.Result found,
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
  public CompletableFuture<Void> confirmWill(InboxId id, long incarnation, long epoch) {
    return FutureUnwrapper.check(
        mutate(id, new ConfirmWill(id, incarnation, epoch)), response -> {});
  }

  @Override
  public CompletableFuture<UndeliveredShareMessage.Page> processUndelivered(
      InboxId id, long incarnation, List<Long> delivered, int maxMessages) {
    CompletableFuture<TrimUndelivered.Result> trimmed =
        FutureUnwrapper.map(
            mutate(id, new TrimUndelivered(id, incarnation, delivered)),
            TrimUndelivered::decodeResponse);
    CompletableFuture<UndeliveredShareMessage.Page> page =
        trimmed.thenCompose(
            done ->
                done.complete() || maxMessages == 0
                    ? CompletableFuture.completedFuture(
                        new UndeliveredShareMessage.Page(List.of(), done.complete()))
                    : readUndelivered(id, incarnation, maxMessages, done.nowMillis()));
    return FutureUnwrapper.map(page, read -> read);
  }

  private CompletableFuture<UndeliveredShareMessage.Page> readUndelivered(
      InboxId id, long incarnation, int maxMessages, long nowMillis) {
    ReadUndelivered query =
        new ReadUndelivered(id, incarnation, maxMessages, MAX_UNDELIVERED_BYTES, nowMillis);
    return FutureUnwrapper.map(
        client.query(id.routingKey(), query.encode()), ReadUndelivered::decodeResponse);
  }

  @Override
  public boolean isLocalLeader(InboxId id) {
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
    return FutureUnwrapper.check(
        mutate(handle.id(), command), response -> ResponseCodec.check(response, handle));
  }

  private <T> CompletableFuture<T> call(
      InboxHandle handle, InboxCommand command, Function<ByteReader, T> decode) {
    return FutureUnwrapper.map(
        mutate(handle.id(), command),
        response -> decode.apply(ResponseCodec.check(response, handle)));
  }

  private CompletableFuture<byte[]> mutate(InboxId id, InboxCommand command) {
    return client.mutate(id.routingKey(), command.encode());
  }
}
