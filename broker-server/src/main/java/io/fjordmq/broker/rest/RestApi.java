package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.ApiReply;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The operations of the API, and the steps that every request goes through: route, authenticate,
 * authorize, validate, handle, respond. Thread-safe.
 */
public final class RestApi {
  static final String BASE = "/api/v5";

  private final Router router;
  private final Access access;
  private final RequestReader reader;
  private final Replies replies;

  public RestApi(List<Resource> resources, Authentication authentication) {
    List<Operation> operations =
        resources.stream().flatMap(resource -> resource.operations().stream()).toList();
    Json json = new Json();
    this.router = new Router(operations);
    this.access = new Access(authentication);
    this.reader = new RequestReader(json);
    this.replies = new Replies(json);
  }

  /**
   * Handles a request.
   *
   * @param threads where requests are validated and responses are written
   */
  CompletableFuture<ApiReply> handle(ApiCall call, Executor threads) {
    CompletableFuture<Response> response;
    try {
      response = respond(call, threads);
    } catch (RuntimeException e) {
      response = CompletableFuture.failedFuture(e);
    }
    return response.handleAsync((result, failure) -> replies.of(call, result, failure), threads);
  }

  private CompletableFuture<Response> respond(ApiCall call, Executor threads) {
    List<String> path = UrlText.segments(call.path().substring(BASE.length()));
    Router.Route route = router.find(call.method(), path);
    Access.refuseOtherSites(call);
    Optional<Role> role = route.operation().role();
    if (role.isEmpty()) {
      return route.operation().handler().handle(reader.read(call, route, Optional.empty()));
    }
    return access
        .authenticate(call)
        .thenComposeAsync(caller -> handle(call, route, caller), threads);
  }

  private CompletableFuture<Response> handle(ApiCall call, Router.Route route, Caller caller) {
    Access.authorize(caller, route.operation());
    Request request = reader.read(call, route, Optional.of(caller));
    return route.operation().handler().handle(request);
  }

  /** Checks the credentials of a request for a page outside the API, which any role may read. */
  CompletableFuture<Optional<ApiReply>> refuse(ApiCall call) {
    return access
        .authenticate(call)
        .handle(
            (caller, failure) ->
                failure == null ? Optional.empty() : Optional.of(replies.of(call, null, failure)));
  }
}
