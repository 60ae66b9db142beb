package io.fjordmq.perf.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the HTTP service answers. */
class HttpUsersTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private HttpUsers users;

  @BeforeEach
  void start() throws Exception {
    users =
        HttpUsers.start(List.of(new UserAccount("p0", List.of("perf/+/0"), List.of("perf/+/1"))));
  }

  @AfterEach
  void stop() {
    users.close();
  }

  /** The status, and the body if there is one. */
  private String post(String list, String body) throws Exception {
    String url = FirstProvider.setting(users, list, "url");
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
    return (response.statusCode() + " " + response.body()).strip();
  }

  private String logIn(String user, String password) throws Exception {
    return post(
        "authentication", "{\"username\":\"%s\",\"password\":\"%s\"}".formatted(user, password));
  }

  private String act(String action, String topic) throws Exception {
    return post(
        "authorization",
        "{\"username\":\"p0\",\"action\":\"%s\",\"topic\":\"%s\"}".formatted(action, topic));
  }

  @Test
  void shouldAdmitUsersWithTheirPassword() throws Exception {
    assertThat(logIn("p0", "secret of p0")).isEqualTo("204");
    assertThat(logIn("p0", "secret of p1")).isEqualTo("200 {\"result\": \"deny\"}");
    assertThat(logIn("p1", "secret of p1")).isEqualTo("404");
    assertThat(users.usage().orElseThrow().calls()).isEqualTo(3);
  }

  @Test
  void shouldAllowWhatTheRulesOfAUserAllow() throws Exception {
    assertThat(act("publish", "perf/r1/0")).isEqualTo("204");
    assertThat(act("publish", "perf/r1/1")).contains("deny");
    assertThat(act("subscribe", "perf/r1/1")).isEqualTo("204");
    assertThat(act("subscribe", "perf/r1/#")).contains("deny");
  }

  @Test
  void shouldCompareFilters() {
    assertThat(HttpUsers.covers("a/+", "a/b")).isTrue();
    assertThat(HttpUsers.covers("a/+", "a/+")).isTrue();
    assertThat(HttpUsers.covers("a/+", "a/#")).isFalse();
    assertThat(HttpUsers.covers("a/+", "a")).isFalse();
    assertThat(HttpUsers.covers("a", "a/b")).isFalse();
    assertThat(HttpUsers.covers("a/#", "a/b/#")).isTrue();
    assertThat(HttpUsers.covers("a/b", "a/+")).isFalse();
  }
}
