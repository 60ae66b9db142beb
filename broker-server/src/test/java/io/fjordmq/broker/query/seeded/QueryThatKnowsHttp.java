package io.fjordmq.broker.query.seeded;

import io.fjordmq.broker.http.HttpSettings;

/** Depends on the HTTP server. */
public final class QueryThatKnowsHttp {
  private QueryThatKnowsHttp() {}

  /** Depends on the HTTP server. */
  static String settings(HttpSettings settings) {
    return settings.toString();
  }
}
