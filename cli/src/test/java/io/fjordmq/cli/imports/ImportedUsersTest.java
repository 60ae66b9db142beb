package io.fjordmq.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.ImportedUsers.RulesOf;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What is carried over from files of mosquitto and EMQX, and what is reported. */
class ImportedUsersTest {
  private static final EmqxUsers.Hashing SHA_256 = new EmqxUsers.Hashing("sha256", "suffix", 4_096);

  private static List<String> users(ImportedUsers imported) {
    return imported.users().stream().map(JsonNode::toString).toList();
  }

  /** Lines such as {@code users alice: deny all a/#}. */
  private static List<String> rules(ImportedUsers imported) {
    List<String> lines = new ArrayList<>();
    for (RulesOf owner : imported.owners()) {
      for (JsonNode rule : imported.rulesOf(owner)) {
        lines.add(
            "%s %s: %s %s %s"
                .formatted(
                    owner.kind(),
                    owner.name(),
                    rule.path("permission").asString(),
                    rule.path("action").asString(),
                    rule.path("topic").asString()));
      }
    }
    return lines;
  }

  @Test
  void shouldReadPasswordsOfMosquitto() {
    ImportedUsers imported =
        MosquittoFiles.passwords(
            List.of(
                "# comment",
                "",
                "ann:$7$101$c2FsdA==$aGFzaA==",
                "b:ob:$6$c2FsdA==$aGFzaA==",
                "eve:plain text",
                ":$6$c2FsdA==$aGFzaA==",
                "ann:$6$c2FsdA==$aGFzaA=="));
    assertThat(users(imported))
        .containsExactly("{\"password_hash\":\"$7$101$c2FsdA==$aGFzaA==\",\"user_id\":\"ann\"}");
    assertThat(imported.omissions())
        .containsExactly(
            "line 4: the password of user 'b' is not hashed; run mosquitto_passwd -U first",
            "line 5: the password of user 'eve' is not hashed; run mosquitto_passwd -U first",
            "line 6: it is not 'user:hash'",
            "user 'ann': it occurs more than once; the first one is used");
  }

  @Test
  void shouldReadRulesOfMosquitto() {
    ImportedUsers imported =
        MosquittoFiles.acl(
            List.of(
                "topic read public/#",
                "user ann smith",
                "topic readwrite a/#",
                "topic write b c/d",
                "topic e",
                "topic deny a/secret",
                "user silent",
                "pattern read c/%c/%u",
                "nonsense"));
    assertThat(rules(imported))
        .containsExactly(
            "USERS ann smith: deny all a/secret",
            "USERS ann smith: allow all a/#",
            "USERS ann smith: allow publish b c/d",
            "USERS ann smith: allow all e",
            "ALL : allow subscribe c/%c/%u");
    assertThat(imported.owners()).extracting(RulesOf::name).contains("silent");
    assertThat(imported.omissions())
        .containsExactly(
            "line 1: 'topic read public/#' is for clients without a user name, for which there are"
                + " no rules",
            "line 9: 'nonsense' is not a line of an ACL file");
  }

  @Test
  void shouldShowUsersAndTheirRules() {
    ImportedUsers imported = MosquittoFiles.passwords(List.of("ann:$6$c2FsdA==$aGFzaA=="));
    imported.addRule(new RulesOf(ImportedUsers.Kind.USERS, "ann"), true, "publish", "a");
    JsonNode shown = imported.toJson();
    assertThat(shown.path("users").path(0).path("user_id").asString()).isEqualTo("ann");
    assertThat(shown.path("rules").path("users").path(0).path("username").asString())
        .isEqualTo("ann");
  }

  @Test
  void shouldReportRulesBeyondTheMaximum() {
    List<String> lines = new ArrayList<>(List.of("user ann"));
    for (int i = 0; i < 101; i++) {
      lines.add("topic read t/" + i);
    }
    ImportedUsers imported = MosquittoFiles.acl(lines);
    assertThat(rules(imported)).hasSize(100);
    assertThat(imported.omissions())
        .containsExactly(
            "username 'ann': the rule about 't/100', because at most 100 rules are possible");
  }

