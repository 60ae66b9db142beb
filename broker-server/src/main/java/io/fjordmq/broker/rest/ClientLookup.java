package io.fjordmq.broker.rest;

import io.fjordmq.broker.query.ClientQueries;
import io.fjordmq.broker.query.ClientRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the client that a request names, in the tenant that the request may see. */
final class ClientLookup {
  private static final String TENANT = "tenant";

  private final ClientQueries clients;

  ClientLookup(ClientQueries clients) {
    this.clients = clients;
  }

  /** The parameter that names the tenant of a client. */
  static Parameter tenantParameter() {
    return Parameter.text(
        TENANT,
        "Tenant of the client; not needed if the identifier exists in one tenant only, or if the"
            + " caller is bound to a tenant",
        TextRule.WITHOUT_NUL);
  }

  /**
   * Returns the tenant that a request is about; null for all tenants.
   *
   * @throws ApiException 403 if the caller is bound to another tenant
   */
  static @Nullable String tenant(Request request) {
    @Nullable String wanted = request.text(TENANT).orElse(null);
    @Nullable String bound = request.tenant().orElse(null);
    if (bound != null && wanted != null && !bound.equals(wanted)) {
      throw new ApiException(
          ErrorCode.FORBIDDEN, "the credentials are bound to a tenant other than '" + wanted + "'");
    }
    return bound != null ? bound : wanted;
  }

  /**
   * Finds a client.
   *
   * @return fails with 404 if it does not exist, 409 if it exists in several tenants, and 503 if it
   *     was not found but part of the cluster did not respond
   */
  CompletableFuture<ClientRow> find(Request request, String clientId) {
    if (!canExist(clientId)) {
      throw unknown(clientId);
    }
    return clients.find(tenant(request), clientId).thenApply(search -> only(search, clientId));
  }

  /** Returns whether a client may have this identifier. */
  static boolean canExist(String clientId) {
    return clientId.indexOf(0) < 0; // UTF-8 has already been checked
  }

  private static ClientRow only(ClientQueries.Search search, String clientId) {
    List<ClientRow> found = search.clients();
    if (found.size() == 1) {
      return found.get(0);
    }
    if (found.size() > 1) {
      throw ApiException.conflict(
          "client '%s' exists in several tenants (%s); add the parameter tenant"
              .formatted(
                  clientId,
                  found.stream()
                      .map(row -> "'" + row.tenant() + "'")
                      .collect(Collectors.joining(", "))));
    }
    requireComplete(search.problems(), clientId);
    throw unknown(clientId);
  }

  /**
   * Requires that the whole cluster has responded, because a client was not found.
   *
   * @throws ApiException 503 otherwise
   */
  static void requireComplete(List<String> problems, String clientId) {
    if (!problems.isEmpty()) {
      throw ApiException.unavailable(
          "client '%s' was not found, but part of the cluster did not respond: %s"
              .formatted(clientId, String.join("; ", problems)));
    }
  }

  static ApiException unknown(String clientId) {
    return new ApiException(
        ErrorCode.CLIENTID_NOT_FOUND, "client '" + clientId + "' does not exist");
  }
}
