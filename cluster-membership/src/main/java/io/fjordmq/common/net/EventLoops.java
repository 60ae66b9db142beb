package io.fjordmq.common.net;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Event loops that always close their channels before they stop, even without a quiet period.
 *
 * <p>Netty's own loops (4.2.18) close them at the start of the next round. A loop that is told to
 * stop while it runs tasks, and has no quiet period, has no next round: its channels stay open,
 * their handlers are never removed, and the buffers of the handlers are never released.
 */
public final class EventLoops extends MultiThreadIoEventLoopGroup {
  public EventLoops(int threads, ThreadFactory threadFactory, IoHandlerFactory ioHandlers) {
    super(threads, threadFactory, ioHandlers);
  }

  /**
   * Runs the task after the delay on the event loop, of any group, that runs the caller.
   *
   * @param onStopped runs on the loop instead of the task if the loop stops before that
   * @return false if the caller does not run on an event loop; neither is run then
   */
  public static boolean scheduleOnCurrentLoop(long delayNanos, Runnable task, Runnable onStopped) {
    if (!(ThreadExecutorMap.currentExecutor() instanceof EventLoop loop)) {
      return false;
    }
    loop.schedule(task, delayNanos, TimeUnit.NANOSECONDS)
        .addListener(
            scheduled -> {
              if (scheduled.isCancelled()) {
                onStopped.run();
              }
            });
    return true;
  }

  @Override
  protected IoEventLoop newChild(Executor executor, IoHandlerFactory ioHandlers, Object... args) {
    return new Loop(this, executor, ioHandlers);
  }

  private static final class Loop extends SingleThreadIoEventLoop {
    Loop(EventLoops group, Executor executor, IoHandlerFactory ioHandlers) {
      super(group, executor, ioHandlers);
    }

    /** Called after each round, and again until the loop accepts no more tasks. */
    @Override
    protected boolean confirmShutdown() {
      if (isShuttingDown() && !isShutdown()) {
        ioHandler().prepareToDestroy();
      }
      return super.confirmShutdown();
    }
  }
}
