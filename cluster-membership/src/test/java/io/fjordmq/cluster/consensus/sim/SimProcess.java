package io.fjordmq.cluster.consensus.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.testing.Simulation;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One process of a node, from its start to its crash or stop: everything it scheduled ends with it.
 * Represents all threads and timers of the node.
 */
public final class SimProcess implements Executor {
  private final Simulation simulation;
  private final NodeId node;
  private final @Nullable SimProcess parent;
  private final @Nullable Consumer<UncheckedIOException> onDiskFailure;
  private final Deque<Runnable> deferred = new ArrayDeque<>();
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

  public boolean isAlive() {
    return !ended && (parent == null || parent.isAlive());
  }

  public Simulation simulation() {
    return simulation;
  }

  /**
   * Pauses the whole node, as if its machine were stopped: events that are due meanwhile run
   * afterwards, in the same order. The clock of the node continues.
   */
  public void pause(long millis) {
    resumesAtMillis = Math.max(resumesAtMillis, simulation.now() + millis);
  }

  /** Defers the action if the node is paused or other actions are still deferred. */
  private boolean deferIfPaused(Runnable action) {
    if (parent != null) {
      return parent.deferIfPaused(action);
    }
    if (resumesAtMillis <= simulation.now() && deferred.isEmpty()) {
      return false;
    }
    deferred.add(action);
    if (deferred.size() == 1) {
      simulation.schedule(resumesAtMillis - simulation.now(), this::resume);
    }
    return true;
  }

  /** Runs the actions one after the other, so that invariants are checked after each. */
  private void resume() {
    long remainingMillis = resumesAtMillis - simulation.now();
    if (remainingMillis <= 0) {
      deferred.remove().run();
    }
    if (!deferred.isEmpty()) {
      simulation.schedule(remainingMillis, this::resume);
    }
  }

  /** Runs the action after a delay if this process is still alive. */
  public Simulation.Scheduled schedule(long delayMillis, Runnable action) {
    return simulation.schedule(delayMillis, () -> run(action));
  }

  @Override
  public void execute(Runnable action) {
    schedule(0, action);
  }

  /** Creates a part of this process that can end on its own and survives a failing disk. */
  SimProcess createPart(Consumer<UncheckedIOException> whenDiskFails) {
    return new SimProcess(simulation, node, this, whenDiskFails);
  }

  void run(Runnable action) {
    if (isAlive() && !deferIfPaused(() -> runNow(action))) {
      runNow(action);
    }
  }

  private void runNow(Runnable action) {
    if (!isAlive()) {
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
