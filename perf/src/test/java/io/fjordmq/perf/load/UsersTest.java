package io.fjordmq.perf.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.scenario.ClientUsers;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.ScenarioFiles;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserAccount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names and permissions of the users of a scenario. */
class UsersTest {
  @TempDir Path directory;

  private ScenarioFiles files;

  @BeforeEach
  void readNoFiles() throws IOException {
    files = new ScenarioFiles(directory);
  }

  private List<UserAccount> accounts(String scenario, ClientUsers users) {
    List<UserAccount> accounts = new ArrayList<>();
    new Users(files.find(scenario).with(users)).accounts().forEach(accounts::add);
    return accounts;
  }

  private List<UserAccount> accounts(String scenario) {
    return accounts(scenario, new ClientUsers(UserStore.FILES, 0));
  }

  @Test
  void shouldRestrictClientsToTheirTopics() {
    assertThat(accounts("true_2_2_qos1_p32_1mps_1n"))
        .containsExactly(
            new UserAccount("admin", List.of("perf/#"), List.of("perf/#")),
            new UserAccount("p0", List.of("perf/+/0"), List.of()),
            new UserAccount("p1", List.of("perf/+/1"), List.of()),
            new UserAccount("s0", List.of(), List.of("perf/+/0")),
            new UserAccount("s1", List.of(), List.of("perf/+/1")));
  }

  @Test
  void shouldPermitTheFilterOfASharedSubscription() {
    assertThat(accounts("share_true_1_1_qos1_p32_1mps_1n"))
        .contains(new UserAccount("s0", List.of(), List.of("perf/+/+")));
  }

  @Test
  void shouldAddRulesInFrontOfTheOthers() {
    assertThat(accounts("true_1_1_qos1_p32_1mps_1n", new ClientUsers(UserStore.REDIS, 3)))
        .contains(
            new UserAccount("p0", List.of("elsewhere/0/#", "elsewhere/1/#", "perf/+/0"), List.of()),
            new UserAccount(
                "s0", List.of(), List.of("elsewhere/0/#", "elsewhere/1/#", "perf/+/0")));
  }

  @Test
  void shouldHaveNoCredentialsIfClientsAreAnonymous() {
    Scenario scenario = files.find("true_1_1_qos1_p32_1mps_1n");
    assertThat(new Users(scenario).credentials("p0")).isNull();
    Users users = new Users(scenario.with(new ClientUsers(UserStore.HTTP, 0)));
    assertThat(users.credentials("p0")).isEqualTo(new Credentials("p0", "secret of p0"));
    assertThat(users.credentials("s0")).isEqualTo(new Credentials("s0", "secret of s0"));
    Users tokens = new Users(scenario.with(new ClientUsers(UserStore.JWT, 0)));
    assertThat(Objects.requireNonNull(tokens.credentials("p0")).password().split("\\.")).hasSize(3);
  }
}
