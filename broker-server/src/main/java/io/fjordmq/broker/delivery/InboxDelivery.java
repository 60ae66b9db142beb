package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.broker.dispatch.BoundedCalls;
import io.fjordmq.broker.dispatch.CopyDropReason;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.StoreCalls;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.DropReasons;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.InboxStore.InsertOutcome;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.range.RangeException;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.RouteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Appends messages to inboxes and handles the result of each copy. */
final class InboxDelivery implements ShareDelivery.InboxCopyStore {
  private static final Logger LOG = LoggerFactory.getLogger(InboxDelivery.class);

  private final InboxStore inboxes;
  private final RouteStore router;
  private final BoundedCalls removals;
  private final ShareDelivery shares;
  private final LiveDispatch dispatch;
  private final DeliveryObserver observer;
  private final ClientHistory history;
  private final Tracer tracer;
  private final RateLimitedLog failures = new RateLimitedLog();

  InboxDelivery(
      InboxStore inboxes,
      RouteStore router,
      ShareDelivery shares,
      LiveDispatch dispatch,
      BoundedCalls removals,
      DeliveryObserver observer,
      ClientHistory history,
      Tracer tracer) {
    this.inboxes = inboxes;
    this.router = router;
    this.removals = removals;
    this.shares = shares;
    this.dispatch = dispatch;
    this.observer = observer;
    this.history = history;
    this.tracer = tracer;
  }

  /**
   * Stores all copies with one call. If the inbox chosen for a share no longer exists or refuses
   * the copy, the copy goes to another member.
   *
   * @param copies the copies; must not be empty
   * @param done called once, on a thread of the store, with the outcome: durable everywhere,
   *     refused by some inbox, or not durable
   */
  void store(
      Message message,
      List<InboxCopy> copies,
      @Nullable PublishId id,
      Consumer<PublishOutcome> done) {
    StoreCalls.tryCall(() -> inboxes.insert(message, targets(copies), id))
        .whenComplete(
            (outcomes, fault) -> {
              if (fault == null) {
                settle(message, copies, outcomes, id, done);
              } else {
                logFailure(message, fault);
                done.accept(PublishOutcome.NOT_DURABLE);
              }
            });
  }

  private static List<InboxTarget> targets(List<InboxCopy> copies) {
    List<InboxTarget> targets = new ArrayList<>(copies.size()); // no stream: runs for each message
    for (InboxCopy copy : copies) {
      targets.add(copy.target());
    }
    return targets;
  }

  @Override
  public void store(InboxCopy copy, PublishJoin waiting) {
    ShareAttempt attempt = attemptOf(copy);
    store(attempt.message(), List.of(copy), attempt.id(), waiting::closePart);
  }

  @Override
  public void storeAfterAcknowledgement(InboxCopy copy) {
    ShareAttempt attempt = attemptOf(copy);
    store(
        attempt.message(),
        List.of(copy),
        attempt.id(),
        outcome -> {
          if (outcome != PublishOutcome.ACCEPTED) {
            observer.onDropped(CopyDropReason.SHARE_NOT_STORED.label(), 1);
          }
        });
  }

  private static ShareAttempt attemptOf(InboxCopy copy) {
    ShareAttempt attempt = copy.attempt();
    if (attempt == null) {
      throw new IllegalArgumentException("not a copy for a share: " + copy);
    }
    return attempt;
  }

  private void settle(
      Message message,
      List<InboxCopy> copies,
      List<InsertOutcome> outcomes,
      @Nullable PublishId id,
      Consumer<PublishOutcome> done) {
    PublishJoin join =
        new PublishJoin(PublishOutcome.ACCEPTED, done::accept, DeliveryObserver.NONE);
    long stored = 0;
    for (int i = 0; i < copies.size(); i++) {
      InboxCopy copy = copies.get(i);
      if (tracer.isOn()) {
        trace(message, copy, outcomes.get(i));
      }
      switch (outcomes.get(i)) {
        case STORED, STORED_DROPPING_OLDEST -> stored++;
        case DUPLICATE -> {}
        case ABSENT -> {
          removeRoutes(copy);
          tryNextMember(message, copy, id, PublishOutcome.ACCEPTED, join);
        }
        case REFUSED_FULL -> {
          recordRefusal(message, copy);
          tryNextMember(message, copy, id, PublishOutcome.QUOTA_EXCEEDED, join);
        }
      }
    }
    if (stored > 0) {
      observer.onStored(stored);
    }
    join.closePart(PublishOutcome.ACCEPTED);
  }

  private void trace(Message message, InboxCopy copy, InsertOutcome outcome) {
    InboxId id = copy.target().id();
    tracer.onInboxResult(id.tenant(), id.clientId(), message.topic(), outcome);
  }

  private void recordRefusal(Message message, InboxCopy copy) {
    if (copy.attempt() == null) { // otherwise, another member of the share may accept the message
      InboxId id = copy.target().id();
      history.recordUnconnected(
          id.tenant(),
          id.clientId(),
          Dropped.toClient(
              DropReasons.INBOX_FULL, 1, message.topic().name(), "inboxConfig.limits", -1));
    }
  }

  /**
   * Handles a copy that an inbox did not accept.
   *
   * @param otherwise the outcome if the copy does not belong to a share
   */
  private void tryNextMember(
      Message message,
      InboxCopy copy,
      @Nullable PublishId id,
      PublishOutcome otherwise,
      PublishJoin join) {
    ShareAttempt attempt = copy.attempt();
    join.openPart();
    if (attempt == null) {
      join.closePart(otherwise);
      return;
    }
    if (otherwise == PublishOutcome.ACCEPTED) {
      attempt.exclude(inboxOf(copy)); // the inbox is gone, but its client may have a new one
    } else if (!attempt.excludeFull(copy.target().id().clientId())) {
      attempt.endWithoutMember();
      join.closePart(PublishOutcome.ACCEPTED);
      return;
    }
    InboxCopy next = shares.start(attempt, this);
    if (next == null) {
      dispatch.outbox().flush();
      join.closePart(PublishOutcome.ACCEPTED);
    } else {
      store(message, List.of(next), id, join::closePart);
    }
  }

  private static Receiver.Inbox inboxOf(InboxCopy copy) {
    return new Receiver.Inbox(copy.target().id().clientId(), copy.target().incarnation());
  }

  private void removeRoutes(InboxCopy copy) {
    copy.routes()
        .forEach(
            route ->
                removals
                    .run(() -> router.remove(route))
                    .whenComplete(
                        (ok, fault) -> {
                          if (fault != null) {
                            observer.onRouteFailed(); // the next matching PUBLISH retries
                          }
                        }));
  }

  private void logFailure(Message message, Throwable fault) {
    @Nullable String suppressed = failures.permit();
    if (suppressed != null) {
      LOG.warn(
          "Failed to store a message in one or more inboxes; a QoS 1 or 2 publish will not be"
              + " acknowledged: {}{} topic={}",
          fault.toString(),
          suppressed,
          message.topic(),
          fault instanceof RangeException ? null : fault);
    }
  }
}
