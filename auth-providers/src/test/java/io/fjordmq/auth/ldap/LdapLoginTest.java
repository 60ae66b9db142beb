package io.fjordmq.auth.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.Chain;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Logins of users in a real OpenLDAP server. */
class LdapLoginTest extends WithSlapd {
  @Test
  void shouldSearchTheEntryAndLogInAsTheClient() throws Exception {
    addUser("alice", "p");
    addUser("root", "p", "isSuperuser", "TRUE");
    try (Chain chain = restricted(searching())) {
      assertThat(chain.result("c", "alice", "p")).isEqualTo("allow");
      assertThat(chain.result("c", "alice", "q")).contains("wrong password");
      assertThat(chain.result("c", "nobody", "p")).contains("unknown user");
      assertThat(chain.result("c", null, null)).startsWith("NOT_AUTHORIZED");
      assertThat(access(chain, "c", "root").isUnrestricted()).isTrue();
      assertThat(access(chain, "c", "alice").isUnrestricted()).isFalse();
    }
  }

  @Test
  void shouldReadTheConfigurationOfEmqx() throws Exception {
    addUser("mqttuser0001", "{SHA}mlb3fat40MKBTXUVZwCKmL73R/0=");
    addUser("mqttuser0002", "{SSHA}n9XdtoG4Q/TQ3TQF4Y+khJbMBH4qXj4M");
    addUser("mqttuser0003", "{MD5}ybsPGoaK3nDyiQvveiCOIw==", "isSuperuser", "TRUE");
    String[] emqx = {"baseDn", USER_DN, "filter", "(objectClass=mqttUser)"};
    try (Chain bind = login(settings(emqx));
        Chain compare = login(withMethod("compare", emqx))) {
      for (Chain chain : List.of(bind, compare)) {
        for (int i = 1; i <= 3; i++) {
          String name = "mqttuser000" + i;
          assertThat(chain.result("c", name, name)).as(name).isEqualTo("allow");
          assertThat(chain.result("c", name, "p")).as(name).contains("wrong password");
        }
        assertThat(chain.result("c", "mqttuser0004", "p")).contains("unknown user");
      }
    }
  }

  private static Map<String, String> withMethod(String method, String... more) {
    Map<String, String> settings = settings(more);
    settings.put("method", method);
    return settings;
  }

  @Test
  void shouldLogInWithoutSearching() throws Exception {
    addUser("alice", "p", "isSuperuser", "TRUE");
    try (Chain chain = restricted(settings("userDn", USER_DN, "username", "", "password", ""))) {
      assertThat(access(chain, "c", "alice").isUnrestricted()).isTrue();
      assertThat(chain.result("c", "alice", "q")).contains("wrong password");
      assertThat(chain.result("c", "nobody", "p")).contains("wrong password");
      assertThat(chain.result("c", null, "p")).startsWith("BAD_USER_NAME_OR_PASSWORD");
    }
  }

  @Test
  void shouldNeverLogInWithoutAPassword() throws Exception {
    addUser("alice", "p");
    addUser("empty", "{CLEARTEXT}");
    try (Chain search = login(searching());
        Chain direct = login(settings("userDn", USER_DN));
        Chain compare = login(searching("method", "compare"))) {
      for (Chain chain : List.of(search, direct, compare)) {
        for (String name : List.of("alice", "empty")) {
          assertThat(chain.result("c", name, "")).contains("no password");
          assertThat(chain.result("c", name, null)).contains("no password");
        }
      }
    }
  }

