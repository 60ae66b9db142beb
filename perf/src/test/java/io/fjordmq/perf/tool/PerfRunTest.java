package io.fjordmq.perf.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fjordmq.perf.broker.BrokerProcess;
import io.fjordmq.perf.broker.NodeConfig;
import io.fjordmq.perf.machine.ControlGroups;
import io.fjordmq.perf.machine.GeneratedCertificates;
import io.fjordmq.perf.report.ParsedReport;
import io.fjordmq.perf.scenario.NodeLimits;
import io.fjordmq.testing.FreePorts;
import io.fjordmq.testing.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scaled-down scenarios against real brokers: every message arrives once and in order. */
@Tag("slow")
class PerfRunTest {
  @TempDir Path out;

  private ParsedReport run(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("run"));
    command.addAll(List.of(words));
    command.addAll(List.of("--seconds", "2", "--out", out.toString()));
    if (!command.contains("--warm")) {
      command.addAll(List.of("--warm", "1"));
    }
    ParsedReport report = FlawlessRun.report(out, command);
    assertThat(files(".html")).hasSize(1);
    return report;
  }

  private List<Path> files(String end) throws IOException {
    try (Stream<Path> files = Files.list(out)) {
      return files.filter(file -> file.toString().endsWith(end)).toList();
    }
  }

  private static double figure(ParsedReport report, String broker, String name) {
    return report.number("medians", broker, name);
  }

  private static double fault(ParsedReport report, String broker, String name) {
    return report.number("sums", broker, name);
  }

  @Test
  void shouldRunPersistentPairs() throws IOException {
    ParsedReport report = run("false_15k_15k_qos1_p256_1mps_1n_1v", "--scale", "0.002");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(60);
    assertThat(figure(report, "fjordmq", "received")).isPositive();
    assertThat(fault(report, "fjordmq", "lost")).isZero();
    assertThat(figure(report, "fjordmq", "ranges")).isPositive();
    assertThat(report.list("notes").toString()).contains("30 instead of 15000");
  }

  @Test
  void shouldRunSharedSubscriptionsNextToMosquitto() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/usr/sbin/mosquitto")), "mosquitto is not installed");
    ParsedReport report =
        run("share_true_100k_1000_qos1_p256_1mps_1n", "--scale", "0.003", "--broker", "mosquitto");
    assertThat(figure(report, "mosquitto", "connected")).isEqualTo(303);
    assertThat(fault(report, "mosquitto", "duplicated")).isZero();
  }

  @Test
  void shouldRunConnectionsWithTls() throws IOException {
    ParsedReport report = run("conn_tls_100k_1n", "--scale", "0.0005");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(50);
  }

  @Test
  void shouldRunConnectionsWithMutualTls() throws IOException {
    ParsedReport report = run("conn_mtls_100k_1n", "--scale", "0.0005");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(50);
    assertThat(fault(report, "fjordmq", "refused")).isZero();
  }

  @Test
  void shouldRunQos2() throws IOException {
    ParsedReport report = run("true_5_5_qos2_p64_10mps_1n");
    assertThat(figure(report, "fjordmq", "received")).isPositive();
    assertThat(figure(report, "fjordmq", "ackMeanMs")).isPositive();
  }

  @Test
  void shouldGiveEachClientAUserInRedis() throws IOException {
    assumeTrue(RedisServer.isInstalled(), "redis-server is not installed");
    ParsedReport report = run("mobile_device_0.1M_2n_backend", "--scale", "0.001");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(101);
    assertThat(figure(report, "fjordmq", "received")).isPositive();
    assertThat(figure(report, "fjordmq", "loginCalls")).as("HMGET and HGETALL").isEqualTo(2);
    assertThat(figure(report, "fjordmq", "connectP999Ms")).isPositive();
    assertThat(report.list("notes").toString()).contains("in a Redis server");
  }

  @Test
  void shouldKeepUsersInFilesWithoutRedis() throws IOException {
    ParsedReport report =
        run("mobile_device_0.1M_2n_backend", "--scale", "0.001", "--without", "redis");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(101);
    assertThat(figure(report, "fjordmq", "received")).isPositive();
    assertThat(report.list("notes").toString()).contains("not in Redis");
  }

  @Test
  void shouldRunMoreThanOnce() throws IOException {
    ParsedReport report = run("true_5_5_qos0_p64_10mps_1n", "--runs", "2");
    assertThat(report.list("runs")).hasSize(2);
    assertThat(figure(report, "fjordmq", "received")).isPositive();
  }

  /** The same processes serve all runs, and their persistent sessions are removed. */
  @Test
  void shouldReuseABroker() throws IOException {
    ParsedReport report =
        run("false_5_5_qos1_p64_10mps_1n", "--runs", "2", "--reuse", "--warm", "0");
    assertThat(report.list("runs")).hasSize(2);
    assertThat(report.number("runs", 0, "figures", "startSeconds"))
        .isEqualTo(report.number("runs", 1, "figures", "startSeconds"));
    assertThat(figure(report, "fjordmq", "received")).isPositive();
  }

  @Test
  void shouldLimitEachNode() throws IOException {
    Optional<String> obstacle = HostResources.obstacle(new NodeLimits(1, 1), true);
    assumeTrue(obstacle.isEmpty(), obstacle::toString);
    ParsedReport report = run("v5_20k_qos1_p1024_1mps_3n", "--scale", "0.001");
    assertThat(figure(report, "fjordmq", "connected")).isEqualTo(20);
    assertThat(report.list("notes").toString())
        .contains("each node is limited to 1 processor and 1 GiB");
    assertThat(report.at("facts", "limits of each node").toString()).contains("1 processor");
    assertThat(report.list("runs").toString()).contains("limits of node1: ", "of 1,024 MiB");
    assertThat(remainingGroups()).isEmpty();
  }

  /** Cgroups of this process that still exist. */
  private static List<Path> remainingGroups() throws IOException {
    List<Path> found = new ArrayList<>();
    ControlGroups own = ControlGroups.own();
    for (Path directory : List.of(own.cpu(), own.memory())) {
      try (Stream<Path> all = Files.list(directory)) {
        String name = "fjordmq-perf-" + ProcessHandle.current().pid();
        all.filter(folderOfGroup -> folderOfGroup.getFileName().toString().startsWith(name))
            .forEach(found::add);
      }
    }
    return found;
  }

  /** Clients with and without TLS load it, the latter with a certificate. */
  @Test
  void shouldLoadAnExternalBroker(@TempDir Path directory) throws Exception {
    GeneratedCertificates generatedCertificates =
        new GeneratedCertificates(directory.resolve("tls"));
    int tlsPort = FreePorts.one();
    String listener =
        """
        mqttServerConfig:
          tlsListener:
            host: 127.0.0.1
            port: %d
            certFile: %s
            keyFile: %s
            trustFile: %s
            clientAuth: required
        """
            .formatted(
                tlsPort,
                generatedCertificates.certificateFile(),
                generatedCertificates.keyFile(),
                generatedCertificates.trustFile());
    try (BrokerProcess broker =
        BrokerProcess.startFjordmq(
            "given",
            PerfToolTest.root(),
            directory.resolve("given"),
            new NodeConfig().with(listener))) {
      String host = "127.0.0.1:" + broker.address().getPort();
      assertLoadsExternalBroker(host, broker.pid());
      out = Files.createDirectory(directory.resolve("reports"));
      assertPresentsItsCertificate("127.0.0.1:" + tlsPort, generatedCertificates);
    }
  }

  private void assertLoadsExternalBroker(String host, long pid) throws IOException {
    ParsedReport report =
        run("false_10_10_qos1_p64_5mps_1n", "--hosts", host, "--pids", Long.toString(pid));
    assertThat(figure(report, host, "received")).isPositive();
    assertThat(figure(report, host, "memoryMb")).isPositive();
    assertThat(report.list("notes").toString()).contains("external broker");
  }

  private void assertPresentsItsCertificate(String host, GeneratedCertificates certificates)
      throws IOException {
    ParsedReport report =
        run(
            "conn_mtls_100k_1n",
            "--scale",
            "0.0002",
            "--hosts",
            host,
            // The broker's own certificate is signed by the authority that it trusts.
            "--client-cert",
            certificates.certificateFile().toString(),
            "--client-key",
            certificates.keyFile().toString());
    assertThat(figure(report, host, "connected")).isEqualTo(20);
  }
}
