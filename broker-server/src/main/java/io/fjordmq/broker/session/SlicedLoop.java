package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.protocol.ProtocolViolation;
import io.netty.channel.Channel;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Runs the steps of one large packet in time slices. When the connection's slice is used up, the
 * rest continues in the event loop's {@link SliceQueue}, so other connections' packets come first.
 * The connection is paused until the loop is complete, so later packets of the client keep their
 * order. Only used on the event loop.
 */
final class SlicedLoop {
  /** The client whose packet is handled. */
  interface Client {
    ReadSlices slices();

    Channel channel();

    boolean isEnded();

    /** Pauses the handling of the client's packets. */
    PacketPause pause();

    /** Ends the client's session. */
    void fail(CloseReason reason, String detail);
  }

  private final Client client;
  private final BooleanSupplier hasNext;
  private final Runnable step;
  private final Runnable then;
  private boolean paused;

  private SlicedLoop(Client client, BooleanSupplier hasNext, Runnable step, Runnable then) {
    this.client = client;
    this.hasNext = hasNext;
    this.step = step;
    this.then = then;
  }

  /**
   * Calls {@code step} while {@code hasNext} is true. A loop that fits into the current slice is
   * complete when this method returns.
   *
   * @param step may throw a {@link ProtocolViolation}, which ends the loop
   * @param then called after the last step, or earlier if the connection ends between two slices;
   *     may also throw a {@link ProtocolViolation}
   */
  static void run(Client client, BooleanSupplier hasNext, Runnable step, Runnable then) {
    new SlicedLoop(client, hasNext, step, then).runSlice();
  }

  /** Like the other {@code run}, but calls the step with the numbers from 0 to count - 1. */
  static void run(Client client, int count, IntConsumer step, Runnable then) {
    Counter counter = new Counter();
    run(client, () -> counter.next < count, () -> step.accept(counter.next++), then);
  }

  private static final class Counter {
    private int next;
  }

  private void runSlice() {
    TimeSlice slice = client.slices().slice();
    // Every slice runs at least one step, so a loop of a single step never pauses.
    boolean mayStep = true;
    while (mayStep && hasNext.getAsBoolean() && !client.isEnded()) {
      step.run();
      mayStep = hasNext.getAsBoolean() && slice.tryStep();
    }
    if (hasNext.getAsBoolean() && !client.isEnded()) {
      pause();
      return;
    }
    then.run();
    if (paused) {
      client.pause().endSlices();
    }
  }

  private void pause() {
    if (!paused) {
      paused = true;
      client.pause().beginSlices();
    }
    client.slices().queue().add(this::runNextSlice);
  }

  private void runNextSlice() {
    client
        .pause()
        .whenLeaseValid(
            () -> {
              client.slices().slice().begin();
              try {
                runSlice();
              } catch (ProtocolViolation violation) {
                client.fail(violation.reason(), violation.detail());
              } catch (RuntimeException | OutOfMemoryError e) {
                // Report the exception as Netty does for handlers; an exception thrown by a
                // scheduled task would be lost.
                client.channel().pipeline().fireExceptionCaught(e);
              }
            });
  }
}
