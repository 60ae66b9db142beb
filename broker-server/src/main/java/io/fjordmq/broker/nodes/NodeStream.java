package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.inbox.InboxId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stream of items to one incarnation of another node. Items arrive exactly once and in the
 * order of the calls. They are numbered, and one batch at a time is in flight, which is resent
 * until it is acknowledged or the other node's incarnation has ended. Thread-safe; no method
 * blocks.
 *
 * <p>Above the high-water mark, acknowledgements to publishers are delayed ({@link #whenDrained}).
 * Above the capacity, {@link #isFull} makes sources drop or refuse messages. Items that are offered
 * anyway are accepted, so each source can exceed the capacity by one message.
 *
 * <p>No publisher waits longer than {@link NodesSettings#publishTimeout}, because the incarnation
 * of a node does not end while other nodes can still reach it. Overdue items are still sent once
 * the node is reachable again.
 */
public final class NodeStream {
  /** The estimated memory overhead of an item. */
  private static final int ITEM_OVERHEAD = 64;

  private static final long NEVER = Long.MAX_VALUE;

  private static final class QueuedItem {
    final byte[] item;
    final ItemListener listener;
    final boolean isNotice;

    /**
     * The deadline for the outcome, on the clock of the timers; {@link #NEVER} if there is none.
     */
    final long dueMillis;

    /**
     * Whether the listener has been notified that the item is overdue; a later outcome is not
     * reported.
     */
    boolean overdue;

    QueuedItem(byte[] item, ItemListener listener, boolean isNotice, long dueMillis) {
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
  private final ArrayDeque<QueuedItem> waiting = new ArrayDeque<>();
  private List<QueuedItem> inFlight = List.of();
  private final LaggingSessions laggingSessions;
  private List<Runnable> drainCallbacks = new ArrayList<>();

  /** The waiting and in-flight items whose deadline has not passed yet, oldest first. */
  private final ArrayDeque<QueuedItem> itemsWithDeadline = new ArrayDeque<>();

  private long drainDueMillis;
  private boolean stalled;
  private boolean checkScheduled;
  private long bytes;
  private long settledCount;
  private int queuedNotices;
  private @Nullable ItemOutcome endOutcome;

  private volatile boolean congested;
  private volatile boolean full;

  /**
   * @param incarnation the incarnation of the other node
   * @param sender the sender of this node's current incarnation
   */
  NodeStream(NodeId node, long incarnation, StreamSender sender, NodesSettings settings) {
    this.node = node;
    this.incarnation = incarnation;
    this.sender = sender;
    this.settings = settings;
    this.laggingSessions = new LaggingSessions(settings.maxLaggingSessions());
  }

  NodeId node() {
    return node;
  }

  long incarnation() {
    return incarnation;
  }

  /** Whether the stream is above its high-water mark. */
  public boolean isCongested() {
    return congested;
  }

  /** Whether the stream is above its capacity. */
  public boolean isFull() {
    return full;
  }

  /** Whether the number of waiting notices is below the limit. */
  synchronized boolean canAcceptNotices() {
    return queuedNotices < settings.maxQueuedNotices();
  }

  /** Sends an item. Callers that can drop the item should check {@link #isFull} first. */
  public void offer(byte[] item, ItemListener listener) {
    add(new QueuedItem(item, listener, false, NEVER));
  }

  /**
   * Like {@link #offer}, but notifies the listener with {@code OVERDUE} if there is no response in
   * time.
   */
  public void offerWithDeadline(byte[] item, ItemListener listener) {
    add(new QueuedItem(item, listener, false, dueMillis()));
  }

  private long dueMillis() {
    return sender.nowMillis() + settings.publishTimeout().toMillis();
  }

  /** Sends an item that must not be lost. Callers must check {@link #canAcceptNotices} first. */
  public void sendNotice(NodeItem item) {
    add(new QueuedItem(item.encode(), ItemListener.NONE, true, NEVER));
  }

  /**
   * Queues entries for the session of an attached inbox; {@link #sendQueued} sends them. If the
   * stream is full or the entries do not fit into a batch, the session fetches them itself.
   */
  public void queueEntries(NodeItem.Appended appended) {
    if (full && skipPush(appended.handle().id())) {
      return;
    }
    byte[] item = appended.encode();
    boolean tooLarge = item.length > settings.maxBatchBytes() && appended.entries().size() > 1;
    byte[] queued = tooLarge ? new NodeItem.Refetch(appended.handle().id()).encode() : item;
    enqueue(new QueuedItem(queued, ItemListener.NONE, false, NEVER));
  }

  /**
   * Sends queued entries, in one batch if they fit. Until then, the first of the entries that are
   * appended together would be sent alone, and the others would wait for its response.
   */
  public void sendQueued() {
    StreamBatch batch;
    synchronized (this) {
      batch = nextBatch();
    }
    if (batch != null) {
      sender.send(this, batch);
    }
  }

  private synchronized boolean skipPush(InboxId inbox) {
    if (full) {
      laggingSessions.add(inbox);
    }
    return full;
  }

  /**
   * Runs the callback once the stream is below its high-water mark. Runs it immediately if the
   * stream already is, or if the node has not responded for so long that waiting is pointless.
   */
  public void whenDrained(Runnable callback) {
    synchronized (this) {
      if (congested && !stalled) {
        if (drainCallbacks.isEmpty()) {
          drainDueMillis = dueMillis();
        }
        drainCallbacks.add(callback);
        scheduleDeadlineCheck();
        return;
      }
    }
    callback.run();
  }

  private void add(QueuedItem added) {
    if (enqueue(added)) {
      sendQueued();
    }
  }

  /** Returns false, after notifying the listener of the item, if the stream has ended. */
  private boolean enqueue(QueuedItem added) {
    ItemOutcome outcome;
    synchronized (this) {
      outcome = endOutcome;
      if (outcome == null) {
        waiting.add(added);
        bytes += added.weight();
        queuedNotices += added.isNotice ? 1 : 0;
        if (added.dueMillis != NEVER) {
          itemsWithDeadline.add(added);
          scheduleDeadlineCheck();
        }
        if (bytes > settings.highWaterBytes()) {
          congested = true;
          full = bytes > settings.maxQueuedBytes();
        }
      }
    }
    if (outcome == null) {
      return true;
    }
    added.listener.onOutcome(outcome);
    return false;
  }

  // ---- deadlines

  private void scheduleDeadlineCheck() {
    long due =
        Math.min(
            itemsWithDeadline.isEmpty() ? NEVER : itemsWithDeadline.element().dueMillis,
            drainDeadline());
    if (!checkScheduled && due != NEVER) {
      checkScheduled = true;
      sender.schedule(Math.max(0, due - sender.nowMillis()), this::checkDeadlines);
    }
  }

  private long drainDeadline() {
    return drainCallbacks.isEmpty() ? NEVER : drainDueMillis;
  }

  private void checkDeadlines() {
    List<QueuedItem> overdue;
    List<Runnable> callbacks = List.of();
    synchronized (this) {
      checkScheduled = false;
      long now = sender.nowMillis();
      overdue = takeOverdue(now);
      stalled |= !overdue.isEmpty() || drainDeadline() <= now;
      if (stalled) {
        callbacks = takeDrainCallbacks();
      }
      scheduleDeadlineCheck();
    }
    sender.reportOverdue(overdue.size());
    overdue.forEach(one -> sender.notifyListener(one.listener, ItemOutcome.OVERDUE));
    callbacks.forEach(sender::runCallback);
  }

  private List<QueuedItem> takeOverdue(long nowMillis) {
    List<QueuedItem> overdue = new ArrayList<>();
    while (!itemsWithDeadline.isEmpty() && itemsWithDeadline.element().dueMillis <= nowMillis) {
      QueuedItem first = itemsWithDeadline.remove();
      first.overdue = true;
      overdue.add(first);
    }
    return overdue;
  }

  private List<Runnable> takeDrainCallbacks() {
    if (drainCallbacks.isEmpty()) {
      return List.of();
    }
    List<Runnable> taken = drainCallbacks;
    drainCallbacks = new ArrayList<>();
    return taken;
  }

  // ---- sending

  /** Takes the next batch of items if none is in flight; null if there is nothing to send. */
  private @Nullable StreamBatch nextBatch() {
    if (!inFlight.isEmpty() || waiting.isEmpty()) {
      return null;
    }
    List<QueuedItem> taken = new ArrayList<>();
    List<byte[]> items = new ArrayList<>();
    long size = 0;
    for (QueuedItem next = waiting.peek(); next != null; next = waiting.peek()) {
      size += next.item.length;
      boolean fits = taken.size() < settings.maxBatchItems() && size <= settings.maxBatchBytes();
      if (!fits && !taken.isEmpty()) {
        break;
      }
      taken.add(waiting.remove());
      items.add(next.item);
    }
    inFlight = taken;
    return new StreamBatch(sender.incarnation(), incarnation, settledCount + 1, items);
  }

  /** Whether the batch is still waiting for a response. */
  synchronized boolean isInFlight(StreamBatch batch) {
    return endOutcome == null && !inFlight.isEmpty() && batch.firstNumber() == settledCount + 1;
  }

  /** Handles the response to a batch and sends the next one. */
  void onResponse(StreamBatch batch, ItemOutcome[] outcomes) {
    List<QueuedItem> settled;
    List<Runnable> callbacks;
    StreamBatch next;
    synchronized (this) {
      if (!isInFlight(batch)) {
        return;
      }
      settled = inFlight;
      inFlight = List.of();
      settledCount += settled.size();
      for (QueuedItem one : settled) {
        bytes -= one.weight();
        queuedNotices -= one.isNotice ? 1 : 0;
        if (one == itemsWithDeadline.peek()) {
          itemsWithDeadline.remove();
        }
      }
      stalled = false;
      callbacks = resumeIfDrained();
      next = nextBatch();
    }
    if (next != null) {
      sender.send(this, next);
    }
    for (int i = 0; i < outcomes.length; i++) {
      notifyListener(settled.get(i), outcomes[i]);
    }
    callbacks.forEach(sender::runCallback);
  }

  private void notifyListener(QueuedItem one, ItemOutcome outcome) {
    if (!one.overdue) {
      sender.notifyListener(one.listener, outcome);
    }
  }

  /**
   * If the stream is below its high-water mark, makes skipped sessions refetch and returns the
   * callbacks of waiting publishers.
   */
  private List<Runnable> resumeIfDrained() {
    if (bytes > settings.highWaterBytes()) {
      return List.of();
    }
    full = false;
    congested = false;
    laggingSessions.takeItems().forEach(this::queueItem);
    return takeDrainCallbacks();
  }

  private void queueItem(NodeItem item) {
    QueuedItem queued = new QueuedItem(item.encode(), ItemListener.NONE, false, NEVER);
    waiting.add(queued);
    bytes += queued.weight();
  }

  /** Ends the stream. Items still waiting and items offered later get this outcome. */
  void end(ItemOutcome outcome) {
    List<QueuedItem> remaining = new ArrayList<>();
    List<Runnable> callbacks;
    synchronized (this) {
      if (endOutcome != null) {
        return;
      }
      endOutcome = outcome;
      remaining.addAll(inFlight);
      remaining.addAll(waiting);
      inFlight = List.of();
      waiting.clear();
      itemsWithDeadline.clear();
      laggingSessions.clear();
      bytes = 0;
      queuedNotices = 0;
      congested = false;
      full = false;
      callbacks = takeDrainCallbacks();
    }
    remaining.forEach(one -> notifyListener(one, outcome));
    callbacks.forEach(sender::runCallback);
  }

  synchronized NodesStatus status() {
    return new NodesStatus(1, (long) waiting.size() + inFlight.size(), bytes, full ? 1 : 0);
  }
}
