package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests how an overloaded node responds to clients. */
@ExtendWith(LeakDetector.class)
class OverloadTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
  }

  private TestClient connectMqtt5(String clientId) {
    TestClient client = world.open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  private TestClient connectMqtt3(String clientId) {
    TestClient client = world.open().connect3(clientId, true);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldRefuseClients() {
    world.overloaded = true;
    world.open().decodeMqtt5().connect5("a", true, 0).expect("CONNACK 89");
    world.open().connect3("b", true).expect("CONNACK 3");
    assertThat(world.observer.refused).containsOnly(Map.entry(CloseReason.SERVER_BUSY, 2));
    assertThat(world.observer.overloaded).containsOnly(Map.entry(RejectedWork.CONNECT, 2));
    world.overloaded = false;
    connectMqtt5("a");
  }

  @Test
  void shouldRefuseNewSubscriptionsAndKeepExistingOnes() {
    TestClient subscriber = connectMqtt5("s").subscribe(1, "a", 0);
    subscriber.expect("SUBACK 1 [0]");
    TestClient old = connectMqtt3("o").subscribe(1, "a", 0);
    old.expect("SUBACK 1 [0]");
    TestClient publisher = connectMqtt5("p");
    world.overloaded = true;
    subscriber.subscribe(2, "a", 1).subscribe(3, "b", 1).expect("SUBACK 2 [151]", "SUBACK 3 [151]");
    old.subscribe(2, "b", 0).expect("SUBACK 2 [128]");
    assertThat(world.observer.overloaded).containsOnly(Map.entry(RejectedWork.SUBSCRIBE, 3));
    world.overloaded = false;
    publisher.publish(0, 0, "a", "x").publish(0, 0, "b", "x");
    subscriber.expect("PUBLISH q0 a x");
    old.expect("PUBLISH q0 a x");
    subscriber.subscribe(2, "b", 1).expect("SUBACK 2 [1]");
  }

  /** The SUBACK of MQTT 3.1 has no failure code (decision 0018). */
  @Test
  void shouldDisconnectAnMqtt31ClientThatSubscribes() {
    TestClient client =
        world
            .open()
            .connect(
                to -> to.protocolVersion(MqttVersion.MQTT_3_1).clientId("c").cleanSession(true));
    client.subscribe(1, "b", 1).expect("CONNACK 0", "SUBACK 1 [1]");
    world.overloaded = true;
    assertThat(client.subscribe(2, "a", 1).readAll()).isEmpty();
    assertThat(client.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsOnly(Map.entry(CloseReason.QUOTA_EXCEEDED, 1));
    assertThat(world.observer.overloaded).containsOnly(Map.entry(RejectedWork.SUBSCRIBE, 1));
  }

  @Test
  void shouldLetClientsUnsubscribe() {
    TestClient client = connectMqtt5("c").subscribe(1, "a", 0);
    client.expect("SUBACK 1 [0]");
    world.overloaded = true;
    client.sendHex("a206 0002 00 0001 61").expect("UNSUBACK 2 [0]");
    assertThat(world.observer.overloaded).isEmpty();
  }

  @Test
  void shouldRefuseMqtt5PublishesAndShedQos0() {
    TestClient subscriber = connectMqtt5("s").subscribe(1, "a", 0);
    subscriber.expect("SUBACK 1 [0]");
    TestClient client = connectMqtt5("c");
    world.overloaded = true;
    client.publish(0, 0, "a", "x").publish(1, 1, "a", "x").publish(2, 2, "a", "x");
    client.expect("PUBACK 1 97", "PUBREC 2 97");
    subscriber.expect();
    assertThat(world.observer.dropped).containsOnly(Map.entry(DropReason.OVERLOADED, 1L));
    assertThat(world.observer.overloaded)
        .containsOnly(Map.entry(RejectedWork.PUBLISH, 2), Map.entry(RejectedWork.PUBLISH_QOS0, 1));
    world.overloaded = false;
    client.publish(1, 1, "a", "y").publish(2, 2, "a", "z").expect("PUBACK 1", "PUBREC 2");
    subscriber.expect("PUBLISH q0 a y", "PUBLISH q0 a z");
  }

  /** A repeated PUBLISH is not new work: its message is stored, and a refusal would deny that. */
  @Test
  void shouldAcknowledgeARepeatedQos2PublishAsUsual() {
    TestClient client = connectMqtt5("c").publish(1, 2, "a", "x");
    client.expect("PUBREC 1 10");
    world.overloaded = true;
    client.publish(1, 2, "a", "x", false, true, MqttProperties.NO_PROPERTIES);
    client.reply(MqttMessageType.PUBREL, 1).expect("PUBREC 1", "PUBCOMP 1");
  }

  @Test
  void shouldThrottleMqtt3PublishersInsteadOfLosingTheirMessages() {
    TestClient subscriber = connectMqtt5("s").subscribe(1, "a", 0);
    subscriber.expect("SUBACK 1 [0]");
    TestClient client = connectMqtt3("c");
    world.overloaded = true;
    client.publish(1, 1, "a", "x").expect("PUBACK 1");
    subscriber.expect("PUBLISH q0 a x");
    assertThat(client.channel().config().isAutoRead()).isFalse();
    client.advance(60);
    assertThat(client.channel().config().isAutoRead()).isFalse();
    assertThat(client.isOpen()).isTrue();
    assertThat(world.observer.overloaded).containsOnly(Map.entry(RejectedWork.MQTT3_PUBLISHER, 1));
    world.overloaded = false;
    client.advance(1);
    assertThat(client.channel().config().isAutoRead()).isTrue();
    assertThat(world.observer.heldBack).hasValue(0);
  }

  /** Packets sent while it is throttled are read only after the keep-alive check. */
  @Test
  void shouldNotTimeOutAThrottledPublisher() {
    for (int halves = 1; halves <= 40; halves++) {
      String clientId = "c" + halves;
      TestClient client =
          world
              .open()
              .connect(
                  to ->
                      to.protocolVersion(MqttVersion.MQTT_3_1_1)
                          .clientId(clientId)
                          .cleanSession(true)
                          .keepAlive(10));
      world.overloaded = true;
      client.publish(1, 1, "a", "x").expect("CONNACK 0", "PUBACK 1");
      for (int i = 0; i < halves; i++) {
        client.advanceHalfASecond();
      }
      world.overloaded = false;
      client.advanceHalfASecond();
      assertThat(client.isOpen()).as("held back for %d half seconds", halves).isTrue();
      client.sendHex("c000").expect("PINGRESP");
    }
  }

  @Test
  void shouldDisconnectClientsThatDoNotReadWhenMemoryIsShort() {
    TestClient reads = connectMqtt5("r").subscribe(1, "a", 0);
    TestClient stuck = connectMqtt5("s").subscribe(1, "a", 0);
    ChannelOutboundBuffer waiting = stuck.channel().unsafe().outboundBuffer();
    waiting.addMessage(Unpooled.wrappedBuffer(new byte[10]), 10, stuck.channel().newPromise());
    waiting.addFlush();
    world.sessions.disconnectStuckClients();
    world.settle();
    assertThat(stuck.isOpen()).as("checked only once").isTrue();
    waiting.progress(3);
    world.sessions.disconnectStuckClients();
    world.settle();
    assertThat(stuck.isOpen()).as("it has read a few bytes").isTrue();
    world.sessions.disconnectStuckClients();
    world.settle();
    assertThat(world.observer.disconnected).containsOnly(Map.entry(CloseReason.CLIENT_TOO_SLOW, 1));
    assertThat(reads.isOpen()).isTrue();
  }

  @Test
  void shouldRejectPublishesOfClientsToSysTopics() {
    TestClient subscriber = connectMqtt5("s").subscribe(1, "$SYS/#", 0);
    subscriber.expect("SUBACK 1 [0]");
    connectMqtt5("c").publish(1, 1, "$SYS/broker/version", "0").expect("PUBACK 1 87");
    connectMqtt5("d").publish(1, 1, "$SYSTEM/x", "0").expect("PUBACK 1 10");
    TestClient old = connectMqtt3("e").publish(1, 1, "$SYS", "0").publish(0, 0, "$SYS/x", "0");
    old.expect("PUBACK 1");
    subscriber.expect();
    assertThat(world.observer.dropped).containsOnly(Map.entry(DropReason.RESERVED_TOPIC, 2L));
    world
        .open()
        .connect(to -> to.clientId("w").willFlag(true).willTopic("$SYS/w").willMessage(new byte[1]))
        .expect("CONNACK 5");
  }
}
