package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageCodec;
import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.Delivery;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the retained messages that new subscriptions match, page by page: the next page is read
 * when what was sent before has left the session's queues, so that any number of retained messages
 * costs the memory of one page. Subscriptions take turns. What has not been queued or stored yet
 * does not come when the client has unsubscribed (MQTT-3.10.4-2).
 *
 * <p>To a persistent session, messages of QoS 1 and 2 go through its own inbox, so that they
 * survive the connection like all others. Each is a copy on the disk: while the disk has no room
 * they wait, and subscriptions that need none go first.
 */
final class RetainedReplay {
  private static final Logger LOG = LoggerFactory.getLogger(RetainedReplay.class);

  /** Nobody tells when the disk has room again. */
  private static final int ROOM_LOOK_SECONDS = 5;

  private static final class Job {
    private final TopicFilter filter;
    private SubscriptionOptions options;
    private byte @Nullable [] cursor;
    // Did not fit into the client's inbox: they come before what follows the cursor.
    private List<Message> refused = List.of();
    // Its next page has messages for the inbox, and there was no room on the disk.
    private boolean needsDisk;

    private Job(TopicFilter filter, SubscriptionOptions options) {
      this.filter = filter;
      this.options = options;
    }

    /** True if messages are known to be left, or their page was not the last. */
    private boolean isCertain() {
      return cursor != null || !refused.isEmpty() || needsDisk;
    }
  }

  private final Connection connection;
  private final OutboundPublishes outbound;
  private final @Nullable InboxHandle handle;
  // By filter.
  private @Nullable LinkedHashMap<String, Job> jobs;
  private boolean reading;
  // The inbox has become emptier since something was last put into it.
  private boolean emptied;
  private boolean waitingForDisk;
  private boolean resuming;
  private boolean resumedAgain;

  RetainedReplay(
      Connection connection, OutboundPublishes outbound, @Nullable Attachment attachment) {
    this.connection = connection;
    this.outbound = outbound;
    this.handle = attachment == null ? null : attachment.handle();
    InboxSource inbox = outbound.inbox();
    if (inbox != null) {
      inbox.whenEmptied(this::inboxEmptied);
    }
  }

  private void inboxEmptied() {
    emptied = true;
    resume();
  }

  /** A subscription has begun, or has replaced one that was there. */
  void subscribed(TopicFilter filter, SubscriptionOptions options, boolean isNew) {
    if (filter.isShared()) {
      return;
    }
    if (options.retainHandling() == RetainHandling.SEND_ALWAYS
        || (options.retainHandling() == RetainHandling.SEND_IF_NEW && isNew)) {
      begin(filter, options);
    } else {
      // "Messages MUST NOT be lost due to replacing the Subscription" (MQTT-3.8.4-4).
      change(filter, options);
    }
  }

  /** A subscription is to get its retained messages; all of them, though some may have come. */
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

  /** A subscription was replaced: what it has still to get comes as the new options say. */
  void change(TopicFilter filter, SubscriptionOptions options) {
    Job job = jobs == null ? null : jobs.get(filter.text());
    if (job != null) {
      job.options = options;
      job.needsDisk = false;
    }
  }

  /** A subscription is no more. */
  void forget(String filter) {
    if (jobs != null && jobs.remove(filter) != null && jobs.isEmpty()) {
      jobs = null;
    }
  }

  /** False if the subscription has ended or begun anew while an answer was waited for. */
  private boolean isOwed(Job job) {
    return jobs != null && jobs.get(job.filter.text()) == job;
  }

  /** The queues may have room again. */
  void resume() {
    resumedAgain = true;
    if (resuming) {
      return; // an answer that came at once: thousands of subscriptions may get one each
    }
    resuming = true;
    try {
      while (resumedAgain) {
        resumedAgain = false;
        readNext();
      }
    } finally {
      resuming = false;
    }
  }

  private void readNext() {
    if (jobs == null || reading || !hasRoom()) {
      return;
    }
    Job job = next(jobs.values());
    if (job == null || (!job.refused.isEmpty() && !emptied)) {
      return; // each try costs entries of the LOG
    }
    reading = true;
    if (!job.refused.isEmpty()) {
      send(job, job.refused, job.cursor);
      return;
    }
    SessionSettings settings = connection.settings();
    connection.whileOpen(
        connection
            .services()
            .retained()
            .match(
                connection.tenant(),
                job.filter,
                job.cursor,
                Math.max(
                    1, Math.min(settings.retainedPageMessages(), settings.maxQueuedMessages() / 2)),
                Math.min(settings.retainedPageBytes(), settings.maxQueuedBytes() / 2)),
        (page, error) -> {
          if (page == null) {
            lost(job, error);
          } else {
            send(job, page.messages(), page.cursor());
          }
        });
  }

