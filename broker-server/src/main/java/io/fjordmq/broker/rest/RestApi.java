package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Accounts;
import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.admin.ClusterAudit;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.broker.http.MqttAdmission;
import io.fjordmq.broker.http.MqttUser;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.common.Deadlines;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * The operations of the API, and the steps that every request goes through: route, authenticate,
 * authorize, validate, handle, respond. Thread-safe.
 */
public final class RestApi implements AutoCloseable {
  static final String BASE = "/api/v5";
  private static final byte[] NO_BODY = {};

  private final Router router;
  private final Access access;
  private final RequestReader reader;
  private final Replies replies;
  private final Documentation documentation;
  private final AuditTrail audit;
  private final Deadlines deadlines = new Deadlines();
  private final Runnable closing;

  /**
   * @param audit records every requested change
   * @param version the version of the program
   * @param closing closes what the resources own
   */
  RestApi(
      List<Resource> resources,
      Authentication authentication,
      AuditLog audit,
      String version,
      Runnable closing) {
    List<Operation> operations =
        resources.stream().flatMap(resource -> resource.operations().stream()).toList();
    Json json = new Json();
    this.router = new Router(operations);
    this.access = new Access(authentication);
    this.reader = new RequestReader(json);
    this.replies = new Replies(json);
    this.documentation = new Documentation(operations, version, json);
    this.audit = new AuditTrail(audit);
    this.closing = closing;
  }

  /** The API of a node. This is the list of all resources. */
  public static RestApi of(RestServices services, Authentication authentication) {
    CommandQueue commands = new CommandQueue(services.commands());
    Accounts accounts = services.accounts();
    ClusterQueries queries = services.queries();
    NodeLookup nodes = new NodeLookup(services.names());
    return new RestApi(
        List.of(
            new NodesResource(services.view(), services.reports(), nodes, commands),
            new ClusterResource(services.view(), commands),
            new BackupResource(services.backups(), services.node()),
            new RangesResource(services.view(), commands, services.nodeOperations(), nodes),
            new ListenersResource(services.nodeOperations(), nodes),
            new ConfigsResource(services.settings(), services.nodeOperations(), nodes),
            new PluginsResource(services.nodeOperations(), nodes),
            new LoadRebalanceResource(services.nodeOperations(), nodes),
            new ProvidersResource(services.providers(), services.nodeOperations()),
            new ProviderTestResource(services.loginTrial()),
            new MqttUsersResource(services.users().users()),
            new AccessRulesResource(services.users().rules()),
            new BannedResource(services.bans()),
            new LoginResource(accounts.logins(), accounts.users(), services.version()),
            new UsersResource(accounts.users()),
            new ApiKeysResource(accounts.apiKeys()),
            new AuditResource(new ClusterAudit(services.nodeOperations())),
            new ClientsResource(queries.clients(), nodes),
            new UserKickResource(queries.clients()),
            new ClientEventsResource(services.events()),
            new TraceResource(services.traces(), services.traceLogs(), nodes),
            new SubscriptionsResource(queries.subscriptions(), queries.clients(), nodes),
            new QueuesResource(queries.queues(), queries.clients()),
            new TopicsResource(queries.topics()),
            new RetainedResource(queries.retained()),
            new SessionTransferResource(queries.sessionTransfer()),
            new RetainedTransferResource(queries.retainedTransfer(), InstantSource.system()),
            new MqttUserExportResource(services.users().users()),
            new PublishResource(queries.publisher()),
            new LogLevelsResource(services.logLevels(), nodes),
            new AlarmsResource(services.alarms()),
            new MonitorResource(services.monitor(), nodes),
            new StatisticsResource(services.monitor()),
            new SlowSubscriptionsResource(services.slowSubscriptions()),
            new TopicMetricsResource(services.topicMetrics(), services.topicReadings())),
        authentication,
        accounts.audit(),
        services.version(),
        commands::close);
  }

