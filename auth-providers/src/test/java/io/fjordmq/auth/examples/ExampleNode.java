package io.fjordmq.auth.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.Broker;
import io.fjordmq.broker.Observers;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A node in this process, with the configuration of an example. */
public final class ExampleNode implements AutoCloseable {
  private static final int ALLOWED = 0;
  private static final int WRONG_PASSWORD = 0x86;
  private static final int NOT_AUTHORIZED = 0x87;

  private final BrokerMetrics metrics;
  private final Broker broker;

  private ExampleNode(BrokerMetrics metrics, Broker broker) {
    this.metrics = metrics;
    this.broker = broker;
  }

  /**
   * Starts a node with a TCP listener.
   *
   * @param home stands for FjordMQ's directory: paths of the example that begin with {@code conf/}
   *     are relative to it
   */
  public static ExampleNode start(Path home, String example) throws Exception {
    return start(home, example, "");
  }

  /** The same with more listeners: lines of {@code mqttServerConfig}, indented. */
  static ExampleNode start(Path home, String example, String listeners)
      throws IOException, ConfigException, StartException {
    String yaml =
        """
        bootstrap: true
        mqttServerConfig:
          tcpListener: {host: 127.0.0.1, port: 0, maxConnections: 10}
        %sclusterConfig:
          env: Test
          host: 127.0.0.1
          port: %d
        %s"""
            .formatted(
                listeners,
                FreePorts.forCluster(),
                example.replace(": conf/", ": " + conf(home) + "/"));
    Path file = Files.writeString(home.resolve("standalone.yml"), yaml);
    BrokerMetrics metrics = new BrokerMetrics("test");
    try {
      return new ExampleNode(
          metrics,
          Broker.start(
              ConfigLoader.load(
                  new ConfigLoader.CommandLine(
                      file, home.resolve("data").toString(), home.resolve("logs").toString())),
              Observers.of(metrics)));
    } catch (ConfigException | StartException | RuntimeException e) {
      metrics.close();
      throw e;
    }
  }

  /** Returns the directory that an example calls {@code conf}. */
  public static Path conf(Path home) throws IOException {
    return Files.createDirectories(home.resolve("conf"));
  }

  int port(String listener) {
    return broker.listeners().stream()
        .filter(one -> one.status().name().equals(listener))
        .mapToInt(Listener::port)
        .findFirst()
        .orElseThrow();
  }

  private MqttProbe connect(String clientId, @Nullable String userName, @Nullable String password)
      throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port("tcpListener"));
    return new MqttProbe(socket, clientId, userName, password);
  }

  /** Logs in over TCP; fails if the node refuses the client. */
  public MqttProbe login(String clientId, String userName, String password) throws IOException {
    MqttProbe probe = connect(clientId, userName, password);
    assertThat(probe.loginCode()).as("reason code of the login").isEqualTo(ALLOWED);
    return probe;
  }

  /** Fails unless the node refuses the credentials. */
  public void refuses(@Nullable String userName, @Nullable String password) throws IOException {
    try (MqttProbe probe = connect("refused", userName, password)) {
      assertThat(probe.loginCode())
          .as("reason code of %s", userName)
          .isIn(WRONG_PASSWORD, NOT_AUTHORIZED);
    }
  }

  @Override
  public void close() {
    broker.close();
    metrics.close();
  }
}
