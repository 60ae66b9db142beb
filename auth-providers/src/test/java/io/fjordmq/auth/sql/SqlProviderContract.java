package io.fjordmq.auth.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every SQL database must do, with a real server. */
abstract class SqlProviderContract extends SqlConnectionContract {
  // Users

  @Test
  void shouldReadTheTablesThatEmqxDocuments() throws Exception {
    server()
        .execute(
            user("u", "p", "NaCl", false),
            user("root", "p", "", true),
            rule("u", "allow", "publish", "out/${username}/#"),
            rule("u", "deny", "all", "in/secret"),
            rule("u", "allow", "subscribe", "in/#"),
            rule("v", "allow", "all", "#"));
    try (Chain chain = chain()) {
      assertThat(chain.result("c", "u", "wrong")).contains("wrong password");
      assertThat(chain.result("c", "u", null)).contains("wrong password");
      assertThat(chain.result("c", "nobody", "p")).contains("unknown user");
      assertThat(chain.result("c", null, null)).startsWith("NOT_AUTHORIZED");
      ClientAccess access = access(chain, "c", "u");
      assertThat(publish(access, "out/u/1")).isTrue();
      assertThat(publish(access, "out/v/1")).isFalse();
      assertThat(publish(access, "in/1")).isFalse();
      assertThat(subscribe(access, "in/1")).isTrue();
      assertThat(subscribe(access, "in/secret")).isFalse();
      assertThat(access.mayReceive(new Topic("in/2"))).isTrue();
      assertThat(access.mayReceive(new Topic("in/secret"))).isFalse();
      assertThat(access(chain, "c", "root").isUnrestricted()).isTrue();
    }
  }

  @Test
  void shouldAddTheSaltWhereItIsConfigured() throws Exception {
    // The row that EMQX documents; its salt is in front, although the text there says otherwise.
    server()
        .execute(
            "INSERT INTO mqtt_user(username, password_hash, salt, is_superuser) VALUES"
                + " ('user123', 'bede90386d450cea8b77b822f8887065e4e5abf132c2f9dccfcc7fbd4cba5e35',"
                + " 'salt', true)",
            "INSERT INTO mqtt_user(username, password_hash, salt) VALUES ('behind', '"
                + sha256("secret" + "salt")
                + "', 'salt')");
    try (Chain prefix = login();
        Chain suffix = login("passwordHash", "sha256", "saltPosition", "suffix")) {
      assertThat(prefix.result("c", "user123", "secret")).isEqualTo("allow");
      assertThat(suffix.result("c", "user123", "secret")).contains("wrong password");
      assertThat(suffix.result("c", "behind", "secret")).isEqualTo("allow");
    }
  }

  @Test
  void shouldReadTheTablesAndQueriesOfEmqx4() throws Exception {
    server()
        .execute(
            "DROP TABLE mqtt_user",
            "DROP TABLE mqtt_acl",
            "CREATE TABLE mqtt_user (username varchar(100), password varchar(100), salt varchar(35))",
            "CREATE TABLE mqtt_acl (id int, allow smallint, ipaddr varchar(60), username varchar(100),"
                + " clientid varchar(100), access smallint, topic varchar(100))",
            "INSERT INTO mqtt_user VALUES ('u', '" + sha256("p") + "', NULL)",
            "INSERT INTO mqtt_acl VALUES (1, 0, NULL, '$all', NULL, 2, 'locked'),"
                + " (2, 1, NULL, 'u', NULL, 3, 'a/%c'), (3, 1, '127.0.0.0/8', NULL, NULL, 2, 'local'),"
                + " (4, 1, NULL, NULL, 'c2', 1, 'b'), (5, 1, NULL, 'u', NULL, 2, 'locked')");
    String users = "select password from mqtt_user where username = '%u' limit 1";
    String acl =
        "select allow, ipaddr, username, clientid, access, topic from mqtt_acl where"
            + " ipaddr = '%a' or ipaddr = '127.0.0.0/8' or username = '%u' or username = '$all'"
            + " or clientid = '%c' order by id";
    try (Chain chain =
        Chain.open(List.of(settings("query", users)), List.of(settings("query", acl)))) {
      ClientAccess access = access(chain, "c2", "u");
      assertThat(publish(access, "a/c2")).isTrue();
      assertThat(publish(access, "a/c3")).isFalse();
      assertThat(publish(access, "locked")).as("a rule for everyone").isFalse();
      assertThat(subscribe(access, "b")).isTrue();
      assertThat(publish(access, "local")).as("address unknown").isFalse();
      assertThat(subscribe(access(chain, "c", "u"), "b")).isFalse();
    }
  }

