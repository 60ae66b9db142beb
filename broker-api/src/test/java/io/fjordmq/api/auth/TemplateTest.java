package io.fjordmq.api.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names come from clients, so they can contain anything. */
class TemplateTest {

  private static ClientContext client(String clientId, @Nullable String userName) {
    try {
      return new ClientContext(
          clientId,
          userName,
          "secret".getBytes(StandardCharsets.UTF_8),
          InetAddress.getByName("10.1.2.3"),
          null,
          "tcpListener",
          "acme",
          Map.of("site", "oslo"));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldReplaceAllPlaceholders() {
    Template template =
        Template.parse(
            "${clientid}|${username}|${password}|${peerhost}|${listener}|${tenant}"
                + "|${client_attrs.site}|%c|%u");
    assertThat(template.render(client("c", "u"), Escaper.NONE))
        .isEqualTo("c|u|secret|10.1.2.3|tcpListener|acme|oslo|c|u");
  }

  @Test
  void shouldNotRenderMissingValues() {
    assertThat(Template.parse("a/${username}").render(client("c", null), Escaper.NONE)).isNull();
    assertThat(Template.parse("${cert_common_name}").render(client("c", "u"), Escaper.NONE))
        .isNull();
    assertThat(Template.parse("a/${username}").renderOrEmpty(client("c", null), Escaper.NONE))
        .isEqualTo("a/");
  }

  @Test
  void shouldNotReplacePlaceholdersInValues() {
    assertThat(Template.parse("%c/%u").render(client("${username}%u", "${password}"), Escaper.NONE))
        .isEqualTo("${username}%u/${password}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"${nothing}", "${client_attrs.}", "${USERNAME}", "${username"})
  void shouldRefuseUnknownPlaceholders(String text) {
    assertThatThrownBy(() -> Template.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldKeepOtherPercentSigns() {
    assertThat(Template.parse("100%/%x/%", "cu").render(client("c", "u"), Escaper.NONE))
        .isEqualTo("100%/%x/%");
  }

  @ParameterizedTest
  @CsvSource({
    "a b,           a%20b",
    "a&x=1,         a%26x%3D1",
    "../../admin,   ..%2F..%2Fadmin",
    "a#b?c,         a%23b%3Fc",
    "æ,             %C3%A6"
  })
  void shouldEscapeForUrls(String name, String escaped) {
    assertThat(Template.parse("/u/%u").render(client("c", name), Escaper.URL))
        .isEqualTo("/u/" + escaped);
  }

  @Test
  void shouldEscapeLineBreaksInHeaders() {
    assertThat(Template.parse("%u").render(client("c", "a\r\nx-admin: 1"), Escaper.HEADER))
        .doesNotContain("\r", "\n", " ")
        .isEqualTo("a%0D%0Ax-admin%3A%201");
    assertThat(Template.parse("%u").render(client("c", "plain-Name_1"), Escaper.HEADER))
        .isEqualTo("plain-Name_1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#", "+", "a/#", "+/x", "a+", "", "$SYS", "$share/g"})
  void shouldNotLetANameWidenARule(String name) {
    assertThat(rule(true, "${clientid}/#", name)).isNull();
    assertThat(rule(true, "${clientid}", name)).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"#", "+", "a/#", "a+", ""})
  void shouldNotLetWildcardsOfANameIntoTheMiddleOfARule(String name) {
    assertThat(rule(true, "dev/${clientid}/state", name)).isNull();
    assertThat(rule(false, "dev/${clientid}/state", name)).isNull();
  }

  @Test
  void shouldKeepDenyingNamesThatBeginWithADollarSign() {
    Rule denied = Objects.requireNonNull(rule(false, "${clientid}/#", "$SYS"));
    assertThat(denied.filter().pattern()).isEqualTo("$SYS/#");
  }

  @Test
  void shouldNotMakeASharedSubscriptionOfARule() {
    assertThat(rule(true, "$share/${clientid}/x", "g")).isNull();
    assertThat(rule(true, "x/${clientid}", "a\u0000b")).isNull();
    assertThat(rule(true, "x/${clientid}", "a".repeat(70_000))).isNull();
  }

  private static @Nullable Rule rule(boolean allow, String filter, String clientId) {
    return new RuleTemplate(
            allow, Access.READ_WRITE, Template.parse(filter), Set.of(), null, "test")
        .ruleOf(client(clientId, "u"));
  }
}
