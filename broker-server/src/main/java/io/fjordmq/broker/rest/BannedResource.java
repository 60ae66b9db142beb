package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.bans.Ban;
import io.fjordmq.broker.bans.BanKind;
import io.fjordmq.broker.bans.Bans;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The banned clients. */
final class BannedResource implements Resource {
  private static final String TAG = "Banned clients";
  private static final String AS = "as";
  private static final String WHO = "who";
  private static final String TENANT = "tenant";
  private static final String PATH = "/banned/{as}/{who}";
  private static final String FOREVER = "infinity";
  private static final String NOW = "now";
  private static final List<String> KINDS =
      Arrays.stream(BanKind.values()).map(BanKind::label).toList();

  private final Bans bans;

  record BanJson(
      @Field("Client property that the ban matches") BanKind as,
      @Field("The banned client identifier, user name, IP address or network") String who,
      @Field("Tenant whose clients are banned; absent if the ban applies to all tenants")
          @Nullable String tenant,
      @Field("Who created the ban") String by,
      @Field("Reason for the ban; may be empty") String reason,
      @Field("When the ban was created") Instant at,
      @Field(value = "When the ban ends, or `infinity`", timeOr = FOREVER) String until) {
    static BanJson of(Ban ban) {
      Instant until = ban.until();
      return new BanJson(
          ban.kind(),
          ban.value(),
          ban.tenant(),
          ban.by(),
          ban.reason(),
          ban.at(),
          until == null ? FOREVER : until.toString());
    }
  }