  @Test
  void shouldReadDynamicSecurity() {
    ImportedUsers imported =
        DynamicSecurity.read(
            Json.parse(
                """
                {"defaultACLAccess": {"publishClientSend": false, "publishClientReceive": true,
                   "subscribe": true, "unsubscribe": true},
                 "clients": [
                   {"username": "ann", "password": "aGFzaA==", "salt": "c2FsdA==", "iterations": 101,
                    "roles": [{"rolename": "own", "priority": 1}], "clientid": "c1"},
                   {"username": "bob", "disabled": true,
                    "encoded_password": "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"},
                   {"username": "none"}],
                 "groups": [
                   {"groupname": "g", "roles": [{"rolename": "low"}, {"rolename": "high", "priority": 5}],
                    "clients": [{"username": "ann"}, {"username": "bob"}]}],
                 "roles": [
                   {"rolename": "own", "acls": [
                     {"acltype": "publishClientSend", "topic": "a/#", "priority": 1, "allow": true},
                     {"acltype": "publishClientSend", "topic": "a/x", "priority": 2, "allow": false},
                     {"acltype": "subscribePattern", "topic": "b/%c", "allow": true},
                     {"acltype": "publishClientReceive", "topic": "b/y", "allow": false},
                     {"acltype": "publishClientReceive", "topic": "#", "allow": true},
                     {"acltype": "subscribeLiteral", "topic": "#", "allow": false},
                     {"acltype": "unsubscribePattern", "topic": "#", "allow": true}]},
                   {"rolename": "low"}, {"rolename": "high"}],
                 "anonymousGroup": "guests"}
                """));
    assertThat(users(imported))
        .containsExactly(
            "{\"password_hash\":\"$7$101$c2FsdA==$aGFzaA==\","
                + "\"groups\":[\"own\",\"high\",\"low\"],\"user_id\":\"ann\"}",
            "{\"password_hash\":\"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA\",\"enable\":false,"
                + "\"groups\":[\"high\",\"low\"],\"user_id\":\"bob\"}",
            "{\"groups\":[],\"user_id\":\"none\"}");
    assertThat(rules(imported))
        .containsExactly(
            "GROUPS own: deny subscribe b/y",
            "GROUPS own: deny publish a/x",
            "GROUPS own: allow publish a/#",
            "GROUPS own: allow subscribe b/%c",
            "ALL : allow subscribe #");
    assertThat(imported.omissions())
        .hasSize(6)
        .anyMatch(text -> text.startsWith("role 'own': allow publishClientReceive '#'"))
        .anyMatch(text -> text.startsWith("role 'own': deny subscribeLiteral '#'"))
        .anyMatch(text -> text.startsWith("client 'ann': the client identifier 'c1'"))
        .anyMatch(text -> text.startsWith("client 'none': it has no password"))
        .anyMatch(text -> text.startsWith("anonymousGroup 'guests'"));
  }

  private static ImportedUsers dynamicSecurity(boolean receive, String roles) {
    return DynamicSecurity.read(
        Json.parse(
            """
            {"defaultACLAccess": {"publishClientReceive": %b, "subscribe": true, "unsubscribe": true},
             "roles": [%s]}
            """
                .formatted(receive, roles)));
  }

  /** Checked with mosquitto 2.0.11. */
  @Test
  void shouldUseTheDefaultsOfMosquitto() {
    ImportedUsers imported =
        DynamicSecurity.read(
            Json.parse(
                """
                {"clients": [
                   {"username": "ann", "password": "aGFzaA==", "salt": "c2FsdA==",
                    "roles": [{"rolename": "z"}, {"rolename": "last", "priority": -2},
                              {"rolename": "b"}]}],
                 "groups": [
                   {"groupname": "h", "roles": [{"rolename": "of-h"}],
                    "clients": [{"username": "ann"}]},
                   {"groupname": "g", "roles": [{"rolename": "of-g"}],
                    "clients": [{"username": "ann"}]}],
                 "roles": [
                   {"rolename": "z", "acls": [
                     {"acltype": "publishClientSend", "topic": "a/#", "priority": -1, "allow": true},
                     {"acltype": "publishClientSend", "topic": "a/x"},
                     {"acltype": "subscribePattern", "topic": "b", "allow": true}]}]}
                """));
    assertThat(users(imported))
        .as("names decide between equal priorities, and a missing priority is -1")
        .containsExactly(
            "{\"groups\":[\"b\",\"z\",\"last\",\"of-g\",\"of-h\"],\"user_id\":\"ann\"}");
    assertThat(rules(imported))
        .as("a rule without priority has 0, and one without 'allow' denies")
        .containsExactly("GROUPS z: deny publish a/x", "GROUPS z: allow publish a/#");
    assertThat(imported.omissions())
        .satisfiesExactly(
            one -> assertThat(one).contains("defaultACLAccess denies publishClientReceive"),
            one -> assertThat(one).as("without iterations").startsWith("client 'ann': it has no"),
            one -> assertThat(one).startsWith("defaultACLAccess: unsubscribe"));
  }

