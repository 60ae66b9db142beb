package io.fjordmq.inbox;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.kv.KvWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What commands see of a range: its inboxes by id, their rows, and what is due. Belongs to one
 * replica's apply thread; good for one command at a time.
 */
final class InboxTables {
  /*
   * The cache holds what was used last. It is written through: whatever a command changes in an
   * Inbox is in its rows, or follows from them, when the command ends.
   */

  /** Up to this many rows are deleted one by one; a range deletion costs as much as about these. */
  static final int POINT_DELETES = 32;

  private static final byte[] EMPTY = new byte[0];

  private final ApplyContext context;
  private final KvWriter rows;
  private final InboxMemory memory;

  InboxTables(ApplyContext context, InboxMemory memory) {
    this.context = context;
    this.rows = context.state();
    this.memory = memory;
  }

  long nowMillis() {
    return context.nowMillis();
  }

  /** The place of the command in the log, which orders the connections of a client. */
  ConnectOrder claim() {
    return new ConnectOrder(context.epochVersion(), context.index());
  }

  /** The same for what happens to a session between its connections, by whatever command. */
  ConnectOrder beforeClaim() {
    return new ConnectOrder(context.epochVersion(), context.index() - 1);
  }

  void emit(InboxEffect effect) {
    context.emit(effect);
  }

  KvWriter rows() {
    return rows;
  }

  InboxTotals totals() {
    return memory.totals();
  }

  void queuedChanged(Inbox inbox, long change) {
    if (memory.hasCounted(inbox)) {
      totals().queued.addAndGet(change);
    }
  }

  void subscriptionsChanged(Inbox inbox, long change) {
    if (memory.hasCounted(inbox)) {
      totals().subscriptions.addAndGet(change);
    }
  }

  void countSome(int maxInboxes) {
    memory.countSome(rows, maxInboxes);
  }

  DueTimes dueTimes() {
    return memory.dueTimes();
  }

  /** The inbox of this id, whatever its incarnation; null if there is none. */
  @Nullable Inbox find(InboxId id) {
    Inbox inbox = memory.cache().get(id);
    if (inbox == null) {
      inbox = InboxLoader.load(rows, id);
      if (inbox != null) {
        memory.cache().put(id, inbox);
      }
    }
    return inbox;
  }

  /** The inbox if the handle is that of its last attach and was not given back since. */
  @Nullable Inbox findOwned(InboxHandle handle) {
    Inbox inbox = find(handle.id());
    return inbox != null && inbox.state().owner() != null && inbox.handle().equals(handle)
        ? inbox
        : null;
  }

  /**
   * Makes an inbox that nobody has attached yet.
   *
   * @param after its incarnation is greater than that of this handle, its epoch is the same
   * @param salt tells apart inboxes made in the same millisecond
   */
  Inbox create(InboxHandle after, int salt, long expirySeconds, InboxLimits limits) {
    int bucket = InboxKeys.bucket(after.id());
    // A number that no inbox of this client had: nothing orders incarnations but being another one.
    long incarnation = (nowMillis() << AttachSession.SALT_BITS) + salt;
    incarnation = Math.max(incarnation, after.incarnation() + 1);
    while (rows.get(InboxKeys.cursor(bucket, incarnation)) != null
        || rows.get(InboxKeys.left(bucket, incarnation)) != null) {
      incarnation++;
    }
    InboxHandle handle = new InboxHandle(after.id(), incarnation, after.epoch());
    InboxCursor cursor = new InboxCursor();
    InboxState state =
        new InboxState(
            handle,
            null,
            cursor.next,
            expirySeconds,
            limits,
            null,
            InboxState.NEVER,
            InboxState.NEVER);
    Inbox inbox = new Inbox(state, cursor);
    memory.cache().put(inbox.id, inbox);
    totals().inboxes.incrementAndGet();
    saveCursor(inbox);
    return inbox;
  }

