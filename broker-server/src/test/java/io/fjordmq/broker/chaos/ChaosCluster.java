package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The nodes and their network; injects faults into them. Used by one thread, except that other
 * threads inject all but the last of several simultaneous faults, which do not affect processes.
 */
final class ChaosCluster implements AutoCloseable {
  private static final long START_SECONDS = 90;

  /** A node gets one more second to start for each this many routes. */
  private static final int ROUTES_PER_SECOND = 1_000;

  private static final long LAST_AFTER_MILLIS = 1_500;

  private final long startSeconds;
  private final Network network;
  private final Disks disks;
  private final Clocks clocks;
  private final List<ChaosNode> nodes = new ArrayList<>();
  private final History history;
  private final NodeFactory added;
  private final boolean upgrades;
  private boolean upgraded;
  private @Nullable ChaosNode addedNode;

  /** Creates one more node than there are at the start. */
  private interface NodeFactory {
    ChaosNode create(String name) throws IOException;
  }

  /**
   * @param routes expected number of routes; all nodes may have to load them at the same time
   */
  ChaosCluster(
      int size,
      int routes,
      Path folder,
      Path home,
      NodeVersions versions,
      String extra,
      History history)
      throws IOException {
    this.startSeconds = START_SECONDS + routes / ROUTES_PER_SECOND;
    int addedNumber = size + 1;
    this.network = new Network(addedNumber);
    this.disks = new Disks(folder);
    this.clocks = new Clocks(folder, System.getenv("CHAOS_FAKETIME"));
    this.history = history;
    this.upgrades = versions.older() != null;
    for (int number = 1; number <= size; number++) {
      Path of = folder.resolve("node" + number);
      nodes.add(new ChaosNode(number, size, network, clocks, of, home, versions, extra));
      setClock(number, 0);
    }
    Path of = folder.resolve("node" + addedNumber);
    this.added =
        name ->
            new ChaosNode(
                addedNumber, size, network, clocks, of.resolve(name), home, versions, extra);
  }

  /** Starts the nodes one by one; returns when clients can connect to each. */
  void start() {
    for (ChaosNode node : nodes) {
      node.start();
      awaitReady(node);
      history.note("node " + node.number() + " accepts clients");
    }
  }

  private void awaitReady(ChaosNode node) {
    if (!awaitReadyOrExit(node)) {
      throw new IllegalStateException("node " + node.number() + " exited during startup");
    }
  }

