package io.fjordmq.router;

import io.fjordmq.api.TopicFilter;

/** What identifies a route: all but its options. */
record RouteId(String tenant, TopicFilter filter, Receiver receiver) {
  static RouteId of(Route route) {
    return new RouteId(route.tenant(), route.filter(), route.receiver());
  }
}
