package io.fjordmq.inbox.client;

import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.common.OperationException;
import io.fjordmq.inbox.AttachRequest;
import io.fjordmq.inbox.Attachment;
import io.fjordmq.inbox.InboxFencedException;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.Owner;
import org.jspecify.annotations.Nullable;

/**
 * A client that repeatedly connects briefly, and gives up if that fails. No other client uses its
 * inbox.
 */
final class SimGuest {
  private static final long PAUSE_MILLIS = 60;

  private final SimProcess process;
  private final InboxStore store;
  private final InboxId id;
  private boolean stopped;
  private boolean connected;

  /** Attaches whose outcome is unknown. */
  private int unknownOutcomes;

  SimGuest(SimProcess process, InboxStore store, InboxId id) {
    this.process = process;
    this.store = store;
    this.id = id;
  }

  Owner owner() {
    return new Owner(process.node().value(), 1);
  }

  int unknownOutcomes() {
    return unknownOutcomes;
  }

  void connect() {
    connected = true;
    store
        .attach(id, new AttachRequest(false, owner().node(), 1, 3_600, null))
        .whenComplete((found, failure) -> process.execute(() -> onAttached(found)));
  }

  private void onAttached(@Nullable Attachment found) {
    if (found == null) {
      unknownOutcomes++;
      onDetached(null);
    } else {
      process.schedule(pauseMillis(), () -> detach(found.handle()));
    }
  }

  private void detach(InboxHandle handle) {
    store
        .detach(handle, 1, 3_600, true)
        .whenComplete((done, failure) -> process.execute(() -> onDetached(failure)));
  }

  private void onDetached(@Nullable Throwable failure) {
    if (failure != null && OperationException.unwrap(failure) instanceof InboxFencedException) {
      throw new AssertionError(
          "seed " + process.simulation().seed() + ": the inbox of a connected guest was detached");
    }
    connected = false;
    if (!stopped) {
      process.schedule(pauseMillis(), this::connect);
    }
  }

  private long pauseMillis() {
    return process.simulation().between(1, PAUSE_MILLIS);
  }

  /** Stops connecting. */
  void stop() {
    stopped = true;
  }

  boolean isConnected() {
    return connected;
  }
}
