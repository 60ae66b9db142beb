package io.fjordmq.retain;

import io.fjordmq.range.ApplyContext;
import org.jspecify.annotations.Nullable;

/**
 * A command's view of a range: its rows, and the {@link RetainMemory} that changes with them. Used
 * by the apply thread of one replica, for one command.
 */
public final class RetainRows {
  /**
   * How long clear markers are kept. No message of an ended connection stays in flight for that
   * long: range clients time out after 30 seconds, and connections to nodes that do not respond are
   * closed. Replicas must agree on this value, so it is not configurable.
   */
  public static final long CLEAR_MARKER_MILLIS = 300_000;

  /** Maximum number of clear markers; beyond it, the one that is due first is removed. */
  public static final int MAX_CLEAR_MARKERS = 65_536;

  private final ApplyContext context;
  private final RetainMemory memory;

  RetainRows(ApplyContext context, RetainMemory memory) {
    this.context = context;
    this.memory = memory;
  }

  long nowMillis() {
    return context.nowMillis();
  }

  RetainMemory memory() {
    return memory;
  }

  /** Returns the row of a topic, which may be a clear marker; null if there is none. */
  byte @Nullable [] find(byte[] key) {
    // The read would search RocksDB, and would first sort the changes of earlier commands.
    return memory.hasNoRow(key) ? null : context.state().get(key);
  }

  /**
   * Adds or replaces the message of a topic.
   *
   * @param before head of the current row; null if there is none
   * @param growth number of bytes by which the message's row grows
   */
  void putMessage(byte[] key, byte[] row, RetainRow.@Nullable Head before, long growth) {
    if (before != null) {
      memory.removeDue(key, before);
    }
    if (before == null || before.isClearMarker()) {
      memory.addMessage(key, growth);
    } else {
      memory.resizeMessage(key, growth);
    }
    context.state().put(key, row);
    memory.addDue(key, RetainRow.headOf(row));
  }

  /** Removes a row and everything derived from it. */
  void remove(byte[] key, byte[] row, RetainRow.Head head) {
    memory.removeDue(key, head);
    context.state().delete(key);
    if (!head.isClearMarker()) {
      memory.removeMessage(key, row.length);
    }
  }

  /**
   * Replaces the removed row with a clear marker, so that delayed messages of the last publisher's
   * earlier connections are not retained again.
   */
  void putClearMarker(byte[] key, RetainPublisher retainPublisher) {
    if (retainPublisher.isAbsent()) {
      return;
    }
    while (memory.clearMarkers().size() >= MAX_CLEAR_MARKERS) {
      removeOldestClearMarker();
    }
    RetainRow marker =
        RetainRow.clearMarker(context.nowMillis() + CLEAR_MARKER_MILLIS, retainPublisher);
    context.state().put(key, marker.encode());
    memory.clearMarkers().add(marker.expiresAtMillis(), key);
  }

  /** Removes the clear marker that is due first. There must be one. */
  void removeOldestClearMarker() {
    DueKeys clearMarkers = memory.clearMarkers();
    byte[] oldest = clearMarkers.first();
    clearMarkers.remove(clearMarkers.firstMillis(), oldest);
    context.state().delete(oldest);
  }
}
