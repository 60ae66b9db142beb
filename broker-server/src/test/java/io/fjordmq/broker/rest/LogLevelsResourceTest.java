package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.logging.ClusterLogLevels;
import io.fjordmq.broker.logging.TestLogLevels;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The levels of loggers over the API, on the second of three nodes. */
class LogLevelsResourceTest {
  private final LoopbackPeers peers = LoopbackPeers.immediate();
  private final List<TestLogLevels> nodes = new ArrayList<>();
  private final TestRequest api;

  LogLevelsResourceTest() {
    List<ClusterLogLevels> clusters = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      NodeId id = new NodeId("n" + i);
      TestMembership membership = new TestMembership(id);
      for (int other = 0; other < 3; other++) {
        membership.setUp(new NodeId("n" + other), 1);
      }
      TestLogLevels levels = new TestLogLevels();
      levels.context.getLogger("p.q.Session");
      levels.context.getLogger("p.r.Store");
      levels.context.getLogger("p.s.Store");
      nodes.add(levels);
      clusters.add(ClusterLogLevels.start(levels.levels, membership, peers.start(id)));
    }
    api =
        new TestRequest(
            new LogLevelsResource(clusters.get(1), NodeLookups.of("n0", "n1", "n2")),
            UnaryOperator.identity());
  }

  private static List<String> texts(JsonNode list, String field) {
    List<String> texts = new ArrayList<>();
    list.get("data").forEach(element -> texts.add(element.get(field).asString()));
    return texts;
  }

  private JsonNode send(String method, String path, String json) {
    return TestRequest.body(api.send(method, path, json.isEmpty() ? null : json));
  }

  private void assertError(String method, String path, String json, ErrorCode code, String text) {
    assertThatThrownBy(() -> send(method, path, json))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> {
              assertThat(error.code()).isEqualTo(code);
              assertThat(error).hasMessageContaining(text);
            });
  }

  @Test
  void shouldChangeALevelOnAllNodes() {
    JsonNode changed = send("PUT", "/log/levels/session", "{\"level\":\"debug\"}");
    assertThat(changed.get("data").get(0).toString())
        .isEqualTo(
            "{\"node\":\"n0\",\"logger\":\"p.q.Session\",\"level\":\"debug\",\"changed\":true}");
    assertThat(texts(changed, "node")).containsExactly("n0", "n1", "n2");
    assertThat(nodes).allMatch(node -> node.context.getLogger("p.q.Session").isDebugEnabled());
    JsonNode reset = send("DELETE", "/log/levels/p.q.Session", "");
    assertThat(texts(reset, "node")).hasSize(3);
    assertThat(nodes).noneMatch(node -> node.context.getLogger("p.q.Session").getLevel() != null);
  }

  @Test
  void shouldChangeALevelOnOneNodeForSomeTime() {
    JsonNode changed =
        send("PUT", "/log/levels/p.q", "{\"level\":\"trace\",\"node\":\"n2\",\"for_seconds\":60}");
    assertThat(texts(changed, "node")).containsExactly("n2");
    assertThat(texts(changed, "until")).containsExactly("2030-01-01T00:01:00Z");
    assertThat(texts(api.get("/log/levels?node=n2"), "logger")).contains("p.q", "ROOT");
    assertThat(texts(api.get("/log/levels?node=host-n2"), "logger")).contains("p.q", "ROOT");
    assertThat(texts(api.get("/log/levels?node=n1"), "logger")).doesNotContain("p.q");
    assertThat(texts(api.get("/log/levels"), "node")).contains("n0", "n1", "n2");
    nodes.get(2).timers.advance(Duration.ofMinutes(1));
    assertThat(texts(api.get("/log/levels?node=n2"), "logger")).doesNotContain("p.q");
  }

  @Test
  void shouldExplainUnknownNames() {
    String debug = "{\"level\":\"debug\"}";
    assertError("PUT", "/log/levels/p.q.Sesion", debug, ErrorCode.NOT_FOUND, "p.q.Session?");
    assertError("PUT", "/log/levels/sesion", debug, ErrorCode.NOT_FOUND, "did you mean Session?");
    assertError("DELETE", "/log/levels/nothing.like.this.at.all", "", ErrorCode.NOT_FOUND, "named");
    assertError("PUT", "/log/levels/store", debug, ErrorCode.BAD_REQUEST, "p.r.Store, p.s.Store");
    String elsewhere = "{\"level\":\"debug\",\"node\":\"n7\"}";
    assertError("PUT", "/log/levels/p.q", elsewhere, ErrorCode.NOT_FOUND, "node 'n7'");
    assertError("GET", "/log/levels?node=n7", "", ErrorCode.NOT_FOUND, "node 'n7'");
    assertThatThrownBy(() -> send("PUT", "/log/levels/p.q", "{\"level\":\"verbose\"}"))
        .hasMessageContaining("level");
    assertThatThrownBy(
            () -> send("PUT", "/log/levels/p.q", "{\"level\":\"info\",\"for_seconds\":0}"))
        .hasMessageContaining("for_seconds");
  }

  @Test
  void shouldNameNodesThatDoNotRespond() {
    peers.cut(new NodeId("n1"), new NodeId("n2"));
    JsonNode changed = send("PUT", "/log/levels/p.q", "{\"level\":\"debug\"}");
    assertThat(texts(changed, "node")).containsExactly("n0", "n1");
    assertThat(changed.get("meta").get("partial").get(0).asString()).startsWith("node n2: ");
    assertError("GET", "/log/levels?node=n2", "", ErrorCode.SERVICE_UNAVAILABLE, "node n2: ");
  }
}