  @Test
  void shouldSayWhichStoredPasswordsItCannotCompare() throws Exception {
    addUser("alice", "{ARGON2}$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ$aGFzaA");
    try (Chain chain = login(searching("method", "compare"))) {
      assertThat(chain.result("c", "alice", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("{ARGON2} are not supported; use method: bind");
    }
  }

  @Test
  void shouldNotAcceptAnotherSpellingOfAName() throws Exception {
    addUser("alice", "p", "mail", "alice@example.com");
    try (Chain search = login(searching());
        Chain direct = login(settings("userDn", USER_DN));
        Chain byMail =
            login(searching("filter", "(mail=${username})", "userNameAttribute", "mail"));
        Chain misconfigured =
            login(searching("filter", "(mail=${username})", "userNameAttribute", "cn"))) {
      for (String name : List.of("ALICE", " alice", "alice ", "Alice")) {
        assertThat(search.result("c", name, "p")).as(name).contains("unknown user");
        assertThat(direct.result("c", name, "p"))
            .as(name)
            .satisfiesAnyOf(
                one -> assertThat(one).contains("does not contain exactly this user name"),
                one -> assertThat(one).contains("wrong password"));
      }
      assertThat(byMail.result("c", "alice@example.com", "p")).isEqualTo("allow");
      assertThat(byMail.result("c", "ALICE@example.com", "p")).contains("unknown user");
      assertThat(misconfigured.result("c", "alice@example.com", "p"))
          .contains("has no attribute cn");
    }
  }

  @Test
  void shouldNotAcceptAnotherSpellingOfAClientIdentifier() throws Exception {
    addUser("dev1", "p", "mqttPublishTopic", "t");
    addUser("u", "p");
    Map<String, String> byClientId =
        searching("filter", "(uid=${clientid})", "clientIdAttribute", "uid");
    Map<String, String> direct =
        settings("userDn", "uid=${clientid}," + USERS, "clientIdAttribute", "uid");
    try (Chain search = login(byClientId);
        Chain bind = login(direct);
        Chain rules = Chain.open(List.of(searching()), List.of(byClientId))) {
      assertThat(search.result("dev1", "any", "p")).isEqualTo("allow");
      assertThat(bind.result("dev1", null, "p")).isEqualTo("allow");
      assertThat(publish(access(rules, "dev1", "u"), "t")).isTrue();
      for (String id : List.of("DEV1", " dev1", "dev1 ")) {
        assertThat(search.result(id, "any", "p")).as(id).contains("unknown user");
        assertThat(bind.result(id, null, "p")).as(id).isNotEqualTo("allow");
        assertThat(publish(access(rules, id, "u"), "t")).as(id).isFalse();
      }
    }
  }

  @Test
  void shouldEscapeHostileNames() throws Exception {
    addUser("admin", "p", "isSuperuser", "TRUE");
    List<String> names =
        List.of(
            "*",
            "adm*",
            "admin)(uid=*",
            "*)(objectClass=*",
            "admin))(|(uid=*",
            "admin,ou=testdevice,dc=emqx,dc=io",
            "admin,",
            "admin+cn=x",
            "x," + USERS + "#",
            "admin\u0000",
            "\\61dmin",
            "\\",
            "#61646d696e",
            "${username}",
            "\u00e4\ud83d\ude00",
            "a\r\nb",
            "x".repeat(65_535),
            " ",
            "");
    String[] emqx = {"baseDn", USER_DN, "filter", "(objectClass=mqttUser)"};
    try (Chain search = login(searching());
        Chain base = login(settings(emqx));
        Chain direct = login(settings("userDn", USER_DN))) {
      for (Chain chain : List.of(search, base, direct)) {
        for (String name : names) {
          assertThat(chain.result(name, name, "p"))
              .as(name)
              .satisfiesAnyOf(
                  one -> assertThat(one).contains("unknown user"),
                  one -> assertThat(one).contains("wrong password"),
                  one -> assertThat(one).contains("refused by the directory"));
        }
        assertThat(chain.result("c", "admin", "p")).isEqualTo("allow");
      }
    }
  }

  @Test
  void shouldAdmitUsersWithOddNames() throws Exception {
    List<String> names =
        List.of(
            "O'Neil",
            "a,b",
            "a+b=c",
            "back\\slash",
            "(x*)",
            "#hash",
            "\u00e4\ud83d\ude00",
            "a\"b;<>");
    for (String name : names) {
      addUser(name, "p");
    }
    try (Chain search = login(searching());
        Chain direct = login(settings("userDn", USER_DN));
        Chain base = login(settings("baseDn", USER_DN, "scope", "base"))) {
      for (String name : names) {
        for (Chain chain : List.of(search, direct, base)) {
          assertThat(chain.result("c", name, "p")).as(name).isEqualTo("allow");
          assertThat(chain.result("c", name, "q")).as(name).contains("wrong password");
        }
      }
    }
  }

  @Test
  void shouldRefuseSeveralEntries() throws Exception {
    addUser("a1", "p", "l", "x");
    addUser("a2", "p", "l", "x");
    addUser("a3", "p", "l", "x");
    try (Chain chain = login(searching("filter", "(l=${username})"))) {
      for (int i = 0; i < 12; i++) {
        assertThat(chain.result("c", "x", "p")).contains("more than 1 entry for this client");
      }
    }
  }

  @Test
  void shouldExplainThatUsersCannotReadTheirEntry() throws Exception {
    String hidden = "ou=hidden," + TestDirectory.SUFFIX;
    server.add(
        "dn: "
            + hidden
            + "\nobjectClass: organizationalUnit\nou: hidden\n\ndn: uid=eve,"
            + hidden
            + "\nobjectClass: mqttUser\nuid: eve\nuserPassword: p\n");
    try (Chain chain = login(settings("userDn", "uid=${username}," + hidden))) {
      assertThat(chain.result("c", "eve", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("the user cannot read its own entry");
    }
  }
}
