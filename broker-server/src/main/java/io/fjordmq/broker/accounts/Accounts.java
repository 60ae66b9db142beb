package io.fjordmq.broker.accounts;

import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.MetadataGroup;
import io.fjordmq.cluster.metadata.WriteResult;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The accounts of the REST API on this node: users, API keys, logins and audit records.
 * Thread-safe.
 */
public final class Accounts implements AutoCloseable {
  private final MetadataGroup metadata;
  private final AccountDirectory directory = new AccountDirectory();
  private final PasswordThread passwords;
  private final Users users;
  private final ApiKeys apiKeys;
  private final Logins logins;
  private final AuditLog audit;
  private final FirstAdministratorSettings firstAdministratorSettings;
  private final FirstAdministrator firstAdministrator;

  /**
   * The parts of the node that accounts need.
   *
   * @param writer writes to the metadata through its leader, on any node
   * @param clock cluster time
   * @param requestTimeout time after which a caller gives up on a request
   */
  public record Dependencies(
      MetadataGroup metadata,
      Function<List<Change>, CompletableFuture<WriteResult>> writer,
      InstantSource clock,
      Duration requestTimeout,
      AccountObserver observer) {}

  /** Reads the accounts and follows their changes. */
  public static Accounts open(AccountSettings settings, Dependencies dependencies) {
    Accounts accounts = new Accounts(settings, dependencies);
    dependencies.metadata.watch(accounts.directory);
    return accounts;
  }

  private Accounts(AccountSettings settings, Dependencies dependencies) {
    metadata = dependencies.metadata;
    AccountRecords records = new AccountRecords(metadata, dependencies.writer);
    InstantSource clock = dependencies.clock;
    passwords =
        new PasswordThread(
            settings.maxWaitingPasswords(), dependencies.requestTimeout, dependencies.observer);
    logins =
        new Logins(
            directory,
            records,
            passwords,
            new LoginGuard(settings),
            settings,
            clock,
            dependencies.observer);
    users = new Users(directory, records, passwords, logins, clock);
    apiKeys = new ApiKeys(directory, records, clock);
    audit = new RecentAuditLog(settings.auditRecords());
    firstAdministratorSettings = settings.firstAdministrator();
    firstAdministrator = new FirstAdministrator(firstAdministratorSettings, records, users);
  }

  /**
   * Creates the first administrator if one is configured and the cluster has no users. Blocks only
   * to read the password from a file; the log says what happened.
   *
   * @return completes when that is done; never fails
   */
  public CompletableFuture<Void> createFirstAdministrator() {
    return firstAdministratorSettings.isConfigured()
        ? firstAdministrator.create()
        : CompletableFuture.completedFuture(null);
  }

  public Users users() {
    return users;
  }

  public ApiKeys apiKeys() {
    return apiKeys;
  }

  public Logins logins() {
    return logins;
  }

  public AuditLog audit() {
    return audit;
  }

  @Override
  public void close() {
    firstAdministrator.close();
    metadata.unwatch(directory);
    passwords.close();
  }
}
