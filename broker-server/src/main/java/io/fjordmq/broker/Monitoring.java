package io.fjordmq.broker;

import com.sun.management.OperatingSystemMXBean;
import io.fjordmq.broker.admin.HostLoad;
import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.broker.admin.NodeResources;
import io.fjordmq.broker.alarms.AlarmMonitor;
import io.fjordmq.broker.alarms.AlarmQueries;
import io.fjordmq.broker.alarms.ClusterState;
import io.fjordmq.broker.alarms.NodeHealth;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.disk.NodeDisk;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.limits.DescriptorUsage;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.monitor.Gauges;
import io.fjordmq.broker.monitor.MonitorQueries;
import io.fjordmq.broker.monitor.Reading;
import io.fjordmq.broker.monitor.Sampler;
import io.fjordmq.broker.monitor.Series;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import io.netty.util.internal.PlatformDependent;
import java.lang.management.ManagementFactory;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Monitors this node for operators: alarms, samples and resources. */
final class Monitoring implements ShutdownSequence.Composite {
  record Dependencies(
      BrokerConfig config,
      ClusterNode node,
      ReplicatedStores stores,
      OverloadGuard overload,
      NodeNames names,
      Observers observers) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final Dependencies dependencies;
  private final AlarmMonitor alarms;
  private final AlarmQueries alarmQueries;
  private final MonitorQueries monitorQueries;
  private final @Nullable OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  /** Starts checking for alarms and taking samples. */
  static Monitoring open(Dependencies dependencies) {
    return new Monitoring(dependencies);
  }

  private Monitoring(Dependencies dependencies) {
    this.dependencies = dependencies;
    ClusterNode node = dependencies.node;
    InstantSource clusterTime = node.membership().clock();
    Observers observers = dependencies.observers;
    alarms =
        shutdownSequence.add(
            "alarms",
            AlarmMonitor.start(
                dependencies.config.alarmsConfig(),
                new AlarmMonitor.Sources(
                    this::health, this::clusterState, clusterTime, InstantSource.system()),
                observers.alarms()));
    alarmQueries = AlarmQueries.start(alarms, node.membership(), node.peers(), clusterTime);
    Sampler sampler = shutdownSequence.add("monitor", Sampler.start(new Source(), clusterTime));
    monitorQueries =
        MonitorQueries.start(sampler, observers.counters(), node.membership(), node.peers());
  }

  private NodeHealth health() {
    OverloadGuard overload = dependencies.overload;
    return new NodeHealth(
        overload.isOverloaded() ? String.join(", ", overload.reasons()) : null,
        dependencies.stores.disk().shortage(),
        dependencies.stores.disk().stateFailure(),
        dependencies.node.host().failure(),
        dependencies.node.membership().clock().wallAheadMillis(),
        overload.descriptors());
  }

  private ClusterState clusterState() {
    ClusterNode node = dependencies.node;
    return new ClusterState(
        node.self(),
        node.membership().members(),
        dependencies.names::of,
        dependencies.stores.ranges().ranges().status(),
        dependencies.stores.ranges().publishedRanges(),
        votersByStore(),
        node.metadata().leadership().leader() != null,
        node.membership().levelStatus(),
        dependencies.stores.ranges().differences());
  }

  private Map<String, Integer> votersByStore() {
    return VoterCounts.withStoredCounts(
            dependencies.node.metadata().view(), dependencies.config.storePlacements())
        .stream()
        .collect(Collectors.toMap(StorePlacement::store, StorePlacement::voters));
  }

  private final class Source implements Sampler.Source {
    @Override
    public Gauges gauges() {
      ReplicatedStores stores = dependencies.stores;
      NodeDisk disk = stores.disk();
      return new Gauges(
          dependencies.observers.traffic().get(),
          stores.inboxes().status(),
          stores.router().status().filters(),
          stores.ledRetainedMessages(),
          dependencies.overload.reading().heapPercent(),
          new Gauges.Disk(usedBytes(disk), disk.totalBytes()));
    }

    @Override
    public Reading reading() {
      return new Reading(
          gauges(),
          dependencies.observers.acknowledgements().get(),
          system == null ? Series.UNKNOWN : system.getProcessCpuTime());
    }
  }

  private static long usedBytes(NodeDisk disk) {
    return Math.max(0, disk.totalBytes() - disk.freeBytes());
  }

  /** The resources of this node. Does not block. */
  static NodeResources resources(NodeDisk disk, OverloadGuard overload) {
    Runtime runtime = Runtime.getRuntime();
    DescriptorUsage descriptors = overload.descriptors();
    return new NodeResources(
        runtime.totalMemory()
            - runtime.freeMemory()
            + Math.max(0, PlatformDependent.usedDirectMemory()),
        runtime.maxMemory() + Math.max(0, PlatformDependent.maxDirectMemory()),
        descriptors.isKnown() ? descriptors.open() : 0,
        descriptors.isKnown() ? descriptors.max() : 0,
        usedBytes(disk),
        disk.totalBytes(),
        disk.isLow(),
        HostLoad.now());
  }

  /** The alarms of this node. */
  AlarmMonitor alarms() {
    return alarms;
  }

  /** The alarms of all nodes. */
  AlarmQueries alarmQueries() {
    return alarmQueries;
  }

  /** The measured values of all nodes. */
  MonitorQueries monitorQueries() {
    return monitorQueries;
  }

  @Override
  public List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }
}
