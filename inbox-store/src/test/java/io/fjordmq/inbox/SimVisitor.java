package io.fjordmq.inbox;

import io.fjordmq.cluster.consensus.sim.SimProcess;
import org.jspecify.annotations.Nullable;

/**
 * A client that comes for a moment now and then, and does not insist on being let in. Nobody else
 * uses its inbox.
 */
final class SimVisitor {
  private static final long PAUSE_MILLIS = 60;

  private final SimProcess process;
  private final InboxStore store;
  private final InboxId id;
  private boolean resting;
  private boolean here;

  /** Visits of which nobody heard whether they began. */
  private int unheard;

  SimVisitor(SimProcess process, InboxStore store, InboxId id) {
    this.process = process;
    this.store = store;
    this.id = id;
  }

  Owner owner() {
    return new Owner(process.node().value(), 1);
  }

  int unheard() {
    return unheard;
  }

  void visit() {
    here = true;
    store
        .attach(id, new AttachRequest(false, owner().node(), 1, 3_600, null))
        .whenComplete((found, failure) -> process.execute(() -> attached(found)));
  }

  private void attached(@Nullable Attachment found) {
    if (found == null) {
      unheard++;
      left(null);
    } else {
      process.schedule(pause(), () -> leave(found.handle()));
    }
  }

  private void leave(InboxHandle handle) {
    store
        .detach(handle, 1, 3_600, true)
        .whenComplete((done, failure) -> process.execute(() -> left(failure)));
  }

  private void left(@Nullable Throwable failure) {
    if (failure != null && UnwrappedFutures.unwrap(failure) instanceof InboxFencedException) {
      throw new AssertionError(
          "seed " + process.simulation().seed() + ": the inbox was taken from who was there");
    }
    here = false;
    if (!resting) {
      process.schedule(pause(), this::visit);
    }
  }

  private long pause() {
    return process.simulation().between(1, PAUSE_MILLIS);
  }

  /** It comes no more. */
  void rest() {
    resting = true;
  }

  boolean isHere() {
    return here;
  }
}
