package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.fjordmq.testing.Await;
import io.fjordmq.testing.FreePorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A start that cannot succeed exits with a code and one line that says what is wrong, where, and
 * how to fix it, without a stack trace.
 */
@Tag("slow")
class StartFailuresTest {
  private static final int FAILED = 1;
  private static final int MISCONFIGURED = 2;

  @TempDir Path folder;
  private int mqtt;
  private int http;
  private int cluster;

  @BeforeEach
  void choosePorts() {
    mqtt = FreePorts.one();
    http = FreePorts.one();
    cluster = FreePorts.forCluster();
  }

  private String configuration() {
    return """
    bootstrap: true
    mqttServerConfig:
      tcpListener:
        host: 127.0.0.1
        port: %d
    httpConfig:
      port: %d
    clusterConfig:
      port: %d
    """
        .formatted(mqtt, http, cluster);
  }

  private static void assertOneLine(StartAttempt attempt, int exitCode, String... parts) {
    assertThat(attempt.output().lines()).as(attempt.output()).hasSize(1);
    assertThat(attempt.output()).startsWith("fjordmq: ").contains(parts);
    assertThat(attempt.exitCode()).isEqualTo(exitCode);
    assertThat(attempt.log()).doesNotContain("\tat ", "Exception");
  }

  @Test
  void shouldNameTheProcessThatHoldsTheDataDirectory() {
    try (BrokerUnderTest running = BrokerUnderTest.startIn(folder)) {
      StartAttempt attempt = StartAttempt.in(running.nodeDirectory(), configuration(), Map.of());
      assertOneLine(
          attempt, FAILED, "locked by process " + running.pid(), "different data directory");
      try (Bystander bystander = new Bystander(running.mqtt())) {
        bystander.assertUnaffected();
      }
    }
  }

  @Test
  void shouldNotCreateTheFoldersAboveTheDataDirectory() {
    Path missing = folder.resolve("no/such/place");
    StartAttempt attempt =
        StartAttempt.inConfiguredDirectories(
            folder, configuration() + "dataDir: " + missing + "\nlogDir: " + folder + "/logs\n");
    assertOneLine(attempt, FAILED, missing.toString(), "is not a directory; create that");
  }

  @Test
  void shouldReportThatTheDataDirectoryIsAFile() throws IOException {
    Path file = Files.createFile(folder.resolve("occupied"));
    StartAttempt attempt =
        StartAttempt.inConfiguredDirectories(
            folder, configuration() + "dataDir: " + file + "\nlogDir: " + folder + "/logs\n");
    assertOneLine(attempt, FAILED, file.toString(), "is a file");
  }

  @Test
  void shouldReportThatTheDataDirectoryIsNotWritable() throws IOException {
    Path closed = Files.createDirectory(folder.resolve("data"));
    closed.toFile().setWritable(false);
    assumeThat(Files.isWritable(closed)).as("root may write everywhere").isFalse();
    StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
    assertOneLine(attempt, FAILED, closed.toString(), "may not write");
  }

  @Test
  void shouldReportThatTheLogDirectoryCannotBeCreated() throws IOException {
    Files.createFile(folder.resolve("logs"));
    StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
    assertOneLine(attempt, FAILED, folder.resolve("logs").toString());
  }