  record CreateBanRequest(
      @Field(
              value =
                  "Client property that the ban matches: `clientid`, `username`, `peerhost` for "
                      + "one IP address, or `peerhost_net` for a network",
              example = "clientid")
          BanKind as,
      @Field(
              value =
                  "The client identifier, user name, IP address, or network such as 192.0.2.0/24;"
                      + " at most 1,024 bytes in UTF-8",
              minLength = 1,
              maxLength = 1_024,
              example = "sensor-7")
          String who,
      @Field(
              value =
                  "Tenant whose clients are banned, empty for the default tenant; if absent, the "
                      + "tenant of the caller, or all tenants if the caller is not bound to one",
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String tenant,
      @Field(
              value = "Who created the ban; the name of the caller if absent",
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String by,
      @Field(
              value = "Reason for the ban; shown only to operators",
              maxLength = 256,
              pattern = AccountFields.ONE_LINE)
          @Nullable String reason,
      @Field(
              value =
                  "When the ban was created; the current time if absent or in the future. The "
                      + "ban takes effect immediately",
              timeOr = NOW,
              example = NOW)
          @Nullable String at,
      @Field(
              value = "When the ban ends, such as 2030-12-31T00:00:00Z; `infinity` if absent",
              timeOr = FOREVER,
              example = FOREVER)
          @Nullable String until) {}

  BannedResource(Bans bans) {
    this.bans = bans;
  }

  @Override
  public List<Operation> operations() {
    return List.of(listBans(), createBan(), deleteBan(), deleteAllBans());
  }

  private Operation listBans() {
    return Operation.get("/banned")
        .id("listBans")
        .tag(TAG)
        .summary("List the bans in effect")
        .description(
            "With several of the parameters `clientid`, `username` and `peerhost`, the list"
                + " contains bans that match any of them.")
        .role(Role.VIEWER)
        .tenants()
        .query(Parameter.text(BanKind.CLIENTID.label(), "Only the bans of this client identifier"))
        .query(Parameter.text(BanKind.USERNAME.label(), "Only the bans of this user name"))
        .query(
            Parameter.text(
                BanKind.PEERHOST.label(), "Only the bans of this IP address, not of networks"))
        .query(Parameter.text(TENANT, "Only the bans of this tenant"))
        .paged()
        .okList(BanJson.class)
        .handler(this::list);
  }

  private Operation createBan() {
    return Operation.post("/banned")
        .id("createBan")
        .tag(TAG)
        .summary("Ban clients")
        .description(
            "Every node disconnects the clients that match and refuses them until the ban ends. The"
                + " sessions of these clients remain until they expire.")
        .role(Role.OPERATOR)
        .tenants()
        .body(CreateBanRequest.class)
        .target(
            request -> {
              CreateBanRequest body = request.body(CreateBanRequest.class);
              return body.as().label() + " " + body.who();
            })
        .ok(BanJson.class)
        .conflict("The same ban exists, or there are 2,000 bans")
        .handler(this::create);
  }

  private Operation deleteBan() {
    return Operation.delete(PATH)
        .id("deleteBan")
        .tag(TAG)
        .summary("Delete a ban")
        .role(Role.OPERATOR)
        .tenants()
        .path(Parameter.choice(AS, "Client property that the ban matches", KINDS))
        .path(
            WHO,
            "The client identifier, user name, IP address or network. Encode `/` as `%2F`:"
                + " 192.0.2.0%2F24")
        .query(
            Parameter.text(
                TENANT,
                "The tenant of the ban; if absent, the tenant of the caller, or the ban for all"
                    + " tenants if the caller is not bound to one",
                TextRule.TENANT_OF_BAN))
        .noContent()
        .notFound("The ban does not exist or has ended")
        .conflict("Another request changed the ban at the same time")
        .handler(this::delete);
  }

  private Operation deleteAllBans() {
    return Operation.delete("/banned")
        .id("deleteAllBans")
        .tag(TAG)
        .summary("Delete all bans")
        .description("A caller that is bound to a tenant deletes only the bans of that tenant.")
        .role(Role.ADMINISTRATOR)
        .tenants()
        .noContent()
        .handler(this::deleteAll);
  }

  private CompletableFuture<Response> list(Request request) {
    List<BanKind> filtered =
        Stream.of(BanKind.CLIENTID, BanKind.USERNAME, BanKind.PEERHOST)
            .filter(kind -> request.text(kind.label()).isPresent())
            .toList();
    Optional<String> tenant = request.text(TENANT);
    List<BanJson> found =
        bans.list(request.caller()).stream()
            .filter(ban -> filtered.isEmpty() || isRequested(request, ban))
            .filter(ban -> tenant.isEmpty() || tenant.get().equals(ban.tenant()))
            .map(BanJson::of)
            .toList();
    return CompletableFuture.completedFuture(request.paging().slice(found));
  }

  private static boolean isRequested(Request request, Ban ban) {
    return ban.kind() != BanKind.PEERHOST_NET
        && request
            .text(ban.kind().label())
            .filter(value -> Bans.isSameValue(ban, value))
            .isPresent();
  }

  private CompletableFuture<Response> create(Request request) {
    CreateBanRequest body = request.body(CreateBanRequest.class);
    Ban.Draft draft =
        new Ban.Draft(
            body.as(),
            body.who(),
            body.tenant(),
            body.by(),
            Objects.requireNonNullElse(body.reason(), ""),
            time(body.at(), NOW),
            time(body.until(), FOREVER));
    return translate(bans.add(request.caller(), draft))
        .thenApply(ban -> Response.ok(BanJson.of(ban)));
  }

  private CompletableFuture<Response> delete(Request request) {
    Ban.Target target =
        new Ban.Target(
            BanKind.of(request.path(AS)), request.path(WHO), request.text(TENANT).orElse(null));
    return translate(bans.remove(request.caller(), target))
        .thenApply(removed -> Response.noContent());
  }

  private CompletableFuture<Response> deleteAll(Request request) {
    return translate(bans.removeAll(request.caller())).thenApply(removed -> Response.noContent());
  }

  /** Parses a time; returns null if the text is absent or is the word that stands for no time. */
  private static @Nullable Instant time(@Nullable String text, String word) {
    return text == null || text.equals(word) ? null : Rfc3339.parse(text);
  }

  private static <T> CompletableFuture<T> translate(CompletableFuture<T> result) {
    return RecordFailures.translate(result);
  }
}
