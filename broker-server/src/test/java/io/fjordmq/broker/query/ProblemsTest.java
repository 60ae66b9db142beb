package io.fjordmq.broker.query;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class ProblemsTest {
  private final Problems problems = new Problems();

  @Test
  void shouldBoundTheList() {
    for (int i = 0; i < 10_000; i++) {
      problems.add("session of client 'c" + i + "'", new TimeoutException());
    }
    problems.addNode("n1", new TimeoutException());
    assertThat(problems.list())
        .hasSizeLessThan(100)
        .contains("session of client 'c0': did not respond in time")
        .contains("node n1 did not respond in time")
        .endsWith("further parts are missing");
  }

  @Test
  void shouldListEachProblemOnce() {
    for (int i = 0; i < 1_000; i++) {
      problems.add("a");
    }
    assertThat(problems.list()).containsExactly("a");
  }
}
