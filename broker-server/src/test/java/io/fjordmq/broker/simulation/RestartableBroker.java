package io.fjordmq.broker.simulation;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The broker from life to life, and what befalls it: it crashes and loses what it has not synced,
 * its ranges lose their leader or halt while it lives, its stores are slow to reach, its clock is
 * set. All ranges have one voter, the broker's own node.
 */
final class RestartableBroker implements Brokers, AutoCloseable {
  /** The reason that halted replicas report. */
  static final String FAULT = "simulated fault of a replica";

  private static final NodeId NODE = new NodeId("node0");

  private final Simulation simulation;
  private final SimCluster cluster;
  private final Path installs;
  private final SimSettings settings;
  private final Defect defect;
  private final Ledger ledger;
  private final SimKv.Disk disk = new SimKv.Disk();
  private @Nullable SimBroker running;
  private UnreliableTransport.Faults faults = UnreliableTransport.Faults.NONE;
  private long incarnation;
  private long clockOffsetMillis;
  private long clockSetMillis;

  RestartableBroker(Simulation simulation, Path installs, Defect defect, Ledger ledger) {
    this.simulation = simulation;
    this.cluster = new SimCluster(simulation);
    this.installs = installs;
    this.settings = SimSettings.draw(simulation);
    this.defect = defect;
    this.ledger = ledger;
    ledger.setNeverTimesOut(
        settings.client().deadline().toMillis() >= SimSettings.NO_TIMEOUT_DEADLINE_MILLIS);
  }

  // ---- what clients see

  /** Null while it is down. */
  @Nullable SimBroker running() {
    return running;
  }

  @Override
  public @Nullable Acceptor acceptor() {
    return running != null && running.isListening() ? running.clientServices() : null;
  }

  @Override
  public Moment now() {
    return new Moment(simulation.now(), clockSetMillis, incarnation);
  }

  // ---- what happens to it

  void start() {
    try {
      SimHost host = cluster.start(NODE);
      SimBroker started =
          new SimBroker(host, disk, installs, clock(), settings, ++incarnation, defect);
      started.setFaults(faults);
      running = started;
      ledger.setBrokerIncarnation(incarnation);
      ledger.note("the broker starts, incarnation " + incarnation);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void ensureRunning() {
    if (running == null) {
      start();
    }
  }

  void crash() {
    SimBroker dying = running;
    if (dying != null) {
      ledger.note("the broker crashes");
      running = null;
      cluster.crash(NODE);
      dying.onCrash();
      disk.crash(unflushed -> (int) simulation.between(0, unflushed));
    }
  }

  void setFaults(UnreliableTransport.Faults wanted) {
    faults = wanted;
    if (running != null) {
      running.setFaults(wanted);
    }
  }

  /** Injects a random fault, or none. */
  void injectFault() {
    if (running == null) {
      if (simulation.chance(70)) {
        start();
      }
    } else if (simulation.chance(10)) {
      crash();
    } else if (simulation.chance(10)) {
      loseLeaders();
    } else if (simulation.chance(30)) {
      loseLeader();
    } else if (simulation.chance(8)) {
      haltReplica();
    }
    if (simulation.chance(10)) {
      setClock(simulation.between(-2_000, 20_000));
    }
  }

  /** All ranges lose their leader for a while, then elect one in a new term. */
  void loseLeaders() {
    ledger.note("all ranges lose their leaders");
    SimHost host = cluster.host(NODE);
    host.running().forEach(host::depose);
  }

  private void loseLeader() {
    SimHost host = cluster.host(NODE);
    List<GroupId> groups = host.running();
    if (!groups.isEmpty()) {
      GroupId group = groups.get((int) simulation.between(0, groups.size() - 1L));
      ledger.note(group + " loses its leader");
      host.depose(group);
    }
  }

  /** A replica halts; its supervisor reopens it. */
  private void haltReplica() {
    SimHost host = cluster.host(NODE);
    List<GroupId> groups = host.running();
    if (!groups.isEmpty()) {
      GroupId group = groups.get((int) simulation.between(0, groups.size() - 1L));
      ledger.note(group + " halts");
      host.halt(group, new IOException(FAULT));
    }
  }

  void setClock(long byMillis) {
    ledger.note("the clock is set by " + byMillis + " ms");
    clockOffsetMillis += byMillis;
    clockSetMillis += Math.max(0, byMillis);
  }

  private InstantSource clock() {
    return () -> simulation.clock().instant().plusMillis(clockOffsetMillis);
  }

  @Override
  public void close() {
    cluster.close();
  }
}
