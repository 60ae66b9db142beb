package io.fjordmq.perf.benchmark;

import io.fjordmq.perf.LoadClient;
import io.fjordmq.perf.check.SequenceTracker;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;

/**
 * Receives and checks the messages of one {@link ClosedLoopPublisher}, which are numbered from 0.
 * Called on one event loop; its counters are read by other threads.
 */
final class NumberedMessages implements LoadClient.Receiver {
  /** Payload: i64 send time ({@code System.nanoTime()}), i32 number of the message. */
  static final int HEADER_BYTES = 12;

  private final int expected;
  private final CompletableFuture<Void> allReceived = new CompletableFuture<>();
  private final SequenceTracker sequence = new SequenceTracker();
  private volatile int received;
  private volatile int duplicated;
  private volatile int outOfOrder;

  NumberedMessages(int expected) {
    this.expected = expected;
  }

  /** Completes when all messages have arrived. */
  CompletableFuture<Void> allReceived() {
    return allReceived;
  }

  int missing() {
    return expected - (received - duplicated);
  }

  int duplicated() {
    return duplicated;
  }

  int outOfOrder() {
    return outOfOrder;
  }

  @Override
  @SuppressWarnings("NonAtomicOperationOnVolatileField") // written by one event loop
  public void onPublish(ByteBuf payload) {
    payload.skipBytes(Long.BYTES);
    received++;
    switch (sequence.accept(payload.readInt())) {
      case NEW -> {}
      case LATE -> outOfOrder++;
      case DUPLICATE -> duplicated++;
    }
    if (missing() == 0) {
      allReceived.complete(null);
    }
  }
}
