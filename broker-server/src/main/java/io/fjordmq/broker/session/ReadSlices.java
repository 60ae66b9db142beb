package io.fjordmq.broker.session;

import io.netty.channel.Channel;

/**
 * Divides the handling of a client's packets into time slices, so that one connection does not
 * block the others of its event loop. While the {@link ReadGate} is closed or the slice is used up,
 * the framer keeps the remaining bytes. It continues when the gate opens, or in the next round of
 * the loop's {@link SliceQueue}. Until then the socket is not read, so at most one read is
 * buffered. Event loop only.
 */
public final class ReadSlices {
  private final ReadGate gate;
  private final SliceQueue queue;
  private final TimeSlice slice;
  private Runnable framer = () -> {};
  private boolean left;
  private boolean queued;

  ReadSlices(Channel channel, SliceQueue queue, SessionObserver observer) {
    this.gate = new ReadGate(channel, observer, this::gateOpened);
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

  /** Sets the callback that handles remaining bytes, as far as {@link #takesPacket} allows. */
  public void onContinue(Runnable then) {
    framer = then;
  }

  /** Whether the next packet may be handled now; if not, its bytes wait for a later slice. */
  public boolean takesPacket() {
    if (queued || gate.isClosedExceptFor(ReadGate.BACKLOG)) {
      leave();
      return false;
    }
    if (!slice.step()) {
      leave();
      enqueue();
      return false;
    }
    return true;
  }

  /** Whether bytes remain to be handled. */
  public boolean isBehind() {
    return left;
  }

  /** True if the connection has ended, so that the remaining bytes are discarded. */
  public boolean isAbandoned() {
    return gate.isAbandoned();
  }

  /** All bytes of one read were handled or left for a later slice. */
  public void endOfRead() {
    if (!queued) {
      slice.begin();
    }
  }

  private void leave() {
    left = true;
    gate.close(ReadGate.BACKLOG);
  }

  private void enqueue() {
    if (!queued) {
      queued = true;
      queue.add(this::next);
    }
  }

  /** The backlog is the only reason that keeps the gate closed. */
  private void gateOpened() {
    if (left) {
      enqueue();
    }
  }

  private void next() {
    queued = false;
    if (gate.isClosedExceptFor(ReadGate.BACKLOG)) {
      return; // continued when it opens
    }
    slice.begin();
    left = false;
    framer.run();
    if (!left) {
      gate.open(ReadGate.BACKLOG);
    }
  }
}
