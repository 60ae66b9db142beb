package io.fjordmq.broker.rest;

import io.fjordmq.api.Qos;
import io.fjordmq.api.RetainHandling;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.query.TransferredSession;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A persistent session, as exported and imported. */
record ExportedSessionJson(
    @Field(
            value = "Client identifier",
            minLength = 1,
            maxLength = 21_845, // so that it has at most 65,535 bytes
            pattern = "[^\\u0000]+")
        String clientid,
    @Field(value = "Tenant of the client; default: that of the caller, or none", maxLength = 120)
        @Nullable String tenant,
    @Field(
            value = "Session expiry interval in seconds; 4,294,967,295 for never",
            min = 1,
            max = 4_294_967_295L)
        long expiryInterval,
    @Field(
            value = "User that the session belongs to; absent if none",
            minLength = 1,
            maxLength = 21_845)
        @Nullable String username,
    @Field("Whether connections of other users are refused; default false")
        @Nullable Boolean usernameExclusive,
    @Field("When the session was created; ignored by an import") @Nullable Instant createdAt,
    @Field("Number of queued messages, which are not exported; ignored by an import")
        @Nullable Long queued,
    @Field(value = "Subscriptions of the session", maxLength = 100_000)
        List<ExportedSubscription> subscriptions) {
  private static final RetainHandling[] RETAIN_HANDLING = RetainHandling.values();

  /** A subscription with its options. */
  record ExportedSubscription(
      @Field(
              value = "Topic filter, with $share/GROUP/ for a shared subscription",
              rule = TextRule.TOPIC_FILTER)
          String topic,
      @Field(value = "Maximum QoS", min = 0, max = 2) int qos,
      @Field(value = "No Local", min = 0, max = 1) int nl,
      @Field(value = "Retain As Published", min = 0, max = 1) int rap,
      @Field(value = "Retain Handling", min = 0, max = 2) int rh,
      @Field(value = "Subscription Identifier; absent if none", min = 1, max = 268_435_455)
          @Nullable Integer subid) {
    static ExportedSubscription of(TransferredSession.Subscription subscription) {
      SubscriptionOptions options = subscription.options();
      return new ExportedSubscription(
          subscription.filter().text(),
          options.maxQos().level(),
          options.noLocal() ? 1 : 0,
          options.retainAsPublished() ? 1 : 0,
          options.retainHandling().ordinal(),
          options.identifier() == 0 ? null : options.identifier());
    }

    TransferredSession.Subscription toSubscription() {
      return new TransferredSession.Subscription(
          TopicFilter.parse(topic),
          new SubscriptionOptions(
              Qos.of(qos), nl == 1, rap == 1, RETAIN_HANDLING[rh], subid == null ? 0 : subid));
    }
  }

  static ExportedSessionJson of(TransferredSession session) {
    return new ExportedSessionJson(
        session.clientId(),
        session.tenant(),
        session.expirySeconds(),
        session.user(),
        session.user() == null ? null : session.exclusive(),
        Instant.ofEpochMilli(session.createdAtMillis()),
        session.queued(),
        session.subscriptions().stream().map(ExportedSubscription::of).toList());
  }

  /**
   * @param ofTenant the tenant to which the session is imported
   */
  TransferredSession toSession(String ofTenant) {
    return new TransferredSession(
        ofTenant,
        clientid,
        expiryInterval,
        username,
        Boolean.TRUE.equals(usernameExclusive),
        0,
        0,
        subscriptions.stream().map(ExportedSubscription::toSubscription).toList());
  }

  /**
   * @throws ApiException 400 if a shared subscription has No Local
   */
  void requirePossible() {
    for (ExportedSubscription each : subscriptions) {
      if (each.nl() == 1 && TopicFilter.parse(each.topic()).isShared()) {
        throw ApiException.badRequest(
            "nl: must be 0 for the shared subscription '%s'".formatted(each.topic()));
      }
    }
  }
}
