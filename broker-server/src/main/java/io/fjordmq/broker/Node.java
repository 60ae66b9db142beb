package io.fjordmq.broker;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.config.ConfigLoader.LoadedConfig;
import io.fjordmq.broker.http.HttpServer;
import io.fjordmq.broker.http.HttpSettings;
import io.fjordmq.broker.http.Pages;
import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.SystemdNotifier;
import io.fjordmq.broker.ops.ApiFile;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.broker.ops.ControlDirectory;
import io.fjordmq.broker.ops.ReadyFile;
import io.fjordmq.broker.rest.AccountAuthentication;
import io.fjordmq.broker.rest.LocalToken;
import io.fjordmq.broker.rest.RestApi;
import io.fjordmq.broker.rest.RestEndpoint;
import io.fjordmq.broker.rest.RestServices;
import io.fjordmq.broker.web.WebPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A broker with its operator interfaces: the HTTP port, operator commands and the ready file. */
final class Node implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Node.class);

  /**
   * The file in the data directory that {@code bin/standalone.sh stop --drain} creates to request a
   * drain.
   */
  private static final String DRAIN_FILE = "drain";

  private static final Duration CONTROL_PERIOD = Duration.ofMillis(500);

  /** Maximum age of exported gauges. Without an export, each scrape updates them. */
  private static final Duration GAUGE_PERIOD = Duration.ofSeconds(5);

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final SystemdNotifier systemd = new SystemdNotifier(ConfigLoader.notifySocket());
  private volatile @Nullable Broker broker;
  private volatile String progress = "the node is starting";
  private final Runnable exit;
  private volatile @Nullable Path drainFile;

  private Node(Runnable exit) {
    this.exit = exit;
  }

  /**
   * Starts a node. Blocks until clients can connect; the HTTP port responds earlier.
   *
   * @param beforeReady receives the node before the ready file is written, because a script that
   *     waits for the file may stop the process immediately
   * @param exit ends the process, which closes the node; must not wait for that
   * @throws StartException if the node cannot start; components that had already started are closed
   */
  static Node start(LoadedConfig loaded, Consumer<Node> beforeReady, Runnable exit)
      throws StartException {
    List<String> problems = StartChecks.ofFilesAndPorts(loaded.config());
    if (!problems.isEmpty()) {
      throw new StartException(String.join("\n", problems));
    }
    Node node = new Node(exit);
    try {
      node.open(loaded, beforeReady);
      return node;
    } catch (StartException | RuntimeException | Error e) {
      node.close();
      throw e;
    } catch (IOException e) {
      node.close();
      throw new StartException(String.valueOf(e.getMessage()), e);
    }
  }

  private void open(LoadedConfig loaded, Consumer<Node> beforeReady)
      throws StartException, IOException {
    final long begin = System.nanoTime();
    BrokerConfig config = loaded.config();
    HttpSettings http = config.httpConfig();
    BrokerMetrics metrics =
        shutdownSequence.add(
            "metrics",
            new BrokerMetrics(Version.text(), config.telemetryConfig().exportsMetrics()));
    metrics.watchReadiness(() -> notReadyReasons().isEmpty());
    RestEndpoint api = new RestEndpoint();
    HttpServer pages =
        shutdownSequence.add(
            "http",
            HttpServer.start(
                http,
                new Pages(metrics::scrape, this::notReadyReasons, this::clusterPage, new WebPage()),
                api,
                new OperatorClients(this::mqttServer),
                metrics.http()));
    Broker started =
        shutdownSequence.add(
            "broker", Broker.start(loaded, Observers.of(metrics), this::onProgress));
    broker = started;
    started.watchCertificates(() -> pages.certificate().stream().toList());
    drainFile = Path.of(config.dataDir(), DRAIN_FILE);
    Files.deleteIfExists(drainFile); // a request left over from an earlier process
    started.decommission().setExit(this::drainAndExit);
    ControlDirectory control =
        ControlDirectory.open(
            Path.of(config.dataDir()), started.commands()::execute, InstantSource.system());
    started.commands().logDifferences(config.storesWithVoterCount());
    shutdownSequence
        .add("control", new PeriodicTasks("control"))
        .every(CONTROL_PERIOD, "commands", control::poll);
    openApi(config, started, shutdownSequence.add("api", api), pages.port());
    metrics.watch(started::status);
    exportMetrics(config, started, metrics);
    shutdownSequence.add("metrics", metrics::unwatch);
    List<String> mqtt = started.listeners().stream().map(Listener::url).toList();
    beforeReady.accept(this);
    String pagesUri = scheme(http) + host(http.host()) + ":" + pages.port();
    shutdownSequence.add(
        "ready file", ReadyFile.write(Path.of(config.dataDir()), Instant.now(), mqtt, pagesUri));
    systemd.ready("Ready: " + String.join(" ", mqtt) + " " + pagesUri);
    LOG.info(
        "FjordMQ is ready durationMs={} mqtt={} http={}",
        (System.nanoTime() - begin) / 1_000_000,
        mqtt,
        pagesUri);
  }

  private void exportMetrics(BrokerConfig config, Broker started, BrokerMetrics metrics) {
    started
        .telemetry()
        .startMetrics()
        .ifPresent(
            exporter -> {
              metrics.exportTo(exporter);
              Duration interval = config.telemetryConfig().metricsInterval();
              shutdownSequence
                  .add("gauges", new PeriodicTasks("gauges"))
                  .every(
                      interval.compareTo(GAUGE_PERIOD) < 0 ? interval : GAUGE_PERIOD,
                      "gauges",
                      metrics::update);
            });
  }

  /** Opens the API, and lets tools on this host use it without an account. */
  private void openApi(BrokerConfig config, Broker started, RestEndpoint api, int port)
      throws IOException {
    HttpSettings http = config.httpConfig();
    RestServices services = started.restServices();
    LocalToken token = LocalToken.generate(new AccountAuthentication(services.accounts().logins()));
    api.open(() -> RestApi.of(services, token));
    String host =
        switch (http.host()) {
          case "", "0.0.0.0" -> "127.0.0.1";
          case "::" -> "[::1]";
          default -> host(http.host());
        };
    shutdownSequence.add(
        "api file",
        ApiFile.write(Path.of(config.dataDir()), scheme(http) + host + ":" + port, token.text()));
  }

  private static String scheme(HttpSettings http) {
    return http.isTls() ? "https://" : "http://";
  }

  private MqttServer mqttServer() {
    Broker started = broker;
    if (started == null) {
      throw new IllegalStateException("the API is open before the broker");
    }
    return started.server();
  }

  private List<String> notReadyReasons() {
    Broker started = broker;
    return started == null ? List.of(progress) : started.notReadyReasons();
  }

  private void onProgress(String waitingFor) {
    progress = "the node is starting: " + waitingFor;
  }

  private CompletableFuture<String> clusterPage() {
    Broker started = broker;
    return started == null
        ? CompletableFuture.completedFuture(progress + "\n")
        : started
            .clusterStatus()
            .thenApply(status -> "FjordMQ " + Version.text() + "\n" + status.text());
  }

  private static String host(String configured) {
    if (configured.isEmpty()) {
      return "0.0.0.0";
    }
    return configured.contains(":") ? "[" + configured + "]" : configured;
  }

  private void drainAndExit() {
    Path file = drainFile;
    try {
      if (file != null && !Files.exists(file)) {
        Files.createFile(file);
      }
    } catch (IOException e) {
      LOG.warn("Cannot request a drain; stopping without one: {} path={}", e.toString(), file);
    }
    exit.run();
  }

  /**
   * Drains the broker if the stop request or the configuration asks for it, then closes all
   * components. Blocks.
   */
  @Override
  public void close() {
    Broker started = broker;
    if (started != null && (isDrainRequested() || started.drainsAtStop())) {
      systemd.stopping("Draining: other nodes take over the ranges and clients of this node");
      started.drain();
    }
    systemd.stopping("Shutting down");
    shutdownSequence.close();
  }

  /** Components that did not close in time. All others are closed, so the process can exit. */
  List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  private boolean isDrainRequested() {
    Path file = drainFile;
    try {
      return file != null && Files.deleteIfExists(file);
    } catch (IOException e) {
      LOG.warn("Cannot remove the drain request: {} path={}", e.toString(), file);
      return true;
    }
  }
}
