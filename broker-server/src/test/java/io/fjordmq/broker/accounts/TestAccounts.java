package io.fjordmq.broker.accounts;

import io.fjordmq.broker.records.TestRecords;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/** The accounts of nodes that follow the same records. */
public final class TestAccounts implements AutoCloseable {
  public static final Caller LOCAL =
      new Caller("local", Caller.Kind.LOCAL, Role.ADMINISTRATOR, null);
  static final String ADDRESS = "192.0.2.1";

  public final TestRecords records = new TestRecords();
  final Map<AccountObserver.Result, Integer> results = new EnumMap<>(AccountObserver.Result.class);

  public static RecordBuilder<AccountSettings> settings() {
    return RecordBuilder.from(AccountSettings.DEFAULTS);
  }

  /** The accounts of another node. */
  public Accounts open() {
    return open(AccountSettings.DEFAULTS);
  }

  public Accounts open(AccountSettings settings) {
    AccountObserver observer =
        new AccountObserver() {
          @Override
          public void onLogin(Result result) {
            synchronized (results) {
              results.merge(result, 1, Integer::sum);
            }
          }
        };
    return records.own(
        Accounts.open(
            settings,
            new Accounts.Dependencies(
                records.client(), records::now, Duration.ofSeconds(60), observer)));
  }

  /** An administrator with this password. */
  static User.Draft administrator(String name, String password) {
    return new User.Draft(name, password, Role.ADMINISTRATOR, null, "");
  }

  static ApiKey.Draft key(String name, Role role) {
    return new ApiKey.Draft(name, role, null, "", true, null);
  }

  @Override
  public void close() {
    records.close();
  }
}
