package io.fjordmq.router;

import io.fjordmq.api.TopicFilter;

/** Identifies a route: everything except its options. */
public record RouteId(String tenant, TopicFilter filter, Receiver receiver) {
  public static RouteId of(Route route) {
    return new RouteId(route.tenant(), route.filter(), route.receiver());
  }
}
