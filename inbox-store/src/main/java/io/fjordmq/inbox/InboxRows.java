package io.fjordmq.inbox;

import io.fjordmq.api.TopicFilter;
import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.kv.KvWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command's view of a range: its inboxes by id, their rows, and due rows. Used by the apply
 * thread of one replica, for one command.
 */
final class InboxRows {
  /*
   * The cache holds recently used inboxes and is written through: when a command ends, all its
   * changes to an Inbox are in the rows or can be derived from them.
   */

  /** Maximum number of rows to delete one by one; a range deletion costs about as much. */
  static final int MAX_POINT_DELETES = 32;

  private static final byte[] EMPTY = new byte[0];

  private final ApplyContext context;
  private final KvWriter rows;
  private final InboxMemory memory;

  InboxRows(ApplyContext context, InboxMemory memory) {
    this.context = context;
    this.rows = context.state();
    this.memory = memory;
  }

  long nowMillis() {
    return context.nowMillis();
  }

  /** Returns the position of the command in the log, which orders the connections of a client. */
  ConnectOrder connectOrder() {
    return new ConnectOrder(context.epochVersion(), context.index());
  }

  /**
   * Returns the connect order for events between two connections of a client: directly before this
   * command.
   */
  ConnectOrder connectOrderBeforeThis() {
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

  void addQueued(Inbox inbox, long change) {
    if (memory.hasCounted(inbox)) {
      totals().queued.addAndGet(change);
    }
  }

  void addSubscriptions(Inbox inbox, long change) {
    if (memory.hasCounted(inbox)) {
      totals().subscriptions.addAndGet(change);
    }
  }

  void countNext(int maxInboxes) {
    memory.countNext(rows, maxInboxes);
  }

  DueTimes dueTimes() {
    return memory.dueTimes();
  }

  /** Returns the inbox with this id in any incarnation; null if there is none. */
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

  /**
   * Returns the inbox if the handle comes from its last attach and has not been detached since;
   * otherwise null.
   */
  @Nullable Inbox findOwned(InboxHandle handle) {
    Inbox inbox = find(handle.id());
    return inbox != null && inbox.state().owner() != null && inbox.handle().equals(handle)
        ? inbox
        : null;
  }

  /**
   * Creates a detached inbox.
   *
   * @param after the new inbox has a higher incarnation than this handle and the same epoch
   * @param salt distinguishes inboxes created in the same millisecond
   */
  Inbox create(InboxHandle after, int salt, long expirySeconds, InboxLimits limits) {
    int bucket = after.id().bucket();
    // Incarnations need only be unique; nothing relies on their order.
    long incarnation = (nowMillis() << AttachSession.SALT_BITS) + salt;
    incarnation = Math.max(incarnation, after.incarnation() + 1);
    while (rows.get(InboxKeys.cursor(bucket, incarnation)) != null
        || rows.get(InboxKeys.undelivered(bucket, incarnation)) != null) {
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
    memory.contents().sessions().add(bucket, null);
    saveCursor(inbox);
    return inbox;
  }

  /** Replaces the state and updates the due row accordingly. */
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
      totals().removeAttached(oldOwner);
    }
    if (newOwner != null) {
      totals().addAttached(newOwner);
    }
    memory.contents().sessions().changeUser(inbox.bucket, before.user(), next.user());
    inbox.setState(next);
    rows.put(InboxKeys.state(inbox.bucket, inbox.id), next.encode());
  }

  void saveCursor(Inbox inbox) {
    inbox.cursor.hasReleased = !inbox.released.isEmpty();
    rows.put(InboxKeys.cursor(inbox.bucket, inbox.incarnation()), inbox.cursor.encode());
  }

  /** Adds a due row, which {@link ExpireDue} processes once this time has come. */
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
   * Removes an inbox with all its rows, except entries for other members of shares. If its will
   * must be published, the caller must make it due first.
   *
   * @return the subscriptions of the inbox
   */
  List<InboxSubscription> remove(Inbox inbox) {
    final List<InboxSubscription> subscriptions = subscriptions(inbox);
    long queued = inbox.queued();
    final boolean keepsEntries = UndeliveredShares.mustKeep(inbox);
    if (queued > 0 && !keepsEntries) {
      emit(new InboxEffect.Dropped(inbox.id, DropReasons.SESSION_ENDED, queued));
    }
    addQueued(inbox, -queued);
    totals().inboxes.decrementAndGet();
    addSubscriptions(inbox, -inbox.cursor.subscriptions);
    Owner owner = inbox.state().owner();
    if (owner != null) {
      totals().removeAttached(owner);
    }
    memory.contents().sessions().remove(inbox.bucket, inbox.state().user());
    deleteDueSession(inbox);
    rows.delete(InboxKeys.state(inbox.bucket, inbox.id));
    rows.delete(InboxKeys.cursor(inbox.bucket, inbox.incarnation()));
    clear(
        InboxKeys.rows(inbox.bucket, inbox.incarnation()),
        keepsEntries
            ? InboxKeys.kindStart(inbox.bucket, inbox.incarnation(), InboxKeys.ENTRY)
            : InboxKeys.rows(inbox.bucket, inbox.incarnation() + 1));
    if (keepsEntries) {
      UndeliveredShares.keep(this, inbox);
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
          return keys.size() <= MAX_POINT_DELETES;
        });
    if (keys.size() <= MAX_POINT_DELETES) {
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
