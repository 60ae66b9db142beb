package io.fjordmq.broker.chaos;

import static java.util.stream.Collectors.toList;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The main class of {@code bin/chaos.sh}: runs a cluster under load and faults, then reports the
 * findings. Exits with 0 if all guarantees were kept, 1 if not, 2 if the run itself failed.
 */
final class Chaos {
  private static final int RATE = 50;
  private static final long DRAIN_SECONDS = 90;
  private static final long LONG_RUN_SECONDS = 300;
  private static final long CALM_MILLIS = 3_000;
  private static final long MOVING_MILLIS = 1_500;
  private static final int WANTED_ROUTES =
      Integer.parseInt(System.getenv().getOrDefault("CHAOS_ROUTES", "100"));

  /**
   * Preallocates little disk space, so that a full disk has an effect soon, and finishes an upgrade
   * soon after all nodes have the new version.
   */
  private static final String SETTINGS =
      """
      membershipConfig:
        levelHoldDown: 5 s
      consensusConfig:
        log:
          memtableBytes: 1 MiB
          maxWalBytes: 2 MiB
      """;

  private static final Set<String> EXACTLY_ONCE = Set.of("exact");

  private final Path folder;
  private final long seed;
  private final long seconds;
  private final Set<String> kinds;
  private final int nodes;
  private final History history;
  private final List<ChaosPublisher> publishers;
  private final List<ChaosSubscriber> connectedSubscribers;
  private final ChaosSubscriber movingSubscriber;
  private final ChaosSubscriber offlineSubscriber;
  private final LiveLoad live;
  private final RouteLoad routes;

  /** Faults before which a node may have changed its version. */
  private int changes;

  private Chaos(Path folder, long seed, long seconds, Set<String> kinds, int nodes)
      throws IOException {
    this.folder = folder;
    this.seed = seed;
    this.seconds = seconds;
    this.kinds = kinds;
    this.nodes = nodes;
    this.history = new History(folder.resolve("history.txt"));
    this.publishers =
        List.of(
            newPublisher("first", 1, MqttQos.AT_LEAST_ONCE),
            newPublisher("second", 2, MqttQos.AT_LEAST_ONCE),
            newPublisher("exact", 3, MqttQos.EXACTLY_ONCE));
    this.movingSubscriber = newSubscriber("moving", 2);
    this.connectedSubscribers = List.of(newSubscriber("staying", 1), movingSubscriber);
    this.offlineSubscriber = newSubscriber("away", 3);
    this.live = new LiveLoad(nodes, history);
    this.routes = new RouteLoad(WANTED_ROUTES, nodes, history);
  }

  private ChaosPublisher newPublisher(String name, int node, MqttQos qos) {
    return new ChaosPublisher(newClient(name, node), history, name, qos, RATE);
  }

  private ChaosSubscriber newSubscriber(String name, int node) {
    return new ChaosSubscriber(first -> newClient(name, first), history, name, node);
  }

  private ChaosClient newClient(String name, int node) {
    return new ChaosClient(name, nodes, node, history);
  }

  /**
   * @param args directory for data and history, home of FjordMQ, seconds, seed, the kinds of faults
   *     joined by commas or "all", number of nodes, then the command of the nodes' JVM
   */
  public static void main(String[] args) throws Exception {
    Path folder = Files.createDirectories(Path.of(args[0]));
    long seconds = Long.parseLong(args[2]);
    long seed = Long.parseLong(args[3]);
    List<String> java = List.of(args).subList(6, args.length);
    Set<String> kinds = new TreeSet<>(List.of(args[4].split(",")));
    int nodes = Integer.parseInt(args[5]);
    String unusable = unusableReason(kinds, nodes);
    if (!unusable.isEmpty()) {
      System.out.println("chaos: " + unusable + "; see --help");
      System.exit(2);
    }
    Chaos chaos = new Chaos(folder, seed, seconds, kinds, nodes);
    int code;
    try {
      code = chaos.run(Path.of(args[1]), NodeVersions.of(java, System.getenv("CHAOS_FROM")));
    } catch (NodeFailure e) {
      System.out.println("chaos: BROKEN: " + e.getMessage() + "; seed " + seed + "; see " + folder);
      code = 1;
    } catch (IllegalStateException e) {
      System.out.println("the run failed, seed " + seed + ": " + e + "; see " + folder);
      code = 2;
    }
    System.exit(code);
  }

