package io.fjordmq.broker.session;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.Delivery;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the retained messages that new subscriptions match, page by page: the next page is read
 * when what was sent before has left the session's queues, so that any number of retained messages
 * costs the memory of one page. Subscriptions take turns.
 *
 * <p>To a persistent session, messages of QoS 1 and 2 go through its own inbox, so that they
 * survive the connection like all others.
 */
final class RetainedReplay {
  private static final Logger log = LoggerFactory.getLogger(RetainedReplay.class);

  private static final class Job {
    private final TopicFilter filter;
    private final SubscriptionOptions options;
    private byte @Nullable [] cursor;
    // Did not fit into the client's inbox: they come before what follows the cursor.
    private List<Message> refused = List.of();

    private Job(TopicFilter filter, SubscriptionOptions options) {
      this.filter = filter;
      this.options = options;
    }
  }

  private final Connection connection;
  private final OutboundPublishes outbound;
  private final @Nullable InboxHandle handle;
  private @Nullable ArrayDeque<Job> jobs;
  private boolean reading;

  RetainedReplay(
      Connection connection, OutboundPublishes outbound, @Nullable Attachment attachment) {
    this.connection = connection;
    this.outbound = outbound;
    this.handle = attachment == null ? null : attachment.handle();
  }

  /** A subscription is to get its retained messages. */
  void add(TopicFilter filter, SubscriptionOptions options) {
    ArrayDeque<Job> queue = jobs;
    if (queue == null) {
      queue = new ArrayDeque<>(4);
      jobs = queue;
    }
    queue.add(new Job(filter, options));
    resume();
  }

  /** The queues may have room again. */
  void resume() {
    Job job = jobs == null ? null : jobs.peek();
    if (job == null || reading || !hasRoom()) {
      return;
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

  private boolean hasRoom() {
    InboxSource inbox = outbound.inbox();
    return outbound.hasRoomForPage() && (inbox == null || inbox.hasRoomForPage());
  }

  private void lost(Job job, @Nullable Throwable error) {
    connection.dropped(DropReason.RETAINED_UNAVAILABLE, 1);
    log.warn(
        "Client {} of tenant {} does not get the retained messages of {}: {}",
        connection.clientId(),
        connection.tenant(),
        job.filter,
        String.valueOf(error));
    done(job, null);
  }

  private void send(Job job, List<Message> messages, byte @Nullable [] cursor) {
    if (jobs == null) {
      return;
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
      if (handle != null && qos != Qos.AT_MOST_ONCE) {
        stored.add(message);
        outcomes.add(store(handle, message, qos, identifiers));
      } else {
        outbound.deliver(new Delivery(message, qos, true, identifiers, null));
      }
    }
    connection.writer().flush();
    if (stored.isEmpty()) {
      done(job, cursor);
    } else {
      connection.whileOpen(
          CompletableFuture.allOf(outcomes.toArray(CompletableFuture<?>[]::new)),
          (all, error) -> {
            if (error == null) {
              stored(job, refused(stored, outcomes), cursor);
            } else {
              lost(job, error);
            }
          });
    }
  }

  private static List<Message> refused(
      List<Message> stored, List<CompletableFuture<List<InboxStore.InsertOutcome>>> outcomes) {
    List<Message> refused = new ArrayList<>(0);
    for (int i = 0; i < stored.size(); i++) {
      if (outcomes.get(i).getNow(List.of()).contains(InboxStore.InsertOutcome.REFUSED_FULL)) {
        refused.add(stored.get(i));
      }
    }
    return refused;
  }

  /**
   * What did not fit waits until the client has taken something: nothing is lost, nothing spins.
   */
  private void stored(Job job, List<Message> refused, byte @Nullable [] cursor) {
    job.refused = refused;
    if (refused.isEmpty()) {
      done(job, cursor);
    } else {
      job.cursor = cursor;
      reading = false;
    }
  }

  private CompletableFuture<List<InboxStore.InsertOutcome>> store(
      InboxHandle inbox, Message message, Qos qos, List<Integer> identifiers) {
    InboxTarget target = new InboxTarget(inbox.id(), inbox.incarnation(), qos, true, identifiers);
    return connection.services().inboxes().insert(message, List.of(target), null);
  }

  private void done(Job job, byte @Nullable [] cursor) {
    reading = false;
    if (jobs == null) {
      return;
    }
    job.cursor = cursor;
    if (cursor == null) {
      jobs.remove();
    }
    if (jobs.isEmpty()) {
      jobs = null;
    } else {
      resume();
    }
  }

  /** The connection has ended. */
  void end() {
    jobs = null;
  }
}
