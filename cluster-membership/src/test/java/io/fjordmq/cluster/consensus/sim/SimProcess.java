package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One life of a node, from its start to its crash or stop: what it scheduled dies with it. Stands
 * for all threads and timers of the node.
 */
public final class SimProcess implements Executor {
  private final Simulation simulation;
  private final NodeId node;
  private final @Nullable SimProcess parent;
  private final @Nullable Consumer<UncheckedIOException> onDiskFailure;
  private final Deque<Runnable> standing = new ArrayDeque<>();
  private boolean ended;
  private long resumesAtMillis;

  SimProcess(Simulation simulation, NodeId node) {
    this(simulation, node, null, null);
  }

  private SimProcess(
      Simulation simulation,
      NodeId node,
      @Nullable SimProcess parent,
      @Nullable Consumer<UncheckedIOException> onDiskFailure) {
    this.simulation = simulation;
    this.node = node;
    this.parent = parent;
    this.onDiskFailure = onDiskFailure;
  }

  public NodeId node() {
    return node;
  }

  public boolean alive() {
    return !ended && (parent == null || parent.alive());
  }

  public Simulation simulation() {
    return simulation;
  }

  /**
   * The whole node stands still for so long, as if its machine were stopped: what should happen to
   * it meanwhile happens afterwards, in the same order. Its clock goes on.
   */
  public void pause(long millis) {
    resumesAtMillis = Math.max(resumesAtMillis, simulation.now() + millis);
  }

  /** Keeps the action for later if the node stands still, or others still wait. */
  private boolean stands(Runnable action) {
    if (parent != null) {
      return parent.stands(action);
    }
    if (resumesAtMillis <= simulation.now() && standing.isEmpty()) {
      return false;
    }
    standing.add(action);
    if (standing.size() == 1) {
      simulation.schedule(resumesAtMillis - simulation.now(), this::resume);
    }
    return true;
  }

  /** One after the other, so that what must hold is looked at after each. */
  private void resume() {
    long still = resumesAtMillis - simulation.now();
    if (still <= 0) {
      standing.remove().run();
    }
    if (!standing.isEmpty()) {
      simulation.schedule(still, this::resume);
    }
  }

  /** Runs the action after a delay if this process is still alive then. */
  public Simulation.Scheduled schedule(long delayMillis, Runnable action) {
    return simulation.schedule(delayMillis, () -> run(action));
  }

  @Override
  public void execute(Runnable action) {
    schedule(0, action);
  }

  /** A part of this process that can end by itself and that survives a failing disk. */
  SimProcess part(Consumer<UncheckedIOException> whenDiskFails) {
    return new SimProcess(simulation, node, this, whenDiskFails);
  }

  void run(Runnable action) {
    if (alive() && !stands(() -> runNow(action))) {
      runNow(action);
    }
  }

  private void runNow(Runnable action) {
    if (!alive()) {
      return;
    }
    try {
      action.run();
    } catch (UncheckedIOException e) {
      if (onDiskFailure == null) {
        throw e;
      }
      onDiskFailure.accept(e);
    }
  }

  void end() {
    ended = true;
  }
}