  /**
   * Why these kinds of faults cannot be run; empty if they can.
   *
   * @param kinds "all" or names of kinds
   */
  static String unusableReason(Set<String> kinds, int nodes) {
    Set<String> unknown = new TreeSet<>(kinds);
    unknown.removeAll(Fault.kinds());
    unknown.remove("all");
    if (!unknown.isEmpty()) {
      return "unknown kinds of faults: " + String.join(", ", unknown);
    }
    if (kinds.equals(Set.of("VersionChanged")) && System.getenv("CHAOS_FROM") == null) {
      return "VersionChanged requires CHAOS_FROM";
    }
    boolean isTooSmall = nodes < Fault.TwoDown.MIN_NODES;
    return kinds.contains("TwoDown") && isTooSmall ? "TwoDown requires CHAOS_NODES=5" : "";
  }

  private int run(Path home, NodeVersions versions) throws IOException, InterruptedException {
    System.out.printf("chaos: %d nodes, %d s, seed %d, in %s%n", nodes, seconds, seed, folder);
    try (ChaosCluster cluster =
        new ChaosCluster(nodes, WANTED_ROUTES, folder, home, versions, SETTINGS, history)) {
      cluster.start();
      connectedSubscribers.forEach(ChaosSubscriber::start);
      offlineSubscriber.start();
      offlineSubscriber.leave();
      routes.start();
      live.start();
      publishers.forEach(ChaosPublisher::start);
      if (versions.older() == null) {
        injectFaults(cluster, seed, seconds, false);
      } else {
        injectWithAddedNode(cluster, seed, false);
        injectWithAddedNode(cluster, seed + 2, true);
        System.out.println("chaos: upgrading all nodes");
        cluster.finishUpgrade();
        System.out.println("chaos: the cluster level was raised");
        injectFaults(cluster, seed + 1, seconds / 2, false);
      }
      awaitDelivery();
      history.close();
      return reportFindings();
    }
  }

  /**
   * Injects faults for a quarter of the run while the cluster has one more node, which joins it at
   * the level of the older version and is decommissioned afterwards.
   *
   * @param older whether that node runs the older version
   */
  private void injectWithAddedNode(ChaosCluster cluster, long sequence, boolean older)
      throws IOException {
    String version = older ? "older" : "newer";
    System.out.printf("chaos: adding a node of the %s version%n", version);
    cluster.addNode(older);
    injectFaults(cluster, sequence, seconds / 4, true);
    String progress = cluster.decommissionAddedNode();
    System.out.printf("chaos: decommissioned the node of the %s version: %s%n", version, progress);
  }

  /**
   * @param mixed whether a node changes its version before each fault
   */
  private void injectFaults(ChaosCluster cluster, long sequence, long duration, boolean mixed) {
    long end = System.nanoTime() + duration * 1_000_000_000L;
    int rounds = (int) Math.max(1, duration / 5);
    for (Fault fault : Fault.sequence(sequence, nodes, rounds)) {
      if (!isWanted(fault) || !cluster.canInject(fault)) {
        continue;
      }
      if (System.nanoTime() > end) {
        break;
      }
      Fault change = new Fault.VersionChanged(1 + changes % nodes, changes % 2 == 0);
      if (mixed && cluster.canInject(change)) {
        inject(cluster, change);
      }
      changes++;
      inject(cluster, fault);
    }
  }

  private void inject(ChaosCluster cluster, Fault fault) {
    System.out.println("chaos: " + fault);
    live.setFault(fault);
    cluster.inject(fault);
    ChaosCluster.pause(CALM_MILLIS);
    movingSubscriber.move();
    publishers.forEach(ChaosPublisher::returnHome);
    ChaosCluster.pause(MOVING_MILLIS);
  }

  /** A rolling restart would take most of a short run. */
  private boolean isWanted(Fault fault) {
    boolean isTooLong = fault instanceof Fault.RollingRestart && seconds < LONG_RUN_SECONDS;
    return kinds.contains(fault.getClass().getSimpleName())
        || (kinds.contains("all") && !isTooLong);
  }

