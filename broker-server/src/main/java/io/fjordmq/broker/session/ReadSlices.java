package io.fjordmq.broker.session;

import io.netty.channel.Channel;

/**
 * Cuts what a client has sent into slices, so that one connection does not keep its event loop from
 * the others. While the {@link ReadGate} is closed, or the slice is used up, the framer leaves the
 * bytes where they are; they continue when the gate opens, or in the next round of the loop's
 * {@link SliceQueue}. Until they are handed on the socket is not read, so they are no more than one
 * read can hold. Event loop only.
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

  /** Sets the callback that passes on leftover bytes, as far as {@link #takesPacket} allows. */
  public void onContinue(Runnable then) {
    framer = then;
  }

  /** Whether the next packet is passed on now; if not, its bytes stay for a later slice. */
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

  /** Whether bytes were left. */
  public boolean isBehind() {
    return left;
  }

  /** The connection has ended: what the client sent is discarded. */
  public boolean isAbandoned() {
    return gate.isAbandoned();
  }

  /** Everything from one read was passed on, or left. */
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

  /** Nothing but the backlog keeps the gate closed. */
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
