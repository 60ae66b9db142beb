package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.StoreTasks;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.Receiver;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Sessions that outlive their connection. */
@ExtendWith(LeakDetector.class)
class PersistentSessionTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.inflight).hasValue(0);
    assertThat(world.observer.queued).hasValue(0);
    assertThat(world.sessions.size()).isZero();
  }

  private TestClient connectPublisher() {
    TestClient client = world.open().connect3("pub", true);
    client.expect("CONNACK 0");
    return client;
  }

  private TestClient connectSubscriber(int qos) {
    TestClient client = world.open().connect3("sub", false).subscribe(1, "a/#", qos);
    client.expect("CONNACK 0", "SUBACK 1 [" + qos + "]");
    return client;
  }

  private TestClient reconnect() {
    return world.open().connect3("sub", false);
  }

  /** Reconnects the subscriber with a receive maximum of 1. */
  private TestClient reconnectWithSmallWindow() {
    MqttProperties one = new MqttProperties();
    one.add(new MqttProperties.IntegerProperty(MqttProperties.RECEIVE_MAXIMUM, 1));
    one.add(new MqttProperties.IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 100));
    return world.open().connect5("sub", false, one);
  }

  private static Message message(String text) {
    return new Message(
        new Topic("a/b"),
        text.getBytes(StandardCharsets.UTF_8),
        Qos.AT_LEAST_ONCE,
        false,
        MessageProperties.NONE,
        "pub",
        0,
        Message.NEVER);
  }

  @Test
  void shouldDeliverMessagesPublishedWhileTheClientWasOffline() {
    connectSubscriber(1).cut();
    connectPublisher()
        .publish(1, 1, "a/b", "one")
        .publish(2, 2, "a/b", "two")
        .publish(0, 0, "a/b", "lost");
    TestClient again = reconnect();
    again.expect("CONNACK 0 present", "PUBLISH q1 id=1 a/b one", "PUBLISH q1 id=2 a/b two");
  }

  @Test
  void shouldDeliverQos0LiveAfterAReconnect() {
    connectSubscriber(1).cut();
    TestClient again = reconnect();
    again.expect("CONNACK 0 present");
    connectPublisher().publish(0, 0, "a/b", "live");
    again.expect("PUBLISH q0 a/b live");
  }

  @Test
  void shouldRepairARouteThatDoesNotMatchItsSubscription() {
    TestClient subscriber = connectSubscriber(1);
    StoreTasks routing = world.separateRouting();
    routing.hold();
    subscriber.subscribe(2, "a/#", 0);
    routing.failAll();
    subscriber.cut();
    TestClient again = reconnect();
    again.expect("CONNACK 0 present");
    connectPublisher().publish(1, 1, "a/b", "once");
    again.expect("PUBLISH q0 a/b once");
  }

  @Test
  void shouldKeepSubscriptionsOfAResumedSessionWhenTheEarlierConnectionEndsLate() {
    TestClient subscriber = connectSubscriber(1);
    StoreTasks routing = world.separateRouting();
    routing.hold();
    subscriber.subscribe(2, "b", 1);
    TestClient again = reconnect();
    routing.resume();
    world.settle();
    again.expect("CONNACK 0 present");
    connectPublisher().publish(0, 0, "a/b", "live");
    again.expect("PUBLISH q0 a/b live");
  }

  @Test
  void shouldPushEntriesAppendedWhileConnected() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(1, 1, "a/b", "one").expect("PUBACK 1");
    subscriber.expect("PUBLISH q1 id=1 a/b one");
    assertThat(world.inboxes.calls).noneMatch(call -> call.startsWith("fetch"));
  }

  @Test
  void shouldAcknowledgeThePublisherOnlyWhenTheInboxHasStoredTheMessage() {
    connectSubscriber(1);
    TestClient publisher = connectPublisher();
    world.tasks.hold();
    publisher.publish(1, 1, "a/b", "one").expect();
    world.tasks.resume();
    world.settle();
    publisher.expect("PUBACK 1");
  }

  @Test
  void shouldFetchWhenAPushWasLost() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    world.inboxes.losePushes = true;
    publisher.publish(1, 1, "a/b", "one");
    subscriber.expect();
    world.inboxes.losePushes = false;
    publisher.publish(2, 1, "a/b", "two");
    subscriber.expect("PUBLISH q1 id=1 a/b one", "PUBLISH q1 id=2 a/b two");
  }

  @Test
  void shouldDeliverEntriesAppendedInTheSameWriteAsTheAttach() {
    connectSubscriber(1).cut();
    TestClient again = world.open();
    world.inboxes.beforeAttachResponse =
        () -> {
          world.inboxes.append("sub", message("one"));
          again.runTasks();
        };
    again.connect3("sub", false).expect("CONNACK 0 present", "PUBLISH q1 id=1 a/b one");
    world.inboxes.beforeAttachResponse = () -> {};
    connectPublisher().publish(1, 1, "a/b", "two");
    again.expect("PUBLISH q1 id=2 a/b two");
  }

  @Test
  void shouldReadTheInboxWhenItsRangeHasALeaderAgain() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    world.inboxes.losePushes = true;
    publisher.publish(1, 1, "a/b", "one").publish(2, 1, "a/b", "two");
    subscriber.expect();
    world.inboxes.losePushes = false;
    world.inboxes.announceLeader();
    world.settle();
    subscriber.expect("PUBLISH q1 id=1 a/b one", "PUBLISH q1 id=2 a/b two");

    world.inboxes.announceLeader(); // nothing was missed: nothing is skipped or duplicated
    world.settle();
    publisher.publish(3, 1, "a/b", "three");
    subscriber.expect("PUBLISH q1 id=3 a/b three");
  }

  @Test
  void shouldResendWithTheSameIdentifierAndDup() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    for (int i = 1; i <= 3; i++) {
      publisher.publish(i, 1, "a/b", "m" + i);
    }
    assertThat(subscriber.readAll()).hasSize(3);
    // Only the second message is acknowledged and removed.
    subscriber.reply(MqttMessageType.PUBACK, 2).cut();
    reconnect()
        .expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a/b m1", "PUBLISH q1 dup id=3 a/b m3");
  }

  @Test
  void shouldNotSetDupOnMessagesQueuedBehindAFullWindow() {
    connectSubscriber(1).cut();
    TestClient publisher = connectPublisher();
    for (int i = 1; i <= 3; i++) {
      publisher.publish(i, 1, "a/b", "m" + i);
    }
    TestClient narrow = reconnectWithSmallWindow();
    narrow.expect("CONNACK 0 present", "PUBLISH q1 id=1 a/b m1");
    narrow.cut();
    reconnect()
        .expect(
            "CONNACK 0 present",
            "PUBLISH q1 dup id=1 a/b m1",
            "PUBLISH q1 id=2 a/b m2",
            "PUBLISH q1 id=3 a/b m3");
  }

  @Test
  void shouldRememberSentMessagesAcrossSeveralConnections() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(1, 1, "a/b", "one").publish(2, 1, "a/b", "two");
    assertThat(subscriber.readAll()).hasSize(2);
    subscriber.cut();
    TestClient narrow = reconnectWithSmallWindow();
    narrow.expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a/b one");
    narrow.cut();
    reconnect()
        .expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a/b one", "PUBLISH q1 dup id=2 a/b two");
  }

  @Test
  void shouldSetDupOnEverySentMessageWhenAcknowledgementsAndDetachAreLost() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    int many = 3 * world.settings.maxInflight();
    for (int i = 1; i <= many; i++) {
      publisher.publish(1, 1, "a/b", "m" + i);
    }
    world.inboxes.loseCommits = true;
    assertThat(acknowledgeAll(subscriber)).hasSize(many);
    world.inboxes.failure = new IllegalStateException("killed");
    subscriber.cut();
    world.inboxes.failure = null;
    world.inboxes.loseCommits = false;
    TestClient again = reconnect();
    assertThat(again.next()).isEqualTo("CONNACK 0 present");
    assertThat(acknowledgeAll(again))
        .hasSize(many)
        .allSatisfy(packet -> assertThat(packet).startsWith("PUBLISH q1 dup "));
    publisher.publish(1, 1, "a/b", "new");
    assertThat(again.readAll()).containsExactly("PUBLISH q1 id=" + (many + 1) + " a/b new");
  }

  private static List<String> acknowledgeAll(TestClient subscriber) {
    List<String> got = new ArrayList<>();
    for (String packet = subscriber.next(); packet != null; packet = subscriber.next()) {
      got.add(packet);
      subscriber.reply(MqttMessageType.PUBACK, got.size());
    }
    return got;
  }

  @Test
  void shouldCommitAcknowledgementsOncePerRead() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    for (int i = 1; i <= 3; i++) {
      publisher.publish(i, 1, "a/b", "m" + i);
    }
    subscriber.readAll();
    world.inboxes.calls.clear();
    subscriber.sendHex("40020001 40020002 40020003");
    assertThat(world.inboxes.calls).containsExactly("commit 4 []");
    assertThat(world.inboxes.get("sub").entries).isEmpty();
  }

  @Test
  void shouldCommitBeforeDetachingTheInbox() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(1, 1, "a/b", "one");
    subscriber.readAll();
    world.inboxes.calls.clear();
    subscriber.sendHex("40020001 e000");
    assertThat(world.inboxes.calls).containsExactly("commit 2 []", "detach 4294967295");
  }

  @Test
  void shouldSendPubrelOnlyWhenThePubrecIsDurable() {
    TestClient subscriber = connectSubscriber(2);
    connectPublisher().publish(1, 2, "a/b", "one");
    subscriber.expect("PUBLISH q2 id=1 a/b one");
    world.tasks.hold();
    subscriber.reply(MqttMessageType.PUBREC, 1).expect();
    world.tasks.resume();
    world.settle();
    subscriber.expect("PUBREL 1");
    assertThat(world.inboxes.get("sub").released).containsExactly(1L);
    subscriber.reply(MqttMessageType.PUBCOMP, 1);
    assertThat(world.inboxes.get("sub").released).isEmpty();
  }

  @Test
  void shouldResendPubrelAndNotThePublishAfterAPubrec() {
    TestClient subscriber = connectSubscriber(2);
    connectPublisher().publish(1, 2, "a/b", "one").publish(2, 2, "a/b", "two");
    subscriber.readAll();
    subscriber.reply(MqttMessageType.PUBREC, 1).expect("PUBREL 1");
    subscriber.cut();
    TestClient again = reconnect();
    again.expect("CONNACK 0 present", "PUBREL 1", "PUBLISH q2 dup id=2 a/b two");
    again.reply(MqttMessageType.PUBCOMP, 1).reply(MqttMessageType.PUBREC, 2).expect("PUBREL 2");
    again.reply(MqttMessageType.PUBCOMP, 2);
    assertThat(world.inboxes.get("sub").entries).isEmpty();
    assertThat(world.inboxes.get("sub").firstUndelivered()).isEqualTo(3);
  }

  @Test
  void shouldRecordAQos2PublishBeforeDistributingIt() {
    TestClient subscriber = world.open().connect3("live", true).subscribe(1, "a/#", 2);
    subscriber.readAll();
    TestClient publisher = world.open().connect3("durable", false);
    publisher.expect("CONNACK 0");
    world.tasks.hold();
    publisher.publish(5, 2, "a/b", "one").expect();
    subscriber.expect();
    world.tasks.resume();
    world.settle();
    publisher.expect("PUBREC 5");
    subscriber.expect("PUBLISH q2 id=1 a/b one");
    assertThat(world.inboxes.get("durable").received).containsEntry(5, 1L);
    publisher.reply(MqttMessageType.PUBREL, 5).expect("PUBCOMP 5");
    assertThat(world.inboxes.get("durable").received).isEmpty();
  }

  @Test
  void shouldStoreARepeatedPublishOnceAfterALostConnection() {
    connectSubscriber(2).cut();
    TestClient first = world.open().connect3("durable", false);
    first.publish(5, 2, "a/b", "one");
    first.cut(); // before it reads the PUBREC
    TestClient again = world.open().connect3("durable", false);
    again.expect("CONNACK 0 present");
    again.publish(5, 2, "a/b", "one", false, true, MqttProperties.NO_PROPERTIES).expect("PUBREC 5");
    again.reply(MqttMessageType.PUBREL, 5).expect("PUBCOMP 5");
    InboxHandle publisher =
        new InboxHandle(new InboxId("t", "durable"), world.inboxes.get("durable").incarnation, 0);
    assertThat(world.inboxes.publishIds)
        .containsExactly(
            PublishId.ofPublisher(publisher, 1, 1), PublishId.ofPublisher(publisher, 1, 1));
    reconnect().expect("CONNACK 0 present", "PUBLISH q2 id=1 a/b one");
    // The next message has its own number.
    again.publish(5, 2, "a/b", "two").expect("PUBREC 5");
    assertThat(world.inboxes.publishIds).last().isEqualTo(PublishId.ofPublisher(publisher, 2, 2));
  }

  @Test
  void shouldAnswerARepeatedPubrelAfterALostConnection() {
    TestClient publisher = world.open().connect3("durable", false);
    publisher.publish(5, 2, "a/b", "one");
    publisher.cut();
    TestClient again = world.open().connect3("durable", false);
    again.expect("CONNACK 0 present");
    again.reply(MqttMessageType.PUBREL, 5).expect("PUBCOMP 5");
    assertThat(world.inboxes.get("durable").received).isEmpty();
  }

  @Test
  void shouldDiscardTheSessionAtCleanStart() {
    connectSubscriber(1).cut();
    connectPublisher().publish(1, 1, "a/b", "one");
    world.open().connect3("sub", true).expect("CONNACK 0");
    assertThat(world.inboxes.find("sub")).isNull();
    assertThat(world.router.filters(Receiver.Inbox.class)).isEmpty();
  }

  @Test
  void shouldStartANewPersistentSessionAtCleanStart() {
    connectSubscriber(1).cut();
    connectPublisher().publish(1, 1, "a/b", "one");
    world.open().connect5("sub", true, 100).expect("CONNACK 0");
    assertThat(world.inboxes.get("sub").subscriptions).isEmpty();
    assertThat(world.router.filters(Receiver.Inbox.class)).isEmpty();
  }

  @Test
  void shouldResumeASessionThatEndsWithItsConnection() {
    connectSubscriber(1).cut();
    connectPublisher().publish(1, 1, "a/b", "one");
    TestClient last = world.open().connect5("sub", false, 0);
    last.expect("CONNACK 0 present", "PUBLISH q1 id=1 a/b one");
    last.cut();
    assertThat(world.inboxes.find("sub")).isNull();
  }

  @Test
  void shouldEndTheSessionWhenDisconnectSetsExpiryZero() {
    TestClient client = world.open().connect5("c", true, 100);
    client.sendHex("e007 00 05 11 00000000");
    assertThat(world.inboxes.find("c")).isNull();
    assertThat(world.inboxes.calls).contains("detach 0");
  }

  @Test
  void shouldKeepTheWillInTheInboxUntilANormalDisconnect() {
    world
        .open()
        .connect(
            to ->
                to.protocolVersion(io.netty.handler.codec.mqtt.MqttVersion.MQTT_3_1_1)
                    .clientId("w")
                    .cleanSession(false)
                    .willFlag(true)
                    .willTopic("will")
                    .willMessage(new byte[] {1}))
        .disconnect();
    assertThat(world.inboxes.get("w").will).isNotNull();
    assertThat(world.inboxes.calls).endsWith("detach 4294967295");
  }

  @Test
  void shouldRequestTheWillWhenTheConnectionIsLost() {
    world.open().connect5("w", true, 100).cut();
    assertThat(world.inboxes.calls).endsWith("detach 100 will");
  }

  @Test
  void shouldTakeOverWithoutLosingOrRepeatingAcknowledgements() {
    TestClient old = connectSubscriber(1);
    connectPublisher().publish(1, 1, "a/b", "one").publish(2, 1, "a/b", "two");
    old.readAll();
    old.reply(MqttMessageType.PUBACK, 1);
    TestClient newer = reconnect();
    newer.expect("CONNACK 0 present", "PUBLISH q1 dup id=2 a/b two");
    assertThat(old.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.SESSION_TAKEN_OVER, 1);
    assertThat(world.inboxes.get("sub").attached).isTrue();
  }

  @Test
  void shouldCloseTheConnectionWhenAnotherOneOwnsTheInbox() {
    TestClient subscriber = connectSubscriber(1);
    world.inboxes.get("sub").epoch++; // another node attached it
    subscriber.subscribe(2, "b", 1);
    assertThat(subscriber.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.SESSION_TAKEN_OVER, 1);
  }

  @Test
  void shouldEndTheSessionWhenTheStoreDoesNotAnswerAndKeepTheMessage() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(1, 1, "a/b", "one");
    subscriber.readAll();
    world.inboxes.failure = new IllegalStateException("no majority");
    subscriber.reply(MqttMessageType.PUBACK, 1);
    assertThat(subscriber.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.SERVER_UNAVAILABLE, 1);
    world.inboxes.failure = null;
    reconnect().expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a/b one");
  }

  @Test
  void shouldCloseTheConnectionInsteadOfAcknowledgingAMessageThatIsNotDurable() {
    connectSubscriber(1).cut();
    TestClient publisher = connectPublisher();
    world.inboxes.failure = new IllegalStateException("no majority");
    publisher.publish(1, 1, "a/b", "one").expect();
    assertThat(publisher.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.NOT_DURABLE, 1);
  }

  @Test
  void shouldRefuseTheClientWhenItsInboxCannotBeAttached() {
    world.inboxes.failure = new IllegalStateException("no majority");
    world.open().connect3("sub", false).expect("CONNACK 3");
    world.open().connect5("sub", false, 10).expect("CONNACK 88");
    assertThat(world.registry.size()).isZero();
  }

  @Test
  void shouldDetachTheInboxWhenTheClientDisconnectsBeforeTheConnack() {
    world.tasks.hold();
    TestClient client = world.open().connect3("sub", false);
    client.cut();
    assertThat(world.registry.size()).isOne();
    world.tasks.resume();
    world.settle();
    assertThat(world.registry.size()).isZero();
    assertThat(world.inboxes.get("sub").attached).isFalse();
  }

  /** Two devices with one client identifier, or one that reconnects in a loop, on a slow store. */
  @Test
  void shouldAcceptTheLastOfThousandsOfTakeovers() {
    world.tasks.hold();
    for (int i = 0; i < 3_000; i++) {
      reconnect();
    }
    TestClient last = reconnect();
    world.tasks.resume();
    world.settle();
    last.expect("CONNACK 0 present"); // the first connection created it
    last.sendHex("c000").expect("PINGRESP");
  }

  @Test
  void shouldRefillTheBufferAsTheClientAcknowledges() {
    connectSubscriber(1).cut();
    TestClient publisher = connectPublisher();
    int many = world.settings.inboxBufferMessages() + world.settings.maxInflight() + 50;
    for (int i = 1; i <= many; i++) {
      publisher.publish(1, 1, "a/b", "m" + i);
    }
    TestClient again = reconnect();
    List<String> got = again.readAll();
    for (int acknowledged = 1; acknowledged <= many; acknowledged++) {
      again.reply(MqttMessageType.PUBACK, acknowledged);
      got.addAll(again.readAll());
    }
    assertThat(got).hasSize(many + 1).last().asString().endsWith("m" + many);
    assertThat(world.inboxes.get("sub").entries).isEmpty();
  }
}