  /** The first that may go on; null if all wait for the disk. */
  private @Nullable Job next(Iterable<Job> all) {
    boolean room = connection.services().hasRoom().getAsBoolean();
    for (Job job : all) {
      if (room || !job.needsDisk) {
        return job;
      }
    }
    if (!waitingForDisk) {
      waitingForDisk = true;
      connection.loop().schedule(this::retryLookup, ROOM_LOOK_SECONDS, TimeUnit.SECONDS);
    }
    return null;
  }

  private void retryLookup() {
    waitingForDisk = false;
    resume();
  }

  /** True if it goes through the inbox. */
  private boolean isStored(Job job, Message message) {
    return handle != null && message.qos().min(job.options.maxQos()) != Qos.AT_MOST_ONCE;
  }

  private boolean hasRoom() {
    InboxSource inbox = outbound.inbox();
    return outbound.hasRoomForPage() && (inbox == null || inbox.hasRoomForPage());
  }

  private void lost(Job job, @Nullable Throwable error) {
    if (!isOwed(job)) {
      continueReplay();
      return;
    }
    connection.dropped(DropReason.RETAINED_UNAVAILABLE, 1);
    LOG.warn(
        "Could not deliver retained messages: {} filter={} client={} tenant={}",
        String.valueOf(error),
        job.filter,
        connection.clientId(),
        connection.tenant());
    done(job, List.of(), null);
  }

  private void send(Job job, List<Message> messages, byte @Nullable [] cursor) {
    if (!isOwed(job)) {
      continueReplay();
      return;
    }
    if (messages.stream().anyMatch(message -> isStored(job, message))) {
      job.needsDisk = !connection.services().hasRoom().getAsBoolean();
      if (job.needsDisk) {
        continueReplay(); // the page is read again when there is room: many may wait for it, and
        // for long
        return;
      }
      emptied = false;
    }
    List<Message> stored = new ArrayList<>();
    List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes = new ArrayList<>();
    List<Integer> identifiers =
        job.options.identifier() == 0 ? List.of() : List.of(job.options.identifier());
    for (Message message : messages) {
      if (job.options.noLocal() && message.publisher().equals(connection.clientId())) {
        continue; // MQTT-3.8.3-3 makes no difference between live and retained
      }
      if (!connection.access().isUnlimited() && !connection.access().mayReceive(message.topic())) {
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
    connection.writer().flush();
    if (stored.isEmpty()) {
      done(job, List.of(), cursor);
    } else {
      connection.whileOpen(
          CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new)),
          (all, error) -> {
            if (error == null) {
              done(job, refused(stored, outcomes), cursor);
            } else {
              lost(job, error);
            }
          });
    }
  }

  /** What did not fit and may do so later; what never will is dropped. */
  private List<Message> refused(
      List<Message> stored, List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes) {
    List<Message> refused = new ArrayList<>(0);
    long most = connection.services().tenants().of(connection.tenant()).inbox().maxBytes();
    for (int i = 0; i < stored.size(); i++) {
      if (!outcomes.get(i).getNow(List.of()).contains(InboxStore.InsertOutcome.REFUSED_FULL)) {
        continue;
      }
      if (MessageCodec.encode(stored.get(i)).length > most) {
        connection.dropped(DropReason.LARGER_THAN_INBOX, 1);
      } else {
        refused.add(stored.get(i));
      }
    }
    return refused;
  }

  private CompletableFuture<List<InboxStore.InsertOutcome>> store(
      InboxHandle inbox, Message message, Qos qos, List<Integer> identifiers) {
    InboxTarget target = new InboxTarget(inbox.id(), inbox.incarnation(), qos, true, identifiers);
    return connection.services().inboxes().insert(message, List.of(target), null);
  }

  /**
   * A page is on its way.
   *
   * @param refused what did not fit: it waits until the client has taken something
   * @param cursor where the next page begins; null if there is none
   */
  private void done(Job job, List<Message> refused, byte @Nullable [] cursor) {
    job.refused = refused;
    job.cursor = cursor;
    if (refused.isEmpty() && cursor == null && isOwed(job)) {
      forget(job.filter.text());
    }
    continueReplay();
  }

  private void continueReplay() {
    reading = false;
    resume();
  }

  /** The connection has ended: what is still owed is known to it alone, and does not come later. */
  void end() {
    if (handle != null && jobs != null) {
      UnsentRetainedCount unsent = new UnsentRetainedCount(connection);
      jobs.values().forEach(job -> unsent.add(job.filter, job.isCertain()));
      unsent.count();
    }
    jobs = null;
  }
}
