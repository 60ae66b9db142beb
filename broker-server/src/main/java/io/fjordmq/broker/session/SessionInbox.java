package io.fjordmq.broker.session;

import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Passes events of the inbox store to a session. Events can arrive before the result of the attach,
 * which tells whether they are about this session's inbox; until then, this class remembers them.
 * Only used on the event loop.
 */
final class SessionInbox {
  /** The session that has the inbox. */
  interface Holder {
    Connection connection();

    SessionOwnership ownership();

    /** Called when another connection has attached the inbox. */
    void onInboxTakenOver();
  }

  private final Holder holder;
  private boolean attached;
  private boolean ended;
  private @Nullable InboxSource source;
  private boolean pushedBeforeAttach;
  private @Nullable List<InboxHandle> fencedBeforeAttach;

  SessionInbox(Holder holder) {
    this.holder = holder;
  }

  /**
   * Called with the result of the attach.
   *
   * @param inbox null if the session is transient
   */
  void onAttached(@Nullable InboxSource inbox) {
    attached = true;
    source = inbox;
    if (pushedBeforeAttach && inbox != null) {
      inbox.refetch();
    }
    if (fencedBeforeAttach != null) {
      fencedBeforeAttach.forEach(this::onFenced);
    }
  }

  /** Whether the session has an inbox. */
  boolean exists() {
    return source != null;
  }

  /** Ignores later events, except fences: they decide whether the inbox must be detached. */
  void end() {
    ended = true;
  }

  void onAppended(InboxHandle handle, List<InboxEntry> entries) {
    if (!attached) {
      // The attach and the append were in the same write. The push overtook the result of the
      // attach, which does not contain the entry.
      pushedBeforeAttach = true;
    }
    InboxSource inbox = ended ? null : source;
    if (inbox != null && inbox.isFor(handle)) {
      inbox.onAppended(entries);
      holder.connection().writer().flush();
    }
  }

  CompletableFuture<?> refetch() {
    if (!attached) {
      pushedBeforeAttach = true;
    }
    InboxSource inbox = ended ? null : source;
    if (inbox == null) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<?> read = inbox.refetch();
    holder.connection().writer().flush();
    return read;
  }

  void onFenced(InboxHandle handle) {
    if (!attached) {
      fencedBeforeAttach = fencedBeforeAttach == null ? new ArrayList<>(1) : fencedBeforeAttach;
      fencedBeforeAttach.add(handle);
    } else if (holder.ownership().markLost(handle)) {
      holder.onInboxTakenOver();
    }
  }
}
