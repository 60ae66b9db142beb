package io.fjordmq.broker;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.logging.ClusterLogLevels;
import io.fjordmq.broker.logging.LogLevels;
import io.fjordmq.broker.telemetry.Telemetry;
import io.fjordmq.broker.telemetry.TelemetrySettings;
import io.fjordmq.broker.telemetry.otlp.OtlpTelemetry;
import io.fjordmq.broker.trace.TraceLogs;
import io.fjordmq.broker.trace.Traces;
import io.fjordmq.cluster.metadata.MetadataClient;
import java.io.IOException;
import java.util.List;

/** The diagnostics of a node: log levels, traces, and the export to OpenTelemetry. */
final class Diagnostics implements ShutdownSequence.Composite {
  record Dependencies(
      BrokerConfig config, Storage storage, ClusterNode node, ReplicatedStores stores) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final Telemetry telemetry;
  private final ClusterLogLevels logLevels;
  private final Traces traces;
  private final TraceLogs traceLogs;

  /**
   * Starts the export if it is configured, and continues the traces of the cluster.
   *
   * @throws IOException if a file for the connection to the collector cannot be read
   */
  static Diagnostics open(Dependencies dependencies) throws IOException {
    return new Diagnostics(dependencies);
  }

  private Diagnostics(Dependencies dependencies) throws IOException {
    BrokerConfig config = dependencies.config;
    ClusterNode node = dependencies.node;
    ReplicatedStores stores = dependencies.stores;
    try {
      telemetry = add("telemetry", openTelemetry(config.telemetryConfig(), node));
      LogLevels levels = add("log levels", LogLevels.open(config.logConfig(), stores.timers()));
      logLevels = ClusterLogLevels.start(levels, node.membership(), node.peers());
      traces =
          add(
              "traces",
              Traces.open(
                  new Traces.Dependencies(
                      new MetadataClient(node.metadata(), node.membership()::write),
                      node.membership().clock(),
                      config.traceConfig(),
                      node.self().value(),
                      dependencies.storage.directory().resolve("trace"),
                      stores.disk()::canStoreMessages)));
      traceLogs = TraceLogs.start(traces, node.membership(), node.peers());
    } catch (IOException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  /** The classes for the export are loaded only if it is configured. */
  private static Telemetry openTelemetry(TelemetrySettings settings, ClusterNode node)
      throws IOException {
    return settings.isEnabled()
        ? OtlpTelemetry.start(settings, Version.text(), node.self().value())
        : Telemetry.NONE;
  }

  private <T extends AutoCloseable> T add(String name, T part) {
    return shutdownSequence.add(name, part);
  }

  /** The export of traces, logs and metrics. */
  Telemetry telemetry() {
    return telemetry;
  }

  /** The levels of loggers on all nodes. */
  ClusterLogLevels logLevels() {
    return logLevels;
  }

  /** The traces of the cluster. */
  Traces traces() {
    return traces;
  }

  /** Reads the trace files of all nodes. */
  TraceLogs traceLogs() {
    return traceLogs;
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
