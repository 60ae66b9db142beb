package io.fjordmq.broker.rest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.query.ClientRow;
import io.fjordmq.broker.query.LiveClient;
import io.fjordmq.broker.session.ClientAttributes;
import io.fjordmq.broker.session.ClientState;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxLimits;
import io.fjordmq.inbox.InboxState;
import io.fjordmq.inbox.Owner;
import io.fjordmq.inbox.SessionUser;
import io.fjordmq.inbox.StoredSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Clients are written as {@link ClientJson} declares them. */
class ClientRowWriterTest {
  private static final InboxId ID = new InboxId("t", "c \" \u00e9");

  private final Json json = new Json();

  private static LiveClient live(boolean persistent, @Nullable String user, String address) {
    return new LiveClient(
        new ClientAttributes(
            "t",
            ID.clientId(),
            user,
            address,
            address.isEmpty() ? 0 : 4711,
            "tcpListener",
            true,
            5,
            60,
            false,
            3600,
            persistent,
            true,
            1_700_000_000_123L),
        new ClientState(2, 100, 3, 30, 1000, 4, 50, 1, List.of("overload", "lease")));
  }

  private static StoredSession stored(@Nullable Owner owner) {
    return new StoredSession(
        ID,
        1_600_000_000_000L << 20,
        owner,
        7_200,
        InboxLimits.DEFAULT,
        new SessionUser("u:anna", false),
        false,
        owner == null ? 1_800_000_000_000L : InboxState.NEVER,
        owner == null ? 1_900_000_000_000L : InboxState.NEVER,
        11,
        1_100,
        1,
        5);
  }

  private String write(ClientRow row) {
    String once = new String(json.writeOnce(row).bytes(), UTF_8);
    assertThat(once).isEqualTo(new String(json.write(row), UTF_8));
    return once;
  }

  @Test
  void shouldWriteAConnectedClientWithItsSession() {
    ClientRow row =
        new ClientRow(ID, "n1", live(true, "bert", "10.0.0.1"), stored(new Owner("n1", 1)));
    assertThat(write(row))
        .isEqualTo(
            "{\"clientid\":\"c \\\" \u00e9\",\"tenant\":\"t\",\"username\":\"bert\","
                + "\"connected\":true,\"conn_state\":\"connected\",\"node\":\"n1\","
                + "\"ip_address\":\"10.0.0.1\",\"port\":4711,\"listener\":\"tcpListener\","
                + "\"encrypted\":true,\"proto_name\":\"MQTT\",\"proto_ver\":5,\"keepalive\":60,"
                + "\"clean_start\":false,\"expiry_interval\":3600,\"is_persistent\":true,"
                + "\"created_at\":\"2020-09-13T12:26:40Z\","
                + "\"connected_at\":\"2023-11-14T22:13:20.123Z\",\"has_will\":false,"
                + "\"subscriptions_cnt\":4,\"subscriptions_max\":50,\"inflight_cnt\":2,"
                + "\"inflight_max\":100,\"mqueue_len\":13,\"mqueue_max\":%d,"
                    .formatted(InboxLimits.DEFAULT.maxMessages())
                + "\"awaiting_rel_cnt\":1,\"inbox_messages\":11,\"inbox_bytes\":1100,"
                + "\"inbox_max_messages\":%d,\"inbox_max_bytes\":%d,"
                    .formatted(InboxLimits.DEFAULT.maxMessages(), InboxLimits.DEFAULT.maxBytes())
                + "\"held_back_by\":[\"overload\",\"lease\"]}");
  }

  @Test
  void shouldLeaveOutWhatIsNotKnown() {
    assertThat(write(new ClientRow(ID, "n1", null, null)))
        .isEqualTo(
            "{\"clientid\":\"c \\\" \u00e9\",\"tenant\":\"t\",\"connected\":true,"
                + "\"conn_state\":\"connected\",\"node\":\"n1\",\"expiry_interval\":0,"
                + "\"is_persistent\":false,\"has_will\":false}");
  }

  @Test
  void shouldWriteEveryDeclaredFieldInOrderAndWithItsType() {
    Schema schema = SchemaReader.of(ClientJson.class);
    List<String> declared =
        ((Schema.Structure) schema).members().stream().map(Schema.Member::name).toList();
    Set<String> written = new TreeSet<>();
    for (ClientRow row : rows()) {
      JsonNode tree = new JsonMapper().readTree(write(row));
      new JsonCheck().check("", tree, schema);
      List<String> names = new ArrayList<>(tree.propertyNames());
      assertThat(declared.stream().filter(names::contains).toList()).isEqualTo(names);
      written.addAll(names);
    }
    assertThat(written).containsExactlyInAnyOrderElementsOf(declared);
  }

  private static List<ClientRow> rows() {
    List<ClientRow> rows = new ArrayList<>();
    for (LiveClient live :
        new @Nullable LiveClient[] {null, live(true, "u", "::1"), live(false, null, "")}) {
      for (StoredSession session :
          new @Nullable StoredSession[] {null, stored(null), stored(new Owner("n", 1))}) {
        rows.add(new ClientRow(ID, live == null ? null : "n", live, session));
        rows.add(new ClientRow(ID, "n", live, session));
      }
    }
    return rows;
  }

  @Test
  void shouldReuseTheArraysOfResponsesThatHaveBeenSent() {
    ResponseBuffers buffers = new ResponseBuffers();
    Random random = new Random(1);
    for (int size : new int[] {0, 1, 5_000, 100_000, 200_000}) {
      byte[] content = new byte[size];
      random.nextBytes(content);
      ResponseBuffers.Output out = buffers.open();
      int half = size / 2;
      out.write(content, 0, half);
      for (int i = half; i < Math.min(size, half + 10); i++) {
        out.write(content[i]);
      }
      out.write(content, Math.min(size, half + 10), size - Math.min(size, half + 10));
      assertThat(Arrays.copyOf(out.array(), out.length())).isEqualTo(content);
      buffers.reuse(out.array());
      ResponseBuffers.Output next = buffers.open();
      assertThat(next.array() == out.array()).isEqualTo(size <= 100_000);
      buffers.reuse(next.array());
    }
  }
}