  /**
   * Handles a request. Called on one of the threads, so that a request that waits for nothing stays
   * on this thread.
   *
   * @param threads where requests are validated and responses are written
   */
  CompletableFuture<HttpReply> handle(ApiCall call, Executor threads) {
    CompletableFuture<Response> response;
    try {
      Optional<HttpReply> page = documentation.find(call);
      if (page.isPresent()) {
        return CompletableFuture.completedFuture(page.get());
      }
      response = respond(call, threads);
    } catch (RuntimeException e) {
      response = CompletableFuture.failedFuture(e);
    }
    if (response.isDone()) { // this is a thread of the API
      return response.handle((result, failure) -> replies.of(call, result, failure));
    }
    return deadlines
        .limit(
            response.copy(), // others may wait for the same future
            Deadlines.until(call.deadlineNanos()))
        .handleAsync((result, failure) -> replies.of(call, result, failure), threads);
  }

  private CompletableFuture<Response> respond(ApiCall call, Executor threads) {
    if (!call.path().startsWith(BASE + "/")) {
      throw ApiException.notFound("the path does not exist; see " + Documentation.PAGE_PATH);
    }
    List<String> path = UrlDecoder.segments(call.path().substring(BASE.length()));
    Router.Route route = router.find(call.method(), path);
    Access.refuseOtherSites(call);
    if (route.operation().role().isEmpty()) {
      AuditTrail.Entry entry = audit.begin(call, route.operation(), null);
      return entry.recordSuccess(handle(call, route, Optional.empty(), entry, threads));
    }
    CompletableFuture<Caller> authenticated = access.authenticate(call);
    return authenticated.isDone()
        ? authenticated.thenCompose(caller -> handle(call, route, caller, threads))
        : authenticated.thenComposeAsync(caller -> handle(call, route, caller, threads), threads);
  }

  private CompletableFuture<Response> handle(
      ApiCall call, Router.Route route, Caller caller, Executor threads) {
    AuditTrail.Entry entry = audit.begin(call, route.operation(), caller);
    return entry.record(
        () -> {
          Access.authorize(caller, route.operation());
          return handle(call, route, Optional.of(caller), entry, threads);
        },
        threads);
  }

  private CompletableFuture<Response> handle(
      ApiCall call,
      Router.Route route,
      Optional<Caller> caller,
      AuditTrail.Entry entry,
      Executor threads) {
    Operation operation = route.operation();
    if (operation.body().isEmpty()) {
      return handle(operation, entry.valid(reader.read(call, route, caller, NO_BODY)));
    }
    if (operation.isBodyRequired()) {
      RequestReader.requireJson(call);
    }
    ApiCall.Body body = call.body();
    return (caller.isPresent() ? body.read() : body.readAnonymous())
        .thenComposeAsync(
            bytes -> {
              if (bytes.length > 0) {
                RequestReader.requireJson(call);
              }
              return handle(operation, entry.valid(reader.read(call, route, caller, bytes)));
            },
            threads);
  }

  private static CompletableFuture<Response> handle(Operation operation, Request request) {
    request.reserve(operation.memory(request));
    return operation.handler().handle(request);
  }

  /**
   * Checks the credentials of a request for a page outside the API. Any role may read these pages,
   * but no caller that is bound to a tenant, because they show all tenants.
   */
  CompletableFuture<Optional<HttpReply>> refuse(ApiCall call) {
    return access
        .authenticate(call)
        .thenAccept(Access::requireAllTenants)
        .handle(
            (allowed, failure) ->
                failure == null ? Optional.empty() : Optional.of(replies.of(call, null, failure)));
  }

  /**
   * Checks the credentials of a request that becomes the connection of an MQTT client. The client
   * can publish and subscribe, so the caller needs the role that this needs in the API.
   */
  CompletableFuture<MqttAdmission> admitMqttClient(ApiCall call) {
    CompletableFuture<Caller> caller;
    try {
      Access.refuseOtherSites(call);
      caller = access.authenticate(call);
    } catch (ApiException e) {
      caller = CompletableFuture.failedFuture(e);
    }
    return caller
        .thenApply(
            known -> {
              Access.requireRole(known, Role.OPERATOR);
              return new MqttUser(known.name(), known.tenant() == null ? "" : known.tenant());
            })
        .handle(
            (user, failure) ->
                failure == null
                    ? new MqttAdmission.Admitted(user)
                    : new MqttAdmission.Refused(replies.of(call, null, failure)));
  }

  @Override
  public void close() {
    closing.run();
  }
}