  /** Waits until clients can connect to the node; returns false if its process exits first. */
  private boolean awaitReadyOrExit(ChaosNode node) {
    long deadline = System.nanoTime() + startSeconds * 1_000_000_000L;
    while (!acceptsConnections(node)) {
      if (!node.isRunning()) {
        return false;
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "node " + node.number() + " accepts no clients after " + startSeconds + " s");
      }
      pause(50);
    }
    return true;
  }

  private static boolean acceptsConnections(ChaosNode node) {
    try (Socket probe = new Socket()) {
      probe.connect(
          new InetSocketAddress(Network.address(node.number()), ChaosNode.MQTT_PORT), 500);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  static void pause(long millis) {
    long until = System.nanoTime() + millis * 1_000_000;
    while (System.nanoTime() < until) {
      LockSupport.parkNanos(until - System.nanoTime());
    }
  }

  /** Whether this machine supports the fault, and the versions of the nodes do. */
  boolean canInject(Fault fault) {
    return fault.parts().stream()
        .allMatch(
            part ->
                (!part.needsDisks() || disks.areAvailable())
                    && (!part.needsPowerCuts() || disks.canLosePower())
                    && (!(part instanceof Fault.ClockJump) || clocks.canChange())
                    && (!(part instanceof Fault.VersionChanged changed) || canChange(changed)));
  }

  /** As long as one node runs the older version, the level stays, and the others can go back. */
  private boolean canChange(Fault.VersionChanged change) {
    long older = nodes.stream().filter(ChaosNode::isOlder).count();
    return upgrades && !upgraded && (!node(change.node()).isOlder() || older > 1);
  }

  /**
   * Adds a node with an empty data directory, which replicas move to; returns when it accepts
   * clients, although none connects to it. Faults are not injected into it.
   *
   * @param older whether it runs the older version. Then at least one of the others has the new one
   * @throws NodeFailure if it cannot join
   */
  void addNode(boolean older) throws IOException {
    if (older && nodes.stream().allMatch(ChaosNode::isOlder)) {
      inject(new Fault.VersionChanged(1, true));
    }
    String name = older ? "older" : "newer";
    ChaosNode node = added.create(name);
    if (!older) {
      node.changeVersion();
    }
    addedNode = node;
    setClock(node.number(), 0);
    history.note("adding node " + node.number() + " of the " + name + " version");
    try {
      node.start();
      awaitReady(node);
    } catch (IllegalStateException e) {
      throw new NodeFailure("adding a node of the " + name + " version", e);
    }
    history.note("node " + node.number() + " accepts clients");
  }

  /**
   * Decommissions the added node. Returns when it has exited and all others accept clients.
   *
   * @return what it had to move, for people
   * @throws NodeFailure if it cannot be decommissioned
   */
  String decommissionAddedNode() {
    ChaosNode node = Objects.requireNonNull(addedNode, "no node was added");
    history.note("decommissioning node " + node.number());
    try {
      awaitReady(node);
      String progress = node.decommission(startSeconds);
      nodes.forEach(this::awaitReady);
      addedNode = null;
      history.note("node " + node.number() + " is decommissioned");
      return progress;
    } catch (IllegalStateException e) {
      throw new NodeFailure("decommissioning an added node", e);
    }
  }

  /**
   * Upgrades all nodes that still run the older version, one after the other; the first of them is
   * killed. Returns when the cluster level has been raised.
   */
  void finishUpgrade() {
    upgraded = true;
    boolean drain = false;
    for (ChaosNode node : nodes) {
      if (node.isOlder()) {
        inject(new Fault.VersionChanged(node.number(), drain));
        drain = true;
      }
    }
    long deadline = System.nanoTime() + startSeconds * 1_000_000_000L;
    while (nodes.stream().noneMatch(node -> node.hasLogged("The cluster level was raised"))) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the cluster level was not raised after the upgrade");
      }
      pause(200);
    }
    history.note("the cluster level was raised");
  }

  /**
   * Injects the fault and repairs it; returns when every node accepts clients again.
   *
   * @throws NodeFailure if a node does not accept clients
   */
  void inject(Fault fault) {
    history.recordFault(fault);
    try {
      injectAndRepairAll(fault);
      history.note("repaired");
      nodes.forEach(this::awaitReady);
    } catch (IllegalStateException e) {
      throw new NodeFailure(fault.toString(), e);
    }
  }

  private void injectAndRepairAll(Fault fault) {
    List<Fault> parts = fault.parts();
    Fault last = parts.get(parts.size() - 1);
    if (parts.size() == 1) {
      injectAndRepair(last);
      return;
    }
    List<CompletableFuture<Void>> lasting = new ArrayList<>();
    parts.stream()
        .filter(part -> part != last)
        .forEach(part -> lasting.add(injectInBackground(part)));
    pause(LAST_AFTER_MILLIS);
    injectAndRepair(last);
    lasting.forEach(ChaosCluster::await);
    restartExited(fault.nodes());
  }

  /** The disk is full when this returns: the power must not be cut while it is being filled. */
  private CompletableFuture<Void> injectInBackground(Fault fault) {
    if (fault instanceof Fault.DiskFull full) {
      disks.fill(full.node());
      return CompletableFuture.runAsync(() -> freeAfter(full));
    }
    return CompletableFuture.runAsync(() -> injectAndRepair(fault));
  }

  private void freeAfter(Fault.DiskFull full) {
    pause(full.millis());
    disks.free(full.node());
  }

  private static void await(CompletableFuture<Void> fault) {
    try {
      fault.join();
    } catch (CompletionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * A node need not start with a full disk or a wrong clock; both are repaired by now. Its process
   * may still be about to exit.
   */
  private void restartExited(Set<Integer> numbers) {
    for (int number : numbers) {
      if (!awaitReadyOrExit(node(number))) {
        history.note("node " + number + " did not start while the other fault lasted");
        node(number).start();
      }
    }
  }

  private void injectAndRepair(Fault fault) {
    if (fault instanceof Fault.Killed killed) {
      ChaosNode node = node(killed.node());
      node.kill();
      node.start();
    } else if (fault.needsPowerCuts()) {
      cutPower(fault.nodes());
    } else if (fault instanceof Fault.Restarted restarted) {
      ChaosNode node = node(restarted.node());
      node.stop();
      node.start();
    } else if (fault instanceof Fault.Rolled rolled) {
      ChaosNode node = node(rolled.node());
      node.drain();
      history.note("node " + node.number() + " is drained and has ended");
      node.start();
    } else if (fault instanceof Fault.VersionChanged changed) {
      changeVersion(node(changed.node()), changed.drain());
    } else if (fault instanceof Fault.RollingRestart rolling) {
      restartAll(rolling.drain());
    } else if (fault instanceof Fault.TwoDown two) {
      takeDown(two);
    } else if (fault instanceof Fault.Frozen frozen) {
      node(frozen.node()).freeze();
      pause(frozen.millis());
      node(frozen.node()).thaw();
    } else if (fault instanceof Fault.Unplugged unplugged) {
      network.disconnect(unplugged.node());
      pause(unplugged.millis());
      network.reconnect(unplugged.node());
    } else if (fault instanceof Fault.HalfCut half) {
      network.cut(half.from(), half.to());
      pause(half.millis());
      network.restore(half.from(), half.to());
    } else if (fault instanceof Fault.PairCut pair) {
      network.cut(pair.one(), pair.other());
      network.cut(pair.other(), pair.one());
      pause(pair.millis());
      network.restore(pair.one(), pair.other());
      network.restore(pair.other(), pair.one());
    } else if (fault instanceof Fault.ClockJump jump) {
      jump.nodes().forEach(node -> setClock(node, jump.seconds()));
      pause(jump.millis());
      jump.nodes().forEach(node -> setClock(node, 0));
    } else if (fault instanceof Fault.DiskFull full) {
      disks.fill(full.node());
      freeAfter(full);
    } else if (fault instanceof Fault.DiskSlow slow) {
      disks.stall(slow.node(), slow.millis());
    }
  }

  private static void changeVersion(ChaosNode node, boolean drain) {
    if (drain) {
      node.drain();
    } else {
      node.kill();
    }
    node.changeVersion();
    node.start();
  }

  private void takeDown(Fault.TwoDown two) {
    node(two.first()).kill();
    pause(two.apartMillis());
    node(two.second()).kill();
    pause(two.millis());
    node(two.first()).start();
    node(two.second()).start();
  }

  private void restartAll(boolean drain) {
    for (ChaosNode node : nodes) {
      if (drain) {
        node.drain();
      } else {
        node.stop();
      }
      node.start();
      awaitReady(node);
    }
  }

  /** Freezes the nodes first: a node that lost power does not see its writes fail. */
  private void cutPower(Set<Integer> numbers) {
    numbers.forEach(number -> node(number).freeze());
    disks.cutPower(numbers, number -> node(number).kill());
    numbers.forEach(number -> node(number).start());
  }

  private void setClock(int number, long seconds) {
    if (clocks.canChange()) {
      clocks.set(number, seconds);
    }
  }

  private ChaosNode node(int number) {
    return nodes.get(number - 1);
  }

  @Override
  public void close() {
    for (ChaosNode node : nodes) {
      if (node.isRunning()) {
        node.kill();
      }
    }
    ChaosNode more = addedNode;
    if (more != null && more.isRunning()) {
      more.kill();
    }
    network.close();
  }
}
