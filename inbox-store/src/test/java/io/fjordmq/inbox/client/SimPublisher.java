package io.fjordmq.inbox.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Publishes 0, 1, 2, … to one inbox as a QoS 2 publisher does: one at a time, repeated under the
 * same publish id until it is acknowledged as stored.
 */
final class SimPublisher {
  private static final long PAUSE_MILLIS = 40;
  private static final long PRODUCER = 77;

  private final SimProcess process;
  private final InboxStore store;
  private final InboxTarget target;
  private final boolean reusesIds;
  private long attempts;
  private final List<Integer> acknowledged = new ArrayList<>();
  private int number;
  private boolean stopped;
  private boolean waiting;

  /**
   * @param reusesIds false for an incorrect publisher that repeats a message under a new id
   */
  SimPublisher(SimProcess process, InboxStore store, InboxTarget target, boolean reusesIds) {
    this.process = process;
    this.store = store;
    this.target = target;
    this.reusesIds = reusesIds;
    publish();
  }

  /** Finishes the current message but starts no new one. */
  void stop() {
    stopped = true;
  }

  boolean isDone() {
    return stopped && !waiting;
  }

  /** The acknowledged messages, in order. */
  List<Integer> acknowledged() {
    return acknowledged;
  }

  private void publish() {
    if (stopped && !waiting) {
      return;
    }
    waiting = true;
    Message message =
        new Message(
            new Topic("sim"),
            Integer.toString(number).getBytes(UTF_8),
            Qos.EXACTLY_ONCE,
            false,
            MessageProperties.NONE,
            "publisher",
            0,
            Message.NEVER);
    store
        .insert(message, List.of(target), publishId())
        .whenComplete((outcomes, failure) -> process.execute(() -> onOutcome(outcomes, failure)));
  }

  private PublishId publishId() {
    long sequence = reusesIds ? number : ++attempts;
    return new PublishId(PRODUCER, sequence, sequence);
  }

  private void onOutcome(
      @Nullable List<InboxStore.InsertOutcome> outcomes, @Nullable Throwable failure) {
    if (failure == null && outcomes != null) {
      acknowledged.add(number++);
      waiting = false;
    }
    process.schedule(process.simulation().between(0, PAUSE_MILLIS), this::publish);
  }
}
