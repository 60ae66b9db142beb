package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.PacketPacing;
import io.netty.channel.Channel;

/**
 * Divides the handling of a client's packets into time slices, so that one connection does not
 * block the others on its event loop. While the {@link ReadGate} is closed or the slice is used up,
 * the framer keeps the remaining bytes. The framer continues when the gate opens, or in the next
 * round of the loop's {@link SliceQueue}. Until then, the socket is not read, so at most one read
 * is buffered. Only used on the event loop.
 */
final class ReadSlices implements PacketPacing, ReadGate.Listener {
  private final ReadGate gate;
  private final SliceQueue queue;
  private final TimeSlice slice;
  private Runnable continueCallback = () -> {};
  private boolean backlog;
  private boolean queued;

  ReadSlices(Channel channel, SliceQueue queue, SessionObserver observer) {
    this.gate = new ReadGate(channel, observer, this);
    this.queue = queue;
    this.slice = new TimeSlice(channel.eventLoop().ticker());
  }

  ReadGate gate() {
    return gate;
  }

  SliceQueue queue() {
    return queue;
  }

  TimeSlice slice() {
    return slice;
  }

  @Override
  public void setContinueCallback(Runnable then) {
    continueCallback = then;
  }

  @Override
  public boolean canAcceptPacket() {
    if (queued || gate.isClosedExceptFor(ReadGate.BACKLOG)) {
      markBacklog();
      return false;
    }
    if (!slice.tryStep()) {
      markBacklog();
      enqueue();
      return false;
    }
    return true;
  }

  @Override
  public boolean hasBacklog() {
    return backlog;
  }

  @Override
  public boolean isAbandoned() {
    return gate.isAbandoned();
  }

  @Override
  public void onReadComplete() {
    if (!queued) {
      slice.begin();
    }
  }

  private void markBacklog() {
    backlog = true;
    gate.close(ReadGate.BACKLOG);
  }

  private void enqueue() {
    if (!queued) {
      queued = true;
      queue.add(this::runSlice);
    }
  }

  /** Called when the backlog is the only reason that keeps the gate closed. */
  @Override
  public void onOnlyBacklogLeft() {
    if (backlog) {
      enqueue();
    }
  }

  private void runSlice() {
    queued = false;
    if (gate.isClosedExceptFor(ReadGate.BACKLOG)) {
      return; // continued when the gate opens
    }
    slice.begin();
    backlog = false;
    continueCallback.run();
    if (!backlog) {
      gate.open(ReadGate.BACKLOG);
    }
  }
}
