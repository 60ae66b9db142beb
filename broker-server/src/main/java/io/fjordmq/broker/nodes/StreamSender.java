package io.fjordmq.broker.nodes;

import io.fjordmq.cluster.peer.PeerCalls;
import io.fjordmq.common.Timers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the batches of one incarnation of this node, and resends them until they are acknowledged.
 * Thread-safe.
 */
final class StreamSender {
  private static final Logger LOG = LoggerFactory.getLogger(StreamSender.class);

  /** The name of the receiver's peer service. */
  static final String SERVICE = "deliveries";

  private final long incarnation;
  private final PeerCalls peers;
  private final Timers timers;
  private final NodesSettings settings;
  private final NodesObserver observer;

  /**
   * @param incarnation this node's incarnation
   */
  StreamSender(
      long incarnation,
      PeerCalls peers,
      Timers timers,
      NodesSettings settings,
      NodesObserver observer) {
    this.incarnation = incarnation;
    this.peers = peers;
    this.timers = timers;
    this.settings = settings;
    this.observer = observer;
  }

  long incarnation() {
    return incarnation;
  }

  long nowMillis() {
    return timers.nowMillis();
  }

  void schedule(long delayMillis, Runnable task) {
    timers.schedule(delayMillis, task);
  }

  /** Reports items that were not acknowledged in time; resending continues. */
  void reportOverdue(int items) {
    observer.onOverdue(items);
  }

  void send(NodeStream stream, StreamBatch batch) {
    byte[] request = batch.encode();
    observer.onSent(batch.items().size());
    attempt(stream, batch, request, 1);
  }

  private void attempt(NodeStream stream, StreamBatch batch, byte[] request, int attempt) {
    peers
        .call(stream.node(), SERVICE, request, settings.responseTimeout())
        .whenComplete(
            (response, failure) -> onCompleted(stream, batch, request, attempt, response, failure));
  }

  private void onCompleted(
      NodeStream stream,
      StreamBatch batch,
      byte[] request,
      int attempt,
      byte @Nullable [] response,
      @Nullable Throwable failure) {
    Throwable problem = failure;
    if (response != null) {
      try {
        stream.onResponse(batch, StreamBatch.decodeResponse(response, batch.items().size()));
        return;
      } catch (RuntimeException e) {
        problem = e;
      }
    }
    if (Integer.bitCount(attempt) == 1) { // the 1st, 2nd, 4th, 8th… time
      LOG.warn(
          "Messages to another node were not acknowledged; resending until the node acknowledges"
              + " them or its incarnation ends: {} node={} messages={} attempt={}",
          String.valueOf(problem),
          stream.node(),
          batch.items().size(),
          attempt);
    }
    timers.schedule(
        settings.resendAfter().toMillis(),
        () -> {
          if (stream.isInFlight(batch)) {
            observer.onResent(batch.items().size());
            attempt(stream, batch, request, attempt + 1);
          }
        });
  }

  /**
   * Notifies a listener. Catches exceptions, so that a bug in the listener does not stop the
   * stream.
   */
  void notifyListener(ItemListener listener, ItemOutcome outcome) {
    try {
      listener.onOutcome(outcome);
    } catch (RuntimeException e) {
      LOG.error("Outcome callback of a message stream threw; please report this bug", e);
    }
  }

  void runCallback(Runnable callback) {
    try {
      callback.run();
    } catch (RuntimeException e) {
      LOG.error("Publish callback of a message stream threw; please report this bug", e);
    }
  }
}