  /** Replaces the state and keeps the due row in step. */
  void saveState(Inbox inbox, InboxState next) {
    InboxState before = inbox.state();
    if (before.dueAtMillis() != next.dueAtMillis()) {
      deleteDueSession(inbox);
      if (next.dueAtMillis() != InboxState.NEVER) {
        long at = next.dueAtMillis();
        putDue(inbox.bucket, at, InboxKeys.dueSession(inbox.bucket, at, inbox.id));
      }
    }
    Owner oldOwner = before.owner();
    Owner newOwner = next.owner();
    if (oldOwner != null) {
      totals().detached(oldOwner);
    }
    if (newOwner != null) {
      totals().attached(newOwner);
    }
    inbox.state(next);
    rows.put(InboxKeys.state(inbox.bucket, inbox.id), next.encode());
  }

  void saveCursor(Inbox inbox) {
    inbox.cursor.hasReleased = !inbox.released.isEmpty();
    rows.put(InboxKeys.cursor(inbox.bucket, inbox.incarnation()), inbox.cursor.encode());
  }

  /** Has something looked at when its time has come. */
  void putDue(int bucket, long dueAtMillis, byte[] key) {
    rows.put(key, EMPTY);
    memory.dueTimes().add(bucket, dueAtMillis);
  }

  private void deleteDueSession(Inbox inbox) {
    if (inbox.state().dueAtMillis() != InboxState.NEVER) {
      rows.delete(InboxKeys.dueSession(inbox.bucket, inbox.state().dueAtMillis(), inbox.id));
    }
  }

  /**
   * Removes an inbox with everything it has, but for entries that may have to go to other members
   * of shares. A will of it that is to be published must have been made due before.
   *
   * @return the subscriptions it had
   */
  List<InboxSubscription> remove(Inbox inbox) {
    final List<InboxSubscription> subscriptions = subscriptions(inbox);
    long queued = inbox.queued();
    final boolean leavesEntries = LeftToShares.hasAny(inbox);
    if (queued > 0 && !leavesEntries) {
      emit(new InboxEffect.Dropped(inbox.id, DropReasons.SESSION_ENDED, queued));
    }
    queuedChanged(inbox, -queued);
    totals().inboxes.decrementAndGet();
    subscriptionsChanged(inbox, -inbox.cursor.subscriptions);
    Owner owner = inbox.state().owner();
    if (owner != null) {
      totals().detached(owner);
    }
    deleteDueSession(inbox);
    rows.delete(InboxKeys.state(inbox.bucket, inbox.id));
    rows.delete(InboxKeys.cursor(inbox.bucket, inbox.incarnation()));
    clear(
        InboxKeys.rows(inbox.bucket, inbox.incarnation()),
        leavesEntries
            ? InboxKeys.kindStart(inbox.bucket, inbox.incarnation(), InboxKeys.ENTRY)
            : InboxKeys.rows(inbox.bucket, inbox.incarnation() + 1));
    if (leavesEntries) {
      LeftToShares.leave(this, inbox);
    }
    memory.cache().remove(inbox.id);
    return subscriptions;
  }

  List<InboxSubscription> subscriptions(Inbox inbox) {
    List<InboxSubscription> found = new ArrayList<>();
    int prefix = InboxKeys.kindStart(0, 0, 0).length;
    scanKind(
        inbox,
        InboxKeys.SUBSCRIPTION,
        (key, value) -> {
          String filter = new String(key, prefix, key.length - prefix, StandardCharsets.UTF_8);
          found.add(
              new InboxSubscription(TopicFilter.parse(filter), SubscriptionRow.decode(value)));
        });
    return found;
  }

  /** Visits all rows of one kind of an inbox. */
  void scanKind(Inbox inbox, int kind, RowVisitor visitor) {
    rows.scan(
        InboxKeys.kindStart(inbox.bucket, inbox.incarnation(), kind),
        InboxKeys.kindStart(inbox.bucket, inbox.incarnation(), kind + 1),
        (key, value) -> {
          visitor.visit(key, value);
          return true;
        });
  }

  private void clear(byte[] from, byte[] to) {
    List<byte[]> keys = new ArrayList<>();
    rows.scan(
        from,
        to,
        (key, value) -> {
          keys.add(key);
          return keys.size() <= POINT_DELETES;
        });
    if (keys.size() <= POINT_DELETES) {
      keys.forEach(rows::delete);
    } else {
      rows.deleteRange(from, to);
    }
  }

  /** Called for every row of a kind. */
  @FunctionalInterface
  interface RowVisitor {
    void visit(byte[] key, byte[] value);
  }
}
