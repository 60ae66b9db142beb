package io.fjordmq.perf.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.perf.load.ConnectedClients;
import io.fjordmq.perf.scenario.Connections.Transport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Parsing scenario names. */
class ScenarioNameTest {
  private static Scenario parse(String name) {
    return ScenarioName.parse(name).orElseThrow();
  }

  @Test
  void shouldReadPairs() {
    Scenario scenario = parse("false_15k_15k_qos1_p256_1mps_3n_1v_cold");
    assertThat(scenario.flow()).isEqualTo(Flow.PAIRS);
    assertThat(scenario.clients()).isEqualTo(new Clients(15_000, 15_000, 0, 0, 0));
    assertThat(scenario.traffic()).isEqualTo(new Traffic(1, 256, 1, 100));
    assertThat(scenario.connections().persistent()).isTrue();
    assertThat(scenario.cluster()).isEqualTo(new Cluster(3, 1, true, NodeLimits.NONE));
  }

  @Test
  void shouldReadSharedSubscriptionsAndFanOut() {
    Scenario share = parse("share_true_100k_1000_qos0_p256_1mps_1n");
    assertThat(share.flow()).isEqualTo(Flow.SHARED);
    assertThat(ConnectedClients.all(share).deliveriesPerSecond()).isEqualTo(100_000);
    Scenario fanout = parse("fanout_true_1_100000_qos1_p256_1mps_1n");
    assertThat(fanout.flow()).isEqualTo(Flow.TOPICS);
    assertThat(fanout.publishesPerSecond()).isEqualTo(1);
    assertThat(ConnectedClients.all(fanout).deliveriesPerSecond()).isEqualTo(100_000);
  }

  @Test
  void shouldReadPairsOnDifferentNodes() {
    Scenario apart = parse("apart_true_5_5_qos1_p32_20mps_3n_3v");
    assertThat(apart.flow()).isEqualTo(Flow.PAIRS);
    assertThat(apart.clients()).isEqualTo(new Clients(5, 5, 0, 0, 0, true));
    assertThat(apart.summary()).contains("its own subscriber on another node");
  }

  @Test
  void shouldReadConnections() {
    Scenario tcp = parse("conn-tcp-1M-5K_1n_false");
    assertThat(tcp.clients()).isEqualTo(new Clients(0, 0, 1_000_000, 0, 0));
    assertThat(tcp.connections().perSecond()).isEqualTo(5_000);
    assertThat(tcp.connections().persistent()).isTrue();
    Scenario mutual = parse("conn_mtls_200k_1n");
    assertThat(mutual.connections().transport()).isEqualTo(Transport.MTLS);
    assertThat(mutual.connections().perSecond()).isEqualTo(500);
  }

  @Test
  void shouldReadQos2() {
    assertThat(parse("true_2_2_qos2_p32_1mps_1n").traffic()).isEqualTo(new Traffic(1, 32, 2, 100));
    assertThat(parse("true_2_2_qos2_p32_1mps_1n").summary()).contains("QoS 2");
  }

  @Test
  void shouldReadMqtt5() {
    Scenario scenario = parse("v5_20k_qos1_p1024_1mps_3n");
    assertThat(scenario.connections().version()).isEqualTo(5);
    assertThat(scenario.clients()).isEqualTo(new Clients(10_000, 10_000, 0, 0, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true_2k_2k_qos1_p32_100mps",
        "true_2k_2k_qos1_p32_100mps_1n_extra",
        "maybe_2k_2k_qos1_p32_100mps_1n",
        "conn-udp-1M-5K_1n_true",
        ""
      })
  void shouldNotParseOtherNames(String name) {
    assertThat(ScenarioName.parse(name)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "true_2k_3k_qos1_p32_100mps_1n",
        "true_2_2_qos3_p32_100mps_1n",
        "true_2_2_qos1_p8_100mps_1n",
        "true_0_0_qos1_p32_100mps_1n",
        "false_2_2_qos1_p32_1mps_1n_3v",
        "apart_true_2_2_qos1_p32_1mps_1n",
        "true_1.2345k_1.2345k_qos1_p32_1mps_1n"
      })
  void shouldRejectInvalidScenarios(String name) {
    assertThatThrownBy(() -> ScenarioName.parse(name)).isInstanceOf(UsageException.class);
  }

  @Test
  void shouldScaleClientsDownAndAddNotes() {
    Scale.Scaled scaled = new Scale(0.001).apply(parse("share_true_100k_1000_qos1_p256_1mps_1n"));
    assertThat(scaled.scenario().clients()).isEqualTo(new Clients(100, 1, 0, 0, 0));
    assertThat(scaled.scenario().traffic().perSecond()).isEqualTo(1);
    assertThat(new Scale(0.0001)).hasToString("0.0001");
    assertThat(scaled.notes())
        .contains("publishers: 100 instead of 100000", "subscribers: 1 instead of 1000");
    assertThat(new Scale(0.0001).apply(parse("fanout_true_1_100_qos1_p256_1mps_1n")).scenario())
        .extracting(Scenario::clients)
        .isEqualTo(new Clients(1, 1, 0, 1, 0));
    assertThat(Scale.nodes(scaled, 1).notes()).isEqualTo(scaled.notes());
    assertThat(Scale.nodes(Scale.FULL.apply(parse("false_2_2_qos1_p32_1mps_3n_3v")), 1))
        .satisfies(
            one ->
                assertThat(one.scenario().cluster())
                    .isEqualTo(new Cluster(1, 1, false, NodeLimits.NONE)))
        .satisfies(one -> assertThat(one.notes()).containsExactly("nodes: 1 instead of 3"));
  }
}
