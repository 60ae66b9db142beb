package io.fjordmq.broker.session;

import java.util.function.IntConsumer;

/**
 * Runs the steps of one large packet in time slices. When the connection's slice is used up, the
 * rest continues in the event loop's {@link SliceQueue}, so other connections' packets come first.
 * The connection is paused until the loop is complete, so later packets of the client keep their
 * order. Event loop only.
 */
final class SlicedLoop {
  private final Connection connection;
  private final int count;
  private final IntConsumer step;
  private final Runnable then;
  private int next;
  private boolean paused;

  private SlicedLoop(Connection connection, int count, IntConsumer step, Runnable then) {
    this.connection = connection;
    this.count = count;
    this.step = step;
    this.then = then;
  }

  /**
   * Calls the step with 0 to count - 1. A loop that fits into the slice is complete on return.
   *
   * @param step may throw a {@link ProtocolViolation}, which ends the loop
   * @param then called after the last step, or earlier if the connection ends between two slices
   */
  static void run(Connection connection, int count, IntConsumer step, Runnable then) {
    new SlicedLoop(connection, count, step, then).runSlice();
  }

  private void runSlice() {
    TimeSlice slice = connection.slices().slice();
    boolean mayStep = true; // every slice takes at least one step, and a single step never pauses
    while (mayStep && next < count && !connection.isEnded()) {
      step.accept(next++);
      mayStep = next < count && slice.step();
    }
    if (next < count && !connection.isEnded()) {
      pause();
      return;
    }
    then.run();
    if (paused) {
      connection.resumeAfterSlices();
    }
  }

  private void pause() {
    if (!paused) {
      paused = true;
      connection.pauseBetweenSlices();
    }
    connection.slices().queue().add(this::nextSlice);
  }

  private void nextSlice() {
    connection.whenServed(
        () -> {
          connection.slices().slice().begin();
          try {
            runSlice();
          } catch (ProtocolViolation violation) {
            connection.fail(violation.reason(), violation.detail());
          } catch (RuntimeException | OutOfMemoryError e) {
            // As Netty does for handlers; an exception from a scheduled task would be lost.
            connection.channel().pipeline().fireExceptionCaught(e);
          }
        });
  }
}
