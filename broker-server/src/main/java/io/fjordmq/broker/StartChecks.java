package io.fjordmq.broker;

import io.fjordmq.broker.cluster.ClusterAddresses;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.http.HttpSettings;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.net.CertificateFiles;
import io.fjordmq.broker.net.Endpoint;
import io.fjordmq.broker.net.ListenerFiles;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.security.SecurityFiles;
import io.fjordmq.broker.telemetry.CollectorFiles;
import io.fjordmq.cluster.tls.ClusterTls;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds problems that would prevent startup. Runs before the node creates, joins or opens anything,
 * because a node that fails after it has joined a cluster leaves a dead member behind. All problems
 * are reported together. Used by the thread that starts the node; blocks on disk I/O.
 */
final class StartChecks {
  private final BrokerConfig config;
  private final List<String> problems = new ArrayList<>();

  private StartChecks(BrokerConfig config) {
    this.config = config;
  }

  /**
   * Checks the files that the configuration refers to.
   *
   * @return a message for each problem, with the key and the remedy; empty if there are none
   */
  static List<String> ofFiles(BrokerConfig config) {
    StartChecks checks = new StartChecks(config);
    checks.files();
    return checks.problems;
  }

  /** Checks the files, and checks that every configured port is currently free. */
  static List<String> ofFilesAndPorts(BrokerConfig config) {
    StartChecks checks = new StartChecks(config);
    checks.files();
    checks.ports();
    return checks.problems;
  }

  private void files() {
    List<ListenerSettings> listeners = config.mqttServerConfig().listeners();
    if (listeners.isEmpty()) {
      problems.add("mqttServerConfig has no listener, so no client can connect; add a tcpListener");
    }
    problems.addAll(ListenerFiles.findProblems(listeners));
    checkHttpCertificate(config.httpConfig());
    ClusterTls tls = config.clusterConfig().tls();
    if (tls != null) {
      try {
        tls.serverContext().build();
      } catch (IOException e) {
        problems.add("clusterConfig.certFile, keyFile and trustFile: " + e.getMessage());
      }
    }
    problems.addAll(CollectorFiles.problems(config.telemetryConfig()));
    problems.addAll(SecurityFiles.problems(config.securityConfig(), config.plugins()));
    try {
      config.apiConfig().firstAdministrator().readPassword();
    } catch (IOException e) {
      problems.add("apiConfig.firstAdministrator.passwordFile: " + e.getMessage());
    }
  }

  private void checkHttpCertificate(HttpSettings http) {
    if (http.isTls()) {
      try {
        CertificateFiles.open(
            "httpConfig",
            http.certFile(),
            http.keyFile(),
            http.keyPasswordFile(),
            InstantSource.system());
      } catch (IllegalStateException e) {
        problems.add(String.valueOf(e.getMessage()));
      }
    }
  }

  private void ports() {
    try (PortChecks ports = new PortChecks(problems)) {
      for (ListenerSettings listener : config.mqttServerConfig().listeners()) {
        if (listener.endpoint() instanceof Endpoint.Tcp tcp) {
          ports.check(listener.key(), tcp.host(), tcp.port());
        }
      }
      HttpSettings http = config.httpConfig();
      ports.check("httpConfig", http.host(), http.port());
      ClusterAddresses cluster = ClusterAddresses.of(config.clusterConfig());
      ports.check("clusterConfig.host", "clusterConfig.port", cluster.bind());
      ports.check(
          "clusterConfig.host", "clusterConfig.port (Raft uses the next port)", cluster.bindRaft());
    } catch (StartException e) {
      problems.add(String.valueOf(e.getMessage()));
    }
  }
}
