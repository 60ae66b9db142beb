package io.fjordmq.broker.rest;

import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import org.jspecify.annotations.Nullable;

/** The tenant and the topics of requests that are not about a client. */
final class TopicTenant {
  /** Clients whose authentication assigns no tenant belong to it. */
  private static final String DEFAULT_TENANT = "";

  private TopicTenant() {}

  /** The parameter that names the tenant. */
  static Parameter parameter() {
    return Parameter.text(
        "tenant",
        "Tenant; by default that of the caller or, if the caller is bound to none, the default"
            + " tenant, whose name is empty");
  }

  /**
   * Returns the tenant of a request.
   *
   * @throws ApiException 403 if the caller is bound to another tenant
   */
  static String of(Request request) {
    @Nullable String tenant = ClientLookup.tenant(request);
    return tenant == null ? DEFAULT_TENANT : tenant;
  }

  /**
   * Parses a topic.
   *
   * @throws ApiException 400 if it is not a valid topic name
   */
  static Topic topic(String text) {
    try {
      return new Topic(text);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("topic: " + e.getMessage());
    }
  }

  /**
   * Parses a topic filter.
   *
   * @throws ApiException 400 if it is not valid
   */
  static TopicFilter filter(String text) {
    try {
      return TopicFilter.parse(text);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("topic: " + e.getMessage());
    }
  }
}
