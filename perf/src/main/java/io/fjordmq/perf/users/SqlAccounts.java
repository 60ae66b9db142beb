package io.fjordmq.perf.users;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * SQL statements that fill the tables that EMQX documents: users with salted SHA-256 hashes, and
 * their access rules. Backslashes in strings must have no special meaning.
 */
final class SqlAccounts implements Iterable<String> {
  private static final int ROWS_PER_STATEMENT = 200;

  private final Iterable<UserAccount> accounts;

  SqlAccounts(Iterable<UserAccount> accounts) {
    this.accounts = accounts;
  }

  /** Returns the configuration of nodes that use the database. */
  static String configuration(String type, String address) {
    String settings =
        "type: %s, servers: '%s', database: mqtt, username: fjordmq, password: fjordmq"
            .formatted(type, address);
    return UserService.providers(settings, settings);
  }

  @Override
  public Iterator<String> iterator() {
    return Stream.concat(
            statements(
                "INSERT INTO mqtt_user(username, password_hash, salt) VALUES ",
                stream().map(SqlAccounts::user)),
            statements(
                "INSERT INTO mqtt_acl(username, permission, action, topic) VALUES ",
                stream().flatMap(SqlAccounts::rules)))
        .iterator();
  }

  private Stream<UserAccount> stream() {
    return StreamSupport.stream(accounts.spliterator(), false);
  }

  /** Returns statements of many rows each, created while they are iterated. */
  private static Stream<String> statements(String insert, Stream<String> rows) {
    Iterator<String> all = rows.iterator();
    return Stream.generate(
            () -> {
              List<String> batch = new ArrayList<>();
              while (batch.size() < ROWS_PER_STATEMENT && all.hasNext()) {
                batch.add(all.next());
              }
              return batch;
            })
        .takeWhile(batch -> !batch.isEmpty())
        .map(batch -> insert + String.join(", ", batch) + ";");
  }

  private static String user(UserAccount account) {
    return row(account.name(), account.saltedHash(), account.salt());
  }

  private static Stream<String> rules(UserAccount account) {
    return Stream.concat(
        account.publishes().stream().map(topic -> row(account.name(), "allow", "publish", topic)),
        account.subscribes().stream()
            .map(topic -> row(account.name(), "allow", "subscribe", topic)));
  }

  private static String row(String... values) {
    return Stream.of(values)
        .map(value -> "'" + value.replace("'", "''") + "'")
        .collect(Collectors.joining(", ", "(", ")"));
  }
}