  @Test
  void shouldDenyReceivingWhateverAllowsToSubscribe() {
    ImportedUsers imported =
        dynamicSecurity(
            true,
            """
            {"rolename": "r", "acls": [
              {"acltype": "subscribePattern", "topic": "a/#", "priority": 9, "allow": true},
              {"acltype": "publishClientReceive", "topic": "a/secret", "allow": false}]},
            {"rolename": "wide", "acls": [
              {"acltype": "subscribePattern", "topic": "+/secret", "allow": true},
              {"acltype": "subscribePattern", "topic": "b/#", "allow": true}]}
            """);
    assertThat(rules(imported))
        .containsExactly(
            "GROUPS r: deny subscribe a/secret",
            "GROUPS r: allow subscribe a/#",
            "GROUPS wide: allow subscribe +/secret",
            "GROUPS wide: allow subscribe b/#",
            "ALL : allow subscribe #");
    assertThat(imported.omissions())
        .containsExactly(
            "role 'r': deny publishClientReceive 'a/secret': for clients that have the role 'wide'"
                + " before it, because that role allows subscribing to '+/secret'");
  }

  @Test
  void shouldNotAllowToSubscribeToWhatClientsMayNotReceive() {
    ImportedUsers imported =
        dynamicSecurity(
            false,
            """
            {"rolename": "r", "acls": [
              {"acltype": "subscribePattern", "topic": "a/b", "allow": true},
              {"acltype": "subscribeLiteral", "topic": "#", "allow": true},
              {"acltype": "subscribePattern", "topic": "c/#", "allow": false},
              {"acltype": "publishClientReceive", "topic": "a/+", "allow": true}]}
            """);
    assertThat(rules(imported))
        .containsExactly("GROUPS r: allow subscribe a/b", "GROUPS r: deny subscribe c/#");
    assertThat(imported.omissions())
        .hasSize(3)
        .anyMatch(text -> text.startsWith("role 'r': allow subscribeLiteral '#': default"))
        .anyMatch(text -> text.startsWith("role 'r': allow publishClientReceive 'a/+'"))
        .anyMatch(text -> text.startsWith("defaultACLAccess: subscribe: "));
  }

  @ParameterizedTest
  @CsvSource({
    "a, a, true, true",
    "a, b, false, false",
    "#, a/b, true, true",
    "#, $SYS/a, false, true",
    "+/b, $SYS/b, false, true",
    "a/#, a, true, true",
    "a, a/#, false, true",
    "a/+, a/b, true, true",
    "a/+, a/#, false, true",
    "a/+, +/b, false, true",
    "a/%c, a/b, false, true",
    "a/b, a/b/c, false, false"
  })
  void shouldCompareFilters(String filter, String other, boolean covers, boolean overlap) {
    assertThat(Filters.covers(filter, other)).isEqualTo(covers);
    assertThat(Filters.overlap(filter, other)).isEqualTo(overlap);
    assertThat(Filters.overlap(other, filter)).isEqualTo(overlap);
  }

  @Test
  void shouldReadUsersOfEmqxFromCsv() {
    ImportedUsers imported =
        EmqxUsers.read(
            """
            user_id,password_hash,salt,is_superuser
            ann,0aff,pepper,true
            "b,o""b",0aff,,false
            eve,xyz,salt,false
            old,$2b$10$abc,,false
            short,0aff
            """,
            SHA_256);
    assertThat(users(imported))
        .containsExactly(
            "{\"is_superuser\":true,\"password_hash\":\"$sha256$suffix$cGVwcGVy$Cv8=\","
                + "\"user_id\":\"ann\"}",
            "{\"password_hash\":\"$sha256$none$$Cv8=\",\"user_id\":\"b,o\\\"b\"}",
            "{\"password_hash\":\"$2b$10$abc\",\"user_id\":\"old\"}");
    assertThat(imported.omissions())
        .containsExactly(
            "user 'eve': the hash does not consist of hexadecimal digits",
            "line 6: it has 2 columns instead of 4");
  }

  @Test
  void shouldReadUsersOfEmqxFromJson() {
    ImportedUsers imported =
        EmqxUsers.read(
            """
            [{"user_id": "ann", "password": "secret", "is_superuser": true},
             {"user_id": "bob", "password_hash": "0aff", "salt": "s"}, {"user_id": "eve"}, {}]
            """,
            new EmqxUsers.Hashing("pbkdf2", "prefix", 1_000));
    assertThat(users(imported))
        .containsExactly(
            "{\"is_superuser\":true,\"password\":\"secret\",\"user_id\":\"ann\"}",
            "{\"password_hash\":\"$pbkdf2-sha256$1000$cw==$Cv8=\",\"user_id\":\"bob\"}");
    assertThat(imported.omissions())
        .containsExactly(
            "user 'eve': the user has neither a password nor a hash",
            "user '': user_id is missing");
  }

  @Test
  void shouldRefuseOtherFiles() {
    assertThatThrownBy(() -> EmqxUsers.read("[{", SHA_256))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> EmqxUsers.read("a,b\n1,2", SHA_256)).hasMessageContaining("user_id");
    assertThat(users(DynamicSecurity.read(Json.object()))).isEmpty();
  }
}