  @Test
  void shouldRecognizeBcryptAndReadOtherHashes() throws Exception {
    server()
        .execute(
            "INSERT INTO mqtt_user(username, password_hash, salt) VALUES ('b',"
                + " '$2b$10$PO/83fYkltsqzXSdcPc5wuEmvvJ.x3Y1J5wOo25BVYmBEbD1ZJmtC', '')",
            "INSERT INTO mqtt_user(username, password_hash, salt) VALUES ('plain', 'p', '')");
    try (Chain chain = login("timeout", "20 s");
        Chain plain = login("passwordHash", "plain")) {
      assertThat(chain.result("c", "b", "wrong")).contains("wrong password");
      assertThat(plain.result("c", "plain", "p")).isEqualTo("allow");
    }
  }

  @Test
  void shouldTurnOtherColumnsIntoAttributes() throws Exception {
    server()
        .execute(
            user("u", "p", "", false), rule("u", "allow", "publish", "${client_attrs.site}/#"));
    String query =
        "SELECT password_hash, 'north' AS site, NULL AS gone FROM mqtt_user"
            + " WHERE username = ${username}";
    try (Chain chain = chain("query", query)) {
      ClientAccess access = access(chain, "c", "u");
      assertThat(publish(access, "north/1")).isTrue();
      assertThat(publish(access, "south/1")).isFalse();
    }
  }

  // Rules

  @Test
  void shouldApplyQosRetainAddressAndClientIdOfARule() throws Exception {
    server()
        .execute(
            user("u", "p", "", false),
            "INSERT INTO mqtt_acl(username, permission, action, topic, qos, retain, clientid) VALUES"
                + " ('u', 'allow', 'publish', 'q', 2, NULL, ''),"
                + " ('u', 'allow', 'publish', 'r', NULL, 1, ''),"
                + " ('u', 'allow', 'publish', 'c', NULL, NULL, 'c1')",
            "INSERT INTO mqtt_acl(username, permission, action, topic, ipaddress) VALUES"
                + " ('u', 'allow', 'publish', 'elsewhere', '10.1.2.3')");
    try (Chain chain = chain()) {
      ClientAccess access = access(chain, "c1", "u");
      assertThat(publish(access, "q", Qos.EXACTLY_ONCE, false)).isTrue();
      assertThat(publish(access, "q", Qos.AT_LEAST_ONCE, false)).isFalse();
      assertThat(publish(access, "r", Qos.AT_LEAST_ONCE, true)).isTrue();
      assertThat(publish(access, "r", Qos.AT_LEAST_ONCE, false)).isFalse();
      assertThat(publish(access, "c")).isTrue();
      assertThat(publish(access, "elsewhere")).isFalse();
      assertThat(publish(access(chain, "c2", "u"), "c")).isFalse();
      ConnectAdmission there =
          chain.security().admit(attempt("10.1.2.3", "u", "p")).get(20, TimeUnit.SECONDS);
      assertThat(publish(chain.security().accessOf((Admitted) there), "elsewhere")).isTrue();
    }
  }

  @Test
  void shouldRefuseAClientWhoseRulesAreInvalid() throws Exception {
    server().execute(user("u", "p", "", false), rule("u", "allow", "publish", "t"));
    Map<String, String> queries =
        Map.of(
            "SELECT 'maybe' AS permission, action, topic FROM mqtt_acl", "permission must be",
            "SELECT permission, 'eat' AS action, topic FROM mqtt_acl", "action must be",
            "SELECT permission, action, NULL AS topic FROM mqtt_acl",
                "no value in the column topic",
            "SELECT action, topic FROM mqtt_acl", "no value in the column permission");
    for (Map.Entry<String, String> one : queries.entrySet()) {
      String query = one.getKey() + " WHERE username = ${username}";
      try (Chain chain = rules("query", query)) {
        assertThat(chain.result("c", "u", "p"))
            .as(query)
            .startsWith("SERVER_UNAVAILABLE")
            .contains(one.getValue());
      }
    }
  }

