package io.fjordmq.perf.inprocess;

import io.fjordmq.broker.Broker;
import io.fjordmq.broker.Observers;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.ops.BrokerMetrics;
import io.fjordmq.testing.FreePorts;
import io.netty.channel.ChannelFuture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A complete node in this process, with metrics but without the HTTP port. */
public final class InProcessBroker implements AutoCloseable {
  private final Broker broker;

  private InProcessBroker(Broker broker) {
    this.broker = broker;
  }

  /**
   * Starts a node and returns when clients can connect. Blocks.
   *
   * @param directory for its configuration, data and logs; kept when the node stops
   * @param eventLoops number of event loops for clients; 0 for half the number of processors
   * @param sections additional configuration, as YAML
   */
  public static InProcessBroker start(Path directory, int eventLoops, String sections)
      throws IOException, ConfigException, StartException {
    Path file = directory.resolve("standalone.yml");
    Files.writeString(file, configuration(eventLoops) + sections);
    ConfigLoader.CommandLine line =
        new ConfigLoader.CommandLine(
            file, directory.resolve("data").toString(), directory.resolve("logs").toString());
    BrokerMetrics metrics = new BrokerMetrics("in process");
    return new InProcessBroker(Broker.start(ConfigLoader.load(line), Observers.of(metrics)));
  }

  private static String configuration(int eventLoops) throws IOException {
    return """
    bootstrap: true
    mqttServerConfig:
      workerThreads: %d
      tcpListener:
        host: 127.0.0.1
        port: 0
    clusterConfig:
      env: Perf
      host: 127.0.0.1
      port: %d
    """
        .formatted(eventLoops, FreePorts.forCluster());
  }

  /**
   * Connects a client.
   *
   * @return completes when the client may send its CONNECT
   */
  public ChannelFuture adopt(InProcessChannel client) {
    return broker.server().adopt(client);
  }

  @Override
  public void close() {
    broker.close();
  }
}
