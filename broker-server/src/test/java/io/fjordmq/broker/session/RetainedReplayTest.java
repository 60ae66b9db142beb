package io.fjordmq.broker.session;

import static io.fjordmq.inbox.InboxLimits.WhenFull.REFUSE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxLimits;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the replay of retained messages that do not all fit at once. */
@ExtendWith(LeakDetector.class)
class RetainedReplayTest {
  private static final int MANY = 40;
  private static final Pattern PUBLISH =
      Pattern.compile("PUBLISH q\\d( dup)? retain( id=(?<id>\\d+))? (?<topic>\\S+) .*");

  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
  }

  private void retain(String topic, String payload) {
    retain(world, topic, payload);
  }

  private static void retain(World world, String topic, String payload) {
    TestClient publisher = world.open().connect3("retainer", true);
    publisher.publish(1, 1, topic, payload, true, false, MqttProperties.NO_PROPERTIES);
    publisher.disconnect();
  }

  private static World worldWithInboxLimits(
      int messages, int bytes, InboxLimits.WhenFull whenFull) {
    InboxLimits inbox = new InboxLimits(messages, bytes, whenFull);
    TenantLimits limits =
        new TenantLimits(SessionSettings.defaults(), TenantSettings.DEFAULTS, inbox);
    return new World(limits, Map.of(), Security.allowAll("t"));
  }

  /** Clients accept few messages at a time, so most of them stay in the store. */
  private static World worldWithSmallQueues() {
    SessionSettings small = Settings.with("retainedPageMessages", 5);
    small = Settings.with(small, "maxInflight", 2);
    small = Settings.with(small, "inboxBufferMessages", 4);
    return new World(Settings.with(small, "maxQueuedMessages", 10));
  }

  /** Connects a client to which stored messages are pushed while the next page is read. */
  private static TestClient connectToSlowStore(World slow, int expirySeconds) {
    TestClient client = slow.open().connect5("c", true, expirySeconds);
    client.expect("CONNACK 0");
    slow.retained.onPageRead = client::runTasks;
    return client;
  }

  private static void retainMany(World world) {
    for (int i = 0; i < MANY; i++) {
      retain(world, String.format("r/%02d", i), "m");
    }
  }

  @Test
  void shouldCancelThousandsOfReplaysWithoutGrowingTheStack() {
    int filters = 8_000;
    TestClient client = world.open().connect3("c", true);
    client.expect("CONNACK 0");
    MqttMessageBuilders.SubscribeBuilder many = MqttMessageBuilders.subscribe().messageId(1);
    for (int i = 0; i < filters; i++) {
      many.addSubscription(MqttQoS.AT_MOST_ONCE, "f" + i);
    }
    world.retained.onPageRead = () -> world.retained.busy = true;
    client.send(many.build());
    world.settle();
    assertThat(client.readAll().size()).isEqualTo(1);
    assertThat(world.observer.dropped).containsEntry(DropReason.RETAINED_UNAVAILABLE, filters - 1L);
    client.sendHex("c000").expect("PINGRESP");
  }

  private static TestClient subscribe(TestClient client, int qos, RetainedHandlingPolicy retained) {
    return client.send(
        MqttMessageBuilders.subscribe()
            .messageId(7)
            .addSubscription(
                "r/+", new MqttSubscriptionOption(MqttQoS.valueOf(qos), false, false, retained))
            .build());
  }

  private static TestClient unsubscribe(TestClient client) {
    return client.send(
        MqttMessageBuilders.unsubscribe().messageId(9).addTopicFilter("r/+").build());
  }

  /** Acknowledges messages until none arrives; returns them in order. */
  private static List<String> acknowledgeAll(TestClient client) {
    List<String> messages = new ArrayList<>();
    for (List<String> got = client.readAll(); !got.isEmpty(); got = client.readAll()) {
      for (String packet : got) {
        Matcher publish = PUBLISH.matcher(packet);
        if (publish.matches()) {
          messages.add(packet);
          if (publish.group("id") != null) {
            client.reply(MqttMessageType.PUBACK, Integer.parseInt(publish.group("id")));
          }
        }
      }
    }
    return messages;
  }

  private static List<String> topicsOf(List<String> messages) {
    return messages.stream().map(one -> PUBLISH.matcher(one).replaceAll("${topic}")).toList();
  }

  private TestClient connectPersistent(String clientId) {
    return connectPersistent(world, clientId);
  }

  private static TestClient connectPersistent(World world, String clientId) {
    TestClient client = world.open().connect5(clientId, true, 60);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldCopyNothingIntoAnInboxWhileTheDiskIsLow() {
    retain("r/0", "a");
    retain("r/1", "b");
    retain("live", "c");
    world
        .open()
        .connect3("zero", true)
        .publish(0, 0, "zero", "d", true, false, MqttProperties.NO_PROPERTIES);
    TestClient client = connectPersistent("c");
    world.hasDiskSpace = false;
    client.subscribe(1, "r/+", 1).subscribe(2, "live", 0).subscribe(3, "zero", 1);
    client.expect(
        "SUBACK 1 [1]",
        "SUBACK 2 [0]",
        "PUBLISH q0 retain live c",
        "SUBACK 3 [1]",
        "PUBLISH q0 retain zero d");
    client.sendHex("c000").advance(60).expect("PINGRESP");
    assertThat(world.inboxes.get("c").entries).isEmpty();
    assertThat(world.retained.pagesRead).as("one page for each filter").isEqualTo(3);
    world.hasDiskSpace = true;
    client.advance(5).expect("PUBLISH q1 retain id=1 r/0 a", "PUBLISH q1 retain id=2 r/1 b");
    assertThat(world.observer.dropped).isEmpty();
  }

  @Test
  void shouldCopyNothingIntoAnInboxWhenTheDiskFillsUpDuringARead() {
    retain("r", "a");
    TestClient client = connectPersistent("c");
    world.retained.onPageRead = () -> world.hasDiskSpace = false;
    client.subscribe(1, "r", 2).expect("SUBACK 1 [2]");
    assertThat(world.inboxes.get("c").entries).isEmpty();
    world.retained.onPageRead = () -> {};
    world.hasDiskSpace = true;
    client.advance(5).expect("PUBLISH q1 retain id=1 r a");
  }

  @Test
  void shouldContinueWhenTheClientAcknowledgesAMessage() {
    try (World small = worldWithInboxLimits(2, 10_000, REFUSE)) {
      small.inboxes.lingeringCommits = true;
      for (int i = 0; i < 4; i++) {
        retain(small, "r/" + i, "m");
      }
      retain(small, "s", "n");
      TestClient client = connectPersistent(small, "c").subscribe(1, "r/+", 1).subscribe(2, "s", 1);
      client.expect(
          "SUBACK 1 [1]",
          "PUBLISH q1 retain id=1 r/0 m",
          "PUBLISH q1 retain id=2 r/1 m",
          "SUBACK 2 [1]");
      int inserts = small.inboxes.inserts;
      client.sendHex("c000").sendHex("c000").expect("PINGRESP", "PINGRESP");
      assertThat(small.inboxes.inserts).as("no insert is retried").isEqualTo(inserts);
      client.reply(MqttMessageType.PUBACK, 1).expect("PUBLISH q1 retain id=3 r/2 m");
      client.reply(MqttMessageType.PUBACK, 2).expect("PUBLISH q1 retain id=4 r/3 m");
      client.reply(MqttMessageType.PUBACK, 3).expect("PUBLISH q1 retain id=5 s n");
      assertThat(small.observer.dropped).isEmpty();
    }
  }

  @Test
  void shouldContinueWhenTheClientReceivesAQos2Message() {
    try (World small = worldWithInboxLimits(1, 10_000, REFUSE)) {
      TestClient publisher = small.open().connect3("retainer", true);
      for (int i = 0; i < 2; i++) {
        publisher.publish(i + 1, 2, "r/" + i, "m", true, false, MqttProperties.NO_PROPERTIES);
        publisher.reply(MqttMessageType.PUBREL, i + 1);
      }
      TestClient client = connectPersistent(small, "c").subscribe(1, "r/+", 2);
      client.expect("SUBACK 1 [2]", "PUBLISH q2 retain id=1 r/0 m");
      client.reply(MqttMessageType.PUBREC, 1);
      client.expect("PUBREL 1", "PUBLISH q2 retain id=2 r/1 m");
    }
  }

  @ParameterizedTest
  @EnumSource(InboxLimits.WhenFull.class)
  void shouldDropMessagesTooLargeForAnyInboxAndContinue(InboxLimits.WhenFull whenFull) {
    try (World small = worldWithInboxLimits(10, 200, whenFull)) {
      retain(small, "r/0", "a");
      retain(small, "r/1", "b".repeat(200));
      retain(small, "r/2", "c");
      retain(small, "s", "d");
      TestClient client = connectPersistent(small, "c").subscribe(1, "r/+", 1).subscribe(2, "s", 1);
      client.expect(
          "SUBACK 1 [1]",
          "PUBLISH q1 retain id=1 r/0 a",
          "PUBLISH q1 retain id=2 r/2 c",
          "SUBACK 2 [1]",
          "PUBLISH q1 retain id=3 s d");
      assertThat(small.observer.dropped).containsOnly(Map.entry(DropReason.LARGER_THAN_INBOX, 1L));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 60})
  @DisplayName("[MQTT-3.10.4-2] nothing is added for a client that has unsubscribed")
  void shouldStopWhenTheClientUnsubscribes(int expirySeconds) {
    try (World slow = worldWithSmallQueues()) {
      retainMany(slow);
      retain(slow, "s", "m");
      TestClient client = connectToSlowStore(slow, expirySeconds).subscribe(1, "r/+", 1);
      unsubscribe(client);
      int pages = slow.retained.pagesRead;
      assertThat(acknowledgeAll(client)).hasSizeLessThanOrEqualTo(5 * pages).hasSizeLessThan(MANY);
      assertThat(slow.retained.pagesRead).isEqualTo(pages);
      client.subscribe(1, "s", 1);
      assertThat(topicsOf(acknowledgeAll(client))).containsExactly("s");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 60})
  @DisplayName("[MQTT-3.8.4-4] a client that subscribes again is sent everything again")
  void shouldRestartWhenTheClientSubscribesAgain(int expirySeconds) {
    try (World slow = worldWithSmallQueues()) {
      retainMany(slow);
      TestClient client = connectToSlowStore(slow, expirySeconds).subscribe(1, "r/+", 1);
      client.subscribe(2, "r/+", 1);
      List<String> topics = topicsOf(acknowledgeAll(client));
      assertThat(new TreeSet<>(topics)).hasSize(MANY);
      assertThat(topics).containsOnlyOnce("r/" + (MANY - 1));
    }
  }

  @Test
  void shouldCountAnUnfinishedReplayWhenTheConnectionCloses() {
    try (World slow = worldWithSmallQueues()) {
      retainMany(slow);
      TestClient client = connectToSlowStore(slow, 60).subscribe(1, "r/+", 1);
      client.cut();
      assertThat(slow.observer.dropped)
          .containsOnly(Map.entry(DropReason.RETAINED_UNAVAILABLE, 1L));
      TestClient again = slow.open().connect5("c", false, 60);
      assertThat(again.next()).isEqualTo("CONNACK 0 present");
      assertThat(acknowledgeAll(again)).hasSizeBetween(1, MANY / 2);
      again.subscribe(1, "r/+", 1);
      assertThat(new TreeSet<>(topicsOf(acknowledgeAll(again)))).hasSize(MANY);
    }
  }

  /** A client that subscribes and exits loses nothing if nothing is retained. */
  @ParameterizedTest(name = "retained at r/0: {0}")
  @ValueSource(booleans = {false, true})
  void shouldCountAnUnfinishedReplayOnlyIfMessagesAreRetained(boolean retained) {
    if (retained) {
      retain("r/0", "m");
    }
    retain("other", "m");
    TestClient client = connectPersistent("c");
    world.retained.onPageRead = client::cut;
    client.subscribe(1, "r/+", 1);
    assertThat(world.retained.pagesRead).isEqualTo(2);
    assertThat(world.observer.dropped)
        .isEqualTo(retained ? Map.of(DropReason.RETAINED_UNAVAILABLE, 1L) : Map.of());
  }

  @Test
  void shouldBoundTheLookupsForAClientThatHasDisconnected() {
    TestClient client = connectPersistent("c");
    world.retained.onPageRead = client::cut;
    var many = MqttMessageBuilders.subscribe().messageId(1);
    for (int i = 0; i < 100; i++) {
      many.addSubscription(MqttQoS.AT_LEAST_ONCE, "r/" + i);
    }
    client.send(many.build());
    assertThat(world.retained.pagesRead).isEqualTo(1 + 64);
    assertThat(world.observer.dropped)
        .isEqualTo(Map.of(DropReason.RETAINED_UNAVAILABLE, 100L - 64));
  }

  @Test
  void shouldReplayOnceWhenAPacketRepeatsAFilter() {
    retain("r/0", "a");
    TestClient client = connectPersistent("c");
    client.send(
        MqttMessageBuilders.subscribe()
            .messageId(5)
            .addSubscription(MqttQoS.EXACTLY_ONCE, "r/+")
            .addSubscription(MqttQoS.AT_MOST_ONCE, "r/+")
            .build());
    client.expect("SUBACK 5 [2, 0]", "PUBLISH q0 retain r/0 a");
  }

  @ParameterizedTest
  @EnumSource(
      value = RetainedHandlingPolicy.class,
      names = {"SEND_AT_SUBSCRIBE_IF_NOT_YET_EXISTS", "DONT_SEND_AT_SUBSCRIBE"})
  @DisplayName("[MQTT-3.8.4-4] replacing a subscription loses nothing")
  void shouldApplyNewOptionsToTheRemainingMessages(RetainedHandlingPolicy retained) {
    try (World slow = worldWithSmallQueues()) {
      retainMany(slow);
      TestClient client = connectToSlowStore(slow, 60).subscribe(1, "r/+", 1);
      List<String> messages = acknowledgeAll(subscribe(client, 0, retained));
      assertThat(topicsOf(messages)).doesNotHaveDuplicates().hasSize(MANY);
      assertThat(messages).element(0).isEqualTo("PUBLISH q1 retain id=1 r/00 m");
      assertThat(messages).contains("PUBLISH q0 retain r/39 m");
      assertThat(slow.observer.dropped).isEmpty();
    }
  }
}
