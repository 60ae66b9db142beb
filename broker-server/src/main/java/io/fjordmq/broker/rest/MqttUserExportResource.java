package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.query.CursorText;
import io.fjordmq.broker.userdb.ClientUser;
import io.fjordmq.broker.userdb.ClientUsers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Export of the MQTT users in the database of the cluster, for the import of users. */
final class MqttUserExportResource implements Resource {
  private static final int MAX_PAGE = 500;

  private final ClientUsers users;

  record ExportedUserJson(
      @Field("User name") String userId,
      @Field("Password hash; absent if the user cannot log in with a password")
          @Nullable String passwordHash,
      @Field("Whether the user's clients may do everything") boolean isSuperuser,
      @Field("False if the user cannot log in") boolean enable,
      @Field("Tenant of the user's clients") String tenant,
      @Field("Groups whose rules apply to the user's clients, in the order of evaluation")
          List<String> groups,
      @Field("Values of the placeholders `${client_attrs.NAME}`") Map<String, String> clientAttrs) {
    static ExportedUserJson of(ClientUsers.Exported exported) {
      ClientUser user = exported.user();
      return new ExportedUserJson(
          user.name(),
          exported.passwordHash(),
          user.superuser(),
          user.enabled(),
          user.tenant(),
          user.groups(),
          user.attributes());
    }

    @Override
    public String toString() {
      return userId; // without the hash
    }
  }

  MqttUserExportResource(ClientUsers users) {
    this.users = users;
  }

  @Override
  public List<Operation> operations() {
    return List.of(
        Operation.get("/export/mqtt_users")
            .id("exportMqttUsers")
            .tag("Export and import")
            .summary("Export the MQTT users with their password hashes")
            .description(
                "Ordered by the bytes of their names, without SCRAM verifiers. The elements can be"
                    + " imported with `importMqttUsers`.")
            .role(Role.ADMINISTRATOR)
            .audited()
            .tenants()
            .query(ClientLookup.tenantParameter())
            .query(TransferPaging.limit(MAX_PAGE))
            .query(Parameter.text("cursor", "`meta.cursor` of the previous page", TextRule.CURSOR))
            .okList(ExportedUserJson.class)
            .handler(request -> CompletableFuture.completedFuture(page(request))));
  }

  private Response page(Request request) {
    int limit = request.number(TransferPaging.LIMIT);
    String after = request.text("cursor").map(CursorText::text).orElse("");
    List<ClientUsers.Exported> found = users.export(ClientLookup.tenant(request), after, limit + 1);
    boolean isLast = found.size() <= limit;
    List<ClientUsers.Exported> page = isLast ? found : found.subList(0, limit);
    String next = isLast ? null : CursorText.of(page.get(limit - 1).user().name());
    return Response.list(
        page.stream().map(ExportedUserJson::of).toList(), TransferPaging.meta(request, next));
  }
}
