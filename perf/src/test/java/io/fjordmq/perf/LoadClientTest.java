package io.fjordmq.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the load client handles packets from brokers, byte by byte. */
class LoadClientTest {
  private final List<String> events = new ArrayList<>();

  private final LoadClient.Receiver receiver =
      new LoadClient.Receiver() {
        @Override
        public void onPublish(ByteBuf payload) {
          events.add("publish " + payload.readableBytes());
        }

        @Override
        public void onPuback(int packetIdentifier) {
          events.add("puback " + packetIdentifier);
        }

        @Override
        public void onLost(String reason) {
          events.add("lost " + reason);
        }
      };

  private static ByteBuf bytes(int... values) {
    ByteBuf out = Unpooled.buffer();
    for (int value : values) {
      out.writeByte(value);
    }
    return out;
  }

  @Test
  void shouldReadFragmentedPackets() {
    LoadClient client = new LoadClient("c", true, receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(bytes(0x20, 2, 0, 0));
    assertThat(client.connected()).isCompleted();
    channel.writeInbound(bytes(0x32, 8, 0, 1, 't', 0, 7), bytes(1, 2, 3, 0x40, 2, 0), bytes(9));
    assertThat(events).containsExactly("publish 3", "puback 9");
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldReadMqtt5PacketsAndTheReceiveMaximum() {
    LoadClient client =
        new LoadClient(new ConnectSettings("c", ConnectSettings.MQTT_5, true, 0), receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    // Topic alias maximum, receive maximum 16, and a reason string
    channel.writeInbound(bytes(0x20, 14, 0, 0, 11, 0x22, 0, 5, 0x21, 0, 16, 0x1F, 0, 2, 'h', 'i'));
    assertThat(client.receiveMaximum()).isEqualTo(16);
    channel.writeInbound(bytes(0x30, 7, 0, 1, 't', 2, 0x01, 1, 9));
    assertThat(events).containsExactly("publish 1");
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldDeliverQos2OnceAndAcknowledgeEachPacket() {
    LoadClient client = new LoadClient("c", true, receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(bytes(0x20, 2, 0, 0));
    channel.releaseOutbound(); // CONNECT
    channel.writeInbound(bytes(0x34, 6, 0, 1, 't', 0, 7, 1), bytes(0x3C, 6, 0, 1, 't', 0, 7, 1));
    channel.writeInbound(bytes(0x62, 2, 0, 7), bytes(0x34, 6, 0, 1, 't', 0, 7, 2));
    channel.writeInbound(bytes(0x50, 2, 0, 9), bytes(0x70, 2, 0, 9));
    assertThat(events).containsExactly("publish 1", "publish 1", "puback 9");
    ByteBuf sent = Unpooled.buffer();
    for (ByteBuf out = channel.readOutbound(); out != null; out = channel.readOutbound()) {
      sent.writeBytes(out);
      out.release();
    }
    assertThat(sent)
        .isEqualTo(
            bytes(0x50, 2, 0, 7, 0x50, 2, 0, 7, 0x70, 2, 0, 7, 0x50, 2, 0, 7, 0x62, 2, 0, 9));
    sent.release();
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldReportTheConnackReturnCode() {
    LoadClient client = new LoadClient("c", true, receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(bytes(0x20, 2, 0, 5));
    assertThat(client.connected()).isCompletedExceptionally();
    client.connected().whenComplete((none, error) -> events.add(error.getMessage()));
    assertThat(events).containsExactly("CONNACK 0x05");
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldFailASubscriptionGrantedALowerQos() {
    LoadClient client = new LoadClient("c", true, receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(bytes(0x20, 2, 0, 0));
    client.subscribe("t", 1).whenComplete((none, error) -> events.add(error.getMessage()));
    channel.writeInbound(bytes(0x90, 3, 0, 1, 0));
    assertThat(events).containsExactly("SUBACK 0x00");
    channel.finishAndReleaseAll();
  }

  @Test
  void shouldReportTheDisconnectReasonCode() {
    LoadClient client =
        new LoadClient(new ConnectSettings("c", ConnectSettings.MQTT_5, true, 0), receiver);
    EmbeddedChannel channel = new EmbeddedChannel(client);
    channel.writeInbound(bytes(0x20, 3, 0, 0, 0));
    channel.writeInbound(bytes(0xE0, 2, 0x97, 0));
    channel.close();
    assertThat(events).containsExactly("lost DISCONNECT 0x97");
    channel.finishAndReleaseAll();
  }
}
