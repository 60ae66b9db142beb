package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/**
 * The nodes and their network; does faults to them. Used by one thread, and by a second one for the
 * first of two faults at once, which does nothing to a node's process.
 */
final class ChaosCluster implements AutoCloseable {
  private static final long START_SECONDS = 90;
  private static final long SECOND_AFTER_MILLIS = 1_500;

  private final Network network;
  private final Disks disks;
  private final Clocks clocks;
  private final List<ChaosNode> nodes = new ArrayList<>();
  private final History history;

  ChaosCluster(int size, Path folder, Path home, List<String> java, String extra, History history)
      throws IOException {
    this.network = new Network(size);
    this.disks = new Disks(folder);
    this.clocks = new Clocks(folder, System.getenv("CHAOS_FAKETIME"));
    this.history = history;
    for (int number = 1; number <= size; number++) {
      Path of = folder.resolve("node" + number);
      nodes.add(new ChaosNode(number, size, network, clocks, of, home, java, extra));
      setClock(number, 0);
    }
  }

  /** Starts the nodes one after the other; returns when clients can connect to each. */
  void start() {
    for (ChaosNode node : nodes) {
      node.start();
      awaitReady(node);
      history.note("node " + node.number() + " accepts clients");
    }
  }

  private static void awaitReady(ChaosNode node) {
    long deadline = System.nanoTime() + START_SECONDS * 1_000_000_000L;
    while (!accepts(node)) {
      if (!node.isRunning()) {
        throw new IllegalStateException("node " + node.number() + " ended at start");
      }
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException(
            "node " + node.number() + " takes no clients after " + START_SECONDS + " s");
      }
      pause(50);
    }
  }

  private static boolean accepts(ChaosNode node) {
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

  /** Whether this machine lets it be done. */
  boolean canSuffer(Fault fault) {
    return fault.parts().stream()
        .allMatch(
            part ->
                (!part.isOfDisk() || disks.exist())
                    && (!part.isOfPower() || disks.canLosePower())
                    && (!(part instanceof Fault.ClockJump) || clocks.canJump()));
  }

  /**
   * Does it and mends it; returns when every node accepts clients again.
   *
   * @throws NodeFailure if one does not
   */
  void suffer(Fault fault) {
    history.fault(fault);
    try {
      breakAndMendAll(fault);
      history.note("mended");
      nodes.forEach(ChaosCluster::awaitReady);
    } catch (IllegalStateException e) {
      throw new NodeFailure(fault, e);
    }
  }

  private void breakAndMendAll(Fault fault) {
    if (fault instanceof Fault.TwoAtOnce two) {
      CompletableFuture<Void> first = CompletableFuture.runAsync(() -> breakAndMend(two.first()));
      pause(SECOND_AFTER_MILLIS);
      breakAndMend(two.second());
      await(first);
      startAgain(fault.nodes());
    } else {
      breakAndMend(fault);
    }
  }

  private static void await(CompletableFuture<Void> fault) {
    try {
      fault.join();
    } catch (CompletionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /** A node need not start with a full disk or a wrong clock; now it has neither. */
  private void startAgain(Set<Integer> numbers) {
    for (int number : numbers) {
      if (!node(number).isRunning()) {
        history.note("node " + number + " did not start while the other fault lasted");
        node(number).start();
      }
    }
  }

  private void breakAndMend(Fault fault) {
    if (fault instanceof Fault.Killed killed) {
      ChaosNode node = node(killed.node());
      node.kill();
      node.start();
    } else if (fault.isOfPower()) {
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
    } else if (fault instanceof Fault.RollingRestart rolling) {
      restartAll(rolling.drain());
    } else if (fault instanceof Fault.Frozen frozen) {
      node(frozen.node()).freeze();
      pause(frozen.millis());
      node(frozen.node()).thaw();
    } else if (fault instanceof Fault.Unplugged unplugged) {
      network.unplug(unplugged.node());
      pause(unplugged.millis());
      network.plug(unplugged.node());
    } else if (fault instanceof Fault.HalfCut half) {
      network.cut(half.from(), half.to());
      pause(half.millis());
      network.mend(half.from(), half.to());
    } else if (fault instanceof Fault.PairCut pair) {
      network.cut(pair.one(), pair.other());
      network.cut(pair.other(), pair.one());
      pause(pair.millis());
      network.mend(pair.one(), pair.other());
      network.mend(pair.other(), pair.one());
    } else if (fault instanceof Fault.ClockJump jump) {
      jump.nodes().forEach(node -> setClock(node, jump.seconds()));
      pause(jump.millis());
      jump.nodes().forEach(node -> setClock(node, 0));
    } else if (fault instanceof Fault.DiskFull full) {
      disks.fill(full.node());
      pause(full.millis());
      disks.free(full.node());
    } else if (fault instanceof Fault.DiskSlow slow) {
      disks.stall(slow.node(), slow.millis());
    }
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
    numbers.forEach(disks::losePower);
    numbers.forEach(number -> node(number).kill());
    numbers.forEach(disks::restorePower);
    numbers.forEach(number -> node(number).start());
  }

  private void setClock(int number, long seconds) {
    if (clocks.canJump()) {
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
    network.close();
  }
}
