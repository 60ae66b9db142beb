package io.fjordmq.broker.rest;

import io.fjordmq.api.Message;
import io.fjordmq.broker.query.RetainedQueries.Retained;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A retained message without its payload. */
record RetainedJson(
    @Field("Topic of the message") String topic,
    @Field("Tenant of the message") String tenant,
    @Field("QoS with which the message was published") int qos,
    @Field("When the message was published") Instant publishAt,
    @Field("Client identifier of the publisher; absent if the broker published it")
        @Nullable String fromClientid,
    @Field("When the message expires; absent if it never does") @Nullable Instant expiresAt,
    @Field("Size of the payload in bytes") int payloadBytes) {

  static RetainedJson of(String tenant, Retained retained) {
    return new RetainedJson(
        retained.topic(),
        tenant,
        retained.qos().level(),
        Instant.ofEpochMilli(retained.publishedAtMillis()),
        retained.publisher().isEmpty() ? null : retained.publisher(),
        retained.expiresAtMillis() == Message.NEVER
            ? null
            : Instant.ofEpochMilli(retained.expiresAtMillis()),
        retained.payloadBytes());
  }
}
