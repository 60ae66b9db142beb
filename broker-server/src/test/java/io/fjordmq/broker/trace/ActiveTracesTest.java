package io.fjordmq.broker.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Topic;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which traces match. */
class ActiveTracesTest {
  private static final Instant AT = Instant.EPOCH;

  private static ActiveTrace trace(
      String name, TraceType type, String value, @Nullable String tenant) {
    return ActiveTrace.of(
        new Trace(
            name, type, value, tenant, PayloadEncoding.HIDDEN, "ann", AT, AT, AT, TraceFormat.TEXT),
        new TraceFile(Path.of("unused"), TraceFormat.TEXT, 1));
  }

  private final ActiveTraces traces =
      new ActiveTraces(
          List.of(
              trace("id", TraceType.CLIENTID, "c", null),
              trace("id-t", TraceType.CLIENTID, "c", "t"),
              trace("host", TraceType.IP_ADDRESS, "10.0.0.7", null),
              trace("net", TraceType.IP_ADDRESS, "10.0.0.0/8", null),
              trace("net6", TraceType.IP_ADDRESS, "fd00::/8", "t"),
              trace("topic", TraceType.TOPIC, "site/+/power", null),
              trace("topic-t", TraceType.TOPIC, "site/#", "t")));

  private static InetAddress address(String text) {
    try {
      return InetAddress.getByAddress(NetUtil.createByteArrayFromIpAddressString(text));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> names(List<ActiveTrace> found) {
    return found.stream().map(active -> active.trace().name()).toList();
  }

  @Test
  void shouldMatchClients() {
    assertThat(names(traces.ofClient("t", "c", null))).containsExactly("id", "id-t");
    assertThat(names(traces.ofClient("other", "c", null))).containsExactly("id");
    assertThat(names(traces.ofClient(null, "c", null)))
        .as("a client that is not authenticated")
        .containsExactly("id");
    assertThat(names(traces.ofClient("c", null))).containsExactly("id", "id-t");
    assertThat(names(traces.ofClient("t", "C", null))).isEmpty();
    assertThat(names(traces.ofClient("t", null, null))).isEmpty();
  }

  @Test
  void shouldMatchAddresses() {
    assertThat(names(traces.ofClient("", "d", address("10.0.0.7")))).containsExactly("host", "net");
    assertThat(names(traces.ofClient("", "d", address("10.1.0.7")))).containsExactly("net");
    assertThat(names(traces.ofClient("", "d", address("11.0.0.7")))).isEmpty();
    assertThat(names(traces.ofClient("t", "d", address("fd00::1")))).containsExactly("net6");
    assertThat(names(traces.ofClient("", "d", address("fd00::1")))).isEmpty();
    assertThat(names(traces.ofClient("", "c", address("10.0.0.7"))))
        .containsExactly("id", "host", "net");
  }

  @Test
  void shouldMatchTopics() {
    assertThat(traces.hasTopics()).isTrue();
    assertThat(names(traces.ofTopic("t", new Topic("site/7/power"))))
        .containsExactly("topic", "topic-t");
    assertThat(names(traces.ofTopic("", new Topic("site/7/power")))).containsExactly("topic");
    assertThat(names(traces.ofTopic("", new Topic("site/7/heat")))).isEmpty();
    assertThat(names(traces.ofFilter("t", "$share/g/site/7/heat"))).containsExactly("topic-t");
    assertThat(names(traces.ofFilter("", "+/+/+"))).containsExactly("topic");
  }

  @ParameterizedTest
  @CsvSource({
    "a/b, a/b, true",
    "a/b, a/c, false",
    "a/+, a/b, true",
    "a/+, +/b, true",
    "a/#, a, true",
    "a/#, a/b/c, true",
    "#, +, true",
    "a/+, a, false",
    "a/b, a/b/c, false",
    "+/+, a, false",
  })
  void shouldKnowWhichFiltersOverlap(String one, String other, boolean expected) {
    assertThat(ActiveTraces.overlaps(one, other)).isEqualTo(expected);
    assertThat(ActiveTraces.overlaps(other, one)).isEqualTo(expected);
  }
}
