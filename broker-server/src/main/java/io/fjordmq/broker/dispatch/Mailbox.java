package io.fjordmq.broker.dispatch;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The queue of deliveries for one event loop. Any thread may add deliveries; only the event loop
 * removes them. At most one task is scheduled at a time.
 *
 * <p>Above the high-water mark, acknowledgements to publishers are delayed ({@link #whenDrained}).
 * Above the capacity, {@link #isFull} makes sources drop messages. A batch that is being added when
 * the capacity is reached is still accepted, so each source can exceed the capacity by one batch.
 */
public final class Mailbox implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);

  private final int index;
  private final Executor loop;
  private final Supplier<Outbox> outbox;
  private final DeliverySettings settings;
  private final DispatchObserver observer;

  private final Queue<DeliveryBatch> batches = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> calls = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong copies = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private volatile boolean congested;
  private volatile boolean full;

  private final Queue<Runnable> drainCallbacks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waitingCount = new AtomicInteger();

  /** The partly delivered batch; only accessed on the event loop. */
  private @Nullable DeliveryBatch current;

  /**
   * @param outbox returns the outbox of the calling thread
   */
  Mailbox(
      int index,
      Executor loop,
      Supplier<Outbox> outbox,
      DeliverySettings settings,
      DispatchObserver observer) {
    this.index = index;
    this.loop = loop;
    this.outbox = outbox;
    this.settings = settings;
    this.observer = observer;
  }

  /** A small number that is unique among the mailboxes of a broker. */
  int index() {
    return index;
  }

  boolean isCongested() {
    return congested;
  }

  public boolean isFull() {
    return full;
  }

  long waitingCopies() {
    return copies.get();
  }

  long waitingBytes() {
    return bytes.get();
  }

  int waitingPublishes() {
    return waitingCount.get();
  }

  void offer(DeliveryBatch deliveryBatch) {
    long nowCopies = copies.addAndGet(deliveryBatch.remaining());
    long nowBytes = bytes.addAndGet(deliveryBatch.bytes());
    // Set the flags before adding the batch, so that the slice that delivers the batch sees and
    // clears them.
    if (isAboveHighWater(nowCopies, nowBytes)) {
      congested = true;
      if (nowCopies > settings.mailboxCapacity() || nowBytes > settings.mailboxCapacityBytes()) {
        full = true;
      }
    }
    batches.add(deliveryBatch);
    schedule();
  }

  /**
   * Runs a call on the event loop, together with the waiting deliveries. The caller must limit the
   * number of calls.
   */
  public void call(Runnable call) {
    calls.add(call);
    schedule();
  }

  /**
   * Runs the callback once the mailbox is below its high-water mark; immediately if it already is.
   */
  public void whenDrained(Runnable callback) {
    waitingCount.incrementAndGet();
    drainCallbacks.add(callback);
    // If the mailbox has drained in the meantime, there may be no later slice to run the callback.
    if (!congested) {
      runDrainCallbacks();
    }
  }

  /** Delivers one slice of the waiting deliveries on the event loop. */
  @Override
  public void run() {
    Outbox here = outbox.get();
    try {
      runCalls();
      int budget = settings.mailboxBatchSize();
      for (DeliveryBatch deliveryBatch = nextBatch();
          budget > 0 && deliveryBatch != null;
          deliveryBatch = nextBatch()) {
        budget -= deliver(deliveryBatch, budget, here);
      }
      here.flush();
    } finally { // an exception from one session must not affect the others
      resumeIfDrained();
      scheduled.set(false);
      if (current != null || !batches.isEmpty() || !calls.isEmpty()) {
        schedule();
      }
    }
  }

  private @Nullable DeliveryBatch nextBatch() {
    if (current == null) {
      current = batches.poll();
    }
    return current;
  }

  private int deliver(DeliveryBatch deliveryBatch, int budget, Outbox here) {
    long before = deliveryBatch.remaining();
    try {
      return deliveryBatch.deliver(budget, here);
    } finally {
      copies.addAndGet(deliveryBatch.remaining() - before);
      if (deliveryBatch.isDone()) {
        bytes.addAndGet(-deliveryBatch.bytes());
        current = null;
      }
    }
  }

  private void runCalls() {
    for (Runnable call = calls.poll(); call != null; call = calls.poll()) {
      try {
        call.run();
      } catch (RuntimeException e) {
        LOG.error("Session event handler threw; please report this bug", e);
      }
    }
  }

  private void schedule() {
    if (scheduled.get() || !scheduled.compareAndSet(false, true)) {
      return;
    }
    try {
      loop.execute(this);
    } catch (RejectedExecutionException e) {
      dropAll();
      scheduled.set(false);
    }
  }

  /** Drops all deliveries after the event loop and its connections have ended. */
  private void dropAll() {
    long dropped = 0;
    for (DeliveryBatch deliveryBatch = batches.poll();
        deliveryBatch != null;
        deliveryBatch = batches.poll()) {
      dropped += deliveryBatch.remaining();
      copies.addAndGet(-deliveryBatch.remaining());
      bytes.addAndGet(-deliveryBatch.bytes());
    }
    calls.clear();
    if (dropped > 0) {
      observer.onDropped(CopyDropReason.LOOP_CLOSED.label(), dropped);
    }
    resumeIfDrained();
  }

  private void resumeIfDrained() {
    if (congested && !isAboveHighWater(copies.get(), bytes.get())) {
      full = false;
      congested = false;
      runDrainCallbacks();
    }
  }

  private boolean isAboveHighWater(long nowCopies, long nowBytes) {
    return nowCopies > settings.mailboxHighWater() || nowBytes > settings.mailboxHighWaterBytes();
  }

  private void runDrainCallbacks() {
    for (Runnable callback = drainCallbacks.poll();
        callback != null;
        callback = drainCallbacks.poll()) {
      waitingCount.decrementAndGet();
      try {
        callback.run();
      } catch (RuntimeException e) {
        LOG.error("Publish callback threw; please report this bug", e);
      }
    }
  }
}
