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
 * when the previous one has left the session's queues, so any number of retained messages needs the
 * memory of one page. Subscriptions are served one at a time. After an UNSUBSCRIBE, messages that
 * were not yet queued or stored are not sent (MQTT-3.10.4-2).
 *
 * <p>QoS 1 and 2 messages to a persistent session go through its inbox, so that they survive the
 * connection like all others. Each is a copy on disk: while disk space is low they wait, and
 * subscriptions that need no disk space go first.
 */
final class RetainedReplay {
  /** The client that gets the messages. */
  interface Client extends UnsentRetainedCount.Client, StoreFailureLog.Client {
    ClientAccess access();

    SessionSettings settings();

    EventLoop loop();

    PacketWriter writer();

    InboxStore inboxes();

    /** The limits of its inbox. */
    InboxLimits inboxLimits();

    /** Whether this node has enough free disk space to store messages. */
    boolean hasFreeDiskSpace();
  }

  /** Retry interval while disk space is low; there is no notification when it recovers. */
  private static final int DISK_RETRY_SECONDS = 5;

  private static final class Job {
    private final TopicFilter filter;
    private SubscriptionOptions options;
    private byte @Nullable [] cursor;
    // Messages that did not fit into the client's inbox; sent before those after the cursor.
    private List<Message> refused = List.of();
    // Its next page has messages for the inbox, and disk space was low.
    private boolean needsDisk;

    private Job(TopicFilter filter, SubscriptionOptions options) {
      this.filter = filter;
      this.options = options;
    }

    /** True if messages are known to remain, or the last page had a cursor. */
    private boolean hasKnownRemainder() {
      return cursor != null || !refused.isEmpty() || needsDisk;
    }
  }

  private final Client client;
  private final OutboundPublishes outbound;
  private final @Nullable InboxHandle handle;
  // By filter.
  private @Nullable LinkedHashMap<String, Job> jobs;
  private boolean reading;
  // Entries were removed from the inbox since the last insert.
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

  /** A subscription was added, or replaced an existing one. */
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

  /** Starts sending retained messages; all of them, even if some were sent before. */
  void begin(TopicFilter filter, SubscriptionOptions options) {
    forget(filter.text());
    LinkedHashMap<String, Job> queue = jobs;
    if (queue == null) {
      queue = new LinkedHashMap<>(4);
      jobs = queue;
    }
    queue.put(filter.text(), new Job(filter, options));
    resume();
  }

  /** A subscription was replaced: its remaining messages are sent with the new options. */
  void changeOptions(TopicFilter filter, SubscriptionOptions options) {
    Job job = jobs == null ? null : jobs.get(filter.text());
    if (job != null) {
      job.options = options;
      job.needsDisk = false;
    }
  }

  /** A subscription was removed. */
  void forget(String filter) {
    if (jobs != null && jobs.remove(filter) != null && jobs.isEmpty()) {
      jobs = null;
    }
  }

  /** False if the subscription was removed or restarted while a result was pending. */
  private boolean isCurrent(Job job) {
    return jobs != null && jobs.get(job.filter.text()) == job;
  }

  /** Continues if the session's queues have capacity. */
  void resume() {
    resumeRequested = true;
    if (resuming) {
      return; // a result that arrived synchronously; thousands in a row must not recurse
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
      return; // each retry costs log entries
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

  /** The first job that can continue; null if all wait for disk space. */
  private @Nullable Job nextReady(Iterable<Job> all) {
    boolean hasSpace = client.hasFreeDiskSpace();
    for (Job job : all) {
      if (hasSpace || !job.needsDisk) {
        return job;
      }
    }
    if (!waitingForDisk) {
      waitingForDisk = true;
      client.loop().schedule(this::retryAfterLowDisk, DISK_RETRY_SECONDS, TimeUnit.SECONDS);
    }
    return null;
  }

  private void retryAfterLowDisk() {
    waitingForDisk = false;
    resume();
  }

  /** True if the message goes through the inbox. */
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
    client.recordDropped(DropReason.RETAINED_UNAVAILABLE, 1);
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
        continueReplay(); // read again later: holding it in memory would be too costly
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
        continue; // MQTT-3.8.3-3 does not distinguish live and retained messages
      }
      if (!client.access().isUnlimited() && !client.access().mayReceive(message.topic())) {
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

  /** The messages that did not fit but may fit later; those that never will are dropped. */
  private List<Message> messagesToRetry(
      List<Message> stored, List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes) {
    List<Message> refused = new ArrayList<>(0);
    long max = client.inboxLimits().maxBytes();
    for (int i = 0; i < stored.size(); i++) {
      if (!outcomes.get(i).getNow(List.of()).contains(InboxStore.InsertOutcome.REFUSED_FULL)) {
        continue;
      }
      if (MessageCodec.encode(stored.get(i)).length > max) {
        client.recordDropped(DropReason.LARGER_THAN_INBOX, 1);
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
   * A page was queued or stored.
   *
   * @param refused messages that did not fit; they wait until the inbox has fewer entries
   * @param cursor where the next page begins; null if there is none
   */
  private void onPageDone(Job job, List<Message> refused, byte @Nullable [] cursor) {
    job.refused = refused;
    job.cursor = cursor;
    if (refused.isEmpty() && cursor == null && isCurrent(job)) {
      forget(job.filter.text());
    }
    continueReplay();
  }

  private void continueReplay() {
    reading = false;
    resume();
  }

  /** The connection has ended: pending replays are not stored, so they are counted as dropped. */
  void end() {
    if (handle != null && jobs != null) {
      UnsentRetainedCount unsent = new UnsentRetainedCount(client);
      jobs.values().forEach(job -> unsent.add(job.filter, job.hasKnownRemainder()));
      unsent.count();
    }
    jobs = null;
  }
}
