package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.query.QueryFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Topics over the API, on the second of three nodes. */
class TopicsResourceTest {
  private final QueryFixture nodes = new QueryFixture(3);
  private final TestRequest api =
      new TestRequest(new TopicsResource(nodes.queries(1).topics()), nodes::settled).boundTo("t");

  @AfterEach
  void close() {
    nodes.close();
  }

  @Test
  void shouldListTopicFiltersPageByPage() {
    for (int i = 0; i < 5; i++) {
      nodes.cluster.node(i % 3).connect("c" + i).subscribe(1, "a/" + i, 0).readAll();
    }
    nodes.cluster.node(2).connectPersistent("p").subscribe(1, "a/0", 1).readAll();
    JsonNode first = api.get("/topics?limit=3");
    assertThat(first.get("data").toString())
        .isEqualTo(
            "[{\"topic\":\"a/0\",\"tenant\":\"t\",\"node\":\"n0\",\"nodes\":[\"n0\",\"n2\"],"
                + "\"sessions\":1},"
                + "{\"topic\":\"a/1\",\"tenant\":\"t\",\"node\":\"n1\",\"nodes\":[\"n1\"],"
                + "\"sessions\":0},"
                + "{\"topic\":\"a/2\",\"tenant\":\"t\",\"node\":\"n2\",\"nodes\":[\"n2\"],"
                + "\"sessions\":0}]");
    JsonNode second =
        api.get("/topics?limit=3&cursor=" + first.get("meta").get("cursor").asString());
    assertThat(second.get("data").findValuesAsString("topic")).containsExactly("a/3", "a/4");
    assertThat(second.get("meta").get("hasnext").asBoolean()).isFalse();
    assertThat(api.get("/topics?page=2&limit=3").get("data")).isEqualTo(second.get("data"));
    assertThat(api.get("/topics?topic=a%2F4").get("data").findValuesAsString("topic"))
        .containsExactly("a/4");
    assertThat(api.boundTo("other").get("/topics").get("data")).isEmpty();
  }

  @Test
  void shouldShowATopicFilter() {
    nodes.cluster.node(2).connectPersistent("p").subscribe(1, "a/+", 1).disconnect();
    nodes.cluster.settle();
    JsonNode shown = api.get("/topics/a%2F+");
    assertThat(shown.get(0).get("sessions").asInt()).isEqualTo(1);
    assertThat(shown.get(0).has("node")).isFalse();
    assertThatThrownBy(() -> api.get("/topics/no"))
        .isInstanceOfSatisfying(
            ApiException.class,
            error -> assertThat(error.code()).isEqualTo(ErrorCode.TOPIC_NOT_FOUND));
  }

  @Test
  void shouldListTopicLevelsPageByPage() {
    String[] filters = {"site/1/a", "site/1/b", "site/1", "site/+/a", "$share/g/site/1/a", "/x"};
    for (int i = 0; i < filters.length; i++) {
      nodes.cluster.node(i % 3).connect("c" + i).subscribe(1, filters[i], 0).readAll();
    }
    nodes.cluster.node(2).connect("again").subscribe(1, "site/1/a", 0).readAll();
    JsonNode first = api.get("/topic_levels?limit=1");
    assertThat(first.get("data").toString())
        .isEqualTo("[{\"level\":\"\",\"topic\":\"\",\"is_filter\":false,\"below\":1}]");
    JsonNode rest = api.get("/topic_levels?cursor=" + first.get("meta").get("cursor").asString());
    assertThat(rest.get("data").toString())
        .isEqualTo(
            "[{\"level\":\"$share\",\"topic\":\"$share\",\"is_filter\":false,\"below\":1},"
                + "{\"level\":\"site\",\"topic\":\"site\",\"is_filter\":false,\"below\":4}]");
    assertThat(api.get("/topic_levels?page=2&limit=1").get("data").findValuesAsString("level"))
        .containsExactly("$share");
    JsonNode below = api.get("/topic_levels?prefix=site/");
    assertThat(below.get("data").toString())
        .isEqualTo(
            "[{\"level\":\"+\",\"topic\":\"site/+\",\"is_filter\":false,\"below\":1},"
                + "{\"level\":\"1\",\"topic\":\"site/1\",\"is_filter\":true,\"below\":2}]");
    assertThat(below.get("meta").get("count").asInt()).isEqualTo(2);
    assertThat(api.get("/topic_levels?prefix=none/").get("data")).isEmpty();
    assertThat(api.boundTo("other").get("/topic_levels").get("data")).isEmpty();
    assertThatThrownBy(() -> api.get("/topic_levels?prefix=site"))
        .isInstanceOfSatisfying(
            ApiException.class, error -> assertThat(error.code()).isEqualTo(ErrorCode.BAD_REQUEST));
  }
}
