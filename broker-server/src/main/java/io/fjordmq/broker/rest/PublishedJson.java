package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.MessagePublisher.Outcome;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The outcome of a publish. */
record PublishedJson(
    @Field("Random identifier for the caller's logs; FjordMQ does not store it")
        @Nullable String id,
    @Field("MQTT 5 reason code if the message was not accepted by any subscriber")
        @Nullable Integer reasonCode,
    @Field("Kind of error if the message could not be published") @Nullable String code,
    @Field("Meaning of the reason code") @Nullable String message) {
  private static final int NO_MATCHING_SUBSCRIBERS = 0x10;
  private static final int UNSPECIFIED_ERROR = 0x80;
  private static final int IMPLEMENTATION_SPECIFIC_ERROR = 0x83;
  private static final int QUOTA_EXCEEDED = 0x97;

  static PublishedJson of(Outcome outcome) {
    return switch (outcome) {
      case ACCEPTED ->
          new PublishedJson(UUID.randomUUID().toString().replace("-", ""), null, null, null);
      case NO_MATCHING_SUBSCRIBERS -> failed(NO_MATCHING_SUBSCRIBERS, "no_matching_subscribers");
      case QUOTA_EXCEEDED -> failed(QUOTA_EXCEEDED, "quota_exceeded");
      case LOW_DISK_SPACE -> failed(QUOTA_EXCEEDED, "low_disk_space");
      case NODE_CONGESTED -> failed(QUOTA_EXCEEDED, "node_congested");
      case NOT_SERVING -> failed(IMPLEMENTATION_SPECIFIC_ERROR, "not_serving");
      case NOT_DURABLE -> failed(UNSPECIFIED_ERROR, "not_durable");
    };
  }

  private static PublishedJson failed(int reasonCode, String message) {
    String code =
        reasonCode == NO_MATCHING_SUBSCRIBERS ? null : ErrorCode.SERVICE_UNAVAILABLE.name();
    return new PublishedJson(null, reasonCode, code, message);
  }

  /** The HTTP status of an outcome. */
  static int status(Outcome outcome) {
    return switch (outcome) {
      case ACCEPTED -> 200;
      case NO_MATCHING_SUBSCRIBERS -> 202;
      case QUOTA_EXCEEDED, LOW_DISK_SPACE, NODE_CONGESTED, NOT_SERVING, NOT_DURABLE -> 503;
    };
  }
}
