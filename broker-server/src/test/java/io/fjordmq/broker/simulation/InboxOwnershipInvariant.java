package io.fjordmq.broker.simulation;

import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * An inbox has one owner: no attach returns a handle that was returned before, and a call with a
 * handle is rejected after a later attach has completed, at whichever node either is.
 */
final class InboxOwnershipInvariant {
  private static final List<String> ACTIONS =
      List.of("subscribe", "unsubscribe", "fetch", "release", "recordReceived", "forgetReceived");

  private final Set<InboxHandle> handles = new HashSet<>();
  private final Map<InboxId, InboxHandle> latest = new HashMap<>();
  private @Nullable AssertionError violation;
  private long refusals;

  /** Wraps a node's inbox store as sessions see it. */
  InboxStore wrap(InboxStore store) {
    InboxStore watched = Defect.replaceMethod(InboxStore.class, store, "attach", this::attach);
    for (String action : ACTIONS) {
      watched =
          Defect.replaceMethod(
              InboxStore.class,
              watched,
              action,
              (call, arguments) -> checkedCall(action, call, arguments));
    }
    return watched;
  }

  private Object attach(Defect.Call call, Object... arguments) {
    return future(call, arguments)
        .whenComplete(
            (answer, failure) -> {
              if (answer instanceof Attachment attachment) {
                recordOwner(attachment.handle());
              }
            });
  }

  private void recordOwner(InboxHandle handle) {
    if (!handles.add(handle)) {
      violation = new AssertionError("two connections own " + handle);
    }
    latest.merge(handle.id(), handle, (before, now) -> isBefore(before, now) ? now : before);
  }

  private Object checkedCall(String action, Defect.Call call, Object... arguments) {
    InboxHandle handle = (InboxHandle) arguments[0];
    InboxHandle owner = latest.get(handle.id());
    boolean fenced = owner != null && isBefore(handle, owner);
    return future(call, arguments)
        .whenComplete(
            (answer, failure) -> {
              if (fenced && failure == null) {
                violation =
                    new AssertionError(
                        "%s with %s is done, after an attach was answered with %s"
                            .formatted(action, handle, owner));
              } else if (fenced) {
                refusals++;
              }
            });
  }

  private static CompletableFuture<?> future(Defect.Call call, Object... arguments) {
    return (CompletableFuture<?>) Objects.requireNonNull(call.invoke((Object[]) arguments));
  }

  private static boolean isBefore(InboxHandle one, InboxHandle other) {
    return one.incarnation() < other.incarnation()
        || (one.incarnation() == other.incarnation() && one.epoch() < other.epoch());
  }

  /** Calls of former owners; all of them were rejected. */
  long refusals() {
    return refusals;
  }

  void check() {
    if (violation != null) {
      throw violation;
    }
  }
}