  @Test
  void shouldRefuseTooManyRows() throws Exception {
    server().execute(user("u", "p", "", false), user("v", "p", "", false));
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 1_001; i++) {
      rows.add("('u', 'allow', 'publish', 't/" + i + "')");
    }
    server()
        .execute(
            "INSERT INTO mqtt_acl(username, permission, action, topic) VALUES "
                + String.join(",", rows));
    try (Chain chain = chain();
        Chain several =
            login("query", "SELECT password_hash FROM mqtt_user WHERE username <> ${clientid}")) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("more than 1000 rows");
      assertThat(several.result("c", "u", "p")).contains("more than 1 row for this client");
    }
  }

  @Test
  void shouldReportColumnsOfTheWrongType() throws Exception {
    server().execute(user("u", "p", "", false));
    String binary = server().type().equals("mysql") ? "UNHEX('00ff')" : "'\\x00ff'::bytea";
    try (Chain chain =
            login(
                "query",
                "SELECT "
                    + binary
                    + " AS password_hash FROM mqtt_user WHERE username = ${username}");
        Chain superuser =
            login(
                "query",
                "SELECT password_hash, created AS is_superuser, 'x' AS is_superuser FROM"
                    + " mqtt_user WHERE username = ${username}")) {
      assertThat(chain.result("c", "u", "p")).contains("no value in the column password_hash");
      assertThat(superuser.result("c", "u", "p")).contains("is_superuser must be true or false");
    }
  }

  // Hostile clients

  @Test
  void shouldBindHostileNamesAsValues() throws Exception {
    server().execute(user("admin", "p", "", true));
    String longName = "x".repeat(65_535);
    List<String> names =
        List.of(
            "' OR '1'='1",
            "admin' -- ",
            "admin\\",
            "\\' OR 1=1 -- ",
            "\"; DROP TABLE mqtt_user; --",
            "%",
            "_____",
            "adm%",
            "admin\0",
            "\0",
            "${username}",
            "%u",
            "?",
            "$1",
            "admin/*",
            "\ud83d\ude00",
            "a\r\nb",
            longName,
            "");
    try (Chain chain = chain()) {
      for (String name : names) {
        assertThat(chain.result(name, name, "p"))
            .as(name)
            .satisfiesAnyOf(
                one -> assertThat(one).contains("unknown user"),
                one -> assertThat(one).contains("NOT_AUTHORIZED"));
      }
      assertThat(chain.result("c", "admin", "p")).isEqualTo("allow");
    }
  }

  @Test
  void shouldAdmitUsersWithOddNames() throws Exception {
    try (var connection = server().connect();
        var insert =
            connection.prepareStatement(
                "INSERT INTO mqtt_user(username, password_hash, salt) VALUES (?, ?, '')")) {
      for (String name :
          List.of("O'Neil", "back\\slash", "per%cent", "\u00e4\ud83d\ude00", "a\"b")) {
        insert.setString(1, name);
        insert.setString(2, sha256("p"));
        insert.executeUpdate();
      }
    }
    try (Chain chain = login()) {
      for (String name :
          List.of("O'Neil", "back\\slash", "per%cent", "\u00e4\ud83d\ude00", "a\"b")) {
        assertThat(chain.result("c", name, "p")).as(name).isEqualTo("allow");
        assertThat(chain.result("c", name, "q")).as(name).contains("wrong password");
      }
    }
  }

  // Failures

  @Test
  void shouldExplainWhatTheDatabaseRefuses() throws Exception {
    server().execute("DROP TABLE mqtt_user");
    try (Chain missing = login();
        Chain password = login("password", "not-the-password");
        Chain syntax = login("query", "SELEC password FROM x WHERE y = ${username}")) {
      assertThat(missing.result("c", "u", "hunter2-password"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("mqtt_user")
          .doesNotContain("hunter2")
          .doesNotContain(SqlServer.PASSWORD);
      assertThat(syntax.result("c", "u", "p")).contains("SELEC").doesNotContain("jdbc:");
      assertThat(password.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("cannot connect")
          .contains("broker")
          .doesNotContain("not-the-password");
    }
  }
}
