package io.fjordmq.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pages, limits, incomplete lists and repeated output. */
class ListTest {
  private final FakeApi api = new FakeApi();

  @AfterEach
  void stop() {
    api.close();
  }

  private static String page(int from, int count, String meta) {
    String data =
        IntStream.range(from, from + count)
            .mapToObj(i -> "{\"topic\":\"t" + i + "\",\"nodes\":[\"n1\"]}")
            .collect(Collectors.joining(","));
    return "{\"data\":[" + data + "],\"meta\":{" + meta + "}}";
  }

  @Test
  void shouldFollowCursors() {
    api.on("GET /topics?limit=1000", page(0, 1000, "\"hasnext\":true,\"cursor\":\"a+b\""))
        .on(
            "GET /topics?limit=1000&cursor=a%2Bb",
            page(1000, 1000, "\"hasnext\":true,\"cursor\":\"c\""))
        .on("GET /topics?limit=1000&cursor=c", page(2000, 1, "\"hasnext\":false"));
    Cli.Result text = Cli.of(api).line("topics list");
    assertThat(text.out().lines()).hasSize(2002).contains("t0\t\tn1", "t1000\t\tn1", "t2000\t\tn1");
    String json = Cli.of(api).line("topics list --json").out();
    assertThat(json).startsWith("[{\"topic\":\"t0\",").endsWith(",\"nodes\":[\"n1\"]}]\n");
    assertThat(json.split("\"topic\"", -1)).hasSize(2002);
  }

  @Test
  void shouldNotFollowACursorThatLeadsNowhere() {
    api.on("GET /topics?limit=1000", page(0, 1, "\"hasnext\":true,\"cursor\":\"a\""))
        .on("GET /topics?limit=1000&cursor=a", page(1, 0, "\"hasnext\":true,\"cursor\":\"a\""));
    Cli.Result result = Cli.of(api).line("topics list --limit 0");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("the list does not end", "cursor=a");
  }

  @Test
  void shouldFollowPageNumbersIfThereAreNoCursors() {
    api.on("GET /topics?limit=2", page(0, 2, "\"hasnext\":true"))
        .on("GET /topics?limit=1000", page(0, 2, "\"hasnext\":true"))
        .on("GET /topics?limit=1000&page=2", page(2, 2, "\"hasnext\":false"));
    assertThat(Cli.of(api).line("topics list --limit 0").out().lines()).hasSize(5);
    assertThat(Cli.of(api).line("topics list --limit 2").out().lines()).hasSize(3);
  }

  @Test
  void shouldFollowPositions() {
    String path = "GET /clients/c/mqueue_messages?payload=none&limit=1000";
    api.on(path, page(0, 2, "\"hasnext\":true,\"position\":\"2-0\""))
        .on(path + "&position=2-0", page(2, 1, "\"hasnext\":false"));
    assertThat(Cli.of(api).line("clients queued c").out().lines()).hasSize(4);
  }

  @Test
  void shouldLimitTheListOnATerminalAndSayThatThereIsMore() {
    api.on("GET /topics?limit=100", page(0, 100, "\"hasnext\":true,\"count\":12345"))
        .on("GET /topics?limit=3", page(0, 3, "\"hasnext\":true"));
    Cli.Result result = Cli.of(api).terminal(80).line("topics list");
    assertThat(result.out().lines()).hasSize(101);
    assertThat(result.err())
        .isEqualTo(
            "fjordmq: showing 100 of 12,345; use --limit to show more, --limit 0 to show all\n");
    assertThat(Cli.of(api).line("topics list --limit 3").err())
        .isEqualTo(
            "fjordmq: showing the first 3; use --limit to show more, --limit 0 to show all\n");
    assertThat(Cli.of(api).line("topics list --limit 3 --json").err()).isEmpty();
  }

  @Test
  void shouldCutALongArrayToTheLimit() {
    api.on("GET /users", "[{\"username\":\"a\"},{\"username\":\"b\"},{\"username\":\"c\"}]");
    assertThat(Cli.of(api).line("users list --limit 2 --json").out())
        .isEqualTo("[{\"username\":\"a\"},{\"username\":\"b\"}]\n");
    assertThat(Cli.of(api).line("users list --limit 2").err()).contains("showing the first 2");
  }

  @Test
  void shouldNameNodesThatDidNotRespond() {
    api.on(
        "GET /topics?limit=1000",
        page(0, 1, "\"hasnext\":false,\"partial\":[\"n2: no response within 5 s\"]"));
    Cli.Result result = Cli.of(api).line("topics list");
    assertThat(result.code()).isZero();
    assertThat(result.err())
        .isEqualTo("fjordmq: warning: the list is incomplete: n2: no response within 5 s\n");
    assertThat(Cli.of(api).line("topics list --json").err()).isEqualTo(result.err());
  }

  @Test
  void shouldContinueALongSearch() {
    String unfinished =
        "\"partial\":[\"the time limit for one page was reached; continue with the cursor\"],"
            + "\"hasnext\":true,\"cursor\":\"c\"";
    api.on("GET /topics?limit=1000", page(0, 0, unfinished))
        .on("GET /topics?limit=1000&cursor=c", page(0, 1, "\"hasnext\":false"));
    assertThat(Cli.of(api).line("topics list --json"))
        .isEqualTo(new Cli.Result(0, "[{\"topic\":\"t0\",\"nodes\":[\"n1\"]}]\n", ""));
  }

  @Test
  void shouldKeepNumbersAndTextsOfTheApi() {
    String element =
        "{\"id\":12345678901234567890,\"rate\":1.10,\"text\":\"ü\\u0000\",\"none\":null}";
    api.on("GET /users", "[" + element + "]");
    assertThat(Cli.of(api).line("users list --json").out()).isEqualTo("[" + element + "]\n");
  }

  @Test
  void shouldPrintNothingIfTheFirstPageFails() {
    api.on("GET /topics?limit=1000", 500, "{\"code\":\"INTERNAL_ERROR\",\"message\":\"failed\"}");
    assertThat(Cli.of(api).line("topics list --json"))
        .isEqualTo(new Cli.Result(1, "", "fjordmq: failed\n"));
  }

  @Test
  void shouldPrintAgainUntilInterrupted() {
    api.on("GET /users", "[{\"username\":\"tcp\"}]");
    List<Integer> pauses = new ArrayList<>();
    CommandEnvironment.Pause twice =
        seconds -> {
          pauses.add(seconds);
          return pauses.size() < 2;
        };
    assertThat(Cli.of(api).pause(twice).line("users list --watch=5 --json").out())
        .isEqualTo("[{\"username\":\"tcp\"}]\n".repeat(2));
    assertThat(pauses).containsExactly(5, 5);
    assertThat(Cli.of(api).terminal(80).line("users list --watch").out())
        .startsWith("\u001b[H\u001b[2J2026-11-26T12:00:00Z\nUSER");
  }

  @Test
  void shouldContinueToWatchANodeThatDoesNotRespond() {
    api.on("GET /users", "[{\"username\":\"tcp\"}]");
    CommandEnvironment.Pause failing =
        seconds -> {
          boolean isFirst = api.requests().size() == 1;
          api.on("GET /users", 503, "{\"code\":\"X\",\"message\":\"overloaded\"}");
          return isFirst;
        };
    Cli.Result result = Cli.of(api).pause(failing).line("users list --watch");
    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("tcp");
    assertThat(result.err()).isEqualTo("fjordmq: overloaded\n");
    // A failure of the first request ends the command.
    assertThat(Cli.of(api).line("users list --watch").code()).isEqualTo(1);
  }
}
