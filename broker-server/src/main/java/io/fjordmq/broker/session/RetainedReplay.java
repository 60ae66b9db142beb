package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.Delivery;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.common.MessageCodec;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends the retained messages that match new subscriptions, page by page. The next page is read
 * only when the previous one has left the session's queues, so that any number of retained messages
 * needs no more memory than one page. Subscriptions are served one at a time. After an UNSUBSCRIBE,
 * messages that have not been queued or stored yet are not sent (MQTT-3.10.4-2).
 *
 * <p>QoS 1 and 2 messages to a persistent session go through its inbox, so that they survive the
 * connection like all other messages. Each of them is copied to disk, so they wait while disk space
 * is low, and subscriptions that need no disk space are served first.
 */
final class RetainedReplay {
  /** The client that receives the messages. */
  interface Client extends UnsentRetainedCount.Client, StoreFailureLog.Client {
    ClientAccess access();

    SessionSettings settings();

    EventLoop loop();

    PacketWriter writer();

    InboxStore inboxes();

    /**
     * Completes when the store contains every retained message that a subscription did not get
     * live, if the subscription took effect before this call.
     */
    CompletableFuture<Void> whenRetainedStored();

    /** The limits of the client's inbox. */
    InboxLimits inboxLimits();

    /** Whether this node has enough free disk space to store messages. */
    boolean hasFreeDiskSpace();
  }

  /**
   * The retry interval while disk space is low. There is no notification when space becomes
   * available.
   */
  private static final int DISK_RETRY_SECONDS = 5;

  private static final class Job {
    private final TopicFilter filter;
    private SubscriptionOptions options;
    private byte @Nullable [] cursor;
    // Messages that did not fit into the client's inbox. They are sent before those after the
    // cursor.
    private List<Message> refused = List.of();
    // Whether the next page contains messages for the inbox and disk space was low.
    private boolean needsDisk;
    // Whether messages that the subscription did not get live are still being stored.
    private boolean awaitsStore;

    private Job(TopicFilter filter, SubscriptionOptions options) {
      this.filter = filter;
      this.options = options;
    }

    /** Whether messages remain for certain, or may remain because the last page had a cursor. */
    private boolean hasKnownRemainder() {
      return cursor != null || !refused.isEmpty() || needsDisk;
    }
  }

  private final Client client;
  private final OutboundPublishes outbound;
  private final @Nullable InboxHandle handle;
  // The jobs by filter.
  private @Nullable LinkedHashMap<String, Job> jobs;
  private boolean reading;
  // Whether entries have been removed from the inbox since the last insert.
  private boolean inboxShrank;
  private boolean waitingForDisk;
  private boolean resuming;
  private boolean resumeRequested;

  RetainedReplay(Client client, OutboundPublishes outbound, @Nullable Attachment attachment) {
    this.client = client;
    this.outbound = outbound;
    this.handle = attachment == null ? null : attachment.handle();
    InboxSource inbox = outbound.inbox();
    if (inbox != null) {
      inbox.setEntriesRemovedCallback(this::onInboxShrank);
    }
  }

  private void onInboxShrank() {
    inboxShrank = true;
    resume();
  }

  /** Called when a subscription was added or has replaced an existing one. */
  void onSubscribed(TopicFilter filter, SubscriptionOptions options, boolean isNew) {
    if (filter.isShared()) {
      return;
    }
    if (options.retainHandling() == RetainHandling.SEND_ALWAYS
        || (options.retainHandling() == RetainHandling.SEND_IF_NEW && isNew)) {
      begin(filter, options);
    } else {
      // "Messages MUST NOT be lost due to replacing the Subscription" (MQTT-3.8.4-4).
      changeOptions(filter, options);
    }
  }

