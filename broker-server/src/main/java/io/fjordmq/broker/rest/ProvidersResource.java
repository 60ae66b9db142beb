package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.providers.ProviderEntry.Chain;
import io.fjordmq.broker.providers.ProviderInfo;
import io.fjordmq.broker.security.ProviderViews;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The configured authentication and authorization providers. */
final class ProvidersResource implements Resource {
  private static final String TAG = "Authentication";

  private final ProviderViews providers;
  private final NodeOperations nodes;

  record AuthenticatorJson(
      @Field(value = "Mechanism and back end, or the name if one is set", example = "redis")
          String id,
      @Field(value = "`password_based`, `scram`, `jwt`, `x509` or `plugin`") String mechanism,
      @Field(value = "The kind of provider", example = "redis") String backend,
      @Field("Whether the provider is used") boolean enable,
      @Field("Listeners whose clients the provider serves; empty for all") List<String> listeners,
      @Field("`connected`, or `disconnected` while the circuit breaker is open") String status,
      @Field("Number of cached results on this node") int cachedResults) {
    static AuthenticatorJson of(ProviderViews.View view) {
      ProviderInfo info = view.info();
      return new AuthenticatorJson(
          info.name().equals(info.type()) ? id(info.type()) : info.name(),
          mechanism(info.type()),
          backendOf(info.type()),
          info.enabled(),
          info.listeners().stream().sorted().toList(),
          view.breakerOpen().getAsBoolean() ? "disconnected" : "connected",
          view.cached().getAsInt());
    }

    private static String mechanism(String type) {
      return switch (type) {
        case "jwt", "x509", "plugin", "scram" -> type;
        default -> "password_based";
      };
    }

    private static String id(String type) {
      String mechanism = mechanism(type);
      String backend = backendOf(type);
      return mechanism.equals(backend) ? mechanism : mechanism + ":" + backend;
    }
  }

  record SourceJson(
      @Field(value = "The kind of provider", example = "redis") String type,
      @Field("Unique name in the list") String name,
      @Field("Whether the source is used") boolean enable,
      @Field("Listeners whose clients the provider serves; empty for all") List<String> listeners,
      @Field("`connected`, or `disconnected` while the circuit breaker is open") String status,
      @Field("Number of cached results on this node") int cachedResults) {
    static SourceJson of(ProviderViews.View view) {
      ProviderInfo info = view.info();
      return new SourceJson(
          backendOf(info.type()),
          info.name(),
          info.enabled(),
          info.listeners().stream().sorted().toList(),
          view.breakerOpen().getAsBoolean() ? "disconnected" : "connected",
          view.cached().getAsInt());
    }
  }

  /** EMQX's word for a kind of provider. */
  private static String backendOf(String type) {
    return switch (type) {
      case "database", "scram" -> "built_in_database";
      default -> type;
    };
  }

  ProvidersResource(ProviderViews providers, NodeOperations nodes) {
    this.providers = providers;
    this.nodes = nodes;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        authentication(),
        authorization(),
        reset("/authentication/node_cache/reset", Chain.AUTHENTICATION)
            .id("resetAuthenticationCache")
            .summary("Clear the caches of the authentication providers")
            .handler(request -> clear(Chain.AUTHENTICATION)),
        reset("/authorization/node_cache/reset", Chain.AUTHORIZATION)
            .id("resetAuthorizationCache")
            .summary("Clear the caches of the authorization providers")
            .handler(request -> clear(Chain.AUTHORIZATION)));
  }

  private Operation authentication() {
    return Operation.get("/authentication")
        .id("listAuthenticators")
        .tag(TAG)
        .summary("List the authentication providers")
        .description(
            "The list `securityConfig.authentication` of this node in order; empty if the node uses"
                + " the password file and plugins. To change the list, edit the configuration file"
                + " and restart the node.")
        .role(Role.VIEWER)
        .paged()
        .okList(AuthenticatorJson.class)
        .handler(
            request ->
                CompletableFuture.completedFuture(
                    request
                        .paging()
                        .slice(
                            providers.of(Chain.AUTHENTICATION).stream()
                                .map(AuthenticatorJson::of)
                                .toList(),
                            List.of())));
  }

  private Operation authorization() {
    return Operation.get("/authorization/sources")
        .id("listAuthorizationSources")
        .tag(TAG)
        .summary("List the authorization providers")
        .description(
            "The list `securityConfig.authorization` of this node in order; empty if the node uses"
                + " the ACL file and plugins. To change the list, edit the configuration file and"
                + " restart the node.")
        .role(Role.VIEWER)
        .paged()
        .okList(SourceJson.class)
        .handler(
            request ->
                CompletableFuture.completedFuture(
                    request
                        .paging()
                        .slice(
                            providers.of(Chain.AUTHORIZATION).stream().map(SourceJson::of).toList(),
                            List.of())));
  }

  private static Operation.Builder reset(String path, Chain chain) {
    return Operation.post(path)
        .tag(TAG)
        .description(
            "Applies to all nodes. Connected clients reload their rules with their next action.")
        .role(Role.OPERATOR)
        .target(request -> chain.label() + " caches")
        .noContent()
        .error(503, "A node did not respond; the caches of the other nodes are cleared");
  }

  private CompletableFuture<Response> clear(Chain chain) {
    return nodes
        .clearProviderCaches(chain)
        .thenApply(
            problems -> {
              if (!problems.isEmpty()) {
                throw ApiException.unavailable(
                    "the caches of some nodes might not have been cleared; retry: "
                        + String.join("; ", problems));
              }
              return Response.noContent();
            });
  }
}
