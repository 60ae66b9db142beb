package io.fjordmq.broker.alarms;

import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.net.CertificateStatus;
import io.fjordmq.broker.revocation.ExpiringList;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;

/** Checks the conditions of this node periodically, on its own thread. */
public final class AlarmMonitor implements AutoCloseable {
  private final AlarmSettings settings;
  private final Sources sources;
  private final AlarmTracker tracker;
  private final PeriodicTasks tasks;

  /** Certificates that are known only after this monitor has started. */
  private final List<Supplier<List<CertificateStatus>>> certificates = new CopyOnWriteArrayList<>();

  private volatile Supplier<List<ExpiringList>> revocationLists = List::of;

  /**
   * The sources that the monitor reads. Called on its thread; must not block for long.
   *
   * @param clusterTime the times of alarms
   * @param wallClock the time that certificates and revocation lists are compared with
   */
  public record Sources(
      Supplier<NodeHealth> node,
      Supplier<ClusterState> cluster,
      InstantSource clusterTime,
      InstantSource wallClock) {}

  private AlarmMonitor(AlarmSettings settings, Sources sources, AlarmTracker tracker) {
    this.settings = settings;
    this.sources = sources;
    this.tracker = tracker;
    this.tasks = new PeriodicTasks("alarms");
  }

  /** Starts checking. */
  public static AlarmMonitor start(
      AlarmSettings settings, Sources sources, AlarmObserver observer) {
    AlarmMonitor monitor =
        new AlarmMonitor(settings, sources, new AlarmTracker(settings, observer));
    monitor.tasks.every(settings.checkInterval(), "alarms", monitor::check);
    return monitor;
  }

  /** Also checks these certificates from now on. */
  public void addCertificates(Supplier<List<CertificateStatus>> source) {
    certificates.add(source);
  }

  /**
   * Also checks revocation lists from now on.
   *
   * @param source the lists that have expired or expire soon
   */
  public void checkRevocationLists(Supplier<List<ExpiringList>> source) {
    revocationLists = source;
  }

  private void check() {
    List<AlarmCondition> conditions = new ArrayList<>(sources.node.get().conditions(settings));
    ClusterState cluster = sources.cluster.get();
    conditions.addAll(ClusterConditions.of(cluster));
    conditions.addAll(ComparisonConditions.of(cluster.differences()));
    Instant clusterTime = sources.clusterTime.instant();
    conditions.addAll(UpgradeConditions.of(cluster.level(), clusterTime, settings));
    List<CertificateStatus> all =
        certificates.stream().flatMap(source -> source.get().stream()).toList();
    Instant now = sources.wallClock.instant();
    conditions.addAll(CertificateConditions.of(all, now, settings));
    conditions.addAll(RevocationListConditions.of(revocationLists.get(), now));
    tracker.update(clusterTime, conditions);
  }

  AlarmTracker tracker() {
    return tracker;
  }

  @Override
  public void close() {
    tasks.close();
  }
}
