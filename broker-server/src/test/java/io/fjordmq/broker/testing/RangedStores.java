package io.fjordmq.broker.testing;

import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.inbox.client.ReplicatedInboxStore;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.fjordmq.range.sim.LocalRanges;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.retain.client.ReplicatedRetainStore;
import io.fjordmq.retain.client.RetainSweeper;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.router.RouteStore;
import io.fjordmq.router.client.ReplicatedRouteStore;
import java.time.Duration;
import java.time.InstantSource;

/**
 * The three stores of a node on the range engine, without threads and without a disk. They have
 * their own clock, and their data outlives {@link #crash}.
 */
final class RangedStores implements AutoCloseable {
  private final ProcessListener listener = new ProcessListener();
  private final RouteReplicas routes = new RouteReplicas(RouteSettings.DEFAULTS);
  private final RetainReplicas retainReplicas = new RetainReplicas(RetainSettings.DEFAULTS);
  private final InboxReplicas inboxReplicas =
      new InboxReplicas(InboxSettings.DEFAULT, listener, InboxObserver.NONE);
  private final LocalRanges ranges =
      LocalRanges.of(routes.spec(), inboxReplicas.spec(), retainReplicas.spec());
  private Process process = new Process(1);

  /** The parts of the stores that belong to one broker process. */
  private final class Process {
    private final StoreTasks tasks = new StoreTasks();
    private final ReplicatedRouteStore router =
        new ReplicatedRouteStore(client(RouteReplicas.STORE), routes);
    private final ReplicatedRetainStore retained =
        new ReplicatedRetainStore(
            RetainSettings.DEFAULTS, client(RetainReplicas.STORE), retainReplicas, ranges.timers());
    private final RetainSweeper retainSweeper =
        new RetainSweeper(client(RetainReplicas.STORE), retainReplicas, ranges.timers());
    private final ReplicatedInboxStore inboxes =
        new ReplicatedInboxStore(
            client(InboxReplicas.STORE),
            inboxReplicas,
            range -> true,
            InboxSettings.DEFAULT,
            ranges.timers(),
            ranges.timers(),
            InboxObserver.NONE);
    private final InboxSweeper sweeper;
    private final long incarnation;

    private Process(long incarnation) {
      this.incarnation = incarnation;
      RangeClient client = client(InboxReplicas.STORE);
      sweeper =
          new InboxSweeper(
              client,
              () -> client.locate(KeyInterval.ALL),
              (node, its) -> its >= incarnation,
              ranges.timers(),
              InboxSettings.DEFAULT,
              InboxObserver.NONE);
    }

    private RangeClient client(String store) {
      return new DeferredClient(ranges.client(store), tasks, tasks);
    }
  }

  /** The incarnation of the process, from 1. */
  long incarnation() {
    return process.incarnation;
  }

  void setListener(InboxListener process) {
    listener.setTarget(process);
  }

  RouteStore router() {
    return process.router;
  }

  InboxStore inboxes() {
    return process.inboxes;
  }

  RetainStore retained() {
    return process.retained;
  }

  InstantSource clock() {
    return ranges.timers();
  }

  /** Calls stop taking effect until {@link #resume}. */
  void hold() {
    process.tasks.hold();
  }

  void resume() {
    process.tasks.resume();
  }

  /** Runs queued calls; returns whether there were any. */
  boolean run() {
    return process.tasks.run();
  }

  /** Advances time; expired timers are queued to run. */
  void advance(Duration time) {
    ranges.advance(time);
  }

  /** Runs the tasks a node runs every second. */
  void sweep() {
    process.sweeper.sweep();
    process.retainSweeper.sweep();
  }

  /** Crashes the process: calls without a response are lost. */
  void crash() {
    listener.setTarget(null);
    process.tasks.hold();
    ranges.crash();
    process = new Process(process.incarnation + 1);
  }

  @Override
  public void close() {
    listener.setTarget(null);
    ranges.close();
  }
}
