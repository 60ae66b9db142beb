package io.fjordmq.common.net;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

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

  /** Returns the event loop, of any group, that runs the caller; null on other threads. */
  public static @Nullable EventLoop current() {
    return ThreadExecutorMap.currentExecutor() instanceof EventLoop loop ? loop : null;
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
