package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cli.api.Json;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class SizeCommandTest {
  @Test
  void shouldPrintTheSmallestClusterAndItsLimits() {
    Cli.Result result =
        new Cli().line("size --clients 100000 --persistent 100 --publishes 5000 --cores 16");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("nodes:    3, one of which may be down")
        .contains("of 16 cores", "of 32 GB of memory", "Gbit/s of network")
        .containsPattern("carries: {2}[0-9.]+ times this workload; the first limit is: processor")
        .contains("LIMIT", "changes of routes");
  }

  @Test
  void shouldNotComputeGrowthBeyondAThousand() {
    assertThat(new Cli().line("size --clients 1000 --voters 1").out())
        .contains("carries:  at least 1,000 times this workload\n");
  }

  @Test
  void shouldPrintJson() {
    Cli.Result result = new Cli().line("size --clients 1000 --voters 1 --json");

    JsonNode size = Json.parse(result.out());
    assertThat(size.path("nodes").asInt()).isEqualTo(1);
    assertThat(size.path("fits").asBoolean()).isTrue();
    assertThat(size.path("need").path("cores").asDouble()).isBetween(0.02, 0.1);
    assertThat(size.path("limits").size()).isEqualTo(5);
  }

  @Test
  void shouldExitWith1IfTheWorkloadDoesNotFit() {
    Cli.Result result = new Cli().line("size --clients 10000000 --nodes 3 --memory 8");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).contains("does not fit", "the limit is: memory");
  }

  @Test
  void shouldExplainInvalidOptions() {
    assertThat(new Cli().line("size").err()).contains("--clients");
    assertThat(new Cli().line("size --clients 1 --nodes 2").err())
        .contains("--nodes must be 1 or from 3 to 100, and at least --voters (3), not 2");
    assertThat(new Cli().line("size --clients 1 --qos 3").err()).contains("QoS cannot be 3");
  }
}
