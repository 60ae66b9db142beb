package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Sessions, retained messages and users that one cluster exports and another one imports. */
@Tag("slow")
class DataTransferTest {
  private static final int SESSIONS = 7;
  private static final String USERS = "/authentication/password_based:built_in_database/";

  @TempDir Path directory;

  @Test
  void shouldImportWhatAnotherClusterHasExported() {
    ArrayNode sessions;
    ArrayNode retained;
    ArrayNode users;
    try (BrokerUnderTest source = BrokerUnderTest.startIn(directory.resolve("source"))) {
      store(source);
      ApiClient api = ApiClient.of(source.nodeDirectory());
      sessions = export(api, "/export/sessions?limit=2");
      retained = export(api, "/export/retained?limit=3");
      users = export(api, "/export/mqtt_users?limit=1");
      assertThat(api.get("/audit?operation_id=exportSessions").body().path("data")).hasSize(1);
    }
    assertThat(sessions).hasSize(SESSIONS);
    assertThat(retained).hasSize(SESSIONS + 1);
    assertThat(users).hasSize(2);
    try (BrokerUnderTest target = BrokerUnderTest.startIn(directory.resolve("target"))) {
      ApiClient api = ApiClient.of(target.nodeDirectory());
      assertThat(imported(api, "/import/sessions", sessions)).isEqualTo(SESSIONS);
      assertThat(imported(api, "/import/retained", retained)).isEqualTo(SESSIONS + 1);
      assertThat(imported(api, USERS + "import_users", users)).isEqualTo(2);
      assertThat(imported(api, "/import/sessions", sessions)).isZero();
      assertThat(imported(api, "/import/retained", retained)).isZero();
      assertThat(imported(api, USERS + "import_users", users)).isZero();

      assertThat(withoutTimes(export(api, "/export/sessions"))).isEqualTo(withoutTimes(sessions));
      assertThat(byTopic(export(api, "/export/retained"))).isEqualTo(byTopic(retained));
      assertThat(export(api, "/export/mqtt_users")).isEqualTo(users);
      assertSessionsWork(target);
    }
  }

  private static void store(BrokerUnderTest source) {
    for (int i = 0; i < SESSIONS; i++) {
      try (Mqtt5Session session = connect(source, "session" + i)) {
        session.subscribe("kept/" + i, MqttQos.EXACTLY_ONCE);
        session.subscribe("$share/group/shared/#", MqttQos.AT_LEAST_ONCE);
        session.disconnect();
      }
    }
    try (Mqtt5Session publisher = publisher(source)) {
      for (int i = 0; i < SESSIONS; i++) {
        publisher.publish(
            "retained/" + i,
            MqttQos.AT_LEAST_ONCE,
            "r" + i,
            publish -> publish.retain(true).contentType("text/plain").messageExpiryInterval(9_000));
      }
      publisher.publish(
          "ä",
          MqttQos.AT_MOST_ONCE,
          "",
          publish ->
              publish
                  .payload(new byte[] {0, (byte) 0xff})
                  .correlationData(new byte[] {1, (byte) 0xfe})
                  .retain(true));
    }
    ApiClient api = ApiClient.of(source.nodeDirectory());
    for (String user : List.of("alice", "bob")) {
      String body = "{\"user_id\":\"%s\",\"password\":\"secret\",\"client_attrs\":{\"a\":\"b\"}}";
      assertThat(api.send("POST", USERS + "users", body.formatted(user)).status()).isEqualTo(201);
    }
  }

  private static Mqtt5Session connect(BrokerUnderTest node, String name) {
    Mqtt5Session session = new Mqtt5Session(node.mqtt(), name);
    session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(36_000));
    return session;
  }

  /** A client whose session ends with its connection. */
  private static Mqtt5Session publisher(BrokerUnderTest node) {
    Mqtt5Session session = new Mqtt5Session(node.mqtt(), "publisher");
    session.connect(connect -> connect.sessionExpiryInterval(0));
    return session;
  }

  private static ArrayNode export(ApiClient api, String path) {
    ArrayNode all = JsonMapper.shared().createArrayNode();
    String cursor = "";
    while (true) {
      String separator = path.contains("?") ? "&" : "?";
      ApiClient.Response page =
          api.get(path + (cursor.isEmpty() ? "" : separator + "cursor=" + cursor));
      assertThat(page.status()).as("%s", page.body()).isEqualTo(200);
      page.body().path("data").forEach(all::add);
      JsonNode meta = page.body().path("meta");
      if (!meta.path("hasnext").asBoolean(false)) {
        return all;
      }
      cursor = meta.path("cursor").asString("");
    }
  }

  private static int imported(ApiClient api, String path, ArrayNode elements) {
    ApiClient.Response response = api.send("POST", path, elements.toString());
    assertThat(response.status()).as("%s", response.body()).isEqualTo(200);
    int created = response.body().path("created").asInt(-1);
    assertThat(response.body().path("existing")).hasSize(elements.size() - created);
    return created;
  }

  private static List<JsonNode> withoutTimes(ArrayNode sessions) {
    List<JsonNode> all = new ArrayList<>();
    for (JsonNode session : sessions) {
      ObjectNode copy = (ObjectNode) session.deepCopy();
      copy.remove("created_at");
      all.add(copy);
    }
    return all;
  }

  private static TreeSet<String> byTopic(ArrayNode retained) {
    TreeSet<String> all = new TreeSet<>();
    retained.forEach(message -> all.add(message.toString()));
    return all;
  }

  private static void assertSessionsWork(BrokerUnderTest target) {
    try (Mqtt5Session publisher = publisher(target)) {
      publisher.publish("kept/3", MqttQos.EXACTLY_ONCE, "new");
    }
    try (Mqtt5Session back = connect(target, "session3")) {
      assertThat(back.nextText()).isEqualTo("new");
      back.subscribe("retained/5", MqttQos.AT_LEAST_ONCE);
      assertThat(new String(back.next().getPayloadAsBytes(), StandardCharsets.UTF_8))
          .isEqualTo("r5");
    }
  }
}
