package io.fjordmq.broker.rest;

import io.fjordmq.broker.trace.PayloadEncoding;
import io.fjordmq.broker.trace.TraceFormat;
import io.fjordmq.broker.trace.TraceType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The body of the request that creates a trace. The names are those of EMQX. */
record CreateTraceRequest(
    @Field(
            value = "Name, unique within the tenant: letters, digits, `-` and `_`",
            minLength = 1,
            maxLength = 64,
            pattern = TraceResource.NAME_PATTERN,
            example = "meter-8")
        String name,
    @Field(
            value = "What the trace matches; the field with the same name contains the value",
            example = "clientid")
        TraceType type,
    @Field(
            value = "Client identifier; required with the type `clientid`",
            minLength = 1,
            maxLength = 1_024,
            example = "meter-8")
        @Nullable String clientid,
    @Field(
            value = "Topic filter without `$share`; required with the type `topic`",
            minLength = 1,
            maxLength = 1_024)
        @Nullable String topic,
    @Field(
            value =
                "IP address, or network such as 192.0.2.0/24; required with the type `ip_address`",
            minLength = 1,
            maxLength = 64)
        @Nullable String ipAddress,
    @Field(
            value =
                "Tenant to which the trace is limited; if absent, that of the caller, or all"
                    + " tenants if the caller is not bound to one",
            maxLength = 256,
            pattern = AccountFields.ONE_LINE)
        @Nullable String tenant,
    @Field("When tracing starts; immediately if absent or in the past") @Nullable Instant startAt,
    @Field(
            "When tracing ends; 10 minutes after the start if absent. At most"
                + " traceConfig.maxDuration after the start")
        @Nullable Instant endAt,
    @Field(
            "How payloads are shown: `hidden` (if absent), `text` or `hex`. Payloads can be"
                + " confidential")
        @Nullable PayloadEncoding payloadEncode,
    @Field("How lines are written: `text` (if absent), or `json` for one object per line")
        @Nullable TraceFormat formatter) {

  /**
   * The value that the type selects.
   *
   * @throws ApiException 400 if it is missing, or another value is present
   */
  String value() {
    @Nullable String value =
        switch (type) {
          case CLIENTID -> clientid;
          case TOPIC -> topic;
          case IP_ADDRESS -> ipAddress;
        };
    if (value == null) {
      throw ApiException.badRequest(
          "%s is missing; the type %s requires it".formatted(type.label(), type.label()));
    }
    int present =
        (clientid == null ? 0 : 1) + (topic == null ? 0 : 1) + (ipAddress == null ? 0 : 1);
    if (present > 1) {
      throw ApiException.badRequest(
          "only %s may be present with the type %s".formatted(type.label(), type.label()));
    }
    return value;
  }
}
