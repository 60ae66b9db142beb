package io.fjordmq.broker.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.userdb.TestUsers;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** MQTT users and rules in the notation of EMQX. */
class MqttUsersResourceTest {
  private static final String USERS = "/authentication/password_based:built_in_database/users";
  private static final String RULES = "/authorization/sources/built_in_database/rules";

  private final TestUsers test = new TestUsers();
  private final TestUsers.Node node = test.open();
  private final TestRequest users =
      new TestRequest(new MqttUsersResource(node.users()), UnaryOperator.identity());
  private final TestRequest rules =
      new TestRequest(new AccessRulesResource(node.rules()), UnaryOperator.identity());

  @AfterEach
  void close() {
    test.close();
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private JsonNode add(String body) {
    return TestRequest.body(users.send("POST", USERS, json(body)));
  }

  private static void expect(ErrorCode code, Runnable request) {
    assertThatThrownBy(request::run)
        .isInstanceOfSatisfying(
            ApiException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }

  @Test
  void shouldAddShowChangeAndDeleteAUser() {
    JsonNode added = add("{'user_id':'m/1','password':'x','is_superuser':true}");
    assertThat(added)
        .hasToString(
            json(
                "{'user_id':'m/1','is_superuser':true,'enable':true,'tenant':'','groups':[],"
                    + "'client_attrs':{},'password_hash':'argon2id','scram':[],"
                    + "'created_at':'2030-01-01T00:00:00Z'}"));
    assertThat(users.get(USERS + "/m%2F1")).isEqualTo(added);
    String update =
        "{'enable':false,'groups':['g'],'client_attrs':{'site':'oslo'},'is_superuser':false}";
    JsonNode changed = TestRequest.body(users.send("PUT", USERS + "/m%2F1", json(update)));
    assertThat(changed.get("groups")).hasToString("[\"g\"]");
    assertThat(changed.get("enable").asBoolean()).isFalse();
    assertThat(users.get(USERS + "?like_user_id=M%2F&group=g&enable=false").get("data"))
        .containsExactly(changed);
    assertThat(users.get(USERS + "?is_superuser=true").get("meta").get("count").asInt()).isZero();
    users.send("DELETE", USERS + "/m%2F1", null);
    expect(ErrorCode.USER_NOT_FOUND, () -> users.get(USERS + "/m%2F1"));
    expect(ErrorCode.USER_NOT_FOUND, () -> users.send("DELETE", USERS + "/m%2F1", null));
    expect(
        ErrorCode.USER_NOT_FOUND,
        () -> users.send("PUT", USERS + "/m%2F1", json("{'enable':true}")));
  }

  @Test
  void shouldRefuseAUserThatExists() {
    add("{'user_id':'a','password':'x'}");
    expect(ErrorCode.ALREADY_EXISTS, () -> add("{'user_id':'a','password':'y'}"));
    expect(ErrorCode.BAD_REQUEST, () -> add("{'user_id':'a','password':''}"));
    expect(ErrorCode.BAD_REQUEST, () -> add("{'user_id':'','password':'x'}"));
    expect(ErrorCode.BAD_REQUEST, () -> add("{'user_id':'é','password':'x','groups':['']}"));
  }

  @Test
  void shouldListInPages() {
    for (String name : new String[] {"c", "a", "b"}) {
      add("{'user_id':'%s','password':'x'}".formatted(name));
    }
    JsonNode page = users.get(USERS + "?page=2&limit=1");
    assertThat(page.get("data").get(0).get("user_id").asString()).isEqualTo("b");
    assertThat(page.get("meta")).hasToString(json("{'page':2,'limit':1,'hasnext':true,'count':3}"));
    assertThat(users.get(USERS + "?page=9&limit=1").get("data")).isEmpty();
  }

  @Test
  void shouldConfineCallersToTheirTenant() {
    add("{'user_id':'a','password':'x','tenant':'t'}");
    users.boundTo("other");
    expect(ErrorCode.USER_NOT_FOUND, () -> users.get(USERS + "/a"));
    assertThat(users.get(USERS).get("data")).isEmpty();
    assertThat(add("{'user_id':'b','password':'x'}").get("tenant").asString()).isEqualTo("other");
    expect(ErrorCode.BAD_REQUEST, () -> add("{'user_id':'c','password':'x','tenant':'t'}"));
    rules.boundTo("other");
    expect(ErrorCode.FORBIDDEN, () -> rules.get(RULES + "/users?tenant=t"));
  }

  @Test
  void shouldImportUsers() {
    add("{'user_id':'old','password':'x'}");
    String body =
        "[{'user_id':'a','password_hash':'$6$c2FsdA==$%s==','enable':false},{'user_id':'old'}]"
            .formatted("A".repeat(86));
    JsonNode result =
        TestRequest.body(
            users.send("POST", "/authentication/scram:built_in_database/import_users", json(body)));
    assertThat(result).hasToString(json("{'created':1,'existing':['old']}"));
    assertThat(users.get(USERS + "/a").get("password_hash").asString()).isEqualTo("sha512");
  }

  @ParameterizedTest
  @ValueSource(strings = {"users username", "clients clientid", "groups group"})
  void shouldSetShowAndDeleteRules(String words) {
    String path = RULES + "/" + words.split(" ")[0];
    String field = words.split(" ")[1];
    String rule =
        "{'topic':'a/${clientid}','permission':'deny','action':'subscribe','qos':[0,2],"
            + "'retain':true}";
    String owner = json("{'%s':'x/1','rules':[%s]}".formatted(field, rule));
    rules.send("POST", path + "?tenant=t", "[" + owner + "]");
    JsonNode shown = rules.get(path + "/x%2F1?tenant=t");
    assertThat(shown.get("rules"))
        .hasToString(owner.substring(owner.indexOf("["), owner.length() - 1));
    long version = shown.get("version").asLong();
    expect(ErrorCode.NOT_FOUND, () -> rules.get(path + "/x%2F1"));
    expect(
        ErrorCode.ALREADY_EXISTS, () -> rules.send("POST", path + "?tenant=t", "[" + owner + "]"));
    String empty = json("{'%s':'x/1','rules':[]}".formatted(field));
    rules.send("PUT", path + "/x%2F1?tenant=t", versioned(empty, version));
    expect(
        ErrorCode.CONFLICT,
        () -> rules.send("PUT", path + "/x%2F1?tenant=t", versioned(owner, version)));
    rules.send("PUT", path + "/x%2F1?tenant=t", empty); // without a version
    assertThat(rules.get(path + "?tenant=t&like_" + field + "=X").get("data").get(0).get("rules"))
        .isEmpty();
    expect(ErrorCode.BAD_REQUEST, () -> rules.send("PUT", path + "/other?tenant=t", empty));
    rules.send("DELETE", path + "/x%2F1?tenant=t", null);
    expect(ErrorCode.NOT_FOUND, () -> rules.send("DELETE", path + "/x%2F1?tenant=t", null));
  }

  private static String versioned(String body, long version) {
    return body.substring(0, body.length() - 1) + ",\"version\":" + version + "}";
  }

  @Test
  void shouldSetTheRulesOfAllClients() {
    assertThat(rules.get(RULES + "/all")).hasToString("{\"rules\":[],\"version\":0}");
    String body = json("{'rules':[{'topic':'#','permission':'allow','action':'all'}]}");
    rules.send("POST", RULES + "/all", versioned(body, 0));
    expect(ErrorCode.CONFLICT, () -> rules.send("POST", RULES + "/all", versioned(body, 0)));
    JsonNode all = rules.get(RULES + "/all");
    assertThat(all.toString()).startsWith(body.substring(0, body.length() - 1) + ",\"version\":");
    rules.send("DELETE", RULES + "/all", null);
    expect(ErrorCode.NOT_FOUND, () -> rules.send("DELETE", RULES + "/all", null));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'topic':'a+','permission':'allow','action':'all'}",
        "{'topic':'${x}','permission':'allow','action':'all'}",
        "{'topic':'a','permission':'maybe','action':'all'}",
        "{'topic':'a','permission':'allow','action':'all','qos':[3]}",
        "{'topic':'a','permission':'allow','action':'all','qos':[]}",
        "{'topic':'a','permission':'allow','action':'all','retain':'all'}"
      })
  void shouldRefuseInvalidRules(String rule) {
    expect(
        ErrorCode.BAD_REQUEST,
        () -> rules.send("POST", RULES + "/all", json("{'rules':[%s]}".formatted(rule))));
  }
}
