package io.fjordmq.broker.rest;

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
            + " tenant, whose name is empty",
        TextRule.WITHOUT_NUL);
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
}
