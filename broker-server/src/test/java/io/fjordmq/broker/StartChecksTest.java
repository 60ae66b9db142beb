package io.fjordmq.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigLoader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All problems that would prevent a start are reported together, before the node does anything. */
class StartChecksTest {
  @TempDir private Path folder;

  private BrokerConfig config(String yaml) throws Exception {
    Path file = folder.resolve("node.yml");
    Files.writeString(file, yaml);
    return ConfigLoader.load(
            new ConfigLoader.CommandLine(
                file, folder.resolve("data").toString(), folder.resolve("logs").toString()))
        .config();
  }

  @Test
  void shouldReportEveryUnusableFile() throws Exception {
    Files.createDirectories(folder.resolve("plugins"));
    Files.writeString(folder.resolve("plugins/auth.jar"), "not a jar");
    BrokerConfig config =
        config(
            """
            mqttServerConfig:
              tcpListener:
                port: 0
              tlsListener:
                port: 0
                certFile: DIR/server.crt
                keyFile: DIR/server.key
            clusterConfig:
              certFile: DIR/node.crt
              keyFile: DIR/node.key
              trustFile: DIR/ca.crt
            securityConfig:
              passwordFile: DIR/passwords
              aclFile: DIR/acl
              pluginDir: DIR/plugins
            """
                .replace("DIR", folder.toString()));
    assertThat(StartChecks.ofFiles(config))
        .hasSize(5)
        .anyMatch(problem -> problem.contains("tlsListener") && problem.contains("server.crt"))
        .anyMatch(problem -> problem.contains("clusterConfig.certFile"))
        .anyMatch(problem -> problem.contains("securityConfig.passwordFile"))
        .anyMatch(problem -> problem.contains("securityConfig.aclFile"))
        .anyMatch(problem -> problem.contains("auth.jar is not a jar file"));
    assertThat(folder.resolve("data")).doesNotExist();
  }

  @Test
  void shouldNameTheKeyOfEveryPortInUse() throws Exception {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket mqtt = new ServerSocket(0, 1, loopback);
        ServerSocket raft = openRaftPort(loopback)) {
      BrokerConfig config =
          config(
              """
              mqttServerConfig:
                tcpListener:
                  host: 127.0.0.1
                  port: %d
              httpConfig:
                port: 0
              clusterConfig:
                host: 127.0.0.1
                port: %d
              """
                  .formatted(mqtt.getLocalPort(), raft.getLocalPort() - 1));
      assertThat(StartChecks.ofFiles(config)).isEmpty();
      assertThat(StartChecks.ofFilesAndPorts(config))
          .anyMatch(problem -> problem.contains("mqttServerConfig.tcpListener.port"))
          .anyMatch(problem -> problem.contains("clusterConfig.port (Raft uses the next port)"));
    }
  }

  /** Opens a port that has a port below it, because the Raft port is the cluster port plus 1. */
  private static ServerSocket openRaftPort(InetAddress loopback) throws IOException {
    ServerSocket socket = new ServerSocket(0, 1, loopback);
    assertThat(socket.getLocalPort()).isGreaterThan(2);
    return socket;
  }
}
