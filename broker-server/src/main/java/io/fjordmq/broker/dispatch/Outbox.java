package io.fjordmq.broker.dispatch;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The outgoing deliveries of one thread. Deliveries to sessions on the thread's own event loop are
 * made directly; those for other event loops are collected in batches. Used only by its own thread;
 * sessions may make reentrant calls.
 */
public final class Outbox implements IntConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

  private final int maxDeliveries;
  private final DispatchObserver observer;

  /** Batches being filled, by {@link Mailbox#index}. */
  private @Nullable DeliveryBatch[] openBatches = new @Nullable DeliveryBatch[4];

  private final List<DeliveryBatch> toHandOver = new ArrayList<>(4);
  private final List<LocalSubscriber> toFlush = new ArrayList<>();
  private @Nullable Mailbox congested;
  private long delivered;
  private int visitedNodes;

  Outbox(int maxDeliveries, DispatchObserver observer) {
    this.maxDeliveries = maxDeliveries;
    this.observer = observer;
  }

  public void send(Delivery delivery, Recipients to) {
    // Deliver directly regardless of the number of sessions. The mailbox would spread the work over
    // several slices, and a later message to fewer sessions could then overtake this one.
    if (to.areLocal()) {
      deliver(delivery, to, 0, to.size());
      return;
    }
    Mailbox target = to.mailbox();
    Recipients.Receipt receipt = to.receipt();
    if (target.isFull() && delivery.isKept() && receipt != null) {
      receipt.onFull();
      return;
    }
    if (target.isFull()) {
      observer.onDropped(CopyDropReason.MAILBOX_FULL.label(), to.size());
      settle(receipt);
      return;
    }
    if (target.isCongested()) {
      congested = target;
    }
    DeliveryBatch deliveryBatch = batchFor(target);
    deliveryBatch.add(delivery, to);
    if (deliveryBatch.size() >= maxDeliveries) {
      toHandOver.remove(deliveryBatch);
      handOver(deliveryBatch);
    }
  }

  /** Delivers to some of the recipients. All of them are sessions on this thread's event loop. */
  void deliver(Delivery delivery, Recipients to, int from, int end) {
    for (int i = from; i < end; i++) {
      LocalSubscriber member = to.get(i);
      if (to.shouldReceive(member, delivery.message())) {
        deliver(delivery, member, to.receipt());
      }
    }
  }

  private void deliver(
      Delivery delivery, LocalSubscriber member, Recipients.@Nullable Receipt receipt) {
    try {
      switch (member.session().deliver(delivery)) {
        case ACCEPTED -> {
          onAccepted(member);
          settle(receipt);
        }
        case NOT_ALLOWED -> refuse(receipt);
        case NO_CAPACITY -> {
          if (receipt != null) {
            receipt.onFull();
          }
        }
        case ENDED -> {
          member.onEnded();
          refuse(receipt);
        }
      }
    } catch (RuntimeException e) {
      // An exception from one session must not prevent delivery to the others.
      observer.onDropped(CopyDropReason.FAULT.label(), 1);
      LOG.error(
          "Session threw while a message was delivered to it; please report this bug client={}",
          member.session().clientId(),
          e);
      if (delivery.isKept() && receipt != null) {
        receipt.onFull(); // otherwise the store would delete the message
      } else {
        settle(receipt);
      }
    } catch (Error e) {
      settle(receipt); // another node may be waiting for the response
      throw e;
    }
  }

  private void onAccepted(LocalSubscriber member) {
    delivered++;
    if (!member.unflushed) {
      member.unflushed = true;
      toFlush.add(member);
    }
  }

  private static void settle(Recipients.@Nullable Receipt receipt) {
    if (receipt != null) {
      receipt.onSettled();
    }
  }

  private static void refuse(Recipients.@Nullable Receipt receipt) {
    if (receipt != null) {
      receipt.onRefused();
    }
  }

  /** Adds the number of trie nodes that a match has visited. */
  @Override
  public void accept(int nodes) {
    visitedNodes += nodes;
  }

  /** Returns the number of trie nodes visited since the previous call. */
  public int takeVisitedNodes() {
    int nodes = visitedNodes;
    visitedNodes = 0;
    return nodes;
  }

  /**
   * Returns a mailbox that has been found congested since the previous call; null if there is none.
   */
  public @Nullable Mailbox takeCongested() {
    Mailbox found = congested;
    congested = null;
    return found;
  }

  /** Hands over all batches and makes the sessions on this event loop write. */
  public void flush() {
    // Sessions are removed from the end, because flushing a session may deliver more messages and
    // flush again.
    while (!toHandOver.isEmpty()) {
      handOver(toHandOver.remove(toHandOver.size() - 1));
    }
    while (!toFlush.isEmpty()) {
      LocalSubscriber member = toFlush.remove(toFlush.size() - 1);
      member.unflushed = false;
      try {
        member.session().flush();
      } catch (RuntimeException e) {
        LOG.error(
            "Session threw while flushing deliveries; please report this bug client={}",
            member.session().clientId(),
            e);
      }
    }
    if (delivered > 0) {
      observer.onDelivered(delivered);
      delivered = 0;
    }
  }

  private DeliveryBatch batchFor(Mailbox target) {
    int index = target.index();
    if (index >= openBatches.length) {
      openBatches = Arrays.copyOf(openBatches, Math.max(index + 1, 2 * openBatches.length));
    }
    DeliveryBatch deliveryBatch = openBatches[index];
    if (deliveryBatch == null) {
      deliveryBatch = new DeliveryBatch(target);
      openBatches[index] = deliveryBatch;
      toHandOver.add(deliveryBatch);
    }
    return deliveryBatch;
  }

  private void handOver(DeliveryBatch deliveryBatch) {
    openBatches[deliveryBatch.target().index()] = null;
    deliveryBatch.target().offer(deliveryBatch);
  }
}
