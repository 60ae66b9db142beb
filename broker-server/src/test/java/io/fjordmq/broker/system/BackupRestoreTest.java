package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.fjordmq.broker.backup.BackupLocation;
import io.fjordmq.broker.backup.BackupProgram;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * A backup of three nodes under load, restored after all of them were killed: on one node, and on
 * one that grows to three.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BackupRestoreTest {
  private static final int MESSAGES = 30;
  private static final String USERS = "/authentication/password_based:built_in_database/users";

  // MQTT 3.1.1 without a clean session, client identifiers "half" and "outs"
  private static final String CONNECT_HALF = "1010 00044d515454 04 00 0000 000468616c66";
  private static final String CONNECT_OUTS = "1010 00044d515454 04 00 0000 00046f757473";

  /** QoS 2, packet identifier 9, topic kept/h, payload H. */
  private static final String PUBLISH_HALF = "340b 00066b6570742f68 0009 48";

  private Path folder;
  private Path backup;
  private String cluster;
  private String releasedIdentifier = "";
  private int acknowledgedBefore;

  /** Makes the backup that all tests restore. */
  @BeforeAll
  void backUp(@TempDir Path directory) throws IOException {
    folder = directory;
    backup = directory.resolve("backup");
    try (ClusterUnderTest original = ClusterUnderTest.startIn(directory, 3, "")) {
      store(original);
      backUpUnderLoad(original.node(2));
      shouldNotRestoreIntoTheClusterOfASeed(original.node(1));
      shouldNotTalkToAClone(original);
      original.nodes().forEach(BrokerUnderTest::kill);
    }
    assertThat(BackupProgram.verify(location())).contains("complete and undamaged");
  }

  private BackupLocation location() {
    return BackupLocation.of(backup.toString());
  }

  private static ApiClient api(BrokerUnderTest node) {
    return ApiClient.of(node.nodeDirectory());
  }

  private static Mqtt5Session connect(BrokerUnderTest node, String name) {
    Mqtt5Session session = new Mqtt5Session(node.mqtt(), name);
    session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(36_000));
    return session;
  }

  private void store(ClusterUnderTest original) {
    cluster = api(original.node(1)).get("/cluster").body().path("name").asString("");
    for (String name : List.of("away", "loaded")) {
      try (Mqtt5Session session = connect(original.node(2), name)) {
        session.subscribe(name.equals("away") ? "kept/#" : "load", MqttQos.EXACTLY_ONCE);
        session.disconnect();
      }
    }
    try (Mqtt5Session publisher = connect(original.node(1), "publisher")) {
      for (int number = 0; number < MESSAGES; number++) {
        publisher.publish(
            "kept/" + number,
            number % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE,
            Integer.toString(number));
        publisher.publish(
            "retained/" + number,
            MqttQos.AT_LEAST_ONCE,
            "r" + number,
            publish -> publish.retain(true));
      }
      storeHalfDoneExchanges(original, publisher);
      publisher.disconnect();
    }
    send(original, USERS, "{\"user_id\":\"alice\",\"password\":\"secret\"}");
    send(original, "/banned", "{\"as\":\"clientid\",\"who\":\"mallory\"}");
    send(original, "/mqtt/topic_metrics", "{\"topic\":\"kept/1\"}");
  }

  private static void send(ClusterUnderTest original, String path, String body) {
    assertThat(api(original.node(3)).send("POST", path, body).status()).isBetween(200, 201);
  }

  private void storeHalfDoneExchanges(ClusterUnderTest original, Mqtt5Session publisher) {
    try (RawClient half = new RawClient(original.node(3).mqtt()).send(CONNECT_HALF)) {
      assertThat(half.next()).isEqualTo("20020000");
      half.send(PUBLISH_HALF);
      assertThat(half.next()).isEqualTo("50020009"); // PUBREC; no PUBREL follows
    }
    try (RawClient outs = new RawClient(original.node(1).mqtt()).send(CONNECT_OUTS)) {
      assertThat(outs.next()).isEqualTo("20020000");
      outs.send("820b 0001 0006 6f7574732f61 02"); // SUBSCRIBE outs/a, QoS 2
      assertThat(outs.next()).isEqualTo("9003000102");
      publisher.publish("outs/a", MqttQos.EXACTLY_ONCE, "o");
      String publish = outs.next();
      releasedIdentifier = publish.substring(20, 24);
      outs.send("5002" + releasedIdentifier);
      assertThat(outs.next()).isEqualTo("6202" + releasedIdentifier); // PUBREL; no PUBCOMP follows
    }
  }

  private void backUpUnderLoad(BrokerUnderTest node) {
    Mqtt5Session attached = connect(node, "attached"); // connected while the backup is made
    attached.subscribe("attached/#", MqttQos.AT_LEAST_ONCE);
    Load load = new Load(node);
    Await.until("load", 30, () -> load.acknowledged > 20);
    acknowledgedBefore = load.acknowledged;
    String body = "{\"directory\":\"%s\",\"bytes_per_second\":200000}".formatted(backup);
    ApiClient.Response started = api(node).send("POST", "/backup", body);
    assertThat(started.status()).as("%s", started.body()).isEqualTo(200);
    assertThat(api(node).send("POST", "/backup", body).status()).isIn(400, 409);
    Await.until("the end of the backup", 60, () -> !state(node).equals("running"));
    JsonNode result = api(node).get("/backup").body();
    assertThat(result.path("state").asString("")).as("%s", result).isEqualTo("done");
    assertThat(load.acknowledged).isGreaterThan(acknowledgedBefore);
    load.stop();
  }

  private static String state(BrokerUnderTest node) {
    return api(node).get("/backup").body().path("state").asString("");
  }

  /** A publisher that continues until it is stopped. */
  private static final class Load {
    private final Thread thread;
    private volatile int acknowledged;
    private volatile boolean stopped;

    Load(BrokerUnderTest node) {
      thread =
          new Thread(
              () -> {
                try (Mqtt5Session publisher = connect(node, "load")) {
                  while (!stopped) {
                    publisher.publish("load", MqttQos.EXACTLY_ONCE, Integer.toString(acknowledged));
                    acknowledged++;
                  }
                }
              });
      thread.start();
    }

    void stop() {
      stopped = true;
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  private static Path dataOf(Path nodeFolder) throws IOException {
    return Files.createDirectories(nodeFolder.resolve("node")).resolve("data");
  }

  private void shouldNotRestoreIntoTheClusterOfASeed(BrokerUnderTest original) throws IOException {
    Path clone = folder.resolve("clone");
    BackupProgram.requestRestore(location(), dataOf(clone));
    NodeFile file = NodeFile.standalone("").withSeeds("127.0.0.1:" + original.clusterPort());
    BrokerUnderTest refused = BrokerUnderTest.launchIn(clone, file);
    assertThat(refused.awaitEnd(60)).isEqualTo(1);
    assertThat(refused.output()).contains("is a node of cluster " + cluster);
  }

  /** The configuration of the clone, and then that of a node of the original, lead to the other. */
  private void shouldNotTalkToAClone(ClusterUnderTest original) throws IOException {
    Path staging = folder.resolve("staging");
    BackupProgram.requestRestore(location(), dataOf(staging));
    NodeFile file = NodeFile.standalone("").withBootstrap(false);
    String clonePort = "127.0.0.1:" + file.cluster();
    try (BrokerUnderTest created = BrokerUnderTest.launchIn(staging, file)) {
      created.awaitListening();
    }
    BrokerUnderTest production = original.node(3);
    String seed = "127.0.0.1:" + production.clusterPort();
    try (BrokerUnderTest clone = BrokerUnderTest.launchIn(staging, file.withSeeds(seed))) {
      clone.awaitListening();
      assertThat(nodes(clone)).hasSize(1);
      assertThat(nodes(production)).hasSize(3);

      production.stop();
      try (BrokerUnderTest misled =
          BrokerUnderTest.launchIn(
              Objects.requireNonNull(production.nodeDirectory().getParent()),
              production.file().withSeeds(clonePort + "," + seed))) {
        misled.awaitListening();
        awaitWarning(misled, clonePort);
        assertThat(nodes(misled)).hasSize(3);
        assertThat(nodes(clone)).hasSize(1);
      }
    }
  }

  private static void awaitWarning(BrokerUnderTest node, String address) {
    Await.until(
        "a warning about the other cluster",
        60,
        () ->
            node.output()
                .lines()
                .filter(line -> line.contains("A seed belongs to another cluster"))
                .anyMatch(line -> line.contains("address=" + address.split(",")[0])));
  }

  private static List<String> nodes(BrokerUnderTest node) {
    return Scrape.get(node.httpPort(), "/status")
        .body()
        .lines()
        .filter(line -> line.startsWith("node "))
        .toList();
  }

  @Test
  void shouldRestoreOnOneNode() throws IOException {
    Path one = folder.resolve("one");
    BackupProgram.requestRestore(location(), dataOf(one));
    NodeFile file = NodeFile.standalone("").withBootstrap(false);
    try (BrokerUnderTest node = BrokerUnderTest.launchIn(one, file)) {
      node.awaitListening();
      assertThat(dataOf(one).resolve("restore")).doesNotExist();
      assertThat(api(node).get("/cluster").body().path("name").asString("")).isNotEqualTo(cluster);
      assertRestored(node, node);
      node.kill();
      node.restart();
      try (Mqtt5Session late = connect(node, "away")) {
        late.subscribe("retained/#", MqttQos.AT_LEAST_ONCE);
        assertThat(texts(late, MESSAGES)).hasSize(MESSAGES);
      }
    }
  }

  @Test
  void shouldRestoreOnOneNodeThatGrowsToThree() throws IOException {
    // A restore creates the cluster although this configuration lets three empty nodes create it.
    List<NodeFile> files =
        ClusterUnderTest.files(3, "expectNodes: 3\n").stream()
            .map(file -> file.withBootstrap(false))
            .toList();
    Path grown = folder.resolve("grown");
    BackupProgram.requestRestore(location(), dataOf(grown.resolve("1")));
    List<BrokerUnderTest> nodes = new ArrayList<>();
    try {
      for (NodeFile file : files) {
        Path own = grown.resolve(Integer.toString(nodes.size() + 1));
        nodes.add(BrokerUnderTest.launchIn(own, file));
        nodes.get(0).awaitListening();
      }
      nodes.forEach(BrokerUnderTest::awaitListening);
      for (BrokerUnderTest node : nodes) {
        Await.until(
            "every range has its voters",
            60,
            () -> node.scrape().sum("fjordmq_cluster_ranges_under_replicated") == 0);
      }
      nodes.get(0).kill(); // what follows is served from the replicas that have joined
      assertRestored(nodes.get(1), nodes.get(2));
    } finally {
      ClusterUnderTest.stopAll(nodes);
    }
  }

  private void assertRestored(BrokerUnderTest publishing, BrokerUnderTest node) {
    assertThat(api(node).get(USERS + "/alice").status()).isEqualTo(200);
    assertThat(api(node).get("/banned").body().path("meta").path("count").asInt(0)).isEqualTo(1);
    assertThat(api(node).get("/mqtt/topic_metrics").body().toString()).contains("kept/1");
    assertExchangesContinue(publishing);
    assertQueues(node);
    assertSubscriptionsWork(publishing, node);
    try (Mqtt5Session reader = new Mqtt5Session(node.mqtt(), null)) {
      reader.connect();
      reader.subscribe("retained/#", MqttQos.AT_LEAST_ONCE);
      assertThat(texts(reader, MESSAGES)).hasSize(MESSAGES).contains("r0", "r29");
      assertThat(reader.poll(200)).isNull();
    }
  }

  private static List<String> texts(Mqtt5Session session, int count) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(session.nextText());
    }
    return new ArrayList<>(new TreeSet<>(texts));
  }

  /** The client repeats its PUBLISH; its message is not stored again. */
  private void assertExchangesContinue(BrokerUnderTest node) {
    try (RawClient half = connectRaw(node, CONNECT_HALF)) {
      half.send("3c" + PUBLISH_HALF.substring(2));
      assertThat(half.next()).isEqualTo("50020009");
      half.send("62020009");
      assertThat(half.next()).isEqualTo("70020009");
    }
    try (RawClient outs = connectRaw(node, CONNECT_OUTS)) {
      assertThat(outs.next()).isEqualTo("6202" + releasedIdentifier);
      outs.send("7002" + releasedIdentifier);
    }
  }

  /** Connects when the leaders of the cluster are elected; the session is present. */
  private static RawClient connectRaw(BrokerUnderTest node, String connect) {
    List<RawClient> connected = new ArrayList<>();
    Await.until(
        "a connection",
        60,
        () -> {
          RawClient client = new RawClient(node.mqtt()).send(connect);
          boolean isConnected = client.next().equals("20020100");
          if (isConnected) {
            connected.add(client);
          } else {
            client.close();
          }
          return isConnected;
        });
    return connected.get(0);
  }

  private void assertQueues(BrokerUnderTest node) {
    try (Mqtt5Session away = connect(node, "away");
        Mqtt5Session loaded = connect(node, "loaded")) {
      List<String> expected = new ArrayList<>();
      for (int number = 0; number < MESSAGES; number++) {
        expected.add(Integer.toString(number));
      }
      expected.add("H");
      for (String text : expected) {
        assertThat(away.nextText()).isEqualTo(text);
      }
      assertThat(away.poll(200)).isNull();
      int received = 0;
      for (Mqtt5Publish next = loaded.next(); next != null; next = loaded.poll(500)) {
        assertThat(Mqtt5Session.text(next)).isEqualTo(Integer.toString(received++));
      }
      assertThat(received).isGreaterThanOrEqualTo(acknowledgedBefore);
      loaded.disconnect();
      away.disconnect();
    }
  }

  /**
   * The client that was connected to the original cluster is disconnected, and its subscription has
   * a route; new QoS 2 messages of a restored session are not mistaken for repeated ones.
   */
  private static void assertSubscriptionsWork(BrokerUnderTest publishing, BrokerUnderTest node) {
    Await.until(
        "the client of the original cluster is disconnected",
        30,
        () -> !api(node).get("/clients/attached").body().path("connected").asBoolean(true));
    try (Mqtt5Session load = connect(publishing, "load");
        Mqtt5Session publisher = connect(publishing, "publisher")) {
      // The backup may contain the session in the middle of an exchange. The client has forgotten
      // it and uses the packet identifier again, so the node takes this message for a repeated one.
      load.publish("nobody", MqttQos.EXACTLY_ONCE, "completes the exchange");
      for (int i = 0; i < 5; i++) {
        load.publish("attached/" + i, MqttQos.AT_LEAST_ONCE, "a" + i);
        load.publish("load", MqttQos.EXACTLY_ONCE, "again" + i);
        publisher.publish("kept/new", MqttQos.EXACTLY_ONCE, "new" + i);
      }
    }
    assertReceives(node, "attached", "a");
    assertReceives(node, "loaded", "again");
    assertReceives(node, "away", "new");
  }

  private static void assertReceives(BrokerUnderTest node, String client, String prefix) {
    try (Mqtt5Session session = connect(node, client)) {
      for (int i = 0; i < 5; i++) {
        assertThat(session.nextText()).isEqualTo(prefix + i);
      }
      assertThat(session.poll(200)).isNull();
      session.disconnect();
    }
  }
}
