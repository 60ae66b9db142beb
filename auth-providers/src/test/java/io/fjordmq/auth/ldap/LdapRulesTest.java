package io.fjordmq.auth.ldap;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.fjordmq.api.Topic;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.ClientAccess;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Rules and groups in a real OpenLDAP server. */
class LdapRulesTest extends WithSlapd {
  @Test
  void shouldReadTheRulesThatEmqxDocuments() throws Exception {
    addUser(
        "u",
        "p",
        "mqttPublishTopic",
        "u/pub/+",
        "mqttSubscriptionTopic",
        "u/sub/#",
        "mqttPubSubTopic",
        "${clientid}/both",
        "mqttAclRule",
        "[{\"permission\":\"deny\",\"action\":\"subscribe\",\"topic\":\"u/sub/secret\"}]",
        "mqttPublishTopic",
        "a/#/invalid");
    Map<String, String> emqx = settings("baseDn", USER_DN, "filter", "(objectClass=mqttUser)");
    try (Chain chain = Chain.open(List.of(emqx), List.of(emqx))) {
      ClientAccess access = access(chain, "c", "u");
      assertThat(publish(access, "u/pub/1")).isTrue();
      assertThat(publish(access, "u/pub/1/2")).isFalse();
      assertThat(publish(access, "u/sub/1")).isFalse();
      assertThat(publish(access, "c/both")).isTrue();
      assertThat(subscribe(access, "c/both")).isTrue();
      assertThat(subscribe(access, "u/sub/1")).isTrue();
      assertThat(access.mayReceive(new Topic("u/sub/secret"))).isFalse();
    }
  }

  @Test
  void shouldRefuseAClientWhoseRulesAreInvalid() throws Exception {
    addUser("u", "p", "mqttAclRule", "[{\"permission\":\"maybe\",\"topic\":\"t\"}]");
    addUser("v", "p", "mqttAclRule", "not json");
    try (Chain chain = Chain.open(List.of(searching()), List.of(searching()))) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("mqttAclRule is not a valid rule: permission must be");
      assertThat(chain.result("c", "v", "p")).contains("mqttAclRule is not a valid rule");
    }
  }

  @Test
  void shouldTurnGroupsIntoRulesAndAttributes() throws Exception {
    addUser("u", "p", "l", "north");
    addUser("v", "p");
    server.add(
        """
        dn: cn=Sensors,GROUPS
        objectClass: groupOfNames
        objectClass: mqttRules
        cn: Sensors
        member: uid=u,USERS
        mqttPublishTopic: sensors/${clientid}

        dn: cn=admins,GROUPS
        objectClass: groupOfNames
        cn: admins
        member: uid=v,USERS
        """
            .replace("GROUPS", GROUPS)
            .replace("USERS", USERS));
    Map<String, String> users =
        searching("groupBaseDn", GROUPS, "superuserGroup", "Admins", "attributes.site", "l");
    Map<String, String> rules =
        searching(
            "groupBaseDn",
            GROUPS,
            "groupRules.sensors",
            "deny publish ${client_attrs.site}/x,publish ${client_attrs.site}/+,"
                + " subscribe ${client_attrs.groups}/#");
    try (Chain chain = Chain.open(List.of(users), List.of(rules))) {
      ClientAccess access = access(chain, "c", "u");
      assertThat(publish(access, "sensors/c")).isTrue();
      assertThat(publish(access, "sensors/d")).isFalse();
      assertThat(publish(access, "north/1")).isTrue();
      assertThat(publish(access, "north/x")).isFalse();
      assertThat(subscribe(access, "Sensors/#")).isTrue();
      assertThat(access(chain, "c", "v").isUnrestricted()).isTrue();
    }
  }

  @Test
  void shouldReadGroupsOfPosixAccountsAndOfTheEntry() throws Exception {
    addUser("u", "p", "l", "cn=Drivers,ou=x,dc=y", "l", "not a DN");
    server.add(
        "dn: cn=dialout,"
            + GROUPS
            + "\nobjectClass: posixGroup\ncn: dialout\ngidNumber: 1\n"
            + "memberUid: u\n");
    Map<String, String> rules =
        searching(
            "groupBaseDn",
            GROUPS,
            "groupMemberAttribute",
            "memberUid",
            "memberOfAttribute",
            "l",
            "groupRules.dialout",
            "publish d",
            "groupRules.CN=drivers, OU=x, DC=y",
            "publish e",
            "groupRules.drivers",
            "publish f");
    try (Chain chain = Chain.open(List.of(searching()), List.of(rules))) {
      ClientAccess access = access(chain, "c", "u");
      assertThat(publish(access, "d")).isTrue();
      assertThat(publish(access, "e")).isTrue();
      assertThat(publish(access, "f")).as("a group elsewhere with this name").isFalse();
    }
  }

  @Test
  void shouldNotConfuseGroupsWithTheSameName() throws Exception {
    String admins = "cn=admins," + GROUPS;
    addUser("root", "p", "l", "CN=Admins, " + GROUPS);
    addUser("eve", "p", "l", "cn=admins,ou=self-service," + TestDirectory.SUFFIX);
    try (Chain byDn = restricted(searching("memberOfAttribute", "l", "superuserGroup", admins));
        Chain byName =
            restricted(
                searching(
                    "memberOfAttribute", "l", "groupBaseDn", GROUPS, "superuserGroup", "admins"));
        Chain searched = restricted(searching("groupBaseDn", GROUPS, "superuserGroup", admins))) {
      for (Chain chain : List.of(byDn, byName)) {
        assertThat(access(chain, "c", "root").isUnrestricted()).isTrue();
        assertThat(access(chain, "c", "eve").isUnrestricted()).isFalse();
      }
      server.add(
          "dn: cn=admins,GROUPS\nobjectClass: groupOfNames\ncn: admins\nmember: uid=eve,USERS\n"
              .replace("GROUPS", GROUPS)
              .replace("USERS", USERS));
      assertThat(access(searched, "c", "eve").isUnrestricted()).isTrue();
      assertThat(access(searched, "c", "root").isUnrestricted()).isFalse();
    }
  }

  @Test
  void shouldRefuseTooManyRules() throws Exception {
    addUser("u", "p");
    String[] topics = new String[1_001];
    for (int i = 0; i < topics.length; i++) {
      topics[i] = "t/" + i;
    }
    try (LDAPConnection connection = server.connect()) {
      connection.modify(
          "uid=u," + USERS, new Modification(ModificationType.ADD, "mqttPublishTopic", topics));
    }
    try (Chain chain = Chain.open(List.of(searching()), List.of(searching()))) {
      assertThat(chain.result("c", "u", "p"))
          .startsWith("SERVER_UNAVAILABLE")
          .contains("more than 1000 rules for uid=u");
    }
  }
}
