package io.fjordmq.perf.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.load.ConnectedClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The shipped scenario files, and errors in scenario files. */
class ScenarioFilesTest {
  @TempDir Path directory;

  private static ScenarioFiles shipped() throws IOException {
    Path here = Path.of("scenarios");
    return new ScenarioFiles(Files.exists(here) ? here : Path.of("perf/scenarios"));
  }

  private static List<String> names(String list) throws IOException {
    return shipped().list(list).stream().map(Scenario::name).toList();
  }

  @Test
  void shouldContainEveryScenarioOfTheClusterReport() throws IOException {
    assertThat(names("cluster-report"))
        .containsExactly(
            "true_2k_2k_qos0_p32_100mps_1n",
            "true_2k_2k_qos1_p32_100mps_1n",
            "true_5k_5k_qos0_p32_100mps_3n",
            "true_4k_4k_qos1_p32_100mps_3n",
            "true_100k_100k_qos0_p256_1mps_1n",
            "true_100k_100k_qos1_p256_1mps_1n",
            "true_300k_300k_qos0_p256_1mps_3n",
            "true_200k_200k_qos1_p256_1mps_3n",
            "share_true_100k_1000_qos0_p256_1mps_1n",
            "share_true_100k_1000_qos1_p256_1mps_1n",
            "share_true_300k_3000_qos0_p256_1mps_3n",
            "share_true_200k_2000_qos1_p256_1mps_3n",
            "fanout_true_1_100000_qos0_p256_1mps_1n",
            "fanout_true_1_100000_qos1_p256_1mps_1n",
            "fanout_true_1_300000_qos0_p256_1mps_3n",
            "fanout_true_1_200000_qos1_p256_1mps_3n",
            "false_15k_15k_qos0_p256_1mps_1n_1v",
            "false_15k_15k_qos1_p256_1mps_1n_1v",
            "false_30k_30k_qos0_p256_1mps_3n_1v",
            "false_30k_30k_qos1_p256_1mps_3n_1v",
            "false_15k_15k_qos0_p256_1mps_3n_3v",
            "false_15k_15k_qos1_p256_1mps_3n_3v",
            "false_300_300_qos0_p32_50mps_1n_1v",
            "false_300_300_qos1_p32_50mps_1n_1v",
            "false_900_900_qos0_p32_50mps_3n_1v",
            "false_900_900_qos1_p32_50mps_3n_1v",
            "false_300_300_qos0_p32_50mps_3n_3v",
            "false_300_300_qos1_p32_50mps_3n_3v",
            "false_30k_30k_qos1_p256_1mps_3n_1v_cold",
            "conn-tcp-1M-5K_1n_true",
            "conn-tcp-1M-5K_1n_false");
  }

  @Test
  void shouldContainEveryScenarioOfTheErlangReports() throws IOException {
    Stream<String> mobileDevices =
        Stream.of("0.1M", "0.2M", "0.5M", "1M")
            .flatMap(
                clients ->
                    Stream.of(
                            "",
                            "_backend",
                            "_ttl_1pct_1to5min",
                            "_ttl_5pct_5to10min",
                            "_80qos0_20qos1")
                        .map(variant -> "mobile_device_" + clients + "_2n" + variant));
    Stream<String> others =
        Stream.of(
            "conn_tcp_300k_1n",
            "conn_tcp_500k_1n",
            "conn_tcp_1M_1n",
            "conn_tls_100k_1n",
            "conn_tls_200k_1n",
            "conn_mtls_100k_1n",
            "conn_mtls_200k_1n",
            "conn_10M_20n",
            "bg9M_pub_200k_qos0",
            "bg9M_pub_200k_qos1",
            "bg9M_topics500k_qos0",
            "bg9M_topics500k_qos1",
            "bg9M_broadcast_qos0",
            "bg9M_broadcast_qos1",
            "v5_20k_qos1_p1024_1mps_3n",
            "v5_50k_qos1_p1024_1mps_3n",
            "v5_100k_qos1_p1024_1mps_3n",
            "v5_200k_qos1_p1024_1mps_3n",
            "v5_500k_qos1_p1024_1mps_3n");
    assertThat(names("erlang-reports"))
        .containsExactlyInAnyOrderElementsOf(Stream.concat(others, mobileDevices).toList());
  }

