package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients from which nothing is read because this node has no valid lease. The cluster may have
 * marked the node DOWN, so the node must not act on behalf of the clients, but need not disconnect
 * them. At most one read per client is buffered. Thread-safe.
 */
final class PausedClients {
  /** A client that can be paused. */
  interface Client {
    EventLoop loop();

    /** Resumes the client after the lease has been renewed. Called on the client's event loop. */
    void resume();
  }

  private final ServingState servingState;

  /**
   * The paused clients, in insertion order so that simulation runs are reproducible. Guarded by its
   * own monitor.
   */
  private final Set<Client> paused = new LinkedHashSet<>();

  PausedClients(ServingState servingState) {
    this.servingState = servingState;
  }

  boolean mayServe() {
    return servingState.notServingReason() == null;
  }

  /**
   * Pauses the client until {@link #resumeAll}. If the lease has been renewed since the caller
   * checked it, {@code resumeAll} might not be called again, so this method calls it.
   */
  void add(Client client) {
    synchronized (paused) {
      paused.add(client);
    }
    if (mayServe()) {
      resumeAll();
    }
  }

  void remove(Client client) {
    synchronized (paused) {
      paused.remove(client);
    }
  }

  /**
   * Resumes all clients because the node is serving again. Can be called on any thread; called
   * often, mostly while no client is paused.
   */
  void resumeAll() {
    List<Client> released;
    synchronized (paused) {
      if (paused.isEmpty()) {
        return;
      }
      released = List.copyOf(paused);
      paused.clear();
    }
    released.forEach(client -> client.loop().execute(client::resume));
  }
}
