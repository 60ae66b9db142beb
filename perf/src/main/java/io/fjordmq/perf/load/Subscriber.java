package io.fjordmq.perf.load;

import io.fjordmq.perf.check.Ledger;
import io.fjordmq.perf.check.SentMessages;
import io.netty.buffer.ByteBuf;

/** Passes received messages to the ledger of its client. */
final class Subscriber {
  private final Payload payload;
  private final Ledger ledger;
  private final Lane lane;

  Subscriber(Payload payload, Ledger ledger, Lane lane) {
    this.payload = payload;
    this.ledger = ledger;
    this.lane = lane;
  }

  Ledger ledger() {
    return ledger;
  }

  /** It disconnects; messages that still arrive are accepted. */
  void leave() {
    ledger.leave();
  }

  /** It is subscribed again. */
  void comeBack(SentMessages sentMessages) {
    lane.excused.add(ledger.comeBack(sentMessages));
  }

  void onPublish(ByteBuf message) {
    if (!payload.isOurs(message)) {
      lane.strange.add(1);
      return;
    }
    switch (ledger.accept(Payload.publisher(message), Payload.number(message))) {
      case NEW -> {}
      case OUT_OF_ORDER -> lane.outOfOrder.add(1);
      case DUPLICATE -> lane.duplicated.add(1);
      case MISROUTED -> lane.misrouted.add(1);
    }
    lane.received.add(1);
    lane.record(lane.delivery, Payload.intendedNanos(message));
  }
}
