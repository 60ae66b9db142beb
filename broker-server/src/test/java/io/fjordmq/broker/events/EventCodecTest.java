package io.fjordmq.broker.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.events.EventCodec.FindRequest;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The bytes between nodes, and the sentence for each kind of event. */
class EventCodecTest {
  private static final HexFormat HEX = HexFormat.of();
  private static final String DETECTOR = "666c617070696e67206465746563746f72";

  /** The bytes after the tenant, times and count. */
  private static Map<ClientEvent, String> goldenEvents() {
    Map<ClientEvent, String> events = new LinkedHashMap<>();
    events.put(new Connected("h:1", "tcp", "u", 5, true), "0103683a31037463700101750501");
    events.put(
        new Refused("h:1", "tcp", null, "banned", 0x8A, new Denial("p", "r", "d")),
        "0203683a3103746370000662616e6e65648b01017001720164");
    events.put(new Subscribed("a/#", 2), "0303612f2302");
    events.put(
        new SubscribeRefused("a/#", "not_authorized", 0x87, new Denial("p", "f:3", ""), "", -1),
        "0403612f230e6e6f745f617574686f72697a65648801017003663a33000000");
    events.put(new Unsubscribed("a/#"), "0503612f23");
    events.put(new PublishDenied("a", true, Denial.of("no")), "060161010000026e6f");
    events.put(
        new Dropped(1, true, "a", false, "payload_too_large", "k", 9),
        "070101016100117061796c6f61645f746f6f5f6c61726765016b0a");
    events.put(
        new Dropped(1, false, null, false, "expired", "", -1), "0700000007657870697265640000");
    events.put(new Throttled(true, "k", 9), "0801016b0a");
    events.put(new ThrottleEnded(false, "k"), "0900016b");
    events.put(
        new Disconnected("connection_lost", -1, "d", "PINGREQ"),
        "0a0f636f6e6e656374696f6e5f6c6f73740001640750494e47524551");
    events.put(new TakenOver("n2", "h:1", "PUBLISH"), "0b026e3203683a31075055424c495348");
    events.put(new SessionExpired(), "0c");
    events.put(new WillPublished("w", true), "0d017701");
    events.put(new Banned("flapping detector", "why", 2_000), "0e11" + DETECTOR + "03776879d00f");
    return events;
  }

  private static byte[] encode(ClientEvent event) {
    return EventCodec.encode(List.of(new RecordedEvent("t", 1_000, 900, 1, event)));
  }

  @Test
  void shouldWriteEveryKindAsBefore() {
    goldenEvents()
        .forEach(
            (event, hex) ->
                assertThat(HEX.formatHex(encode(event)))
                    .isEqualTo("0101" + "010174e807840701" + hex));
  }

  @Test
  void shouldReadWhatItWrites() {
    goldenEvents()
        .keySet()
        .forEach(
            event ->
                assertThat(EventCodec.decodeResponse(encode(event)))
                    .containsExactly(new RecordedEvent("t", 1_000, 900, 1, event)));
    RecordedEvent drops = new RecordedEvent(null, 7, 5, 12, Dropped.toClient("expired", 12, "a"));
    assertThat(EventCodec.decodeResponse(EventCodec.encode(List.of(drops)))).containsExactly(drops);
  }

  @Test
  void shouldWriteAndReadRequests() {
    byte[] all = EventCodec.encode(new FindRequest(null, "c"));
    byte[] one = EventCodec.encode(new FindRequest("t", "c"));
    assertThat(HEX.formatHex(all)).isEqualTo("01000163");
    assertThat(HEX.formatHex(one)).isEqualTo("010101740163");
    assertThat(EventCodec.decodeRequest(all)).isEqualTo(new FindRequest(null, "c"));
    assertThat(EventCodec.decodeRequest(one)).isEqualTo(new FindRequest("t", "c"));
  }

  @Test
  void shouldRejectNewerVersionsAndKinds() {
    assertThatThrownBy(() -> EventCodec.decodeRequest(HEX.parseHex("02000163")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> EventCodec.decodeResponse(HEX.parseHex("0200")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> EventCodec.decodeResponse(HEX.parseHex("0101" + "0001010163")))
        .isInstanceOf(NewerFormatException.class);
    assertThatThrownBy(() -> EventCodec.decodeRequest(HEX.parseHex("0100016300")))
        .isInstanceOf(MalformedBytesException.class);
  }

  @Test
  void shouldExplainEveryKind() {
    assertThat(goldenEvents().keySet().stream().map(event -> event.message(1)))
        .containsExactly(
            "Connected from h:1 to tcp with MQTT 5 as user 'u'; the client resumed its session",
            "Refused CONNECT from h:1: banned (0x8A); the client is denied by p: r: d",
            "Subscribed to a/# with QoS 2",
            "Refused SUBSCRIBE to a/#: not authorized (0x87); the client is denied by p: f:3",
            "Unsubscribed from a/#",
            "Denied PUBLISH to a: no",
            "Dropped a message from the client on topic a: the payload is too large (k=9)",
            "Dropped a message: the message expiry interval had passed",
            "Throttled: messages to the client delayed because a rate limit was reached (k=9)",
            "Throttling ended: reading from the client resumed (k)",
            "Connection lost: d; last packet PINGREQ",
            "Disconnected: session taken over (0x8E) by a connection from h:1 on node n2 with the"
                + " same client identifier; last packet PUBLISH",
            "Session expired: the client did not reconnect within its session expiry interval; its"
                + " subscriptions and queued messages were removed",
            "Published the will of the client to w",
            "Banned by the flapping detector until 1970-01-01T00:00:02Z: why");
  }

  @Test
  void shouldShortenLongTexts() {
    Subscribed event = new Subscribed("x".repeat(65_535), 0);
    assertThat(event.filter()).hasSize(EventText.MAX_CHARS).endsWith("...");
    String surrogates = "😀".repeat(200);
    assertThat(EventText.shortened("x" + surrogates)).doesNotMatch(".*[\\uD800-\\uDBFF]\\.\\.\\.$");
  }
}
