package io.fjordmq.auth.ldap;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.auth.Chain;
import io.fjordmq.auth.TestCertificates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Secrets, TLS and invalid settings. */
class LdapSettingsTest extends WithSlapd {
  @Test
  void shouldReadTheFileWithThePasswordAgain() throws Exception {
    addUser("u", "p");
    Path file = Files.writeString(folder.resolve("password-of-reader"), "wrong\n");
    try (Chain chain = login(searching("password", "", "passwordFile", file.toString()))) {
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      Files.writeString(file, TestDirectory.PASSWORD + "\n");
      awaitAllowed(chain);
    }
  }

  private static Map<String, String> tls(
      String mode, TestDirectory server, Path trustFile, String... more) {
    int port = mode.equals("true") ? server.tlsPort() : server.process().port();
    Map<String, String> settings =
        searching("servers", "localhost:" + port, "tls", mode, "trustFile", trustFile.toString());
    settings.putAll(provider(more));
    return settings;
  }

  /** The library accepts any name in the certificate of a server at a loopback address. */
  @Test
  void shouldVerifyTheServerWithTls() throws Exception {
    addUser("u", "p");
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    TestCertificates others = TestCertificates.in(elsewhere, "ldap.example.com");
    try (TestDirectory misnamed = TestDirectory.start(elsewhere, others)) {
      for (String mode : List.of("true", "startTls")) {
        try (Chain good = login(tls(mode, server, certificates.trust()));
            Chain wrongHost = login(tls(mode, misnamed, others.trust()));
            Chain anyHost = login(tls(mode, misnamed, others.trust(), "verifyHost", "false"));
            Chain untrusted = login(tls(mode, server, others.trust()));
            Chain untrustedAnyHost =
                login(tls(mode, server, others.trust(), "verifyHost", "false"))) {
          assertThat(good.result("c", "u", "p")).as(mode).isEqualTo("allow");
          assertThat(good.result("c", "u", "q")).as(mode).contains("wrong password");
          assertThat(anyHost.result("c", "u", "p")).as(mode).contains("unknown user");
          for (Chain refused : List.of(wrongHost, untrusted, untrustedAnyHost)) {
            assertThat(refused.result("c", "u", "p")).as(mode).startsWith("SERVER_UNAVAILABLE");
          }
        }
      }
    }
  }

  @Test
  void shouldReadTheFilesOfTlsAgain() throws Exception {
    addUser("u", "p");
    Path trust = Files.copy(certificates.otherTrust(), folder.resolve("renewed.pem"));
    Map<String, String> settings =
        searching(
            "servers",
            "localhost:" + server.tlsPort(),
            "tls",
            "true",
            "trustFile",
            trust.toString(),
            "certFile",
            certificates.clientCert().toString(),
            "keyFile",
            certificates.clientKey().toString());
    try (Chain chain = login(settings)) {
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      Files.writeString(trust, Files.readString(certificates.trust()));
      awaitAllowed(chain);
    }
  }

  @Test
  void shouldReportInvalidSettings() {
    String[] valid = {"type", "ldap", "servers", "a", "baseDn", USERS, "filter", "(uid=%u)"};
    assertThat(
            Chain.problems(
                List.of(
                    provider("type", "ldap"),
                    changed(valid, "servers", "a:b"),
                    changed(valid, "baseDn", "nowhere"),
                    changed(valid, "filter", "(uid=%u"),
                    changed(valid, "filter", "(objectClass=*)"),
                    changed(valid, "filter", "(uid=${password})"),
                    changed(valid, "method", "guess"),
                    changed(valid, "username", "cn=x"),
                    changed(valid, "userDn", USER_DN),
                    changed(valid, "superuserGroup", "x"),
                    changed(valid, "publishAttribute", "x"),
                    changed(valid, "trustFile", "x"),
                    memberOf(valid, "superuserGroup", "admins"),
                    memberOf(valid, "superuserGroup", "=x"),
                    changed(valid, "filter", "(cn=${clientid})"),
                    changed(valid, "clientIdAttribute", "cn")),
                List.of(
                    changed(valid, "method", "bind"),
                    changed(valid, "groupRules.x", "publish a"),
                    groupRules(valid, "eat a"),
                    groupRules(valid, "publish"),
                    memberOf(valid, "groupRules.admins", "publish a"))))
        .satisfiesExactly(
            one -> assertThat(one).contains("authentication.0.servers is required"),
            one -> assertThat(one).contains("1.servers must be HOST:PORT"),
            one -> assertThat(one).contains("2.baseDn must be a distinguished name"),
            one -> assertThat(one).contains("3.filter must be a filter"),
            one -> assertThat(one).contains("4.baseDn or .filter must contain a placeholder"),
            one -> assertThat(one).contains("5.filter must be without placeholders"),
            one -> assertThat(one).contains("6.method must be one of bind, compare"),
            one -> assertThat(one).contains("7.username and password"),
            one -> assertThat(one).contains("8.userDn cannot be combined with baseDn"),
            one -> assertThat(one).contains("9.superuserGroup needs groupBaseDn"),
            one -> assertThat(one).contains("10.publishAttribute does not apply to authentication"),
            one -> assertThat(one).contains("11.trustFile needs"),
            one -> assertThat(one).contains("12.superuserGroup must be the DN of a group"),
            one -> assertThat(one).contains("13.superuserGroup must be a distinguished name"),
            one -> assertThat(one).contains("14.clientIdAttribute is required"),
            one -> assertThat(one).contains("15.clientIdAttribute needs the placeholder"),
            one -> assertThat(one).contains("0.method does not apply to authorization"),
            one -> assertThat(one).contains("1.groupRules needs groupBaseDn"),
            one -> assertThat(one).contains("2.groupRules.x must be rules such as"),
            one -> assertThat(one).contains("a rule has no topic"),
            one -> assertThat(one).contains("4.groupRules.admins must be the DN of a group"));
  }

  private static Map<String, String> changed(String[] valid, String key, String value) {
    Map<String, String> settings = provider(valid);
    settings.put(key, value);
    return settings;
  }

  private static Map<String, String> memberOf(String[] valid, String key, String value) {
    Map<String, String> settings = changed(valid, key, value);
    settings.put("memberOfAttribute", "memberOf");
    return settings;
  }

  private static Map<String, String> groupRules(String[] valid, String rules) {
    Map<String, String> settings = changed(valid, "groupRules.x", rules);
    settings.put("groupBaseDn", GROUPS);
    return settings;
  }
}