  @Test
  void shouldFindScenariosWithoutTheirPrefix() throws IOException {
    ScenarioFiles files = shipped();
    for (String shortName : List.of("2k_2k_qos0_p32_100mps_1n", "100k_100k_qos1_p256_1mps_1n")) {
      assertThat(files.find(shortName)).isEqualTo(files.find("true_" + shortName));
      assertThat(files.find(shortName).published()).isNotEmpty(); // that is, the listed one
    }
    assertThat(files.find("share_100k_1000_qos1_p256_1mps_1n"))
        .isEqualTo(files.find("share_true_100k_1000_qos1_p256_1mps_1n"));
    assertThat(files.find("7_7_qos1_p32_1mps_1n"))
        .isEqualTo(files.find("true_7_7_qos1_p32_1mps_1n"));
    Files.writeString(directory.resolve("own.yml"), "7_7_qos1_p32_1mps_1n: { seconds: 9 }\n");
    ScenarioFiles own = new ScenarioFiles(directory);
    assertThat(own.find("true_7_7_qos1_p32_1mps_1n").seconds()).isEqualTo(9);
    assertThat(own.find("7_7_qos1_p32_1mps_1n").seconds()).isEqualTo(9);
  }

  @Test
  void shouldContainScenariosThatMostlyLoadFewInboxes() throws IOException {
    Scenario few = shipped().find("few_inboxes_1n");
    assertThat(ConnectedClients.all(few).deliveriesPerSecond())
        .isEqualTo(7 * few.publishesPerSecond());
    Scenario one = shipped().find("one_inbox_1n");
    assertThat(ConnectedClients.all(one).deliveriesPerSecond())
        .isEqualTo(1.2 * one.publishesPerSecond());
    assertThat(List.of(few, one)).allMatch(scenario -> scenario.connections().persistent());
  }

  @Test
  void shouldMatchTheLoadOfThePublishedReports() throws IOException {
    ScenarioFiles files = shipped();
    assertThat(files.find("bg9M_pub_200k_qos1").publishesPerSecond()).isEqualTo(200_000);
    assertThat(ConnectedClients.all(files.find("bg9M_pub_200k_qos1")).deliveriesPerSecond())
        .isZero();
    assertThat(files.find("bg9M_topics500k_qos0").publishesPerSecond()).isEqualTo(200_000);
    assertThat(files.find("bg9M_topics500k_qos1").publishesPerSecond()).isEqualTo(100_000);
    assertThat(files.find("bg9M_broadcast_qos0").publishesPerSecond()).isEqualTo(4_000);
    assertThat(ConnectedClients.all(files.find("bg9M_broadcast_qos0")).deliveriesPerSecond())
        .isEqualTo(1_800_000);
    assertThat(ConnectedClients.all(files.find("bg9M_broadcast_qos1")).deliveriesPerSecond())
        .isEqualTo(900_000);
    assertThat(files.find("v5_500k_qos1_p1024_1mps_3n").publishesPerSecond()).isEqualTo(250_000);
    assertThat(files.find("mobile_device_0.1M_2n").publishesPerSecond()).isEqualTo(4_000);
    Scenario backend = files.find("mobile_device_1M_2n_backend");
    assertThat(backend.publishesPerSecond()).isEqualTo(30_000);
    assertThat(ConnectedClients.all(backend).deliveriesPerSecond()).isEqualTo(60_000);
    assertThat(backend.busiestClientBytesPerSecond()).isEqualTo(30_000 * (88 + 40));
    assertThat(files.find("mobile_device_1M_2n").busiestClientBytesPerSecond()).isLessThan(10);
    assertThat(files.find("share_true_100k_1000_qos1_p256_1mps_1n").busiestClientBytesPerSecond())
        .isEqualTo(100 * (256 + 40));
    ClientChurn clientChurn =
        files.find("mobile_device_1M_2n_ttl_5pct_5to10min").connections().clientChurn();
    assertThat(clientChurn).isEqualTo(new ClientChurn(5, 300, 600));
    assertThat(IntStream.range(0, 1_000).filter(clientChurn::includes).count()).isEqualTo(50);
    assertThat(clientUsers(files, "mobile_device_1M_2n_ttl_5pct_5to10min"))
        .isEqualTo(new ClientUsers(UserStore.REDIS, 0));
    assertThat(clientUsers(files, "bg9M_pub_200k_qos1").exist()).isFalse();
    assertThat(files.find("mobile_device_1M_2n_80qos0_20qos1").traffic().acknowledgedEvery())
        .isEqualTo(5);
  }

