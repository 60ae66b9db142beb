package io.fjordmq.broker.chaos;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The nodes and their network; does faults to them. Used by one thread. */
final class ChaosCluster implements AutoCloseable {
  private static final long START_SECONDS = 90;

  private final Network network;
  private final Disks disks;
  private final List<ChaosNode> nodes = new ArrayList<>();
  private final History history;

  ChaosCluster(int size, Path folder, Path home, List<String> java, String extra, History history)
      throws IOException {
    this.network = new Network(size);
    this.disks = new Disks(folder);
    this.history = history;
    for (int number = 1; number <= size; number++) {
      nodes.add(
          new ChaosNode(number, size, network, folder.resolve("node" + number), home, java, extra));
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
    return !fault.isOfDisk() || disks.exist();
  }

  /** Does it and mends it; returns when every node accepts clients again. */
  void suffer(Fault fault) {
    history.fault(fault);
    if (fault instanceof Fault.Killed killed) {
      ChaosNode node = node(killed.node());
      node.kill();
      node.start();
    } else if (fault instanceof Fault.Restarted restarted) {
      ChaosNode node = node(restarted.node());
      node.stop();
      node.start();
    } else if (fault instanceof Fault.Rolled rolled) {
      ChaosNode node = node(rolled.node());
      node.drain();
      history.note("node " + node.number() + " is drained and has ended");
      node.start();
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
    } else if (fault instanceof Fault.DiskFull full) {
      disks.fill(full.node());
      pause(full.millis());
      disks.free(full.node());
    } else if (fault instanceof Fault.DiskSlow slow) {
      disks.stall(slow.node(), slow.millis());
    }
    history.note("mended");
    nodes.forEach(ChaosCluster::awaitReady);
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
