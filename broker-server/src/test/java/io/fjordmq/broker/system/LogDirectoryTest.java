package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Logs go where {@code logDir} says. Nothing that reads the configuration may initialize logging,
 * which would open the log file somewhere else.
 */
@Tag("slow")
class LogDirectoryTest {
  /** Settings whose values are checked by more than their type. */
  private static final String CONFIGURATION =
      """
      bootstrap: true
      mqttServerConfig:
        transport: nio
        tcpListener:
          port: 0
          proxyProtocol: true
          proxyTrusted: [10.0.0.5, 10.0.1.0/24, fd00::/8]
        tlsListener:
          port: 0
          certFile: server.crt
          keyFile: server.key
          protocols: TLSv1.3
        wssListener:
          port: 0
          certFile: server.crt
          keyFile: server.key
        unixListener:
          path: fjordmq.sock
      clusterConfig:
        host: 127.0.0.1
        seedEndpoints: 127.0.0.1:1,localhost:2
        certFile: node.crt
        keyFile: node.key
        trustFile: authority.crt
      securityConfig:
        passwordFile: passwords
        aclFile: acl
      tenants:
        acme:
          sessionConfig:
            maxInflight: 7
      """;

  @TempDir Path folder;

  @Test
  void shouldReadTheConfigurationWithoutLogging() throws IOException {
    Path noFolder = Files.writeString(folder.resolve("a-file"), "");
    Path classes = folder.resolve("classes.txt");
    StartAttempt attempt =
        StartAttempt.wrappedInConfiguredDirectories(
            folder,
            CONFIGURATION + "logDir: " + noFolder + "\n",
            List.of("env", "JAVA_TOOL_OPTIONS=-Xlog:class+load:file=" + classes));
    assertThat(attempt.output()).contains("cannot write to the log directory " + noFolder);
    assertThat(Files.readAllLines(classes))
        .anyMatch(line -> line.contains(" io.fjordmq.broker.net.ProxySettings "))
        .noneMatch(line -> line.contains(" ch.qos.logback.") || line.contains(" io.netty."));
  }

  @Test
  void shouldWriteLogsToTheConfiguredDirectory() {
    Path logs = folder.resolve("elsewhere");
    StartAttempt attempt =
        StartAttempt.inConfiguredDirectories(
            folder,
            CONFIGURATION + "logDir: " + logs + "\ndataDir: " + folder.resolve("no/data") + "\n");
    assertThat(attempt.exitCode()).as(attempt.output()).isEqualTo(1);
    assertThat(logs.resolve("fjordmq.log")).content().contains("Starting FjordMQ", "Cannot start");
  }
}
