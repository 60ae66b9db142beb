package io.fjordmq.broker.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fjordmq.broker.providers.ProviderEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lists of providers in the file, in variables and in properties. */
class ProviderKeysTest {
  @TempDir Path folder;

  private ConfigLoader.LoadedConfig load(
      String yaml, Map<String, String> environment, Properties properties)
      throws IOException, ConfigException {
    Path file = Files.writeString(folder.resolve("node.yml"), yaml);
    return ConfigLoader.load(
        new ConfigLoader.CommandLine(file, null, null), environment, properties);
  }

  private List<String> problems(String yaml) {
    ConfigException failure =
        catchThrowableOfType(ConfigException.class, () -> load(yaml, Map.of(), new Properties()));
    assertThat(failure).isNotNull();
    return failure.problems();
  }

  private static final String YAML =
      """
      securityConfig:
        authentication:
          - type: scripted
            result: deny
            secret: s3cret
            headers:
              X-Token: abc
              Accept: text
            body: {clientid: "${clientid}", user: "%u"}
          - type: passwordFile
            file: conf/passwords
        authorization:
          - type: scripted
            rules: [allow read a, allow write b]
      """;

  @Test
  void shouldReadBothLists() throws Exception {
    ConfigLoader.LoadedConfig loaded = load(YAML, Map.of(), new Properties());
    var security = loaded.config().securityConfig();
    assertThat(security.authentication().values())
        .extracting(ProviderEntry::type)
        .containsExactly("scripted", "passwordFile");
    ProviderEntry first = Objects.requireNonNull(security.authentication().get(0));
    assertThat(first.values())
        .containsEntry("result", "deny")
        .containsEntry("headers.X-Token", "abc")
        .containsEntry("body.clientid", "${clientid}")
        .containsEntry("body.user", "%u");
    ProviderEntry rules = Objects.requireNonNull(security.authorization().get(0));
    assertThat(rules.settings().list("rules")).containsExactly("allow read a", "allow write b");
    assertThat(first.toString()).doesNotContain("s3cret");
  }

  @Test
  void shouldOverrideValuesByVariablesAndProperties() throws Exception {
    Properties properties = new Properties();
    properties.setProperty("securityConfig.authentication.0.result", "ignore");
    Map<String, String> environment =
        Map.of(
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__0__SECRET", "other",
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__0__RESULT", "allow",
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__2__TYPE", "scripted",
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__2__BODY", "{\"userName\": \"%u\"}",
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__2__ONERROR", "ignore",
            "FJORDMQ_SECURITYCONFIG__AUTHENTICATION__2__HEADERS__x-token", "t");
    var security = load(YAML, environment, properties).config().securityConfig();
    ProviderEntry first = Objects.requireNonNull(security.authentication().get(0));
    ProviderEntry third = Objects.requireNonNull(security.authentication().get(2));
    assertThat(first.values()).containsEntry("secret", "other").containsEntry("result", "ignore");
    assertThat(third.values())
        .containsEntry("body.userName", "%u")
        .containsEntry("onError", "ignore")
        .containsEntry("headers.x-token", "t");
  }

  @Test
  void shouldHideSecretsInTheListing() throws Exception {
    List<ConfigEntry> entries =
        load(YAML, Map.of(), new Properties()).sources().entries(Map.of(), Map.of());
    assertThat(entries)
        .filteredOn(one -> one.key().startsWith("securityConfig.auth"))
        .extracting(one -> one.key() + "=" + one.value())
        .contains(
            "securityConfig.authentication.0.type=scripted",
            "securityConfig.authentication.0.secret=******",
            "securityConfig.authentication.0.headers.X-Token=******",
            "securityConfig.authentication.0.body.clientid=${clientid}",
            "securityConfig.authorization.0.rules=allow read a,allow write b");
    assertThat(entries)
        .filteredOn(one -> one.key().equals("securityConfig.authentication.0.type"))
        .allSatisfy(one -> assertThat(one.source()).contains("node.yml line 3"));
  }

  @Test
  void shouldNameTheSupportedTypes() {
    assertThat(problems("securityConfig:\n  authentication:\n    - type: ldap\n"))
        .singleElement()
        .asString()
        .contains("line 3: securityConfig.authentication.0.type must be one of ")
        .contains("passwordFile, plugin, ")
        .contains("scripted, x509, not 'ldap'");
    assertThat(problems("securityConfig:\n  authorization:\n    - type: passwordFile\n"))
        .singleElement()
        .asString()
        .contains("must be one of aclFile, ")
        .contains("scripted, not 'passwordFile'");
    assertThat(problems("securityConfig:\n  authentication:\n    - result: allow\n"))
        .singleElement()
        .asString()
        .contains("securityConfig.authentication.0.type is required");
  }

  @Test
  void shouldSuggestTheKeyThatWasMeant() {
    assertThat(
            problems(
                "securityConfig:\n  authentication:\n    - type: scripted\n      reslut: allow\n"))
        .singleElement()
        .asString()
        .contains("line 4: unknown key securityConfig.authentication.0.reslut")
        .contains("did you mean result?");
    assertThat(
            problems(
                "securityConfig:\n"
                    + "  authentication:\n"
                    + "    - type: passwordFile\n"
                    + "      cacheTime: 1 s\n"))
        .singleElement()
        .asString()
        .contains("providers of type passwordFile have the keys type, name, enable, listeners");
  }

  @Test
  void shouldRefuseOtherShapes() {
    assertThat(problems("securityConfig:\n  authentication: redis\n"))
        .singleElement()
        .asString()
        .contains("must be a list of providers");
    assertThat(problems("securityConfig:\n  authentication:\n    type: scripted\n"))
        .isNotEmpty()
        .allMatch(one -> one.contains("must be a list of providers"));
    assertThat(
            problems(
                "securityConfig:\n"
                    + "  authentication:\n"
                    + "    - type: scripted\n"
                    + "      result: {a: b}\n"))
        .singleElement()
        .asString()
        .contains("result must be a value, not a section");
  }
}
