package io.fjordmq.broker.bans;

import java.util.Iterator;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects connected clients that a new ban matches. The search runs on a background thread and
 * disconnects clients in small groups, so that event loops handle other clients in between. Bans
 * that arrive during a search cause one more search, after a pause as long as the last one.
 */
public final class BanEnforcement implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BanEnforcement.class);
  private static final int CLIENTS_PER_GROUP = 200;
  private static final long GROUP_PAUSE_MILLIS = 10;

  private final ScheduledExecutorService thread;
  private final BannedClients clients;
  private final AtomicBoolean requested = new AtomicBoolean();
  private volatile boolean closed;
  // Only used on the thread.
  private @Nullable Iterator<Runnable> search;
  private long beganAtNanos;
  private int disconnected;

  BanEnforcement(ScheduledExecutorService thread, BannedClients clients) {
    this.thread = thread;
    this.clients = clients;
  }

  /** Requests a search. Can be called on any thread. */
  void request() {
    if (!closed && !requested.getAndSet(true)) {
      try {
        thread.execute(this::begin);
      } catch (RejectedExecutionException e) { // would halt the metadata replica
        LOG.debug("Not checking clients against the bans: the node is stopping", e);
      }
    }
  }

  private void begin() {
    if (search == null && !closed) {
      requested.set(false);
      beganAtNanos = System.nanoTime();
      disconnected = 0;
      try {
        search = clients.search();
      } catch (RuntimeException e) {
        fail(e);
        return;
      }
      disconnectGroup();
    }
  }

  private void disconnectGroup() {
    Iterator<Runnable> current = search;
    if (current == null || closed) {
      return;
    }
    try {
      for (int i = 0; i < CLIENTS_PER_GROUP; i++) {
        if (!current.hasNext()) {
          finish();
          return;
        }
        current.next().run();
        disconnected++;
      }
      thread.schedule(this::disconnectGroup, GROUP_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RuntimeException e) {
      fail(e);
    }
  }

  private void fail(RuntimeException failure) {
    LOG.error("Cannot disconnect banned clients; please report this bug", failure);
    finish();
  }

  private void finish() {
    search = null;
    if (disconnected > 0) {
      LOG.info("Banned clients disconnected count={}", disconnected);
    }
    if (requested.get()) {
      thread.schedule(this::begin, System.nanoTime() - beganAtNanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Ends the search in progress; there are no further ones. */
  @Override
  public void close() {
    closed = true;
  }
}
