package io.fjordmq.broker.rest;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.ConnectAttempt;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.security.ChainStep;
import io.fjordmq.broker.security.LoginDryRun;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tests the providers with the credentials of a client. */
final class ProviderTestResource implements Resource {
  private static final int MQTT_5 = 5;
  private static final double NANOS_PER_MILLI = 1e6;

  private final LoginDryRun test;

  /** The action to test. */
  enum TestedAction {
    PUBLISH,
    SUBSCRIBE
  }

  record TestRequest(
      @Field(value = "Client identifier", maxLength = 65_535, example = "sensor-1") String clientid,
      @Field(value = "User name", maxLength = 65_535) @Nullable String username,
      @Field(value = "Password", maxLength = 65_535) @Nullable String password,
      @Field(
              value =
                  "Certificate of the client in PEM format, followed by its issuers up to one that"
                      + " the listener trusts",
              maxLength = 65_536)
          @Nullable String cert,
      @Field(value = "IP address of the client; default 127.0.0.1", maxLength = 64)
          @Nullable String peerhost,
      @Field(value = "Name of the listener; default tcpListener", maxLength = 64)
          @Nullable String listener,
      @Field(value = "Topic, or topic filter for subscribe; absent to test only the login")
          @Nullable String topic,
      @Field("The action; default publish") @Nullable TestedAction action,
      @Field(value = "QoS of the action; default 0", min = 0, max = 2) @Nullable Integer qos,
      @Field("RETAIN flag of the publish; default false") @Nullable Boolean retain) {}

  record StepJson(
      @Field("`certificate`, `authentication` or `authorization`") String chain,
      @Field("Name of the provider") String provider,
      @Field(
              "`allow`, `deny`, `ignore` or `error`; `loaded` for rules that were loaded, `partial`"
                  + " if some topics of a filter are allowed")
          String result,
      @Field("The reason or the rule; absent if there is none") @Nullable String detail,
      @Field("Response time of the provider in milliseconds") double millis) {
    static StepJson of(ChainStep step) {
      return new StepJson(
          step.chain(),
          step.provider(),
          step.result(),
          step.detail().isEmpty() ? null : step.detail(),
          Math.round(step.nanos() / NANOS_PER_MILLI * 1_000) / 1_000.0);
    }
  }

  record IdentityJson(
      @Field("The authenticated user name; absent if anonymous") @Nullable String username,
      @Field("Tenant of the client") String tenant,
      @Field("Whether the client may do everything") boolean isSuperuser,
      @Field("Attributes of the client") Map<String, String> clientAttrs,
      @Field("Number of rules that the authenticator supplied; absent if it supplied none")
          @Nullable Integer rules,
      @Field("When the identity expires; absent if it never does") @Nullable Instant expireAt) {
    static IdentityJson of(Identity identity) {
      return new IdentityJson(
          identity.userName(),
          identity.tenant(),
          identity.superuser(),
          identity.attributes(),
          identity.permissions() == null ? null : identity.permissions().rules().size(),
          identity.expiresAt());
    }
  }

  record TestJson(
      @Field("`allow` if the client could connect and perform the action, otherwise `deny`")
          String result,
      @Field("Reason for the denial; absent if the result is allow") @Nullable String reason,
      @Field("The identity; absent if the client could not connect")
          @Nullable IdentityJson identity,
      @Field("The results of the providers in order") List<StepJson> steps) {
    static TestJson of(LoginDryRun.Result result) {
      boolean allowed = result.admitted() && !Boolean.FALSE.equals(result.allowed());
      Identity identity = result.identity();
      return new TestJson(
          allowed ? "allow" : "deny",
          allowed ? null : result.reason(),
          identity == null ? null : IdentityJson.of(identity),
          result.steps().stream().map(StepJson::of).toList());
    }
  }

  ProviderTestResource(LoginDryRun test) {
    this.test = test;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.post("/authentication/test")
            .id("testAuthentication")
            .tag("Authentication")
            .summary("Test the providers with the credentials of a client")
            .description(
                "Asks the providers of this node in order, without cached results. The test counts"
                    + " neither as a login nor as a failed one. Bans are not checked, nor whether"
                    + " the listener trusts the certificate; with OCSP, the node asks the responder"
                    + " that the certificate names.")
            .role(Role.ADMINISTRATOR)
            .body(TestRequest.class)
            .target(request -> "client " + request.body(TestRequest.class).clientid())
            .ok(TestJson.class)
            .handler(
                request -> {
                  TestRequest body = request.body(TestRequest.class);
                  List<X509Certificate> path = PemCertificates.path(body.cert());
                  return test.run(
                          attempt(body, path.isEmpty() ? null : path.get(0)),
                          path.size() < 2 ? null : path.subList(1, path.size()),
                          action(body))
                      .thenApply(result -> Response.ok(TestJson.of(result)));
                }));
  }

  private static ConnectAttempt attempt(TestRequest body, @Nullable X509Certificate certificate) {
    String password = body.password();
    String listener = body.listener();
    return new ConnectAttempt(
        listener == null ? "tcpListener" : listener,
        address(body.peerhost()),
        certificate != null,
        certificate,
        MQTT_5,
        body.clientid(),
        body.username(),
        password == null ? null : password.getBytes(StandardCharsets.UTF_8));
  }

  private static InetAddress address(@Nullable String peerhost) {
    String text = peerhost == null ? "127.0.0.1" : peerhost;
    try {
      // Only digits and separators, so that no name is looked up.
      if (text.matches("[0-9a-fA-F:.]+") && (text.contains(".") || text.contains(":"))) {
        return InetAddress.getByName(text);
      }
    } catch (UnknownHostException e) {
      throw ApiException.badRequest("peerhost: must be an IP address, not '" + text + "'");
    }
    throw ApiException.badRequest("peerhost: must be an IP address, not '" + text + "'");
  }

  private static @Nullable Action action(TestRequest body) {
    String topic = body.topic();
    if (topic == null) {
      return null;
    }
    Qos qos = Qos.of(body.qos() == null ? 0 : body.qos());
    try {
      return body.action() == TestedAction.SUBSCRIBE
          ? new Action.Subscribe(TopicFilter.parse(topic), qos)
          : new Action.Publish(new Topic(topic), qos, Boolean.TRUE.equals(body.retain()), false);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("topic: " + e.getMessage());
    }
  }
}
