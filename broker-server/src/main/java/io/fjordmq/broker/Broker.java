package io.fjordmq.broker;

import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.admin.Decommission;
import io.fjordmq.broker.backup.Backups;
import io.fjordmq.broker.bans.DisconnectSweep;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.MonotonicClock;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.net.CertificateStatus;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.broker.rest.RestServices;
import io.fjordmq.broker.security.Plugins;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.broker.telemetry.Telemetry;
import io.fjordmq.broker.userdb.UserDirectory;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.metadata.MetadataClient;
import io.fjordmq.range.kv.KvException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root: builds a node in stages, from the disk up to the listeners, and closes the
 * stages in reverse order. Each stage receives its dependencies as a record and closes what it
 * opened: {@link Storage}, {@link ClusterNode}, {@link ControlPlane}, {@link ReplicatedStores},
 * {@link Diagnostics}, {@link ClientServices}, {@link Operations}.
 */
public final class Broker implements ShutdownSequence.Composite {
  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final Security security;
  private final ClusterNode node;
  private final ControlPlane controlPlane;
  private final ReplicatedStores stores;
  private final Backups backups;
  private final Diagnostics diagnostics;
  private final OverloadGuard overload;
  private final ClientServices clientServices;
  private final Operations operations;
  private volatile boolean stopping;

  /**
   * Starts a node. Blocks until clients can connect.
   *
   * @throws StartException if the node cannot start; components that had already started are closed
   */
  public static Broker start(LoadedConfig loaded, Observers observers) throws StartException {
    return start(loaded, observers, progress -> {});
  }

  /**
   * Like {@link #start(LoadedConfig, Observers)}.
   *
   * @param progress receives a description for operators of what the node waits for before it has a
   *     cluster; on any thread
   */
  static Broker start(LoadedConfig loaded, Observers observers, Consumer<String> progress)
      throws StartException {
    return new Broker(loaded, observers, progress);
  }

  private Broker(LoadedConfig loaded, Observers observers, Consumer<String> progress)
      throws StartException {
    BrokerConfig config = loaded.config();
    try {
      Plugins plugins =
          add(
              "plugins",
              Plugins.open(config.securityConfig(), config.plugins(), observers.security()));
      UserDirectory users = new UserDirectory();
      security =
          add(
              "security",
              Security.open(config.securityConfig(), plugins.all(), users, observers.security()));
      Tenants tenants = tenants(config, observers);
      overload = OverloadGuard.ofProcess(config.overloadConfig(), config.maxFileDescriptors());
      Storage storage = add("storage", Storage.open(config, progress));
      node =
          add(
              "cluster",
              ClusterNode.open(
                  config, storage.identity(), storage.directory(), observers.consensus()));
      controlPlane =
          add(
              "control plane",
              ControlPlane.open(
                  loaded,
                  node,
                  new ControlPlane.ClientSecurity(users, security.scram()),
                  observers));
      stores =
          add(
              "stores",
              ReplicatedStores.open(
                  new ReplicatedStores.Dependencies(
                      config, storage, node, plugins, tenants, observers)));
      backups = add("backups", startBackups(storage));
      diagnostics =
          add(
              "diagnostics",
              Diagnostics.open(new Diagnostics.Dependencies(config, storage, node, stores)));
      clientServices =
          add("client services", openClientServices(config, storage, tenants, observers));
      diagnostics.traces().traceConnected(clientServices.sessions()::updateTraces);
      applyChanges(tenants);
      DisconnectSweep sweep =
          controlPlane.bans().enforceOn(clientServices.sessions()::clientsToDisconnect);
      controlPlane.users().onUsersChanged(sweep::requestOf);
      security.onIdentitiesChanged(sweep::request);
      security.recheckCertificates(clientServices.sessions()::connectedCertificates);
      controlPlane.settings().applied().join(); // before clients connect
      operations = add("operations", openOperations(config, plugins, observers));
      operations.monitoring().alarms().checkRevocationLists(security::expiringRevocationLists);
      shutdownSequence.add("disconnect sweep", sweep);
      controlPlane.accounts().createFirstAdministrator();
    } catch (Exception e) {
      shutdownSequence.close();
      throw asStartException(e);
    }
  }

  private static Tenants tenants(BrokerConfig config, Observers observers) {
    return new Tenants(
        config.sharedLimits(),
        config.tenants(),
        config.addressConfig(),
        new MonotonicClock(),
        observers.sessions());
  }

  private ClientServices openClientServices(
      BrokerConfig config, Storage storage, Tenants tenants, Observers observers) {
    return ClientServices.open(
        new ClientServices.Dependencies(
            config,
            storage.kv(),
            node,
            stores,
            security,
            tenants,
            overload,
            controlPlane,
            diagnostics,
            observers));
  }

