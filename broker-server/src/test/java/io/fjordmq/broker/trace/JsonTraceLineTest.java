package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Lines of text become JSON without losing anything. */
class JsonTraceLineTest {
  private static final String BEGIN = "2030-01-01T00:00:00.000Z n1 recv";

  private static JsonNode parse(String rest) {
    return JsonMapper.shared().readTree(JsonTraceLine.of(BEGIN + rest + "\n"));
  }

  @Test
  void shouldKeepFieldsAndWords() {
    JsonNode line = parse(" client=c PUBLISH qos=1 filter=a filter=\"b c\" (more) \"x=1 y\"");
    assertThat(line.get("time").asString()).isEqualTo("2030-01-01T00:00:00.000Z");
    assertThat(line.get("node").asString()).isEqualTo("n1");
    assertThat(line.get("kind").asString()).isEqualTo("recv");
    assertThat(line.get("text").asString()).isEqualTo("PUBLISH (more) x=1 y");
    assertThat(line.get("fields").toString())
        .isEqualTo("{\"client\":\"c\",\"qos\":\"1\",\"filter\":[\"a\",\"b c\"]}");
    assertThat(parse("").propertyNames()).containsExactly("time", "node", "kind");
    assertThat(parse(" password=(hidden)").at("/fields/password").asString()).isEqualTo("(hidden)");
  }

  @Test
  void shouldKeepValuesThatClientsChoose() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      StringBuilder chars = new StringBuilder();
      for (int c = random.nextInt(12); c > 0; c--) {
        int kind = random.nextInt(4);
        chars.append(
            (char) (kind == 0 ? random.nextInt(128) : kind == 1 ? random.nextInt(0xD800) : ' '));
      }
      String value = chars.toString();
      StringBuilder rest = new StringBuilder();
      new TraceText(rest).field("client", value).quoted(value).field("next", 1);
      JsonNode line = parse(rest.toString());
      assertThat(line.at("/fields/client").asString()).isEqualTo(value);
      assertThat(line.path("text").asString("")).isEqualTo(value);
      assertThat(line.at("/fields/next").asString()).isEqualTo("1");
    }
  }

  @Test
  void shouldSortLikeText() {
    String early = JsonTraceLine.of("2030-01-01T00:00:00.000Z n2 note b\n");
    String late = JsonTraceLine.of("2030-01-01T00:00:00.001Z n1 note a\n");
    assertThat(early).isLessThan(late).endsWith("}\n");
    assertThat(JsonTraceLine.comment("a \"b\""))
        .isEqualTo("{\"kind\":\"note\",\"text\":\"a \\\"b\\\"\"}");
  }
}