  @Test
  void shouldReportThatTheMqttPortIsInUse() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      mqtt = other.getLocalPort();
      StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
      assertOneLine(attempt, FAILED, ":" + mqtt, "in use", "mqttServerConfig.tcpListener.port");
    }
  }

  @Test
  void shouldReportThatTheHttpPortIsInUse() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      http = other.getLocalPort();
      StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
      assertOneLine(attempt, FAILED, ":" + http, "in use", "httpConfig.port");
    }
  }

  @Test
  void shouldReportThatTheAddressIsNotLocal() {
    StartAttempt attempt =
        StartAttempt.in(folder, configuration().replace("127.0.0.1", "192.0.2.1"), Map.of());
    assertOneLine(attempt, FAILED, "192.0.2.1", "mqttServerConfig.tcpListener.host");
  }

  @Test
  void shouldReportThatTheHostNameIsUnknown() {
    StartAttempt attempt =
        StartAttempt.in(folder, configuration().replace("127.0.0.1", "no.such.invalid"), Map.of());
    assertOneLine(attempt, FAILED, "no.such.invalid", "mqttServerConfig.tcpListener.host");
  }

  @Test
  void shouldReportAllConfigurationErrorsTogether() {
    StartAttempt attempt =
        StartAttempt.in(
            folder,
            configuration() + "dataDirr: x\nsessionConfig:\n  maxPacketBytes: plenty\n",
            Map.of("FJORDMQ_HTTPCONFIG__PROT", "1"));
    assertThat(attempt.exitCode()).isEqualTo(MISCONFIGURED);
    assertThat(attempt.output().lines()).as(attempt.output()).hasSize(3);
    assertThat(attempt.output())
        .contains("dataDirr", "did you mean dataDir?")
        .contains("sessionConfig.maxPacketBytes", "plenty")
        .contains("FJORDMQ_HTTPCONFIG__PROT", "httpConfig.port");
  }

  @Test
  void shouldReportThatTheFileIsNotYaml() {
    StartAttempt attempt = StartAttempt.in(folder, "bootstrap: [true\n  x: :", Map.of());
    assertThat(attempt.exitCode()).isEqualTo(MISCONFIGURED);
    assertThat(attempt.output()).contains("standalone.yml").doesNotContain("\tat ");
    assertThat(attempt.output().lines()).as(attempt.output()).hasSize(1);
  }

  @Test
  void shouldNameTheMissingCertificate() {
    String tls =
        """
        bootstrap: true
        mqttServerConfig:
          tlsListener:
            port: %d
            certFile: cert.pem
        httpConfig:
          port: %d
        """
            .formatted(mqtt, http);
    StartAttempt attempt = StartAttempt.in(folder, tls, Map.of());
    assertOneLine(attempt, FAILED, "mqttServerConfig.tlsListener.certFile: cert.pem: no such file");
  }

  @Test
  void shouldRequireAListener() {
    StartAttempt attempt =
        StartAttempt.in(folder, "bootstrap: true\nhttpConfig:\n  port: " + http, Map.of());
    assertOneLine(attempt, FAILED, "no listener", "tcpListener");
  }

  @Test
  void shouldNotBootstrapAClusterUnlessConfigured() {
    String withSeeds =
        configuration().replace("bootstrap: true", "bootstrap: false")
            + "  seedEndpoints: 127.0.0.1:%d\n".formatted(cluster);
    StartAttempt attempt = StartAttempt.in(folder, withSeeds, Map.of());
    assertOneLine(attempt, FAILED, folder.resolve("data").toString(), "set bootstrap: true");
  }

  @Test
  void shouldRefuseADataDirectoryWithOtherFiles() throws IOException {
    Path data = Files.createDirectory(folder.resolve("data"));
    Files.writeString(data.resolve("holiday.jpg"), "not ours");
    StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
    assertOneLine(attempt, FAILED, data.toString(), "holiday.jpg");
  }

  @Test
  void shouldReportADamagedNodeIdentity() throws IOException {
    startAndStop(configuration());
    Files.writeString(folder.resolve("data/node.id"), "garbage");
    StartAttempt attempt = StartAttempt.in(folder, configuration(), Map.of());
    assertOneLine(attempt, FAILED, "node.id", "start with an empty data directory");
  }

  @Test
  void shouldStartWithoutATemporaryDirectory() throws IOException {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    startAndStop(configuration(), temporaryFolder(temporary));
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.map(Path::getFileName).map(Path::toString))
          .noneMatch(name -> name.contains("rocksdb"));
    }
    startAndStop(configuration(), temporaryFolder(folder.resolve("standalone.yml/none")));
  }

  @Test
  void shouldReportThatNoFolderCanHoldTheNativeLibrary() throws IOException {
    startAndStop(configuration());
    Path unpacked = folder.resolve("data/native");
    Files.delete(unpacked.resolve("librocksdbjni-linux64.so"));
    Files.delete(unpacked);
    Files.createFile(unpacked);
    StartAttempt attempt =
        StartAttempt.wrapped(
            folder, configuration(), temporaryFolder(folder.resolve("standalone.yml/none")));
    assertOneLine(attempt, FAILED, unpacked.toString(), "java.io.tmpdir", "20 MB of free space");
  }

  /** Gives Java the option; its own variables for that print a line. */
  private static List<String> temporaryFolder(Path path) {
    return List.of("sh", "-c", "exec \"$0\" -Djava.io.tmpdir='" + path + "' \"$@\"");
  }

  @Test
  void shouldReportThatTheDiskIsFull() throws IOException {
    Path data = Files.createDirectory(folder.resolve("data"));
    assumeThat(SmallDisk.isPossible(data)).as("this machine allows a small disk").isTrue();
    StartAttempt attempt =
        StartAttempt.wrapped(folder, configuration(), new SmallDisk(data, 1).wrapper());
    assertOneLine(attempt, FAILED, data.toString(), "No space left on device");
  }

  @Test
  void shouldBootstrapWithTheMinimalFileBeforeOtherNodesStart() throws IOException {
    String minimal =
        configuration()
            + """
              env: Test
              host: 127.0.0.1
              clusterDomainName:
              seedEndpoints: 127.0.0.1:%d,127.0.0.2:%d,127.0.0.3:%d
            """
                .formatted(cluster, cluster, cluster);
    startAndStop(minimal);
    assertThat(Files.readString(folder.resolve("logs/fjordmq.log")))
        .contains("No seed responded", "127.0.0.3:" + cluster, "action=bootstrap");
  }

  @Test
  void shouldRefuseToBootstrapWhenASeedBelongsToACluster() {
    try (BrokerUnderTest running = BrokerUnderTest.startIn(folder.resolve("running"))) {
      String seeds = "  seedEndpoints: 127.0.0.1:" + running.clusterPort() + "\n";
      StartAttempt attempt =
          StartAttempt.in(folder.resolve("second"), configuration() + seeds, Map.of());
      assertOneLine(
          attempt,
          FAILED,
          "'bootstrap: true' or a restore creates a new cluster",
          "bootstrap: false");
    }
  }

  @Test
  void shouldNameBothClusterPortsInUse() {
    try (BrokerUnderTest running = BrokerUnderTest.startIn(folder.resolve("running"))) {
      cluster = running.clusterPort();
      StartAttempt attempt = StartAttempt.in(folder.resolve("second"), configuration(), Map.of());
      assertThat(attempt.exitCode()).isEqualTo(FAILED);
      assertThat(attempt.output().lines())
          .hasSize(2)
          .allMatch(line -> line.contains("in use; change clusterConfig.port"))
          .anyMatch(line -> line.contains(":" + cluster + ":"))
          .anyMatch(line -> line.contains(":" + (cluster + 1) + ":"));
    }
  }

  @Test
  void shouldReadKeysFromTheEnvironmentAndUseAnEphemeralPort() throws Exception {
    Process process =
        command(configuration(), List.of())
            .start(
                folder.resolve("output.log"),
                Map.of("FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__PORT", "0"));
    int port = awaitReady(process);
    assertThat(port).isPositive().isNotEqualTo(mqtt);
    RawClient.openConnected(new SharedBroker.Port(port), 4, "chosen", 0).close();
    assertThat(stopAndGetExitCode(process)).isZero();
  }

  private BrokerCommand command(String configuration, List<String> wrapper) throws IOException {
    Path file = folder.resolve("standalone.yml");
    Files.writeString(file, configuration);
    return new BrokerCommand(wrapper, "OFF", file, List.of(folder));
  }

  private void startAndStop(String configuration) throws IOException {
    startAndStop(configuration, List.of());
  }

  private void startAndStop(String configuration, List<String> wrapper) throws IOException {
    Process process = command(configuration, wrapper).start(folder.resolve("output.log"), Map.of());
    awaitReady(process);
    assertThat(stopAndGetExitCode(process)).isZero();
  }

  /** The MQTT port of a node that has become ready. */
  private int awaitReady(Process process) throws IOException {
    Path ready = folder.resolve("data/fjordmq.pid");
    Await.until("the node to be ready", 60, () -> Files.exists(ready) || !process.isAlive());
    assertThat(process.isAlive()).as(Files.readString(folder.resolve("output.log"))).isTrue();
    String line =
        Files.readAllLines(ready).stream().filter(l -> l.startsWith("mqtt=")).findFirst().get();
    return Integer.parseInt(line.substring(line.lastIndexOf(':') + 1));
  }

  private static int stopAndGetExitCode(Process process) {
    process.destroy();
    try {
      assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return process.exitValue();
  }
}
