package io.fjordmq.broker.session;

import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How far the messages of sessions were sent when their connections ended, for the DUP flag of
 * those who come back to this node. Thread-safe. Bounded: the longest gone is forgotten first.
 *
 * <p>It is not stored, as that would cost a write per message. After a restart, on another node, or
 * when forgotten, the flag is set where it may be true: an earlier connection can have sent no more
 * than {@code maxInflight} messages that are still unsettled, in order. DUP means no more than that
 * a message might have come before (MQTT 5.0 §3.3.1.1).
 */
final class SentMarks {
  private record Mark(long incarnation, long epoch, long sentBelow) {}

  private final int bound;
  private final Map<InboxId, Mark> marks = new LinkedHashMap<>();

  /**
   * @param bound sessions remembered
   */
  SentMarks(int bound) {
    this.bound = bound;
  }

  /** A connection has ended that had sent everything below a sequence. */
  synchronized void keep(InboxHandle handle, long sentBelow) {
    marks.remove(handle.id());
    marks.put(handle.id(), new Mark(handle.incarnation(), handle.epoch(), sentBelow));
    if (marks.size() > bound) {
      marks.remove(marks.keySet().iterator().next());
    }
  }

  /** The sequence below which messages may have been sent before this attach. */
  synchronized long sentBefore(Attachment attachment, int maxInflight) {
    InboxHandle handle = attachment.handle();
    Mark mark = marks.remove(handle.id());
    if (!attachment.sessionPresent()) {
      return 0;
    }
    // A mark of any but the last attach says nothing: another node has sent since.
    if (mark != null
        && mark.incarnation == handle.incarnation()
        && mark.epoch == handle.epoch() - 1) {
      return mark.sentBelow;
    }
    int settled = attachment.acknowledged().size();
    return Math.min(
        attachment.nextSequence(), attachment.firstUndelivered() + maxInflight + settled);
  }
}
