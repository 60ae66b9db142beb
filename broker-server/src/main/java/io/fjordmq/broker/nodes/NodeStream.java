package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.range.KeyInterval;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be said to one life of another node. Items arrive there in the order of the calls,
 * each once: they are numbered, one batch is in the air, and it is sent again until it is answered
 * or that life is over. Thread-safe; nothing here blocks.
 *
 * <p>Above the high water mark publishers are to be answered late ({@link #whenDrained}); above the
 * capacity {@link #isFull} makes them drop or refuse. What is offered all the same is taken, so the
 * bound may be passed by one message of every source.
 *
 * <p>Nobody waits for longer than {@link NodesSettings#publishPatience}: a node that cannot be
 * reached may be alive for others, so that its life goes on. What was offered is sent all the same
 * once that is possible.
 */
public final class NodeStream {
  /** What an item takes beside its bytes. */
  private static final int ITEM_OVERHEAD = 64;

  private static final long NEVER = Long.MAX_VALUE;

  private static final class Queued {
    final byte[] item;
    final ItemListener listener;
    final boolean isNotice;

    /** By the time of the timers; {@link #NEVER} if nobody waits for the outcome. */
    final long dueMillis;

    /** The listener has given up: what becomes of the item later is not told. */
    boolean overdue;

    Queued(byte[] item, ItemListener listener, boolean isNotice, long dueMillis) {
      this.item = item;
      this.listener = listener;
      this.isNotice = isNotice;
      this.dueMillis = dueMillis;
    }

    long weight() {
      return item.length + ITEM_OVERHEAD;
    }
  }

  private final NodeId node;
  private final long incarnation;
  private final StreamSender sender;
  private final NodesSettings settings;

  // Guarded by this.
  private final ArrayDeque<Queued> waiting = new ArrayDeque<>();
  private List<Queued> inAir = List.of();
  private final Set<InboxId> behind = new LinkedHashSet<>();
  private boolean allBehind;
  private List<Runnable> drained = new ArrayList<>();

  /** Waiting and in the air, whose listeners are promised an outcome in time; oldest first. */
  private final ArrayDeque<Queued> promised = new ArrayDeque<>();

  private long drainDueMillis;
  private boolean stalled;
  private boolean checking;
  private long bytes;
  private long sentBefore;
  private int notices;
  private @Nullable ItemOutcome ended;

  private volatile boolean congested;
  private volatile boolean full;

  /**
   * @param incarnation of the life it leads to
   * @param sender of this life of this node
   */
  NodeStream(NodeId node, long incarnation, StreamSender sender, NodesSettings settings) {
    this.node = node;
    this.incarnation = incarnation;
    this.sender = sender;
    this.settings = settings;
  }

  NodeId node() {
    return node;
  }

  long incarnation() {
    return incarnation;
  }

  /** True above the high water mark. */
  public boolean isCongested() {
    return congested;
  }

  /** True above the capacity. */
  public boolean isFull() {
    return full;
  }

  /** True if no more than a bounded number of notices wait. */
  synchronized boolean hasRoomForNotices() {
    return notices < settings.capacityNotices();
  }

  /** Says an item; whoever can do without looks at {@link #isFull} first. */
  public void offer(byte[] item, ItemListener listener) {
    add(new Queued(item, listener, false, NEVER));
  }

  /** The same, and the listener is told in time, if need be that it is {@code OVERDUE}. */
  public void offerInTime(byte[] item, ItemListener listener) {
    add(new Queued(item, listener, false, dueMillis()));
  }

  private long dueMillis() {
    return sender.nowMillis() + settings.publishPatience().toMillis();
  }

  /** Says what must not be lost; its number is bounded by who looks at the room for it. */
  public void notice(NodeItem item) {
    add(new Queued(item.encode(), ItemListener.NOBODY, true, NEVER));
  }

  /**
   * Pushes entries to an attached inbox. If the stream is full, or they are more than fit into a
   * batch, its session reads them itself.
   */
  public void append(NodeItem.Appended appended) {
    if (full && leaveBehind(appended.handle().id())) {
      return;
    }
    byte[] item = appended.encode();
    boolean tooLarge = item.length > settings.maxBatchBytes() && appended.entries().size() > 1;
    offer(
        tooLarge ? new NodeItem.Refetch(appended.handle().id()).encode() : item,
        ItemListener.NOBODY);
  }

  private synchronized boolean leaveBehind(InboxId inbox) {
    if (!full) {
      return false;
    }
    if (!allBehind && behind.add(inbox) && behind.size() > settings.maxBehind()) {
      allBehind = true;
      behind.clear();
    }
    return true;
  }

  /**
   * Calls back once the stream is below its high water mark; at once if it is, or if the node has
   * not answered for so long that waiting for it helps nobody.
   */
  public void whenDrained(Runnable callback) {
    synchronized (this) {
      if (congested && !stalled) {
        if (drained.isEmpty()) {
          drainDueMillis = dueMillis();
        }
        drained.add(callback);
        checkWhenDue();
        return;
      }
    }
    callback.run();
  }

  private void add(Queued added) {
    ItemOutcome over;
    StreamBatch batch = null;
    synchronized (this) {
      over = ended;
      if (over == null) {
        waiting.add(added);
        bytes += added.weight();
        notices += added.isNotice ? 1 : 0;
        if (added.dueMillis != NEVER) {
          promised.add(added);
          checkWhenDue();
        }
        if (bytes > settings.highWaterBytes()) {
          congested = true;
          full = bytes > settings.capacityBytes();
        }
        batch = nextBatch();
      }
    }
    if (over != null) {
      added.listener.settled(over);
    } else if (batch != null) {
      sender.send(this, batch);
    }
  }

  // ---- what takes too long

  private void checkWhenDue() {
    long due = Math.min(promised.isEmpty() ? NEVER : promised.element().dueMillis, drainDue());
    if (!checking && due != NEVER) {
      checking = true;
      sender.later(Math.max(0, due - sender.nowMillis()), this::check);
    }
  }

  private long drainDue() {
    return drained.isEmpty() ? NEVER : drainDueMillis;
  }

  private void check() {
    List<Queued> overdue;
    List<Runnable> woken = List.of();
    synchronized (this) {
      checking = false;
      long now = sender.nowMillis();
      overdue = takeOverdue(now);
      stalled |= !overdue.isEmpty() || drainDue() <= now;
      if (stalled) {
        woken = takeDrained();
      }
      checkWhenDue();
    }
    sender.overdue(overdue.size());
    overdue.forEach(one -> sender.tell(one.listener, ItemOutcome.OVERDUE));
    woken.forEach(sender::wake);
  }

  private List<Queued> takeOverdue(long nowMillis) {
    List<Queued> overdue = new ArrayList<>();
    while (!promised.isEmpty() && promised.element().dueMillis <= nowMillis) {
      Queued first = promised.remove();
      first.overdue = true;
      overdue.add(first);
    }
    return overdue;
  }

  private List<Runnable> takeDrained() {
    if (drained.isEmpty()) {
      return List.of();
    }
    List<Runnable> taken = drained;
    drained = new ArrayList<>();
    return taken;
  }

  // ---- sending

  /** Takes the next items if none are in the air; null if there is nothing to send. */
  private @Nullable StreamBatch nextBatch() {
    if (!inAir.isEmpty() || waiting.isEmpty()) {
      return null;
    }
    List<Queued> taken = new ArrayList<>();
    List<byte[]> items = new ArrayList<>();
    long size = 0;
    for (Queued next = waiting.peek(); next != null; next = waiting.peek()) {
      size += next.item.length;
      boolean fits = taken.size() < settings.maxBatchItems() && size <= settings.maxBatchBytes();
      if (!fits && !taken.isEmpty()) {
        break;
      }
      taken.add(waiting.remove());
      items.add(next.item);
    }
    inAir = taken;
    return new StreamBatch(sender.incarnation(), incarnation, sentBefore + 1, items);
  }

  /** Whether the batch still has to be answered. */
  synchronized boolean isInAir(StreamBatch batch) {
    return ended == null && !inAir.isEmpty() && batch.first() == sentBefore + 1;
  }

  /** The node has answered; sends what is next. */
  void answered(StreamBatch batch, ItemOutcome[] outcomes) {
    List<Queued> settled;
    List<Runnable> woken;
    StreamBatch next;
    synchronized (this) {
      if (!isInAir(batch)) {
        return;
      }
      settled = inAir;
      inAir = List.of();
      sentBefore += settled.size();
      for (Queued one : settled) {
        bytes -= one.weight();
        notices -= one.isNotice ? 1 : 0;
        if (one == promised.peek()) {
          promised.remove();
        }
      }
      stalled = false;
      woken = relax();
      next = nextBatch();
    }
    if (next != null) {
      sender.send(this, next);
    }
    for (int i = 0; i < outcomes.length; i++) {
      tell(settled.get(i), outcomes[i]);
    }
    woken.forEach(sender::wake);
  }

  private void tell(Queued one, ItemOutcome outcome) {
    if (!one.overdue) {
      sender.tell(one.listener, outcome);
    }
  }

  /** Below the high water mark: whoever waits goes on, and who was left behind reads. */
  private List<Runnable> relax() {
    if (bytes > settings.highWaterBytes()) {
      return List.of();
    }
    full = false;
    congested = false;
    if (allBehind) {
      catchUp(new NodeItem.InboxesLed(KeyInterval.ALL));
    }
    behind.forEach(inbox -> catchUp(new NodeItem.Refetch(inbox)));
    behind.clear();
    allBehind = false;
    return takeDrained();
  }

  private void catchUp(NodeItem item) {
    Queued queued = new Queued(item.encode(), ItemListener.NOBODY, false, NEVER);
    waiting.add(queued);
    bytes += queued.weight();
  }

  /** Nothing more is sent: everything that waits, and that is offered later, ends like this. */
  void end(ItemOutcome outcome) {
    List<Queued> left = new ArrayList<>();
    List<Runnable> woken;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = outcome;
      left.addAll(inAir);
      left.addAll(waiting);
      inAir = List.of();
      waiting.clear();
      promised.clear();
      behind.clear();
      bytes = 0;
      notices = 0;
      congested = false;
      full = false;
      woken = takeDrained();
    }
    left.forEach(one -> tell(one, outcome));
    woken.forEach(sender::wake);
  }

  synchronized NodesStatus status() {
    return new NodesStatus(1, (long) waiting.size() + inAir.size(), bytes, full ? 1 : 0);
  }
}