  /** All faults are repaired: every sent message is acknowledged and arrives. */
  private void awaitDelivery() throws InterruptedException {
    for (ChaosPublisher publisher : publishers) {
      int unanswered = publisher.finish(DRAIN_SECONDS);
      if (unanswered > 0) {
        System.out.println(publisher.name() + ": " + unanswered + " never answered");
      }
    }
    offlineSubscriber.resume(2);
    awaitEverything();
    live.finish();
    routes.check(seed);
    routes.close();
    ChaosCluster.pause(1_000); // for late duplicates
    publishers.forEach(ChaosPublisher::close);
    connectedSubscribers.forEach(ChaosSubscriber::close);
    offlineSubscriber.close();
  }

  /** Waits as long as messages keep arriving: a client offline for an hour has many to fetch. */
  private void awaitEverything() {
    long seen = -1;
    long since = System.nanoTime();
    while (!hasEverythingArrived() && System.nanoTime() - since < DRAIN_SECONDS * 1_000_000_000L) {
      ChaosCluster.pause(100);
      long now =
          publishers.stream().mapToLong(each -> offlineSubscriber.highest(each.name())).sum();
      if (now != seen) {
        seen = now;
        since = System.nanoTime();
      }
    }
  }

  private boolean hasEverythingArrived() {
    return publishers.stream()
        .allMatch(
            publisher ->
                live.hasAll(publisher)
                    && Stream.concat(connectedSubscribers.stream(), Stream.of(offlineSubscriber))
                        .allMatch(
                            subscriber ->
                                subscriber.highest(publisher.name())
                                    >= publisher.highestAcknowledged()));
  }

  private int reportFindings() throws IOException {
    Path file = folder.resolve("history.txt");
    Set<String> subscribers =
        Stream.concat(connectedSubscribers.stream(), Stream.of(offlineSubscriber))
            .map(ChaosSubscriber::name)
            .collect(Collectors.toSet());
    List<HistoryChecker.Finding> findings = new ArrayList<>();
    List<RecoveryGaps> gaps;
    try (Stream<HistoryEvent> events = History.read(file)) {
      findings.addAll(HistoryChecker.check(events, subscribers, EXACTLY_ONCE));
    }
    try (Stream<HistoryEvent> events = History.read(file)) {
      findings.addAll(LiveChecker.check(events, live.listeners()));
    }
    try (Stream<HistoryEvent> events = History.read(file)) {
      gaps = RecoveryGaps.of(events);
    }
    publishers.forEach(p -> System.out.println(p.name() + ": acknowledged " + p.acknowledged()));
    reportGaps(gaps);
    System.out.print(live.latencyReport());
    Map<String, Long> byKind =
        findings.stream()
            .collect(
                Collectors.groupingBy(
                    finding -> finding.getClass().getSimpleName(),
                    TreeMap::new,
                    Collectors.counting()));
    findings.stream().limit(50).forEach(finding -> System.out.println("BROKEN: " + finding));
    System.out.println(
        findings.isEmpty()
            ? "chaos: no acknowledged message was lost, duplicated or reordered; seed " + seed
            : "chaos: BROKEN " + byKind + "; seed " + seed + "; see " + folder);
    return findings.isEmpty() ? 0 : 1;
  }

  private static void reportGaps(List<RecoveryGaps> gaps) {
    for (RecoveryGaps gap : gaps) {
      System.out.printf(
          "%-40s others %d ms; noticed after %d, back after %d more; longest wait %d; no message for %d%n",
          gap.fault(), gap.others(), gap.noticed(), gap.back(), gap.longest(), gap.silence());
    }
    Map<String, List<RecoveryGaps>> kinds =
        gaps.stream().collect(Collectors.groupingBy(RecoveryGaps::kind, TreeMap::new, toList()));
    System.out.println("median/worst in ms of the client that waited longest:");
    kinds.forEach(
        (kind, of) ->
            System.out.printf(
                "%-10s %3d times: others %s; noticed %s, back %s; longest wait %s; no message for %s%n",
                kind,
                of.size(),
                RecoveryGaps.GapSummary.of(of, RecoveryGaps::others),
                RecoveryGaps.GapSummary.of(of, RecoveryGaps::noticed),
                RecoveryGaps.GapSummary.of(of, RecoveryGaps::back),
                RecoveryGaps.GapSummary.of(of, RecoveryGaps::longest),
                RecoveryGaps.GapSummary.of(of, RecoveryGaps::silence)));
  }
}