  /** Starts sending all matching retained messages, even if some of them have been sent before. */
  void begin(TopicFilter filter, SubscriptionOptions options) {
    cancel(filter.text());
    LinkedHashMap<String, Job> queue = jobs;
    if (queue == null) {
      queue = new LinkedHashMap<>(4);
      jobs = queue;
    }
    Job job = new Job(filter, options);
    queue.put(filter.text(), job);
    CompletableFuture<Void> stored = client.whenRetainedStored();
    if (stored.isDone()) {
      resume();
    } else {
      job.awaitsStore = true;
      client.whenDoneUnlessEnded(
          stored,
          (done, error) -> {
            job.awaitsStore = false;
            resume();
          });
    }
  }

  /**
   * Changes the options of a replaced subscription. The remaining messages are sent with the new
   * options.
   */
  void changeOptions(TopicFilter filter, SubscriptionOptions options) {
    Job job = jobs == null ? null : jobs.get(filter.text());
    if (job != null) {
      job.options = options;
      job.needsDisk = false;
    }
  }

  /** Stops sending messages for a removed subscription. */
  void cancel(String filter) {
    if (jobs != null && jobs.remove(filter) != null && jobs.isEmpty()) {
      jobs = null;
    }
  }

  /** Returns false if the subscription was removed or restarted while a result was pending. */
  private boolean isCurrent(Job job) {
    return jobs != null && jobs.get(job.filter.text()) == job;
  }

  /** Continues sending if the session's queues have capacity. */
  void resume() {
    resumeRequested = true;
    if (resuming) {
      return; // called by a synchronous result; the loop below continues instead of recursing
    }
    resuming = true;
    try {
      while (resumeRequested) {
        resumeRequested = false;
        readNext();
      }
    } finally {
      resuming = false;
    }
  }

  private void readNext() {
    if (jobs == null || reading || !hasCapacity()) {
      return;
    }
    Job job = nextReady(jobs.values());
    if (job == null || (!job.refused.isEmpty() && !inboxShrank)) {
      return; // while the inbox is full, a retry would only add entries to the replicated log
    }
    reading = true;
    if (!job.refused.isEmpty()) {
      send(job, job.refused, job.cursor);
      return;
    }
    SessionSettings settings = client.settings();
    client.whenDoneUnlessEnded(
        client
            .retained()
            .match(
                client.tenant(),
                job.filter,
                job.cursor,
                Math.max(
                    1, Math.min(settings.retainedPageMessages(), settings.maxQueuedMessages() / 2)),
                Math.min(settings.retainedPageBytes(), settings.maxQueuedBytes() / 2)),
        (page, error) -> {
          if (page == null) {
            onFailure(job, error);
          } else {
            send(job, page.messages(), page.cursor());
          }
        });
  }

  /**
   * Returns the first job that can continue; null if all jobs are waiting for the store or for disk
   * space.
   */
  private @Nullable Job nextReady(Iterable<Job> all) {
    boolean hasSpace = client.hasFreeDiskSpace();
    boolean isDiskAwaited = false;
    for (Job job : all) {
      if (!job.awaitsStore && (hasSpace || !job.needsDisk)) {
        return job;
      }
      isDiskAwaited |= job.needsDisk;
    }
    if (isDiskAwaited && !waitingForDisk) {
      waitingForDisk = true;
      client.loop().schedule(this::retryAfterLowDisk, DISK_RETRY_SECONDS, TimeUnit.SECONDS);
    }
    return null;
  }

  private void retryAfterLowDisk() {
    waitingForDisk = false;
    resume();
  }

  /** Whether the message goes through the inbox. */
  private boolean isStored(Job job, Message message) {
    return handle != null && message.qos().min(job.options.maxQos()) != Qos.AT_MOST_ONCE;
  }

  private boolean hasCapacity() {
    InboxSource inbox = outbound.inbox();
    return outbound.canAcceptPage() && (inbox == null || inbox.canAcceptPage());
  }

