package io.fjordmq.broker.security;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.broker.limits.RateLimitedLog;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends client events to the listeners of plugins without ever blocking. Each listener has a thread
 * with a bounded queue; when the queue is full, events are dropped and counted. Without listeners,
 * events are discarded immediately.
 */
public final class PluginEvents implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PluginEvents.class);

  private static final class RegisteredListener {
    private final String name;
    private final ClientEventListener listener;
    private final ThreadPoolExecutor thread;
    private final RateLimitedLog failures = new RateLimitedLog();

    private RegisteredListener(String name, ClientEventListener listener, int maxWaiting) {
      this.name = name;
      this.listener = listener;
      this.thread =
          new ThreadPoolExecutor(
              1,
              1,
              10,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(maxWaiting),
              task -> {
                Thread eventThread = new Thread(task, "events-" + name.replace(' ', '-'));
                eventThread.setDaemon(
                    true); // a listener that hangs must not keep the process alive
                eventThread.setContextClassLoader(listener.getClass().getClassLoader());
                return eventThread;
              });
      this.thread.allowCoreThreadTimeOut(true);
    }

    private void deliver(Consumer<ClientEventListener> event) {
      try {
        event.accept(listener);
      } catch (RuntimeException | LinkageError | StackOverflowError e) {
        @Nullable String suppressed = failures.permit();
        if (suppressed != null) {
          LOG.warn("Plugin event listener threw: {}{} listener={}", e, suppressed, name);
          LOG.debug("Plugin event listener threw listener={}", name, e);
        }
      }
    }
  }

  private final List<RegisteredListener> listeners;
  private final SecurityObserver observer;

  PluginEvents(
      List<Provider<ClientEventListener>> listeners, int maxWaiting, SecurityObserver observer) {
    this.observer = observer;
    this.listeners =
        listeners.stream()
            .map(one -> new RegisteredListener(one.name(), one.extension(), maxWaiting))
            .toList();
  }

  /** Notifies the listeners that a client has connected. */
  public void connected(ClientInfo client) {
    notifyListeners(listener -> listener.onConnected(client));
  }

  /** Notifies the listeners that a client has disconnected. */
  public void disconnected(ClientInfo client, String reason) {
    notifyListeners(listener -> listener.onDisconnected(client, reason));
  }

  /** Notifies the listeners that a subscription has become effective. */
  public void subscribed(ClientInfo client, TopicFilter filter, Qos qos) {
    notifyListeners(listener -> listener.onSubscribed(client, filter, qos));
  }

  /** Notifies the listeners that a subscription has been removed. */
  public void unsubscribed(ClientInfo client, String filter) {
    notifyListeners(listener -> listener.onUnsubscribed(client, filter));
  }

  /** Notifies the listeners that messages to a client were dropped. */
  public void dropped(ClientInfo client, String reason, long count) {
    notifyListeners(listener -> listener.onDropped(client, reason, count));
  }

  void denied(ClientEventListener.Denial denial) {
    notifyListeners(listener -> listener.onDenied(denial));
  }

  private void notifyListeners(Consumer<ClientEventListener> event) {
    for (RegisteredListener one : listeners) {
      try {
        observer.addQueuedEvents(1);
        one.thread.execute(
            () -> {
              observer.addQueuedEvents(-1);
              one.deliver(event);
            });
      } catch (RejectedExecutionException e) {
        observer.addQueuedEvents(-1);
        observer.onEventDropped();
      }
    }
  }

  /** Waits briefly for the queued events to be delivered, and discards the rest. */
  @Override
  public void close() throws InterruptedException {
    for (RegisteredListener one : listeners) {
      one.thread.shutdown();
      if (!one.thread.awaitTermination(1, TimeUnit.SECONDS)) {
        LOG.warn("Plugin did not drain its event queue before shutdown listener={}", one.name);
        one.thread.shutdownNow();
      }
    }
  }
}
