package io.fjordmq.perf.load;

import io.fjordmq.perf.check.Ledger;
import io.fjordmq.perf.check.SentMessages;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Passes received messages to the ledger of its client.
 *
 * @param lastDeliveries records the delays of the last deliveries; null if they are not measured
 */
record Subscriber(
    Payload payload,
    Ledger ledger,
    EventLoopLoad loopLoad,
    @Nullable LastDeliveries lastDeliveries) {
  /** Called when the subscriber disconnects. Messages may still arrive. */
  void onDisconnected() {
    ledger.onDisconnected();
  }

  /** Called when the subscriber has subscribed again. */
  void onReconnected(SentMessages sentMessages) {
    loopLoad.excused.add(ledger.onReconnected(sentMessages));
  }

  void onPublish(ByteBuf message) {
    if (!payload.isOfThisRun(message)) {
      loopLoad.unexpected.add(1);
      return;
    }
    switch (ledger.accept(Payload.publisher(message), Payload.number(message))) {
      case NEW -> {}
      case OUT_OF_ORDER -> loopLoad.outOfOrder.add(1);
      case DUPLICATE -> loopLoad.duplicated.add(1);
      case MISROUTED -> loopLoad.misrouted.add(1);
    }
    loopLoad.received.add(1);
    long intended = Payload.intendedNanos(message);
    loopLoad.record(loopLoad.delivery, intended);
    if (lastDeliveries != null && loopLoad.isCounted(intended)) {
      lastDeliveries.record(Payload.number(message), System.nanoTime() - intended);
    }
  }
}
