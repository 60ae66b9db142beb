package io.fjordmq.broker.admin;

import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.ops.ControlDirectory.CommandResult;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decommissions this node at the request of any node, and stops the process when other nodes have
 * taken over its replicas. Thread-safe.
 */
public final class Decommission implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Decommission.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Supplier<CommandResult> leave;
  private volatile Runnable exit = () -> {};
  private @Nullable PeriodicTasks repeats;
  private @Nullable CommandResult done;

  /**
   * @param commands executes the command {@code leave} until it is done
   */
  public Decommission(ClusterCommands commands) {
    this(() -> commands.execute(List.of("leave")));
  }

  Decommission(Supplier<CommandResult> leave) {
    this.leave = leave;
  }

  /** Sets what drains and stops the process. Called once, before clients of the API connect. */
  public void setExit(Runnable drainAndStop) {
    exit = drainAndStop;
  }

  /**
   * Begins to decommission this node, or returns its progress. After the first call, the node
   * continues in the background. Blocks while the metadata is written.
   */
  public synchronized CommandResult request() {
    CommandResult finished = done;
    if (finished != null) {
      return finished;
    }
    CommandResult result = leave.get();
    if (result.exitCode() == CommandResult.DONE) {
      return finish(result);
    }
    if (result.exitCode() == CommandResult.IN_PROGRESS && repeats == null) {
      PeriodicTasks started = new PeriodicTasks("decommission");
      repeats = started;
      started.every(INTERVAL, "decommission", this::repeat);
    }
    return result;
  }

  private synchronized void repeat() {
    if (done == null) {
      CommandResult result = leave.get();
      if (result.exitCode() == CommandResult.DONE) {
        finish(result);
      } else if (result.exitCode() != CommandResult.IN_PROGRESS) {
        LOG.warn("Cannot decommission this node; retrying: {}", result.text());
      }
    }
  }

  private CommandResult finish(CommandResult result) {
    LOG.info("Decommissioned: this node is no longer a voter of any range; stopping");
    CommandResult stopping = CommandResult.done(result.text() + "; the node stops now");
    done = stopping;
    exit.run();
    return stopping;
  }

  @Override
  public void close() {
    PeriodicTasks running;
    synchronized (this) {
      running = repeats;
      done = done == null ? CommandResult.failed("the node is stopping") : done;
    }
    if (running != null) {
      running.close();
    }
  }
}
