package io.fjordmq.perf.benchmark;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The requests of a monitoring system that watches a node: one list of clients, one client, its
 * subscriptions, statistics and one list of subscriptions, in turn.
 *
 * @param clientIds the connected clients; one or more
 */
record ApiRequestMix(List<String> clientIds) {
  private static final int KINDS = 5;

  ApiRequestMix {
    if (clientIds.isEmpty()) {
      throw new IllegalArgumentException("requests for single clients need connected clients");
    }
    clientIds = List.copyOf(clientIds);
  }

  /**
   * Returns a request, as in {@link ApiConnection#get}.
   *
   * @param number number of the request, from 0
   */
  String path(long number) {
    String client = "/clients/" + encoded(clientIds.get((int) (number / KINDS % clientIds.size())));
    return switch ((int) (number % KINDS)) {
      case 0 -> "/clients?limit=100";
      case 1 -> client;
      case 2 -> client + "/subscriptions";
      case 3 -> "/stats";
      default -> "/subscriptions?limit=20";
    };
  }

  /** Returns the text, encoded for a path or a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
