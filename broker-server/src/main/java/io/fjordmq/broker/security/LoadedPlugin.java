package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A plugin with its own class loader, threads and bounded queue. Even if a plugin blocks all of its
 * threads, no other plugin and no event loop waits for it.
 */
final class LoadedPlugin implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoadedPlugin.class);
  private static final long CLOSE_SECONDS = 5;

  private final String name;
  private final PluginClassLoader loader;
  private final List<Extension> extensions;
  private final SecurityObserver observer;
  private final ThreadPoolExecutor threads;

  /**
   * @param extensions a list to which extensions are added as they are started
   */
  LoadedPlugin(
      String name,
      PluginClassLoader loader,
      List<Extension> extensions,
      SecuritySettings settings,
      SecurityObserver observer) {
    this.name = name;
    this.loader = loader;
    this.extensions = extensions;
    this.observer = observer;
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            settings.pluginThreads(),
            settings.pluginThreads(),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(settings.maxWaitingPluginCalls()),
            task -> {
              Thread thread = new Thread(task, "plugin-" + name + "-" + number.incrementAndGet());
              thread.setDaemon(true); // a plugin that hangs must not keep the process alive
              thread.setContextClassLoader(loader);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  Plugin plugin() {
    return new Plugin("plugin " + name, extensions, this);
  }

  /** The extension types that the plugin provides. */
  List<String> extensionTypes() {
    return extensions.stream().map(extension -> extension.getClass().getName()).toList();
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

  @Override
  public void close() {
    threads.getQueue().clear(); // no client is connected anymore, so nobody waits for these calls
    try {
      threads.submit(this::closeExtensions).get(CLOSE_SECONDS, TimeUnit.SECONDS);
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
    try {
      loader.close();
    } catch (IOException e) {
      LOG.debug("Failed to close a class loader plugin={}", name, e);
    }
  }

  private void closeExtensions() {
    for (int i = extensions.size() - 1; i >= 0; i--) {
      try {
        extensions.get(i).close();
      } catch (Exception | LinkageError e) {
        LOG.warn("Plugin threw while closing: {} plugin={}", e.toString(), name);
      }
    }
  }
}
