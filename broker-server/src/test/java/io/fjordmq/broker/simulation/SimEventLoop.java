package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.testing.Simulation;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An event loop whose tasks are events of a simulation and end with its process. "In the event
 * loop" applies to the code of its tasks, although there is only one thread.
 */
final class SimEventLoop extends AbstractScheduledEventExecutor implements EventLoop {
  private static final long NANOS = 1_000_000;

  private final SimProcess process;
  private boolean inside;
  private long wakeAtNanos = Long.MAX_VALUE;
  private Simulation.@Nullable Scheduled wake;

  SimEventLoop(SimProcess process) {
    this.process = process;
  }

  @Override
  public void execute(Runnable task) {
    process.execute(() -> run(task));
  }

  private void run(Runnable task) {
    inside = true;
    try {
      task.run();
    } finally {
      inside = false;
    }
    scheduleWake();
  }

  private void scheduleWake() {
    long due = nextScheduledTaskDeadlineNanos();
    if (due == wakeAtNanos || due < 0) {
      return;
    }
    if (wake != null) {
      wake.cancel();
    }
    wakeAtNanos = due;
    long millis = (due - getCurrentTimeNanos() + NANOS - 1) / NANOS;
    wake = process.schedule(millis, this::onWake);
  }

  private void onWake() {
    wakeAtNanos = Long.MAX_VALUE;
    run(
        () -> {
          Runnable due = pollScheduledTask(getCurrentTimeNanos());
          if (due != null) {
            due.run();
          }
        });
  }

  @Override
  protected long getCurrentTimeNanos() {
    return process.simulation().now() * NANOS;
  }

  @Override
  public Ticker ticker() {
    return new Ticker() {
      @Override
      public long initialNanoTime() {
        return 0;
      }

      @Override
      public long nanoTime() {
        return getCurrentTimeNanos();
      }

      @Override
      public void sleep(long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("simulated code must not block");
      }
    };
  }

  @Override
  public boolean inEventLoop() {
    return inside;
  }

  @Override
  public boolean inEventLoop(Thread thread) {
    return inside;
  }

  @Override
  public ChannelFuture register(Channel channel) {
    return register(new DefaultChannelPromise(channel, this));
  }

  @Override
  public ChannelFuture register(ChannelPromise promise) {
    promise.channel().unsafe().register(this, promise);
    return promise;
  }

  @Deprecated
  @Override
  public ChannelFuture register(Channel channel, ChannelPromise promise) {
    channel.unsafe().register(this, promise);
    return promise;
  }

  @Override
  public @Nullable EventLoopGroup parent() {
    return null;
  }

  @Override
  public EventLoop next() {
    return this;
  }

  @Override
  public boolean isShuttingDown() {
    return false;
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    throw endsWithProcess();
  }

  @Deprecated
  @Override
  public void shutdown() {
    throw endsWithProcess();
  }

  @Override
  public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
    throw endsWithProcess();
  }

  @Override
  public Future<?> terminationFuture() {
    throw endsWithProcess();
  }

  private static UnsupportedOperationException endsWithProcess() {
    return new UnsupportedOperationException("a simulated event loop ends with its process");
  }
}
