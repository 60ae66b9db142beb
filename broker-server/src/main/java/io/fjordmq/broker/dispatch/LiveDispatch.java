package io.fjordmq.broker.dispatch;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/**
 * Hands deliveries to sessions: one {@link Outbox} per source thread and one {@link Mailbox} per
 * receiving event loop. It also remembers the messages that publishers on any node may resend.
 */
public final class LiveDispatch {
  private final DeliverySettings settings;
  private final DispatchObserver observer;
  private final ConcurrentHashMap<Executor, Mailbox> mailboxes = new ConcurrentHashMap<>();
  private final AtomicInteger nextIndex = new AtomicInteger();
  private final ThreadLocal<Outbox> outboxes;
  private final RepeatedPublishes repeated;

  public LiveDispatch(DeliverySettings settings, DispatchObserver observer) {
    this.settings = settings;
    this.observer = observer;
    this.repeated = new RepeatedPublishes(settings, observer);
    this.outboxes =
        ThreadLocal.withInitial(() -> new Outbox(settings.outboxDeliveries(), observer));
  }

  /** The outbox of the calling thread. */
  public Outbox outbox() {
    return outboxes.get();
  }

  /** The mailbox of an event loop. */
  public Mailbox mailbox(Executor loop) {
    Mailbox mailbox = mailboxes.get(loop);
    return mailbox != null
        ? mailbox
        : mailboxes.computeIfAbsent(
            loop,
            l -> new Mailbox(nextIndex.getAndIncrement(), l, this::outbox, settings, observer));
  }

  /** The resendable messages that live receivers on this node have already received. */
  public RepeatedPublishes repeatedPublishes() {
    return repeated;
  }

  public long waitingCopies() {
    return sum(Mailbox::waitingCopies);
  }

  public long waitingBytes() {
    return sum(Mailbox::waitingBytes);
  }

  public int delayedPublishes() {
    return (int) sum(Mailbox::waitingPublishes);
  }

  private long sum(ToLongFunction<Mailbox> value) {
    return mailboxes.values().stream().mapToLong(value).sum();
  }
}