  private void onFailure(Job job, @Nullable Throwable error) {
    if (!isCurrent(job)) {
      continueReplay();
      return;
    }
    client.recordDropped(Drop.unknown(DropReason.RETAINED_UNAVAILABLE, 1));
    client.storeFailures().onRetainedFailed(client, job.filter, error);
    onPageDone(job, List.of(), null);
  }

  private void send(Job job, List<Message> messages, byte @Nullable [] cursor) {
    if (!isCurrent(job)) {
      continueReplay();
      return;
    }
    if (messages.stream().anyMatch(message -> isStored(job, message))) {
      job.needsDisk = !client.hasFreeDiskSpace();
      if (job.needsDisk) {
        continueReplay(); // keeping the page in memory is too costly, so it is read again later
        return;
      }
      inboxShrank = false;
    }
    List<Message> stored = new ArrayList<>();
    List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes = new ArrayList<>();
    List<Integer> identifiers =
        job.options.identifier() == 0 ? List.of() : List.of(job.options.identifier());
    for (Message message : messages) {
      if (job.options.noLocal() && message.publisher().equals(client.clientId())) {
        continue; // MQTT-3.8.3-3 (No Local) does not distinguish between live and retained messages
      }
      if (!client.access().isUnrestricted() && !client.access().mayReceive(message.topic())) {
        continue;
      }
      Qos qos = message.qos().min(job.options.maxQos());
      if (handle != null && isStored(job, message)) {
        stored.add(message);
        outcomes.add(store(handle, message, qos, identifiers));
      } else {
        outbound.deliver(new Delivery(message, qos, true, identifiers, null));
      }
    }
    client.writer().flush();
    if (stored.isEmpty()) {
      onPageDone(job, List.of(), cursor);
    } else {
      client.whenDoneUnlessEnded(
          CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new)),
          (all, error) -> {
            if (error == null) {
              onPageDone(job, messagesToRetry(stored, outcomes), cursor);
            } else {
              onFailure(job, error);
            }
          });
    }
  }

  /**
   * Returns the messages that did not fit but may fit later. Messages that will never fit are
   * dropped.
   */
  private List<Message> messagesToRetry(
      List<Message> stored, List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes) {
    List<Message> refused = new ArrayList<>(0);
    long max = client.inboxLimits().maxBytes();
    for (int i = 0; i < stored.size(); i++) {
      if (!outcomes.get(i).getNow(List.of()).contains(InboxStore.InsertOutcome.REFUSED_FULL)) {
        continue;
      }
      if (MessageCodec.encode(stored.get(i)).length > max) {
        client.recordDropped(
            new Drop(DropReason.LARGER_THAN_INBOX, 1, stored.get(i).topic(), null));
      } else {
        refused.add(stored.get(i));
      }
    }
    return refused;
  }

  private CompletableFuture<List<InboxStore.InsertOutcome>> store(
      InboxHandle inbox, Message message, Qos qos, List<Integer> identifiers) {
    InboxTarget target = new InboxTarget(inbox.id(), inbox.incarnation(), qos, true, identifiers);
    return client.inboxes().insert(message, List.of(target), null);
  }

  /**
   * Called when a page has been queued or stored.
   *
   * @param refused the messages that did not fit, which wait until the inbox has fewer entries
   * @param cursor the position at which the next page begins; null if there is none
   */
  private void onPageDone(Job job, List<Message> refused, byte @Nullable [] cursor) {
    job.refused = refused;
    job.cursor = cursor;
    if (refused.isEmpty() && cursor == null && isCurrent(job)) {
      cancel(job.filter.text());
    }
    continueReplay();
  }

  private void continueReplay() {
    reading = false;
    resume();
  }

  /**
   * Called when the connection has ended. Pending replays are not stored, so they are counted as
   * dropped.
   */
  void end() {
    if (handle != null && jobs != null) {
      UnsentRetainedCount unsent = new UnsentRetainedCount(client);
      jobs.values().forEach(job -> unsent.add(job.filter, job.hasKnownRemainder()));
      unsent.count();
    }
    jobs = null;
  }
}
