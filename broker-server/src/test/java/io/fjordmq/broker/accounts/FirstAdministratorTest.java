package io.fjordmq.broker.accounts;

import static io.fjordmq.broker.accounts.TestAccounts.ADDRESS;
import static io.fjordmq.broker.accounts.TestAccounts.LOCAL;
import static io.fjordmq.broker.accounts.TestAccounts.administrator;
import static io.fjordmq.broker.records.TestRecords.fails;
import static io.fjordmq.broker.records.TestRecords.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstAdministratorTest {
  private final TestAccounts test = new TestAccounts();

  @TempDir Path folder;

  @AfterEach
  void close() {
    test.close();
  }

  private Accounts open(FirstAdministratorSettings first) {
    return test.open(
        TestAccounts.settings().with(AccountSettings::firstAdministrator, first).build());
  }

  private static FirstAdministratorSettings first(String name, String password) {
    return new FirstAdministratorSettings(name, password, "");
  }

  @Test
  void shouldCreateTheAdministratorOfANewCluster() {
    Accounts here = open(first("root", "first password"));
    get(here.createFirstAdministrator());
    assertThat(get(here.logins().login("root", "first password", ADDRESS)).caller())
        .isEqualTo(new Caller("root", Caller.Kind.USER, Role.ADMINISTRATOR, null));
  }

  @Test
  void shouldCreateNoneUnlessOneIsConfigured() {
    get(test.open().createFirstAdministrator());
    assertThat(test.records.metadata.view().withPrefix("user/")).isEmpty();
  }

  @Test
  void shouldNotCreateOneIfThereAreUsers() {
    get(test.open().users().add(LOCAL, administrator("ann", "some password")));
    Accounts here = open(first("root", "first password"));
    get(here.createFirstAdministrator());
    assertThat(here.users().list(LOCAL)).extracting(User::name).containsExactly("ann");
  }

  @Test
  void shouldNotResetThePasswordAtTheNextStart() {
    Accounts here = open(first("root", "first password"));
    get(here.createFirstAdministrator());
    get(here.users().setPassword(LOCAL, "root", "second password"));
    get(open(first("root", "first password")).createFirstAdministrator());
    fails(
        here.logins().login("root", "first password", ADDRESS),
        CredentialsException.Kind.WRONG_CREDENTIALS);
  }

  @Test
  void shouldCreateOneIfSeveralNodesStartAtOnce() {
    Accounts here = open(first("root", "first password"));
    Accounts there = open(first("root", "other password"));
    test.records.writer =
        batch -> {
          test.records.writer = null;
          get(there.createFirstAdministrator());
          return test.records.metadata.write(batch);
        };
    get(here.createFirstAdministrator());
    assertThat(here.users().list(LOCAL)).hasSize(1);
    get(here.logins().login("root", "other password", ADDRESS));
  }

  @Test
  void shouldReadThePasswordFromTheFirstLineOfAFile() throws IOException {
    Path file = folder.resolve("password");
    Files.writeString(file, "first päßword\r\nignored\n");
    Accounts here = open(new FirstAdministratorSettings("root", "", file.toString()));
    get(here.createFirstAdministrator());
    get(here.logins().login("root", "first päßword", ADDRESS));
  }

  @Test
  void shouldNotCreateOneWithoutAUsableFile() throws IOException {
    Path file = folder.resolve("password");
    FirstAdministratorSettings settings =
        new FirstAdministratorSettings("root", "", file.toString());
    get(open(settings).createFirstAdministrator());
    assertThatThrownBy(settings::readPassword)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("cannot read " + file);
    for (byte[] content :
        List.of(
            new byte[0],
            "\nsecond line".getBytes(StandardCharsets.UTF_8),
            new byte[] {(byte) 0xff, 'a'},
            new byte[5_000])) {
      Files.write(file, content);
      assertThatThrownBy(settings::readPassword)
          .isInstanceOf(IOException.class)
          .hasMessageContaining(file.toString());
    }
    assertThat(test.records.metadata.view().withPrefix("user/")).isEmpty();
  }

  @Test
  void shouldRefuseInvalidSettings() {
    refuses("root", "", "", "password or passwordFile must be set, and not both");
    refuses("root", "first password", "file", "password or passwordFile must be set, and not both");
    refuses("", "first password", "", "username must be set if password or passwordFile is set");
    refuses("", "", "file", "username must be set if password or passwordFile is set");
    refuses("root", "short", "", "password must have 8 to 256 characters, not 5");
    refuses("a:b", "first password", "", "username must be 1 to 64 characters");
    assertThat(first("root", "first password").toString()).doesNotContain("first password");
  }

  private static void refuses(String name, String password, String file, String message) {
    assertThatThrownBy(() -> new FirstAdministratorSettings(name, password, file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }
}
