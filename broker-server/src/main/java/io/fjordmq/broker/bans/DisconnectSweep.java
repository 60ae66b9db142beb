package io.fjordmq.broker.bans;

import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Disconnects connected clients that were banned, whose users were removed or changed, or whose
 * certificates were revoked. The search runs on a background thread and disconnects clients in
 * small groups, so that event loops handle other clients in between. Changes that arrive during a
 * search cause one more search, after a pause as long as the last one.
 */
public final class DisconnectSweep implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DisconnectSweep.class);
  private static final int CLIENTS_PER_GROUP = 200;

  /** With more users, all clients are searched. */
  private static final int MAX_USERS = 1_000;

  private static final long GROUP_PAUSE_MILLIS = 10;

  private final ScheduledExecutorService thread;
  private final DisconnectSearch clients;
  private final Object lock = new Object();
  private boolean requested; // guarded by the lock
  // Whose clients to search if a search is requested; null for all clients. Guarded by the lock.
  private @Nullable Set<String> users = new HashSet<>();
  private volatile boolean closed;
  // Only used on the thread.
  private @Nullable Iterator<Runnable> search;
  private long beganAtNanos;
  private int disconnected;

  DisconnectSweep(ScheduledExecutorService thread, DisconnectSearch clients) {
    this.thread = thread;
    this.clients = clients;
  }

  /** Requests a search of all clients. Can be called on any thread. */
  public void request() {
    synchronized (lock) {
      users = null;
    }
    schedule();
  }

  /** Requests a search of the clients of these users. Can be called on any thread. */
  public void requestOf(Set<String> changed) {
    synchronized (lock) {
      if (users != null) {
        users.addAll(changed);
        if (users.size() > MAX_USERS) {
          users = null;
        }
      }
    }
    schedule();
  }

  private void schedule() {
    synchronized (lock) {
      if (closed || requested) {
        return;
      }
      requested = true;
    }
    try {
      thread.execute(this::begin);
    } catch (RejectedExecutionException e) { // would halt the metadata replica
      LOG.debug("Skipped a search for clients to disconnect: the node is stopping", e);
    }
  }

  private void begin() {
    if (search == null && !closed) {
      Set<String> wanted;
      synchronized (lock) {
        requested = false;
        wanted = users;
        users = new HashSet<>();
      }
      beganAtNanos = System.nanoTime();
      disconnected = 0;
      try {
        search = clients.search(wanted);
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
    LOG.error(
        "Cannot disconnect clients that are no longer admitted; please report this bug", failure);
    synchronized (lock) {
      users = null; // the next search finds what this one has missed
    }
    finish();
  }

  private void finish() {
    search = null;
    if (disconnected > 0) {
      LOG.info(
          "Disconnected clients that are banned, or whose user or certificate is no longer valid"
              + " count={}",
          disconnected);
    }
    boolean isRequested;
    synchronized (lock) {
      isRequested = requested;
    }
    if (isRequested) {
      thread.schedule(this::begin, System.nanoTime() - beganAtNanos, TimeUnit.NANOSECONDS);
    }
  }

  /** Ends the search in progress and allows no further ones. */
  @Override
  public void close() {
    closed = true;
  }
}