  private static ClientUsers clientUsers(ScenarioFiles files, String name) {
    return files.find(name).connections().users();
  }

  @Test
  void shouldLimitNodesLikeThePublishedReports() throws IOException {
    ScenarioFiles files = shipped();
    Scenario small = files.find("v5_20k_qos1_p1024_1mps_3n");
    assertThat(small.cluster().limits()).isEqualTo(new NodeLimits(1, 1));
    assertThat(small.summary()).endsWith("; 3 nodes of 1 processor and 1 GiB");
    assertThat(new Scale(0.1).apply(small).scenario().cluster()).isEqualTo(small.cluster());
    Scenario large = files.find("v5_500k_qos1_p1024_1mps_3n");
    assertThat(large.cluster().limits()).isEqualTo(new NodeLimits(14, 14));
    assertThat(large.withoutNodeLimits().cluster().limits().isNone()).isTrue();
    assertThat(large.withoutNodeLimits().summary()).endsWith("; 3 nodes");
    assertThat(files.find("conn_10M_20n").cluster().limits().isNone()).isTrue();
  }

  @Test
  void shouldParseUnlistedScenariosFromTheirName() throws IOException {
    assertThat(shipped().find("true_3_3_qos1_p64_2mps_1n").clients().publishers()).isEqualTo(3);
    assertThatThrownBy(() -> shipped().find("true_ish"))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("'true_ish'")
        .hasMessageContaining("--list");
  }

  private void assertRefused(String content, String... parts) throws IOException {
    Files.writeString(directory.resolve("mine.yml"), content);
    assertThatThrownBy(() -> new ScenarioFiles(directory))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("mine.yml")
        .message()
        .contains(parts);
  }

  @Test
  void shouldReportErrorsInAFile() throws IOException {
    assertRefused("mine: { flow: pairs, publisher: 1 }", "unknown key 'publisher'", "publishers");
    assertRefused("mine: { flow: chain }", "flow must be one of", "pairs", "'chain'");
    assertRefused("mine: { publishers: 1 }", "flow must be one of", "missing");
    assertRefused("mine: { flow: pairs, publishers: 1.5 }", "'1.5'");
    assertRefused(
        "mine: { flow: pairs, publishers: 2, subscribers: 1, perSecond: 1, payloadBytes: 20 }",
        "as many publishers as subscribers");
    assertRefused(
        "mine: { flow: topics, publishers: 1, topics: 1, perSecond: 1, payloadBytes: 8 }",
        "at least 20 bytes to identify");
    assertRefused("true_2_2_qos3_p32_1mps_1n:", "QoS must be 0, 1 or 2, not 3");
    assertRefused(
        "true_2_2_qos1_p32_1mps_1n: { leavingPercent: 5, minLifeSeconds: 9, maxLifeSeconds: 8 }",
        "minLifeSeconds",
        "9 and 8");
    assertRefused(
        "false_2_2_qos1_p32_1mps_1n: { leavingPercent: 5, minLifeSeconds: 1, maxLifeSeconds: 8"
            + " }",
        "clean sessions");
    assertRefused("true_2_3_qos1_p32_1mps_1n:", "as many publishers as subscribers");
    assertRefused("true_2_2_qos1_p32_1mps_1n: { nodeProcessors: 1.5 }", "both be set", "1.5 and 0");
    assertRefused(
        "true_2_2_qos1_p32_1mps_1n: { nodeProcessors: 0.001, nodeGibibytes: 1 }", "0.001 and 1");
    assertRefused("true_2_2_qos1_p32_1mps_1n: { needs: [node-limits] }", "unknown key 'needs'");
    assertRefused("true_2_2_qos1_p32_1mps_1n: { users: true }", "users must be one of", "redis");
    assertRefused("true_2_2_qos1_p32_1mps_1n: { rulesPerUser: 3 }", "rulesPerUser", "not 3");
    assertRefused("- true_2_2_qos1_p32_1mps_1n", "expected a map");
  }
}
