package io.fjordmq.broker.rest;

import io.fjordmq.broker.events.Banned;
import io.fjordmq.broker.events.ClientEvent;
import io.fjordmq.broker.events.ClientTimeline.NodeEvent;
import io.fjordmq.broker.events.Connected;
import io.fjordmq.broker.events.Denial;
import io.fjordmq.broker.events.Disconnected;
import io.fjordmq.broker.events.Dropped;
import io.fjordmq.broker.events.PublishDenied;
import io.fjordmq.broker.events.RecordedEvent;
import io.fjordmq.broker.events.Refused;
import io.fjordmq.broker.events.SubscribeRefused;
import io.fjordmq.broker.events.Subscribed;
import io.fjordmq.broker.events.TakenOver;
import io.fjordmq.broker.events.ThrottleEnded;
import io.fjordmq.broker.events.Throttled;
import io.fjordmq.broker.events.Unsubscribed;
import io.fjordmq.broker.events.WillPublished;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** An event of a client. Fields that do not apply to its type are null. */
record ClientEventJson(
    @Field("Time of the latest occurrence") Instant at,
    @Field("Node that recorded the event") String node,
    @Field("Tenant of the client; absent if the client was not authenticated")
        @Nullable String tenant,
    @Field(
            "Kind of event: connected, connect_refused, subscribed, subscribe_refused,"
                + " unsubscribed, publish_denied, dropped, publish_dropped, throttled,"
                + " throttle_ended, disconnected, taken_over, session_expired, will_published or banned")
        String type,
    @Field("One line that explains the event") String message,
    @Field("Number of occurrences, or of dropped messages") long count,
    @Field("Time of the first occurrence") Instant firstAt,
    @Field("MQTT 5 reason code; absent if there is none") @Nullable Integer reasonCode,
    @Field("Reason in lower case with underscores") @Nullable String reason,
    @Field("Provider that denied it, such as `securityConfig.aclFile`") @Nullable String provider,
    @Field("The rule that denied it, with its file and line") @Nullable String rule,
    @Field("Explanation of the reason") @Nullable String detail,
    @Field("Configuration key of the limit that was reached") @Nullable String limit,
    @Field("Value of the limit") @Nullable Long limitValue,
    @Field("Topic of the message; the last one if there were several") @Nullable String topic,
    @Field("Topic filter; the last one if there were several") @Nullable String filter,
    @Field("Granted QoS") @Nullable Integer qos,
    @Field("Address of the client") @Nullable String address,
    @Field("Listener to which the client connected") @Nullable String listener,
    @Field("User name") @Nullable String username,
    @Field("Protocol level: 3, 4 or 5") @Nullable Integer protoVer,
    @Field("Whether the client resumed its session") @Nullable Boolean sessionPresent,
    @Field("What was throttled: `in` for messages from the client, `out` for messages to it")
        @Nullable String direction,
    @Field("Type of the last packet from the client") @Nullable String lastPacket,
    @Field("Node of the connection that took over; absent if unknown") @Nullable String byNode,
    @Field("Address of the connection that took over; absent if unknown")
        @Nullable String byAddress) {

  static ClientEventJson of(NodeEvent found) {
    RecordedEvent recorded = found.recorded();
    ClientEvent event = recorded.event();
    Details details = new Details();
    if (event instanceof Connected connected) {
      details.set(connected);
    } else if (event instanceof Refused refused) {
      details.set(refused);
    } else if (event instanceof SubscribeRefused refused) {
      details.set(refused);
    } else if (event instanceof Dropped dropped) {
      details.set(dropped);
    } else if (event instanceof Disconnected disconnected) {
      details.set(disconnected);
    } else if (event instanceof TakenOver lost) {
      details.set(lost);
    } else {
      details.setOther(event);
    }
    return details.json(found.node(), recorded);
  }

  /** Collects the fields that apply to an event. */
  private static final class Details {
    private @Nullable Integer reasonCode;
    private @Nullable String reason;
    private Denial denial = Denial.NONE;
    private String limit = "";
    private long limitValue = -1;
    private @Nullable String topic;
    private @Nullable String filter;
    private @Nullable Integer qos;
    private @Nullable String address;
    private @Nullable String listener;
    private @Nullable String username;
    private @Nullable Integer protoVer;
    private @Nullable Boolean sessionPresent;
    private @Nullable String direction;
    private @Nullable String lastPacket;
    private String byNode = "";
    private String byAddress = "";

    private void set(Connected event) {
      address = event.address();
      listener = event.listener();
      username = event.userName();
      protoVer = event.protocolLevel();
      sessionPresent = event.sessionPresent();
    }

    private void set(Refused event) {
      address = event.address();
      listener = event.listener();
      username = event.userName();
      denial = event.denial();
      setReason(event.reason(), event.reasonCode());
    }

    private void set(SubscribeRefused event) {
      filter = event.filter();
      denial = event.denial();
      limit = event.limitKey();
      limitValue = event.limitValue();
      setReason(event.reason(), event.reasonCode());
    }

    private void set(Dropped event) {
      topic = event.topic();
      limit = event.limitKey();
      limitValue = event.limitValue();
      setReason(event.reason(), -1);
    }

    private void set(Disconnected event) {
      denial = Denial.of(event.detail());
      lastPacket = event.lastPacket();
      setReason(event.reason(), event.reasonCode());
    }

    private void set(TakenOver event) {
      lastPacket = event.lastPacket();
      byNode = event.byNode();
      byAddress = event.byAddress();
      setReason("session_taken_over", SESSION_TAKEN_OVER);
    }

    private void setOther(ClientEvent event) {
      if (event instanceof Subscribed subscribed) {
        filter = subscribed.filter();
        qos = subscribed.qos();
      } else if (event instanceof Unsubscribed unsubscribed) {
        filter = unsubscribed.filter();
      } else if (event instanceof PublishDenied denied) {
        topic = denied.topic();
        denial = denied.denial();
      } else if (event instanceof WillPublished will) {
        topic = will.topic();
      } else if (event instanceof Banned banned) {
        denial = new Denial(banned.by(), "", banned.reason());
      } else if (event instanceof Throttled throttled) {
        direction = throttled.outbound() ? "out" : "in";
        limit = throttled.limitKey();
        limitValue = throttled.limitValue();
      } else if (event instanceof ThrottleEnded ended) {
        direction = ended.outbound() ? "out" : "in";
        limit = ended.limitKey();
      }
    }

    private void setReason(String label, int code) {
      reason = label;
      reasonCode = code < 0 ? null : Integer.valueOf(code);
    }

    private ClientEventJson json(String node, RecordedEvent recorded) {
      return new ClientEventJson(
          Instant.ofEpochMilli(recorded.atMillis()),
          node,
          recorded.tenant(),
          recorded.event().type(),
          recorded.message(),
          recorded.count(),
          Instant.ofEpochMilli(recorded.firstAtMillis()),
          reasonCode,
          reason,
          orNull(denial.provider()),
          orNull(denial.rule()),
          orNull(denial.detail()),
          orNull(limit),
          limitValue < 0 ? null : Long.valueOf(limitValue),
          topic,
          filter,
          qos,
          address,
          listener,
          username,
          protoVer,
          sessionPresent,
          direction,
          lastPacket,
          orNull(byNode),
          orNull(byAddress));
    }

    private static @Nullable String orNull(String text) {
      return text.isEmpty() ? null : text;
    }
  }

  private static final int SESSION_TAKEN_OVER = 0x8E;
}
