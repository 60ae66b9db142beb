package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands about MQTT users and rules. */
class MqttUsersCommandTest {
  private static final String ID = "/authentication/password_based%3Abuilt_in_database";
  private static final String RULES = "/authorization/sources/built_in_database/rules";

  private final FakeApi api = new FakeApi();

  @TempDir Path folder;

  @AfterEach
  void stop() {
    api.close();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void shouldListUsers() {
    String request = "GET " + ID + "/users?like_user_id=m&group=g&tenant=t&limit=1000";
    api.on(
        request,
        "{\"data\":[{\"user_id\":\"meter\",\"is_superuser\":false,\"enable\":true,\"groups\":"
            + "[\"g\",\"h\"],\"password_hash\":\"argon2id\",\"scram\":[]}],\"meta\":{}}");
    Cli.Result result = Cli.of(api).line("mqtt-users list --like-user-id m --group g --tenant t");
    assertThat(result.err()).isEmpty();
    assertThat(result.out().lines().skip(1))
        .singleElement()
        .asString()
        .startsWith("meter\tno\tyes\t\tg, h\targon2id");
  }

  @Test
  void shouldAddAUserWithAPasswordFromAFile() throws IOException {
    api.on("POST " + ID + "/users", 201, "{\"user_id\":\"m/1\"}");
    String password = file("password", "secret\n");
    Cli.Result result =
        Cli.of(api)
            .line(
                "mqtt-users add m/1 --superuser --group a --group b --attribute site=oslo --tenant"
                    + " t --password-file "
                    + password);
    assertThat(result).isEqualTo(new Cli.Result(0, "MQTT user 'm/1' added\n", ""));
    assertThat(api.requests().get(0).body())
        .isEqualTo(
            "{\"user_id\":\"m/1\",\"is_superuser\":true,\"groups\":[\"a\",\"b\"],\"client_attrs\":"
                + "{\"site\":\"oslo\"},\"tenant\":\"t\",\"password\":\"secret\"}");
  }

  @Test
  void shouldTellIfNoProviderUsesTheDatabase() throws IOException {
    api.on("POST " + ID + "/users", 201, "{\"user_id\":\"m\"}");
    String words = "mqtt-users add m --password-file " + file("password", "secret\n");
    api.on("GET /authentication", "{\"data\":[{\"backend\":\"redis\"}],\"meta\":{}}");
    assertThat(Cli.of(api).line(words).err()).contains("no provider of type database");
    api.on("GET /authentication", "{\"data\":[{\"backend\":\"built_in_database\"}],\"meta\":{}}");
    assertThat(Cli.of(api).line(words).err()).isEmpty();
  }

  @Test
  void shouldPrintAGeneratedPassword() {
    api.on("POST " + ID + "/users", 201, "{\"user_id\":\"m\"}");
    assertThat(Cli.of(api).line("mqtt-users add m").out())
        .matches("MQTT user 'm' added; password: [A-Za-z0-9_-]{20}\n");
    assertThat(Cli.of(api).line("mqtt-users add m --json").out())
        .matches("\\{\"user_id\":\"m\",\"password\":\"[A-Za-z0-9_-]{20}\"}\n");
  }

  @Test
  void shouldChangeUsers() throws IOException {
    api.on("PUT " + ID + "/users/m", "{\"user_id\":\"m\"}");
    Cli cli = Cli.of(api);
    cli.line("mqtt-users set m --no-enabled --no-superuser --no-groups --no-attributes");
    cli.line("mqtt-users set-password m --password-file " + file("password", "new\n"));
    assertThat(api.requests())
        .extracting(FakeApi.Recorded::body)
        .containsExactly(
            "{\"is_superuser\":false,\"enable\":false,\"groups\":[],\"client_attrs\":{}}",
            "{\"password\":\"new\"}");
    assertThat(cli.line("mqtt-users set m").code()).isEqualTo(2);
    assertThat(cli.line("mqtt-users set m --group a --no-groups").code()).isEqualTo(2);
  }

  @Test
  void shouldDeleteUsersOnlyIfConfirmed() {
    api.on("DELETE " + ID + "/users/m", 204, "");
    assertThat(Cli.of(api).line("mqtt-users del m").code()).isEqualTo(2);
    assertThat(Cli.of(api).line("mqtt-users del m --yes").out())
        .isEqualTo("MQTT user 'm' deleted\n");
  }

  @ParameterizedTest
  @CsvSource({
    "user, alice, users/alice, username",
    "client, c/1, clients/c%2F1, clientid",
    "group, g, groups/g, group"
  })
  void shouldAddRulesToTheOthers(String kind, String name, String path, String field) {
    String one = "{\"topic\":\"a\",\"permission\":\"allow\",\"action\":\"all\"}";
    api.on("GET " + RULES + "/" + path + "?tenant=t", "{\"rules\":[" + one + "],\"version\":7}");
    api.on("PUT " + RULES + "/" + path + "?tenant=t", 204, "");
    String words = "mqtt-rules add %s %s deny publish b/# --qos 0,1 --retain true --tenant t";
    Cli.Result result = Cli.of(api).line(words.formatted(kind, name));
    assertThat(result)
        .isEqualTo(new Cli.Result(0, "rule of %s '%s' added\n".formatted(kind, name), ""));
    String other =
        "{\"topic\":\"b/#\",\"permission\":\"deny\",\"action\":\"publish\",\"qos\":[0,1],"
            + "\"retain\":true}";
    assertThat(api.requests().get(1).body())
        .isEqualTo(
            "{\"rules\":[%s,%s],\"version\":7,\"%s\":\"%s\"}".formatted(one, other, field, name));
    Cli.of(api).line(words.formatted(kind, name) + " --first");
    assertThat(api.requests().get(3).body()).startsWith("{\"rules\":[" + other + ",");
  }

  @Test
  void shouldAddTheFirstRule() {
    api.on("PUT " + RULES + "/users/u", 204, "");
    assertThat(Cli.of(api).line("mqtt-rules add user u allow all #").code()).isZero();
    api.on("GET " + RULES + "/all", "{\"rules\":[]}");
    api.on("POST " + RULES + "/all", 204, "");
    assertThat(Cli.of(api).line("mqtt-rules add all - allow all #").out())
        .isEqualTo("rule of all clients added\n");
    assertThat(Cli.of(api).line("mqtt-rules add all u allow all #").code()).isEqualTo(2);
    assertThat(Cli.of(api).line("mqtt-rules add user u permit all #").code()).isEqualTo(2);
  }

  @Test
  void shouldShowAndDeleteSingleRules() {
    api.on(
        "GET " + RULES + "/all",
        "{\"rules\":[{\"topic\":\"a\",\"permission\":\"allow\",\"action\":\"all\"},"
            + "{\"topic\":\"b\",\"permission\":\"deny\",\"action\":\"publish\",\"qos\":[0]}]}");
    api.on("POST " + RULES + "/all", 204, "");
    assertThat(Cli.of(api).line("mqtt-rules show all").out())
        .contains("1\tallow\tall\ta\t", "2\tdeny\tpublish\tb\t0");
    assertThat(Cli.of(api).line("mqtt-rules del all --rule 1").code()).isZero();
    assertThat(api.requests().get(2).body())
        .isEqualTo(
            "{\"rules\":[{\"topic\":\"b\",\"permission\":\"deny\",\"action\":\"publish\","
                + "\"qos\":[0]}],\"version\":0}");
    assertThat(Cli.of(api).line("mqtt-rules del all --rule 3").err()).contains("no rule number 3");
    assertThat(Cli.of(api).line("mqtt-rules del all").code()).isEqualTo(2);
  }

  @Test
  void shouldListOwnersWithTheirRules() {
    api.on(
        "GET " + RULES + "/groups?limit=1000",
        "{\"data\":[{\"group\":\"g\",\"rules\":[{\"topic\":\"a\",\"permission\":\"allow\","
            + "\"action\":\"all\"}]}],\"meta\":{}}");
    assertThat(Cli.of(api).line("mqtt-rules list group").out())
        .isEqualTo("GROUP\tRULES\ng\tallow all a\n");
    assertThat(Cli.of(api).line("mqtt-rules list all").code()).isEqualTo(2);
  }

  @Test
  void shouldImportUsersAndReportTheRest() throws IOException {
    api.on("POST " + ID + "/import_users", "{\"created\":1,\"existing\":[\"bob\"]}");
    String passwords =
        file("passwords", "ann:$6$c2FsdA==$aGFzaA==\nbob:$6$c2FsdA==$aGFzaA==\neve:plain\n");
    Cli.Result result = Cli.of(api).line("mqtt-users import mosquitto-passwords " + passwords);
    assertThat(result.out()).isEqualTo("1 users and the rules of 0 owners imported\n");
    assertThat(result.err())
        .contains("left unchanged: user 'bob'", "not carried over: line 3: ", "mosquitto_passwd");
    assertThat(api.requests().get(0).body()).startsWith("[{\"password_hash\":\"$6$");
  }

  @Test
  void shouldListUsersAndRulesThatTheNodeRefuses() throws IOException {
    api.on("POST " + ID + "/import_users", 400, "{\"code\":\"BAD_REQUEST\",\"message\":\"bad\"}");
    api.on("POST " + RULES + "/groups", 400, "{\"code\":\"BAD_REQUEST\",\"message\":\"wrong\"}");
    api.on("GET " + RULES + "/all", "{\"rules\":[]}");
    api.on("POST " + RULES + "/all", 204, "");
    String dynsec =
        file(
            "dynsec",
            "{\"defaultACLAccess\":{\"publishClientSend\":true},\"roles\":[{\"rolename\":\"r\"}],"
                + "\"clients\":[{\"username\":\"ann\"},{\"username\":\"bob\"}]}");
    Cli.Result result = Cli.of(api).line("mqtt-users import mosquitto-dynsec " + dynsec);
    assertThat(result.out()).isEqualTo("0 users and the rules of 1 owners imported\n");
    assertThat(result.err())
        .contains(
            "not carried over: user 'ann': bad",
            "not carried over: user 'bob': bad",
            "not carried over: rules of group 'r': wrong");
    assertThat(api.lines().subList(0, 3)).containsOnly("POST " + ID + "/import_users");
  }

  @Test
  void shouldEndAnImportThatCannotContinue() throws IOException {
    api.on("POST " + ID + "/import_users", 401, "{\"code\":\"BAD_TOKEN\",\"message\":\"no\"}");
    String passwords = file("passwords", "ann:$6$c2FsdA==$aGFzaA==\nbob:$6$c2FsdA==$aGFzaA==\n");
    assertThat(Cli.of(api).line("mqtt-users import mosquitto-passwords " + passwords).err())
        .contains("no");
    assertThat(api.requests()).hasSize(1);
  }

  @Test
  void shouldImportRulesThatDoNotExist() throws IOException {
    api.on(
        "POST " + RULES + "/users?tenant=t",
        409,
        "{\"code\":\"ALREADY_EXISTS\",\"message\":\"x\"}");
    api.on("GET " + RULES + "/all?tenant=t", "{\"rules\":[]}");
    api.on("POST " + RULES + "/all?tenant=t", 204, "");
    String acl = file("acl", "user ann\ntopic read a\npattern write b/%c\n");
    Cli.Result result = Cli.of(api).line("mqtt-users import mosquitto-acl " + acl + " --tenant t");
    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo("0 users and the rules of 1 owners imported\n");
    assertThat(result.err()).contains("left unchanged: rules of username 'ann'");
  }

  @Test
  void shouldOnlyShowWhatWouldBeImported() throws IOException {
    String users =
        file("users.json", "[{\"user_id\":\"ann\",\"password_hash\":\"0aff\",\"salt\":\"s\"}]");
    Cli.Result result =
        Cli.of(api).line("mqtt-users import emqx " + users + " --salt-position suffix --dry-run");
    assertThat(result.out()).contains("$sha256$suffix$cw==$Cv8=");
    assertThat(api.requests()).isEmpty();
    assertThat(Cli.of(api).line("mqtt-users import emqx missing").err()).contains("file not found");
    assertThat(Cli.of(api).line("mqtt-users import emqx " + users + " --hash x").code())
        .isEqualTo(2);
    assertThat(Cli.of(api).line("mqtt-users import mosquitto-dynsec " + file("bad", "{")).err())
        .contains("not valid JSON");
  }
}
