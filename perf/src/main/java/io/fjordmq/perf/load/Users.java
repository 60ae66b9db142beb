package io.fjordmq.perf.load;

import io.fjordmq.perf.ConnectSettings.Credentials;
import io.fjordmq.perf.scenario.Clients;
import io.fjordmq.perf.scenario.Flow;
import io.fjordmq.perf.scenario.Scenario;
import io.fjordmq.perf.scenario.UserStore;
import io.fjordmq.perf.users.UserAccount;
import io.fjordmq.perf.users.UserServices;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The users of a scenario: one per client, named like it (p0, s17, c1 or i3), who can access only
 * the topics of this client, and {@link #ADMIN}.
 */
public final class Users {
  /** A user who can access all topics of the tool, for clients of benchmarks. */
  public static final String ADMIN = "admin";

  private static final String EVERYTHING = "perf/#";

  private final Scenario scenario;
  private final Topics topics;

  public Users(Scenario scenario) {
    this.scenario = scenario;
    this.topics = new Topics(scenario, "+"); // the wildcard covers the labels of all runs
  }

  /** Returns all users, created while they are iterated because there can be a million. */
  public Iterable<UserAccount> accounts() {
    Clients clients = scenario.clients();
    return () ->
        Stream.of(
                Stream.of(ADMIN),
                names("p", clients.publishers()),
                names("s", clients.subscribers()),
                names("c", clients.collectors()),
                names("i", clients.idle()))
            .flatMap(names -> names)
            .map(this::account)
            .iterator();
  }

  private static Stream<String> names(String kind, int count) {
    return IntStream.range(0, count).mapToObj(number -> kind + number);
  }

  /** Returns what the named client sends; null if clients are anonymous. */
  public @Nullable Credentials credentials(String client) {
    UserStore store = scenario.connections().users().store();
    return store == UserStore.NONE ? null : UserServices.credentials(account(client), store);
  }

  private UserAccount account(String client) {
    if (client.equals(ADMIN)) {
      return new UserAccount(client, List.of(EVERYTHING), List.of(EVERYTHING));
    }
    int number = Integer.parseInt(client.substring(1));
    return switch (client.charAt(0)) {
      case 'p' -> {
        boolean mutual = scenario.flow() == Flow.MUTUAL;
        yield account(
            client,
            List.of(new String(topics.ofPublisher(number), StandardCharsets.UTF_8)),
            mutual ? topics.ofSubscriber(number) : List.of());
      }
      case 's' -> account(client, List.of(), topics.ofSubscriber(number));
      case 'c' -> account(client, List.of(), topics.ofCollector());
      default -> account(client, List.of(), List.of());
    };
  }

  private UserAccount account(String client, List<String> publishes, List<String> subscribes) {
    int more = scenario.connections().users().rules() - publishes.size() - subscribes.size();
    List<String> read =
        subscribes.stream().map(filter -> filter.replaceFirst("^\\$share/[^/]*/", "")).toList();
    return publishes.isEmpty()
        ? new UserAccount(client, publishes, padded(read, more))
        : new UserAccount(client, padded(publishes, more), read);
  }

  /** Adds rules for topics that nobody uses, in front of the others. */
  private static List<String> padded(List<String> filters, int more) {
    List<String> all = new ArrayList<>();
    IntStream.range(0, more).forEach(i -> all.add("elsewhere/" + i + "/#"));
    all.addAll(filters);
    return all;
  }
}