  private Backups startBackups(Storage storage) {
    return Backups.start(
        new Backups.Dependencies(
            storage.identity().clusterId(),
            Version.text(),
            node.self(),
            stores.ranges().directory()::ranges,
            stores.ranges().ranges().exports(),
            new MetadataClient(node.metadata(), node.membership()::write),
            node.peers(),
            () -> controlPlane.settings().current().diskConfig().minFreeBytes()));
  }

  private Operations openOperations(BrokerConfig config, Plugins plugins, Observers observers)
      throws StartException {
    return Operations.open(
        new Operations.Dependencies(
            config,
            node,
            stores,
            clientServices,
            overload,
            new Operations.Administration(
                controlPlane.settings(),
                controlPlane.accounts().audit(),
                plugins,
                security.providers()),
            observers));
  }

  /** Passes changed settings to the components that can change while they run. */
  private void applyChanges(Tenants tenants) {
    controlPlane
        .settings()
        .watch(
            changed -> {
              tenants.replace(changed.sharedLimits(), changed.tenants(), changed.addressConfig());
              security.setLoginLimits(changed.securityConfig());
              overload.setThresholds(changed.overloadConfig());
              stores.disk().setMinFreeBytes(changed.diskConfig().minFreeBytes());
              // Not on the thread of the metadata, because there may be many clients.
              CompletableFuture.runAsync(clientServices.sessions()::applyLimits);
            });
  }

  /**
   * Wraps failures that an operator can fix. Any other unchecked exception is a bug and is rethrown
   * unchanged.
   */
  private static StartException asStartException(Exception cause) {
    if (cause instanceof StartException known) {
      return known;
    }
    boolean isExpected =
        cause instanceof SecurityStartException
            || cause instanceof IOException
            || cause instanceof ConsensusException
            || cause instanceof KvException
            || cause instanceof IllegalStateException;
    if (!isExpected && cause instanceof RuntimeException bug) {
      throw bug;
    }
    return new StartException(String.valueOf(cause.getMessage()), cause);
  }

  private <T extends AutoCloseable> T add(String name, T part) {
    return shutdownSequence.add(name, part);
  }

  /** The open listeners, with their actual ports. */
  public List<Listener> listeners() {
    return operations.server().listeners();
  }

  /** The MQTT server, for programs that embed the broker. */
  public MqttServer server() {
    return operations.server();
  }

  /** The reasons why this node is not ready for clients; empty if it is ready. Thread-safe. */
  public List<String> notReadyReasons() {
    if (stopping) {
      return List.of("the node is stopping");
    }
    List<String> reasons = new ArrayList<>(stores.disk().notReadyReasons().toList());
    reasons.addAll(node.notServingReasons());
    reasons.addAll(stores.ranges().unavailableReplicas());
    reasons.addAll(overload.reasons());
    return reasons;
  }

  /** The state of all components, for metrics. Thread-safe until {@link #close}; does not block. */
  NodeStatus status() {
    return clientServices.status();
  }

  /** The nodes and ranges of the cluster, for {@code /status}. Thread-safe until {@link #close}. */
  CompletableFuture<ClusterStatus> clusterStatus() {
    return operations.view().collect();
  }

  /** The export of traces, logs and metrics. */
  Telemetry telemetry() {
    return diagnostics.telemetry();
  }

  /** The operator commands. */
  ClusterCommands commands() {
    return operations.commands();
  }

  /** The parts that the REST API uses. */
  RestServices restServices() {
    return new RestServices(
        Version.text(),
        operations.view(),
        operations.reports(),
        operations.commands(),
        operations.nodeOperations(),
        controlPlane.settings(),
        controlPlane.accounts(),
        controlPlane.bans(),
        controlPlane.users(),
        clientServices.queries(),
        clientServices.events(),
        diagnostics.logLevels(),
        diagnostics.traces(),
        diagnostics.traceLogs(),
        node.self().value(),
        operations.names(),
        operations.monitoring().alarmQueries(),
        operations.monitoring().monitorQueries(),
        clientServices.slowSubscriptions(),
        controlPlane.topicMetrics(),
        clientServices.topicMetrics(),
        security.providers(),
        security.trial(),
        backups);
  }

  /** Also raises alarms about certificates that are not those of listeners. */
  void watchCertificates(Supplier<List<CertificateStatus>> certificates) {
    operations.monitoring().alarms().addCertificates(certificates);
  }

  /** The decommissioning of this node. */
  Decommission decommission() {
    return operations.decommission();
  }

  /** Whether every stop drains this node first. */
  boolean drainsAtStop() {
    return operations.drainsAtStop();
  }

  /** Hands over leadership and clients to other nodes. Blocks; call {@link #close} afterward. */
  void drain() {
    operations.drain().run();
  }

  @Override
  public List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  /**
   * Disconnects clients, hands over their sessions, and flushes and closes all components. Blocks.
   */
  @Override
  public void close() {
    stopping = true;
    shutdownSequence.close();
    LOG.info("FjordMQ stopped node={}", node.self());
  }
}
