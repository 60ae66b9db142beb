package io.fjordmq.broker.security;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plugin with its own threads and bounded queue, and the instance that is loaded now. Even if a
 * plugin blocks all of its threads, no other plugin and no event loop waits for it.
 */
final class LoadedPlugin implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadedPlugin.class);
  private static final long CLOSE_SECONDS = 5;

  private final String name;
  private final SecuritySettings settings;
  private final SecurityObserver observer;
  private final ThreadPoolExecutor threads;
  private final AtomicBoolean reloading = new AtomicBoolean();
  private final Plugin plugin;
  private volatile PluginInstance current;

  /**
   * @param first the started instance
   */
  LoadedPlugin(PluginInstance first, SecuritySettings settings, SecurityObserver observer) {
    this.name = first.found().name();
    this.current = first;
    this.settings = settings;
    this.observer = observer;
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            settings.pluginThreads(),
            settings.pluginThreads(),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(settings.maxWaitingPluginCalls()),
            task -> daemon(task, "plugin-" + name + "-" + number.incrementAndGet()));
    threads.allowCoreThreadTimeOut(true);
    plugin = new Plugin("plugin " + name, ReloadableExtensions.of(this::current), this);
  }

  /** A plugin that hangs must not keep the process alive. */
  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  String name() {
    return name;
  }

  Plugin plugin() {
    return plugin;
  }

  PluginInstance current() {
    return current;
  }

  @Override
  public void execute(Runnable call) {
    observer.addQueuedPluginCalls(1);
    try {
      threads.execute(
          () -> {
            observer.addQueuedPluginCalls(-1);
            call.run();
          });
    } catch (RejectedExecutionException e) {
      observer.addQueuedPluginCalls(-1);
      throw e;
    }
  }

  /**
   * Starts another instance and lets it take over; the previous one is closed after its last call.
   * The previous one stays if the other one cannot be started in time, or has other extensions.
   * Does not block.
   *
   * @param limitSeconds time allowed for the start
   * @return completes when the other instance has taken over; fails with {@link
   *     SecurityStartException}
   */
  CompletableFuture<PluginInstance> reload(long limitSeconds) {
    if (!reloading.compareAndSet(false, true)) {
      return CompletableFuture.failedFuture(
          new SecurityStartException(
              "an earlier reload of plugin "
                  + name
                  + " has not ended; retry later, or restart the node if its start or close hangs"));
    }
    CompletableFuture<PluginInstance> started = new CompletableFuture<>();
    CompletableFuture<PluginInstance> done =
        started
            .orTimeout(limitSeconds, TimeUnit.SECONDS)
            .handle(this::outcome)
            .thenCompose(outcome -> outcome);
    Thread thread =
        daemon(
            () -> {
              try {
                replace(started);
              } finally {
                reloading.set(false);
              }
            },
            "plugin-reload-" + name);
    thread.start();
    return done;
  }

  private CompletableFuture<PluginInstance> outcome(
      @Nullable PluginInstance next, @Nullable Throwable failure) {
    if (failure == null) {
      return CompletableFuture.completedFuture(Objects.requireNonNull(next));
    }
    return CompletableFuture.failedFuture(
        failure instanceof TimeoutException
            ? new SecurityStartException(
                "plugin " + name + " did not start in time; the previous version stays in use")
            : failure);
  }

  private void replace(CompletableFuture<PluginInstance> started) {
    PluginInstance before = current;
    PluginInstance next;
    try {
      next = PluginInstance.start(before.found().readAgain());
    } catch (SecurityStartException | RuntimeException | Error e) {
      started.completeExceptionally(e);
      return;
    }
    try {
      requireSameShape(next, before);
    } catch (SecurityStartException | RuntimeException | LinkageError e) {
      close(next);
      started.completeExceptionally(e);
      return;
    }
    current = next;
    if (!started.complete(next)) { // nobody expects it to take over anymore
      current = before;
      retire(next);
      return;
    }
    retire(before);
  }

  private static void requireSameShape(PluginInstance next, PluginInstance before)
      throws SecurityStartException {
    String obstacle = next.obstacleToReplace(before);
    if (obstacle != null) {
      throw new SecurityStartException(
          "plugin "
              + next.found().path()
              + " cannot replace the running version: "
              + obstacle
              + "; restart the node to load it");
    }
  }

  /** Closes an instance after its last call, or when its calls have exceeded their time limit. */
  private void retire(PluginInstance before) {
    try {
      before
          .retire()
          .get(
              settings.providerTimeout().toMillis() + CLOSE_SECONDS * 1_000, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "Closing the previous version of a plugin although calls to it are in progress plugin={}",
          name);
    } catch (ExecutionException e) {
      throw new IllegalStateException("never fails", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    close(before);
  }

  private static void close(PluginInstance instance) {
    instance.close();
    instance.closeLoader();
  }

  @Override
  public void close() {
    threads.getQueue().clear(); // no client is connected anymore, so nobody waits for these calls
    PluginInstance last = current;
    try {
      threads.submit(last::close).get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn(
          "Plugin did not close in time; continuing shutdown plugin={} seconds={}",
          name,
          CLOSE_SECONDS);
    } catch (ExecutionException | RejectedExecutionException e) {
      LOG.warn("Failed to close a plugin: {} plugin={}", e.toString(), name);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    threads.shutdownNow();
    last.closeLoader();
  }
}
